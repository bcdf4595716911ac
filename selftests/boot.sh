# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Sourced by the scripts that boot VMs for tests.

# The machine that the tests of live/ expect.
# boot_machine LEVELS PTI VM-OPTION... -- COMMAND...: boots it and runs the command. Set by the
# caller: release of the kernel; tool; hold and plant, built for the kernel; module, too, or empty
# to load none; factor, the time factor; gib, the memory; both, see live/guest.sh; append, more
# of the kernel's command line, or unset.
boot_machine() {
	local root here levels=$1 pti=$2 la57=off vsyscall=emulate options=()
	here=$(dirname "${BASH_SOURCE[0]}")
	root=$(dirname "$here")
	shift 2
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	# shellcheck disable=SC2154 # set by the caller
	if [ -n "$module" ]; then
		options+=(--module "$module")
	else
		options+=(--no-module)
	fi
	[ "$levels" = 4 ] || la57=on
	[ "$pti" = off ] || vsyscall=xonly
	# Two nodes, because tests migrate pages. The third GiB has the huge page of 1 GiB: the
	# initramfs lies below 2 GiB, and nokaslr keeps the kernel there, too.
	# pci-testdev: a device without a driver, whose memory tests map.
	# shellcheck disable=SC2154 # set by the caller
	"$root/scripts/vm" "${options[@]}" --memory "${gib}G" \
		--cpu "la57=$la57" --qemu-arg -device --qemu-arg pci-testdev,membar=16M \
		--qemu-arg -object --qemu-arg memory-backend-ram,id=first,size=1G \
		--qemu-arg -object --qemu-arg memory-backend-ram,id=second,size=$((gib - 1))G \
		--qemu-arg -numa --qemu-arg node,memdev=first --qemu-arg -numa --qemu-arg node,memdev=second \
		--append "pti=$pti numa_balancing=disable nokaslr hugepagesz=1G hugepages=1 vsyscall=$vsyscall secretmem.enable=1 ${append:-}" -- \
		env PTAUDIT_EXPECT_RELEASE="$release" PTAUDIT_EXPECT_LEVELS="$levels" PTAUDIT_EXPECT_PTI="$pti" \
		PTAUDIT_TOOL="$tool" PTAUDIT_MODULE="$module" PTAUDIT_HOLD_MODULE="$hold" \
		PTAUDIT_PLANT="$plant" PTAUDIT_TIME_FACTOR="$factor" PTAUDIT_BOTH="${both:-}" \
		PTAUDIT_STRESS_SECONDS="${PTAUDIT_STRESS_SECONDS:-60}" \
		"$@"
}

# boot_guest LEVELS PTI VM-OPTION... -- PROGRAM...: runs programs of live/ or debug/ there. Also set
# by the caller: out, where the tests were built; seconds, the time limit of a program.
boot_guest() {
	local options=()
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	boot_machine "${options[@]}" -- \
		"$(dirname "${BASH_SOURCE[0]}")/live/guest.sh" "$seconds" "$out" "$@"
}

# vm_total VM-ARG...: runs scripts/vm and prints the totals. The command in the VM prints a line
# `ok` or `not ok` for each test. A total that it prints is dropped: run-tests would add both totals.
# Status 0: some passed and none failed.
vm_total() {
	local output status=0 passed failed
	output=$(mktemp)
	"$(dirname "${BASH_SOURCE[0]}")/../scripts/vm" "$@" |
		grep -a --line-buffered -vxE '[0-9]+ passed, [0-9]+ failed' | tee "$output" || status=$?
	passed=$(grep -c '^ok ' "$output")
	failed=$(grep -c '^not ok ' "$output")
	rm -f "$output"
	# a guest that was cut off counts as one failed test
	if [ "$status" != 0 ] && [ "$failed" = 0 ]; then
		echo "not ok the VM ended with status $status"
		failed=1
	fi
	echo "$passed passed, $failed failed"
	[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
}
