#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Builds modules with one fault each, those of faults/witness, and BPF walks with those of
# faults/bpf. The comparison with the guest's memory must find every fault. Prints KTAP, as
# run.sh does.
#
# usage: faults.sh [--bpf] [BOOT...]
#
# The default is 7.2:5:off 6.12:4:on, with the layouts that the faults need. --bpf: no modules.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
export PYTHONDONTWRITEBYTECODE=1
modules=yes
if [ "${1:-}" = --bpf ]; then
	modules=
	shift
fi
layouts=thp,sparse,ldt,hugetlb,random.1.0,random.1.2
[ $# -gt 0 ] || set -- "7.2:5:off:$layouts,huge1g" "6.12:4:on:$layouts"

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

fail() {
	echo "not ok 1 $*"
	echo '0 passed, 1 failed'
	exit 1
}

make -s -C "$root" user >&2 || fail 'the tool does not build'
mkdir "$tmp/bpf"
for patch in sound "$here"/../faults/bpf/*.patch; do
	name=$(basename "$patch" .patch)
	"$here/../faults/plant" "$patch" bpf "$tmp/bpf/$name.walk" || fail "$name does not build"
done
for boot; do
	kernel=${boot%%:*}
	[ ! -d "$tmp/$kernel" ] || continue
	mkdir "$tmp/$kernel"
	[ "$kernel" = 5.10 ] || cp "$tmp/bpf"/* "$tmp/$kernel"
	[ -n "$modules" ] || continue
	for patch in sound "$here"/../faults/witness/*.patch; do
		name=$(basename "$patch" .patch)
		"$here/../faults/plant" "$patch" "$kernel" "$tmp/$kernel/$name.ko" || fail "$name does not build"
	done
done
/usr/bin/python3 "$here/witness.py" --faults "$tmp" "$root/user/ptaudit" "$@"
