#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Builds modules with one fault each in counting pages, those of faults/pages. The tests of
# `pages` and `check --pages` must find every one: by a figure that differs from the computed
# one, and by exit status 1 of the tool. The module `sound` has no fault, and the tests must
# pass. One boot; prints KTAP.
#
# usage: pages-faults.sh [KERNEL [FAULT...]]    default: 7.2, all
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
out=$root/build/selftests/live
work=$root/build/selftests/pages-faults

# In the VM: --guest NAME:PROGRAM...
if [ "${1:-}" = --guest ]; then
	shift
	cp "$PTAUDIT_TOOL" /tmp/ptaudit
	export PTAUDIT_TOOL=/tmp/ptaudit
	cd "$here/live"
	for fault; do
		rmmod ptaudit
		insmod "$work/${fault%:*}.ko"
		echo "### begin ${fault%:*}"
		timeout -k 5 1800 "$out/${fault#*:}" 2>&1 || :
		echo
	done
	echo '### done'
	exit
fi

kernel=${1:-7.2}
shift || :
faults=$here/faults/pages
tried=()

fail() {
	echo "not ok 1 $*"
	echo '0 passed, 1 failed'
	exit 1
}

vars=$("$root/scripts/kernel" "$kernel")
eval "$vars"
rm -rf "$work"
mkdir -p "$work"
make -s -C "$root" user >&2
KSELFTEST_DIR=${KSELFTEST_DIR:-$("$root/scripts/kernel" --source 6.1)}
make -s -C "$here/live" KSELFTEST_DIR="$KSELFTEST_DIR" >&2

if [ $# = 0 ]; then
	mapfile -t all < <(basename -s .patch "$faults"/*)
	set -- sound "${all[@]}"
fi
for fault; do
	patch=sound program=pagesfile_test
	if [ "$fault" != sound ]; then
		patch=$faults/$fault.patch
		program=$(sed -n 's/^Found-by: //p' "$patch")
	fi
	"$here/faults/plant" "$patch" "$kernel" "$work/$fault.ko" || fail "$fault does not build"
	tried+=("$fault:$program")
done

# shellcheck disable=SC2154 # release: from scripts/kernel
"$root/scripts/vm" --kernel "$kernel" --memory 3G --timeout 7200 \
	--qemu-arg -device --qemu-arg pci-testdev,membar=16M \
	--append "pti=off nokaslr hugepagesz=1G hugepages=1" -- \
	env PTAUDIT_EXPECT_RELEASE="$release" PTAUDIT_EXPECT_LEVELS=4 PTAUDIT_EXPECT_PTI=off \
	PTAUDIT_TOOL="$root/user/ptaudit" "$here/pages-faults.sh" --guest "${tried[@]}" >"$work/output" 2>&1 ||
	fail "the VM failed; its last message is: $(tail -n 1 "$work/output")"

# Both the figures and the tool's verdict must find each fault.
awk '
	FILENAME ~ /[.]patch$/ {
		if (sub(/^Pattern: /, "")) {
			name = FILENAME
			gsub(/.*\/|[.]patch$/, "", name)
			pattern[name] = $0
		}
		next
	}
	FNR == 1 { name = "" }
	function judge() {
		if (!name)
			return
		if (name == "sound" ? ran && !(failed_checks + verdict) : exact && tool && verdict) {
			print "ok " ++nr " " name ": the figures differ in " exact + 0 " tests, the tool reports it in " verdict + 0
			passed++
		} else {
			print "not ok " ++nr " " name ": the figures differ in " exact + 0 " tests, " tool + 0 " checks by the tool fail, " verdict + 0 " with status 1"
			failed++
		}
	}
	/^### (begin|done)/ { judge(); name = $3; ran = exact = tool = verdict = failed_checks = 0 }
	/^ok .*tool_agrees/ { ran++ }
	/^not ok/ { failed_checks++ }
	name in pattern && $0 ~ pattern[name] { exact++ }
	/^not ok .*tool_agrees/ { tool++ }
	/Expected 0 \(0\) == self->run.status \(1\)/ { verdict++ }
	END {
		print "1.." nr + 0
		print passed + 0 " passed, " failed + 0 " failed"
		exit failed || !passed
	}
' "$faults"/*.patch "$work/output"
