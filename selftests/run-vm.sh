#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# usage: run-vm.sh [--all | --short] [KERNEL...]
#
# Boots each kernel (default 6.1) and runs the tests of live/ there. The kinds of boots are 4 and
# 5 levels, each with and without KPTI; each boot has two NUMA nodes. One kind, see whole(), runs
# all tests, in two boots or three. The other kinds run the tests that depend on levels or KPTI.
# 7.3 has only one boot, with the tests in `newest`. --all: each kind runs all tests. --short: only
# the one kind is booted. A skipped test fails unless a list in expected-skips/ names the test and
# the missing thing: the list KERNEL, for debug kernels also the list debug, with PREEMPT_RT also
# the list rt. matrix.py then shows which tests ran in which boot. build/selftests/boots keeps the
# output of each boot. A kernel NAME-debug runs also the tests of debug/, and has two boots of the
# same kind. A kernel NAME-kcsan runs only the stress test. The last line is `N passed, N failed`.
# PTAUDIT_PROGRAMS: run only these programs, in one boot per kernel: 4 levels without KPTI; for a
# NAME-debug with KPTI, and witnesses.sh is added.
# PTAUDIT_BOOT: the kind of that boot, e.g. "5 on" for 5 levels with KPTI.
# PTAUDIT_TOOL: the tool to test instead of the one built here. PTAUDIT_VMS: number of VMs at a
# time; the default is the number of CPUs, at most 4, and fewer if memory is short.
# shellcheck disable=SC2034 # some are for boot.sh
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
out=$root/build/selftests/live
boots=$root/build/selftests/boots
passed=0 failed=0 skipped=0 answers=0
# shellcheck source=/dev/null
. "$here/boot.sh"

fail() {
	echo "not ok $*"
	failed=$((failed + 1))
}

# expected_skips KERNEL: prints the list. Debug kernels, and those with PREEMPT_RT, skip more tests
# than their releases do.
expected_skips() {
	case $1 in
	*-debug | *-kcsan) cat "$here/expected-skips/${1%-*}" "$here/expected-skips/debug" ;;
	*-rt) cat "$here/expected-skips/${1%-*}" "$here/expected-skips/rt" ;;
	*) cat "$here/expected-skips/$1" ;;
	esac
}

# checked_by_both KERNEL: prints the programs whose layouts are checked against module and BPF.
# Loading the BPF programs takes an emulated CPU one second for each check, so the shorter runs do
# it only in edges_test. 5.10 has no walk by BPF. Debug kernels test the module, and load BPF
# programs slowly.
checked_by_both() {
	case $1 in
	5.10 | *-debug | *-kcsan) ;;
	*) [ "$which" != all ] && [ -z "${PTAUDIT_PROGRAMS:-}" ] && echo edges_test || echo all ;;
	esac
}

# run_boot KEEP KERNEL LEVELS PTI PROGRAM...: runs in the background, so it cannot add to the totals.
# cpus: number of emulated CPUs (default 2).
run_boot() {
	local keep=$1 kernel=$2 levels=$3 pti=$4 name="$2/$3-level/pti=$4" status=0 took=$SECONDS
	local vm_seconds=3600 seconds factor=1 gib=3 both
	shift 4
	echo "$kernel $levels $pti $*" >"$keep/boot"
	seconds=$(sed -n 's/^timeout=//p' "$here/live/settings")
	# A debug kernel is much slower, and reserves the end of each range of memory.
	case $kernel in *-debug | *-kcsan) vm_seconds=21600 seconds=3600 factor=10 gib=5 ;; esac
	both=$(checked_by_both "$kernel")
	PTAUDIT_VM_LOG=$keep/log boot_guest "$levels" "$pti" --kernel "$kernel" --cpus "${cpus:-2}" \
		--timeout "$vm_seconds" -- "$@" >"$keep/output" 2>"$keep/errors" || status=$?
	expected_skips "$kernel" >"$keep/skips" || rm -f "$keep/skips"
	awk -v boot="$name" -v programs="$*" -v chosen="${PTAUDIT_PROGRAMS:-}" \
		-v skips="$keep/skips" -v levels="$levels" -v pti="$pti" -v totals="$keep/totals" -f "$here/ktap.awk" "$keep/output" \
		>"$keep/judged" || rm -f "$keep/totals"
	echo "$status $name" >"$keep/status"
	(
		flock 9
		cat "$keep/judged"
		sed 's/^/# /' "$keep/errors"
		echo "# $name: $((SECONDS - took)) s"
	) 9>"$tmp/terminal"
}

# boot KERNEL LEVELS PTI PROGRAM...: starts a boot as soon as fewer than $at_once are running.
boot() {
	local keep
	nr_boots=$((nr_boots + 1))
	keep=$boots/$(printf %02d $nr_boots)
	mkdir "$keep"
	while [ "$(jobs -pr | wc -l)" -ge "$at_once" ]; do
		wait -n || :
	done
	# Its own process group: cleanup() has to end the VM, too, not only the shell that waits for it.
	set -m
	run_boot "$keep" "$@" &
	set +m
}

# Ends the boots that are still running.
# shellcheck disable=SC2317 # by trap
cleanup() {
	local job
	for job in $(jobs -p); do
		kill -- -"$job" 2>/dev/null || :
	done
	rm -rf "$tmp"
}

# Sums up all boots. The failure of a VM is added to the verdicts of its boot.
sum_up() {
	local keep status name why p f s a
	wait
	for keep in "$boots"/*; do
		[ -d "$keep" ] || continue
		status=lost name=$keep
		[ ! -e "$keep/status" ] || read -r status name <"$keep/status"
		if [ -e "$keep/totals" ] && read -r p f s a <"$keep/totals"; then
			passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
			answers=$((answers + a))
		else
			fail "$name: ktap.awk wrote no totals"
		fi
		if [ "$status" != 0 ]; then
			why=$(sed -n 's/^vm: /: /p' "$keep/errors" | tail -n 1)
			fail "$name: the VM ended with status $status$why" | tee -a "$keep/judged"
			failed=$((failed + 1))
		fi
	done
}

# The programs whose expected results depend on the number of levels or on KPTI.
depending=(edges_test range_test fork_test groups.sh)

# The programs of the first of two boots. They do not need a second CPU, and take about as long as
# all others.
first=(examples.sh schema.sh system_test whatif_test shared_test pages_test filethp_test checks_test
	vma_test gigantic_test estimate_alone.sh operations_test hugetlb_test swap_test)

# The other programs in which several threads or processes run at the same time. They may need a
# second CPU.
parallel=(budget_test flip_test fork_test freeze_test holds_test identity_test late_test
	leader_test lifetime_test migrate_test moved_test process_test race_test session_test
	signals_kpagemap_test signals_test task_test uffd_fault_test)

# The programs for 7.3, which differs from 7.2 in PAGEMAP_SCAN and userfaultfd: all layouts, the
# commands that use the best estimator, and a test of each file of the module.
mapfile -t newest < <(cd "$here/live/tables" && printf '%s\n' *_test.c | sed 's/[.]c$//')
newest+=(check_all.sh counters_test debugfs_test estimate_alone.sh kpagemap_test orphans_test pagesfile_test
	records_test tool_test uffd_unused_test whatif_test)

# pick OPTION LIST PROGRAM...: prints the programs that are in the array LIST; with -v, the others.
pick() {
	local option=$1
	local -n list=$2
	shift 2
	# shellcheck disable=SC2086 # it may be empty
	printf '%s\n' "$@" | grep -Fx $option -f <(printf '%s\n' "${list[@]}") | tr '\n' ' '
}

# whole KERNEL: prints LEVELS PTI of the boots that run all tests.
whole() {
	case $1 in
	6.12) echo 5 off ;;
	7.2) echo 5 on ;;
	7.3) echo 4 on ;;
	*) echo 4 off ;;
	esac
}

run_kernel() {
	local kernel=$1 vars programs levels i kind kinds=() early late apart='' one=1 other=1
	vars=$("$root/scripts/kernel" "$kernel") || { fail "$kernel: scripts/kernel cannot provide it"; return; }
	eval "$vars"
	module=$("$root/scripts/kernel" --module "$kernel" 2>"$tmp/build") ||
		{ cat "$tmp/build" >&2; fail "$kernel: the module cannot be built"; return; }
	hold=$("$root/scripts/kernel" --module "$kernel" '' "$here/live/kmod/hold" 2>"$tmp/build") ||
		{ cat "$tmp/build" >&2; fail "$kernel: the module hold cannot be built"; return; }
	plant=$("$root/scripts/kernel" --module "$kernel" '' "$here/live/kmod/plant" 2>"$tmp/build") ||
		{ cat "$tmp/build" >&2; fail "$kernel: the module plant cannot be built"; return; }
	mapfile -t programs < <(make -s --no-print-directory -C "$here/live" list)
	case $kernel in
	*-rt)
		# All layouts of these tests have huge pages, and these kernels have none.
		mapfile -t programs < <(printf '%s\n' "${programs[@]}" | grep -vxE '(checks|flags)_test')
		;;
	*-kcsan)
		# Only the stress test: KCSAN looks for races, which need concurrency.
		boot "$kernel" 4 on stress_test
		return
		;;
	*-debug)
		if [ -n "${PTAUDIT_PROGRAMS:-}" ]; then
			# shellcheck disable=SC2086 # lists
			boot "$kernel" ${PTAUDIT_BOOT:-4 on} $PTAUDIT_PROGRAMS witnesses.sh
			return
		fi
		# These tests run on stock kernels only: those that need NUMA nodes, XFS or memory without
		# a hole, those that do not use the module, and checks_test, which takes long.
		mapfile -t programs < <({
			printf '%s\n' "${programs[@]}" |
				grep -vxE 'migrate_test|pagesfile_moving_test|filethp_test|offline_test' |
				grep -vxE '(checks|cow|cow_shared|flags|footprint|footprint_set|freeze|system|uffd_unused)_test|(kernel_bugs|schema).sh'
			make -s --no-print-directory -C "$here/debug" list | grep -vx witnesses.sh
		})
		# Not with 5 levels: in some boots, an early interrupt causes a KASAN report
		# (pgtable_l5_enabled() reads CPU flags while get_cpu_cap() writes them), and lockdep
		# turns itself off after a report.
		for i in '' -v; do
			# shellcheck disable=SC2046 # a list
			boot "$kernel" 4 on $(pick "$i" first "${programs[@]}") witnesses.sh
		done
		return
		;;
	esac
	if [ -n "${PTAUDIT_PROGRAMS:-}" ]; then
		# shellcheck disable=SC2086 # lists
		boot "$kernel" ${PTAUDIT_BOOT:-4 off} $PTAUDIT_PROGRAMS
		return
	fi
	# shellcheck disable=SC2154 # build: from scripts/kernel
	levels=$(grep -hs '^CONFIG_PGTABLE_LEVELS=' "$build/.config" "$build/include/config/auto.conf" |
		sort -u | cut -d = -f 2) || :
	case $levels in
	4) kinds=('4 off' '4 on') && echo "# $kernel has no boots with 5 levels: CONFIG_PGTABLE_LEVELS=4" ;;
	5) kinds=('4 off' '4 on' '5 off' '5 on') ;;
	*) fail "$kernel: CONFIG_PGTABLE_LEVELS is '$levels', not 4 or 5" ;;
	esac
	if [ "$which:$kernel" = :7.3 ]; then
		# shellcheck disable=SC2046 # lists
		cpus=1 boot "$kernel" $(whole "$kernel") $(pick '' newest "${programs[@]}")
		return
	fi
	early=$(pick '' first "${programs[@]}")
	late=$(pick -v first "${programs[@]}")
	# An emulated CPU waits for the other one of its VM even if the host does not run that one. On a
	# host with two CPUs, two VMs with two CPUs each take twice as long as with one each. So without
	# --all, two kinds of boots have two CPUs: a third boot of 7.2 with the programs that may need
	# them, and kernels with PREEMPT_RT, where a waiter cannot run on the CPU of a holder with
	# real-time priority.
	case $which:$kernel in
	all:*) one=2 other=2 ;;
	*-rt) other=2 ;;
	:7.2)
		# shellcheck disable=SC2086 # a list
		apart=$(pick '' parallel $late) late=$(pick -v parallel $late)
		;;
	esac
	# Start the longest boots first: if one of them were the last, its VM would run alone.
	mapfile -t kinds < <(whole "$kernel" && printf '%s\n' "${kinds[@]}" | grep -vxF "$(whole "$kernel")")
	for kind in "${kinds[@]}"; do
		# shellcheck disable=SC2086 # lists
		if [ "$which" = all ] || [ "$kind" = "$(whole "$kernel")" ]; then
			[ -z "$apart" ] || cpus=2 boot "$kernel" $kind $apart
			cpus=$one boot "$kernel" $kind $early
			cpus=$other boot "$kernel" $kind $late
		elif [ "$which" != short ]; then
			cpus=$one boot "$kernel" $kind "${depending[@]}"
		fi
	done
}

show_matrix() {
	local status=0 not_ok
	"$here/matrix.py" "$boots" "$out" >"$tmp/matrix" || status=$?
	cat "$tmp/matrix"
	not_ok=$(grep -c '^not ok' "$tmp/matrix") || :
	failed=$((failed + not_ok))
	# If matrix.py fails although nothing else did, count one failure.
	[ "$status" = 0 ] || [ "$failed" != 0 ] || fail "matrix.py ended with status $status"
}

which='' nr_boots=0
at_once=${PTAUDIT_VMS:-$(awk -v nr="$(nproc)" '/^MemAvailable:/ {
	fit = int($2 / (3.5 * 1024 * 1024))
	nr = nr < fit ? nr : fit; print nr < 1 ? 1 : nr < 4 ? nr : 4 }' /proc/meminfo)}
[[ ${PTAUDIT_BOOT:-4 off} =~ ^[45]' '(on|off)$ ]] ||
	{ echo "run-vm.sh: PTAUDIT_BOOT must be '4 off' or the like, not '$PTAUDIT_BOOT'" >&2; exit 2; }
[ "$at_once" -ge 1 ] || { echo "run-vm.sh: PTAUDIT_VMS must be a number above 0, not '$at_once'" >&2; exit 2; }
case ${1:-} in --all | --short) which=${1#--}; shift ;; esac
[ $# -gt 0 ] || set -- 6.1
rm -rf "$boots"
mkdir -p "$boots"
tmp=$(mktemp -d)
trap cleanup EXIT
# Check the names of the kernels before anything is compiled.
for kernel; do
	[ -f "$here/expected-skips/${kernel%-*}" ] || {
		echo "run-vm.sh: there is no list of expected skips for '$kernel', only for: $(cd "$here/expected-skips" &&
			echo *). scripts/vm --image --build --modules runs other kernels" >&2
		exit 2
	}
done
if [ -n "${PTAUDIT_TOOL:-}" ]; then
	tool=$PTAUDIT_TOOL
else
	tool=$root/user/ptaudit
	make -s -C "$root" user
fi
KSELFTEST_DIR=${KSELFTEST_DIR:-$("$root/scripts/kernel" --source 6.1)}
# The tests of debug/ run only on debug kernels. Every run builds them, because they use live/lib.
for tests in live debug; do
	make -s -j "$(nproc)" -C "$here/$tests" KSELFTEST_DIR="$KSELFTEST_DIR"
done
for kernel; do
	run_kernel "$kernel"
done
sum_up
show_matrix
echo "# $answers complete answers of the module were read"
echo "# $skipped tests were skipped, as listed in expected-skips"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
