#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# usage: planted.sh [--kernel NAME] [--build-only] [FAULT...]
#
# Checks that the debug tests find faults. For each fault it builds a copy of the module with the
# fault, boots a debug kernel (default 7.3-debug), and runs the programs that the patch in
# faults/debug names; their output must match its Pattern. One fault per boot: lockdep turns
# itself off after its first report. It takes some minutes per fault.
# --build-only: only check that each fault can be built. The last line is `N passed, N failed`.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
faults=$root/selftests/faults/debug
out=$root/build/selftests/live
kernel=7.3-debug build_only=
passed=0 failed=0

# field NAME FAULT: a field of the patch's header
field() {
	sed -n "s/^$1: //p;/^--- /q" "$faults/$2.patch" || :
}

# All programs that any of the faults names.
all_programs() {
	sed -n 's/^Found-by: //p' "$faults"/*.patch | tr , '\n' | sort -u | paste -sd ,
}

# try FAULT|clean
try() {
	local name=$1 patch=sound module=$tmp/$1/ptaudit.ko programs pattern='' status=0
	if [ "$name" = clean ]; then
		programs=$(all_programs)
	else
		patch=$faults/$name.patch programs=$(field Found-by "$name") pattern=$(field Pattern "$name")
	fi
	mkdir "$tmp/$name"
	"$here/../faults/plant" "$patch" "$kernel" "$module" || {
		echo "not ok $name: the module with the fault cannot be built"
		failed=$((failed + 1))
		return
	}
	if [ -n "$build_only" ]; then
		echo "ok $name: the module with the fault can be built"
		passed=$((passed + 1))
		return
	fi
	# Only the line of the pattern is judged in the KTAP output; the VM judges the
	# kernel's log. The kernel panics at the first warning, because some faults warn in each
	# walk. All messages go to the console, because after a panic the log cannot be read.
	# shellcheck disable=SC2086,SC2154 # a list; release is from scripts/kernel
	"$root/scripts/vm" --kernel "$kernel" --module "$module" --memory 3G --timeout 3600 \
		--append "pti=on panic_on_warn=1 ignore_loglevel" -- env PTAUDIT_EXPECT_RELEASE="$release" PTAUDIT_EXPECT_LEVELS=4 \
		PTAUDIT_EXPECT_PTI=on PTAUDIT_TOOL="$root/user/ptaudit" PTAUDIT_STRESS_SECONDS=20 \
		PTAUDIT_TIME_FACTOR="$factor" \
		PTAUDIT_MODULE="$module" PTAUDIT_HOLD_MODULE="$hold" PTAUDIT_PLANT="$plant" \
		"$here/../live/guest.sh" 1800 "$out" ${programs//,/ } witnesses.sh >"$tmp/output" 2>&1 || status=$?
	grep -E '^not ok |^vm: |^# .*(before|wrong|left behind|only the|present [0-9]+ and)' "$tmp/output" | head -n 12 | sed 's/^/# /'
	if [ "$name" = clean ]; then
		if [ "$status" = 0 ] && ! grep -q '^not ok' "$tmp/output" && grep -q '^### done' "$tmp/output"; then
			echo "ok $name: the tests pass without a fault"
			passed=$((passed + 1))
			return
		fi
	elif grep -aEq "$pattern" "$tmp/output" && { [ "$status" != 0 ] || grep -q '^not ok' "$tmp/output"; }; then
		echo "ok $name: the tests find the fault: $(grep -aE -m 1 "$pattern" "$tmp/output")"
		passed=$((passed + 1))
		return
	fi
	cp "$tmp/output" "$root/build/planted-$name"
	echo "not ok $name: the tests do not find the fault; status $status, output in build/planted-$name"
	failed=$((failed + 1))
}

[ "${1:-}" != --kernel ] || { kernel=$2; shift 2; }
[ "${1:-}" != --build-only ] || { build_only=yes; shift; }
# Not below /tmp: the guest mounts its own there.
mkdir -p "$root/build"
tmp=$(mktemp -d "$root/build/planted.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
case $kernel in *-debug | *-kcsan) factor=10 ;; *) factor=1 ;; esac
vars=$("$root/scripts/kernel" "$kernel")
eval "$vars"
KSELFTEST_DIR=${KSELFTEST_DIR:-$("$root/scripts/kernel" --source 6.1)}
make -s -C "$root" user
make -s -C "$here/../live" KSELFTEST_DIR="$KSELFTEST_DIR"
make -s -C "$here" KSELFTEST_DIR="$KSELFTEST_DIR"
hold=$("$root/scripts/kernel" --module "$kernel" '' "$here/../live/kmod/hold" 2>/dev/null)
plant=$("$root/scripts/kernel" --module "$kernel" '' "$here/../live/kmod/plant" 2>/dev/null)
if [ $# = 0 ]; then
	mapfile -t all < <(basename -s .patch "$faults"/*)
	set -- clean "${all[@]}"
fi
for fault; do
	try "$fault"
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
