#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# usage: vm.sh [--icount] [KERNEL...]
#
# Boots each kernel (default: all of the nightly run) with the module, and runs module.py there.
# BENCH_VM_FLAGS: flags for module.py.
#
# --icount: one emulated CPU whose clock counts instructions, 1 ns each. The results then do not
# depend on the load of this machine, and do not include effects of caches. The CPU's fast
# strings are off: QEMU counts each byte that they move.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$(dirname "$here")")
out=$root/build/bench
status=0 vm=() flags=()

if [ "${1:-}" = --icount ]; then
	vm=(--cpus 1 --qemu-arg -icount --qemu-arg 'shift=0,sleep=off')
	flags=(--icount --rounds 1 --slowdown-rounds 1 --seconds 0.5)
	shift
fi
# shellcheck disable=SC2046 # a list
[ $# -gt 0 ] || set -- $("$root/scripts/kernel" --names all)
make -s -C "$here" all
for kernel; do
	# shellcheck disable=SC2086 # a list of flags
	"$root/scripts/vm" --kernel "$kernel" --memory 2G --timeout 1800 "${vm[@]}" -- \
		"$here/module.py" --out "$out" --tool "$root/user/ptaudit" "${flags[@]}" ${BENCH_VM_FLAGS:-} || {
		echo "vm-bench: $kernel failed" >&2
		status=1
	}
done
exit "$status"
