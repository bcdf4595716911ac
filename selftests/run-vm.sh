#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# usage: run-vm.sh [KERNEL...]
#
# Boots each kernel (default 6.1) with 4 and with 5 levels, without and with KPTI,
# and runs the tests of live/ there. A skip fails unless expected-skips/KERNEL
# names the test and what is missing. The last line is `N passed, N failed`.
# PTAUDIT_TOOL: another tool than the one built here.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
out=$root/build/selftests/live
passed=0 failed=0 skipped=0

fail() {
	echo "not ok $*"
	failed=$((failed + 1))
}

# boot KERNEL LEVELS PTI PROGRAM...
boot() {
	local kernel=$1 levels=$2 pti=$3 name="$1/$2-level/pti=$3" status=0 took=$SECONDS la57=off
	local p f s
	shift 3
	[ "$levels" = 4 ] || la57=on
	# shellcheck disable=SC2154 # release and module: from scripts/kernel
	"$root/scripts/vm" --kernel "$kernel" --module "$module" --memory 2G --timeout 900 \
		--cpu "la57=$la57" --append "pti=$pti" -- env PTAUDIT_EXPECT_RELEASE="$release" \
		PTAUDIT_EXPECT_LEVELS="$levels" PTAUDIT_EXPECT_PTI="$pti" PTAUDIT_TOOL="$tool" \
		PTAUDIT_MODULE="$module" "$here/live/guest.sh" "$out" "$@" >"$tmp/output" || status=$?
	rm -f "$tmp/totals"
	awk -v boot="$name" -v programs="$*" -v skips="$here/expected-skips/$kernel" -v levels="$levels" \
		-v pti="$pti" -v totals="$tmp/totals" -f "$here/ktap.awk" "$tmp/output" || fail "$name: awk failed"
	if read -r p f s <"$tmp/totals"; then
		passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
	else
		fail "$name: no totals"
	fi
	[ "$status" = 0 ] || fail "$name: the VM ended with status $status"
	echo "# $name: $((SECONDS - took)) s"
}

run_kernel() {
	local kernel=$1 vars programs
	vars=$("$root/scripts/kernel" "$kernel") || { fail "$kernel: cannot be had"; return; }
	eval "$vars"
	module=$("$root/scripts/kernel" --module "$kernel" 2>"$tmp/build") ||
		{ cat "$tmp/build" >&2; fail "$kernel: the module cannot be built"; return; }
	mapfile -t programs < <(make -s --no-print-directory -C "$here/live" list)
	boot "$kernel" 4 off "${programs[@]}"
	# shellcheck disable=SC2154 # build: from scripts/kernel
	if grep -qsx 'CONFIG_PGTABLE_LEVELS=5' "$build/.config" "$build/include/config/auto.conf"; then
		boot "$kernel" 5 on "${programs[@]}"
		boot "$kernel" 4 on edges_test
	else
		boot "$kernel" 4 on "${programs[@]}"
	fi
}

[ $# -gt 0 ] || set -- 6.1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
if [ -n "${PTAUDIT_TOOL:-}" ]; then
	tool=$PTAUDIT_TOOL
else
	tool=$root/user/ptaudit
	make -s -C "$root" user
fi
KSELFTEST_DIR=${KSELFTEST_DIR:-$("$root/scripts/kernel" --source 6.1)}
make -s -C "$here/live" KSELFTEST_DIR="$KSELFTEST_DIR"
for kernel; do
	run_kernel "$kernel"
done
echo "# $skipped skipped, each for a reason that its list names"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
