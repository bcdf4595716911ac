#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# usage: numbers.sh [KERNEL...]
#
# Rebuilds the tables of user/doc/numbers.md: the values of VmPTE, PageTables and memory.stat for
# known shapes, on each kernel in a VM. Default: all of the nightly run.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck disable=SC2046 # a list
[ $# -gt 0 ] || set -- $("$root/scripts/kernel" --names all)
for kernel; do
	"$root/scripts/vm" --kernel "$kernel" --memory 2G -- "$root/selftests/bench/numbers-guest"
done
