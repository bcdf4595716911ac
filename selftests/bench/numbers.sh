#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# usage: numbers.sh [KERNEL...]
#
# Rebuilds the tables of user/doc/numbers.md: the values of VmPTE, PageTables and memory.stat for
# known shapes, on each kernel in a VM. Default: 5.10 6.1 6.12 7.2.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
[ $# -gt 0 ] || set -- 5.10 6.1 6.12 7.2
for kernel; do
	"$root/scripts/vm" --kernel "$kernel" --memory 2G -- "$root/selftests/bench/numbers-guest"
done
