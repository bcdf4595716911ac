#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# usage: install.sh DIR [KDIR]
#
# Fills DIR, tools/testing/selftests/ptaudit of a kernel tree, with the tests that vm-ci runs.
# They are built with the harness of that tree. The module is built for KDIR; the default is the
# tree itself if it is built.
set -euo pipefail

die() {
	echo "kselftest-install: $*" >&2
	exit 1
}

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
[ -n "${1:-}" ] || die "name the directory: make kselftest-install DIR=TREE/tools/testing/selftests/ptaudit"
harness=$(cd "$(dirname "$1")" 2>/dev/null && pwd) ||
	die "there is no directory $(dirname "$1"): DIR has to be TREE/tools/testing/selftests/ptaudit"
dir=$harness/$(basename "$1")
for file in lib.mk kselftest_harness.h; do
	[ -e "$harness/$file" ] || die "$harness has no $file: DIR has to be TREE/tools/testing/selftests/ptaudit"
done
mkdir -p "$dir"
kdir=${2:-${harness%/tools/testing/selftests}}

out=$root/build/selftests/kselftest
rm -rf "$out"
make -s -j "$(nproc)" -C "$root/selftests/live" out="$out" KSELFTEST_DIR="$harness"
rm -rf "${dir:?}/bin" "$dir/ptaudit.ko"
mkdir "$dir/bin"
"$root/scripts/vm-ci" --list >"$dir/programs"
while read -r program _; do
	case $program in
	*.sh) install -m 755 "$root/selftests/live/tool/$program" "$dir/bin/$program" ;;
	*) install -m 755 "$out/$program" "$dir/bin/$program" ;;
	esac
	install -m 755 "$here/run.sh" "$dir/$program"
done <"$dir/programs"
install -m 755 "$root/user/ptaudit" "$dir/ptaudit"
install -m 644 "$here/Makefile" "$root/selftests/live/config" "$root/selftests/live/settings" "$dir"
if [ -e "$kdir/Module.symvers" ]; then
	module=$("$root/scripts/kernel" --module "$kdir") || die "the module cannot be built for $kdir"
	install -m 644 "$module" "$dir/ptaudit.ko"
else
	echo "kselftest-install: $kdir is not built, so there is no module in $dir;" \
		"the tests take one that is loaded or installed" >&2
fi
