#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# usage: vm.sh [KERNEL...]
#
# Boots each kernel (default 5.10 6.1 6.12 7.2) with the module, and runs module.py
# there. BENCH_VM_FLAGS: for it.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$(dirname "$here")")
out=$root/build/bench
status=0

[ $# -gt 0 ] || set -- 5.10 6.1 6.12 7.2
make -s -C "$here" all
for kernel; do
	# shellcheck disable=SC2086 # a list of flags
	"$root/scripts/vm" --kernel "$kernel" --memory 2G --timeout 1800 -- \
		"$here/module.py" --out "$out" --tool "$root/user/ptaudit" ${BENCH_VM_FLAGS:-} || {
		echo "vm-bench: $kernel failed" >&2
		status=1
	}
done
exit "$status"
