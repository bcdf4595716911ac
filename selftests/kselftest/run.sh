#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The kselftest runner calls this script by the name of a test in bin/. It provides what the test
# needs: the module, debugfs, and the tool at a place that every user can execute.
set -u

skip() {
	echo "1..0 # SKIP $*"
	exit 4 # KSFT_SKIP
}

cd "$(dirname "$0")" || exit 1
program=$(basename "$0")
[ "$(id -u)" = 0 ] || skip "not root"

# Check the kernel's configuration if it can be read.
release=$(uname -r)
needs=$(sed -n "s/^$program //p" programs)
for option in $needs; do
	for config in "/boot/config-$release" "/lib/modules/$release/build/.config" /proc/config.gz; do
		[ -e "$config" ] || continue
		gzip -cdf "$config" | grep -q "^CONFIG_$option=[ym]" || skip "the kernel has no CONFIG_$option"
		break
	done
done

gib=/sys/kernel/mm/hugepages/hugepages-1048576kB
if [ "$program" = gigantic_test ]; then
	[ -d "$gib" ] || skip "the machine has no huge pages of 1 GiB"
	[ "$(cat "$gib/free_hugepages")" -gt 0 ] || skip "there is no free huge page of 1 GiB; boot with hugepagesz=1G hugepages=1"
fi

# The settings of the machine that tests change, each with its value.
settings() {
	thp=/sys/kernel/mm/transparent_hugepage ksm=/sys/kernel/mm/ksm
	for setting in /sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages $thp/enabled $thp/shmem_enabled $thp/use_zero_page \
		$thp/khugepaged/scan_sleep_millisecs $thp/khugepaged/alloc_sleep_millisecs $thp/khugepaged/pages_to_scan \
		$ksm/run $ksm/pages_to_scan $ksm/sleep_millisecs /proc/sys/vm/mmap_min_addr /sys/kernel/debug/fault_around_bytes; do
		# of a choice, the word in brackets
		[ ! -e "$setting" ] || echo "$setting $(sed 's/.*\[\(.*\)\].*/\1/' "$setting")"
	done
}

loaded='' test=''
tmp=$(mktemp -d) || exit 1
: >"$tmp/before"
# shellcheck disable=SC2317 # called by trap
cleanup() {
	[ -z "$test" ] || kill "$test"
	[ -z "$test" ] || wait "$test"
	settings >"$tmp/after"
	grep -vxFf "$tmp/after" "$tmp/before" | while read -r setting value; do
		echo "$value" >"$setting"
	done
	rm -rf "$tmp"
	[ -z "$loaded" ] || rmmod ptaudit
}
trap cleanup EXIT
# The runner ends a test that takes too long.
trap 'exit 143' HUP INT TERM
if [ ! -d /sys/module/ptaudit ]; then
	if [ -e ptaudit.ko ] && insmod ./ptaudit.ko 2>"$tmp/why"; then
		loaded=yes
	elif modprobe ptaudit 2>>"$tmp/why"; then
		loaded=yes
	else
		skip "the module ptaudit cannot be loaded: $(head -n 1 "$tmp/why")"
	fi
fi
[ -d /sys/kernel/debug/ptaudit ] || mount -t debugfs debugfs /sys/kernel/debug 2>/dev/null
[ -d /sys/kernel/debug/ptaudit ] || skip "debugfs is not mounted"

has_flag() {
	grep -q "^flags.*[[:blank:]]$1\([[:blank:]]\|\$\)" /proc/cpuinfo
}

settings >"$tmp/before"
chmod 755 "$tmp"
install -m 755 ptaudit "$tmp/ptaudit"
export PTAUDIT_TOOL="$tmp/ptaudit" PTAUDIT_EXPECT_RELEASE="$release"
export PTAUDIT_EXPECT_LEVELS=4 PTAUDIT_EXPECT_PTI=off
! has_flag la57 || PTAUDIT_EXPECT_LEVELS=5
! has_flag pti || PTAUDIT_EXPECT_PTI=on
# Bash runs a trap during wait, but not during a command in the foreground.
"bin/$program" &
test=$!
wait "$test"
status=$?
test=''
exit "$status"
