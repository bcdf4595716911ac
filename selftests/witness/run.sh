#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Compares the module and the tool with a walk of the guest's physical memory from outside the
# VM. Prints KTAP; the last line is `N passed, N failed`.
#
# usage: run.sh [--bpf] [all | BOOT...]
#
# A BOOT is KERNEL:LEVELS:PTI[:LAYOUT,...], such as 7.2:5:on; see witness.py. Default: the fixed
# layouts with 4 levels and random ones with 5, on 6.1, 6.12, 7.2 and 7.3. all: all layouts on
# each kernel, with 4 and with 5 levels if it supports them, with and without KPTI. --bpf: also
# compare the records of the BPF walk, which takes seconds per process.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
export PYTHONDONTWRITEBYTECODE=1
options=()
if [ "${1:-}" = --bpf ]; then
	options=(--bpf)
	shift
fi

[ $# -gt 0 ] || set -- 6.1:4:off:fixed 6.1:5:on:random.1 6.12:4:on:fixed 6.12:5:off:random.1 \
	7.2:4:off:fixed 7.2:5:on:random.1 7.3:4:on:fixed 7.3:5:off:random.1
if [ "$*" = all ]; then
	set -- 5.10:4:off 5.10:4:on
	for kernel in $("$here/../../scripts/kernel" --names); do
		set -- "$@" "$kernel":{4,5}:{off,on}
	done
fi

{ make -s -C "$here/../.." user && make -s -C "$here/../bench" all; } >&2 || {
	echo 'not ok 1 the tool does not build'
	echo '0 passed, 1 failed'
	exit 1
}
exec /usr/bin/python3 "$here/witness.py" "${options[@]}" "$here/../../user/ptaudit" "$@"
