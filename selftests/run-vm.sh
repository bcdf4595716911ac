#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# usage: run-vm.sh [--all | --short] [KERNEL...]
#
# Boots each kernel (default 6.1) with 4 and with 5 levels, without and with KPTI,
# with two NUMA nodes to migrate pages between, and runs the tests of live/ there:
# all of them with one kind of tables, see whole(), shared out between two boots, and
# with the other kinds those that depend on levels or KPTI. --all: all with each
# kind; --short: all with the one kind, and no others, in VMs of one CPU. A skip fails unless
# expected-skips/KERNEL (and debug, for those) names the test and what is missing. matrix.py then shows
# what ran where, from what is kept of each boot in build/selftests/boots. A kernel
# NAME-debug gets the tests of debug/ as well, shared out between two boots of the same
# kind, and NAME-kcsan the stress test alone. The last line is `N passed, N failed`.
# PTAUDIT_PROGRAMS: run only these programs, in one boot per kernel (4 levels, KPTI off; of a
# NAME-debug on, and witnesses.sh behind them);
# PTAUDIT_BOOT: another boot for them, e.g. "5 on" for 5 levels and KPTI.
# PTAUDIT_TOOL: another tool than the one built here. PTAUDIT_VMS: VMs at a time; by
# default as many as CPUs, if their memory fits, and at most 4.
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

# expected_skips KERNEL: a debug kernel lacks more than the release that it is of.
expected_skips() {
	case $1 in
	*-debug | *-kcsan) cat "$here/expected-skips/${1%-*}" "$here/expected-skips/debug" ;;
	*) cat "$here/expected-skips/$1" ;;
	esac
}

# checked_by_both KERNEL: programs whose layouts are checked against module and BPF. Loading
# BPF programs takes an emulated CPU a second, each time: in the shorter runs it is for what
# every boot has. 5.10 has no walk by BPF; a debug kernel, which is there for the module, loads
# programs for long.
checked_by_both() {
	case $1 in
	5.10 | *-debug | *-kcsan) ;;
	*) [ "$which" != all ] && [ -z "${PTAUDIT_PROGRAMS:-}" ] && echo edges_test || echo all ;;
	esac
}

# run_boot KEEP KERNEL LEVELS PTI PROGRAM...: in the background, so it counts nothing.
run_boot() {
	local keep=$1 kernel=$2 levels=$3 pti=$4 name="$2/$3-level/pti=$4" status=0 took=$SECONDS
	local vm_seconds=3600 seconds factor=1 gib=3 cpus=2 both
	shift 4
	echo "$kernel $levels $pti $*" >"$keep/boot"
	seconds=$(sed -n 's/^timeout=//p' "$here/live/settings")
	# A debug kernel is slower by far, and keeps the end of each range of memory for itself.
	case $kernel in *-debug | *-kcsan) vm_seconds=21600 seconds=3600 factor=10 gib=5 ;; esac
	both=$(checked_by_both "$kernel")
	# The shortest run uses all CPUs of a host with two. With two emulated CPUs in each of two VMs
	# it takes twice as long: they wait for each other while one of them does not run.
	[ "$which" != short ] || cpus=1
	PTAUDIT_VM_LOG=$keep/log boot_guest "$levels" "$pti" --kernel "$kernel" --cpus $cpus \
		--timeout "$vm_seconds" -- "$@" >"$keep/output" 2>"$keep/errors" || status=$?
	expected_skips "$kernel" >"$keep/skips" || rm -f "$keep/skips"
	awk -v boot="$name" -v programs="$*" -v skips="$keep/skips" -v levels="$levels" \
		-v pti="$pti" -v totals="$keep/totals" -f "$here/ktap.awk" "$keep/output" \
		>"$keep/judged" || rm -f "$keep/totals"
	echo "$status $name" >"$keep/status"
	(
		flock 9
		cat "$keep/judged"
		sed 's/^/# /' "$keep/errors"
		echo "# $name: $((SECONDS - took)) s"
	) 9>"$tmp/terminal"
}

# boot KERNEL LEVELS PTI PROGRAM...: begins as soon as fewer than $at_once are running.
boot() {
	local keep
	nr_boots=$((nr_boots + 1))
	keep=$boots/$(printf %02d $nr_boots)
	mkdir "$keep"
	while [ "$(jobs -pr | wc -l)" -ge "$at_once" ]; do
		wait -n || :
	done
	# A process group of its own, which the trap below ends: its shell waits for the VM.
	set -m
	run_boot "$keep" "$@" &
	set +m
}

# The sum over all boots; what else went wrong in one is added to its judgement.
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
			fail "$name: no totals"
		fi
		if [ "$status" != 0 ]; then
			why=$(sed -n 's/^vm: /: /p' "$keep/errors" | tail -n 1)
			fail "$name: the VM ended with status $status$why" | tee -a "$keep/judged"
			failed=$((failed + 1))
		fi
	done
}

# What expects something else of other tables, beside the figures of the top level.
depending=(edges_test range_test fork_test groups.sh)

# What takes more than half a minute, the longest first.
long=(schema.sh examples.sh whatif_test vma_test gigantic_test lifetime_test checks_test system_test
	pages_test shared_test holds_test filethp_test estimate_alone.sh)

# halve PROGRAM...: into halves[0] and halves[1], which take about as long.
halve() {
	local i order
	mapfile -t order < <({
		printf '%s\n' "${long[@]}" | grep -Fx -f <(printf '%s\n' "$@") || :
		printf '%s\n' "$@" | grep -vFx -f <(printf '%s\n' "${long[@]}")
	})
	halves=('' '')
	for i in "${!order[@]}"; do
		halves[(i + 1) / 2 % 2]+="${order[i]} "
	done
}

# whole KERNEL: LEVELS PTI of the boots that run all tests.
whole() {
	case $1 in
	6.12) echo 5 off ;;
	7.2) echo 5 on ;;
	*) echo 4 off ;;
	esac
}

run_kernel() {
	local kernel=$1 vars programs levels i kind kinds=() halves=('' '')
	vars=$("$root/scripts/kernel" "$kernel") || { fail "$kernel: cannot be had"; return; }
	eval "$vars"
	module=$("$root/scripts/kernel" --module "$kernel" 2>"$tmp/build") ||
		{ cat "$tmp/build" >&2; fail "$kernel: the module cannot be built"; return; }
	hold=$("$root/scripts/kernel" --module "$kernel" '' "$here/live/kmod/hold" 2>"$tmp/build") ||
		{ cat "$tmp/build" >&2; fail "$kernel: the module of the tests cannot be built"; return; }
	plant=$("$root/scripts/kernel" --module "$kernel" '' "$here/live/kmod/plant" 2>"$tmp/build") ||
		{ cat "$tmp/build" >&2; fail "$kernel: the module plant cannot be built"; return; }
	mapfile -t programs < <(make -s --no-print-directory -C "$here/live" list)
	case $kernel in
	*-kcsan)
		# For races alone, which want things to happen at the same time.
		make -s -C "$here/debug" KSELFTEST_DIR="$KSELFTEST_DIR"
		boot "$kernel" 4 on stress_test
		return
		;;
	*-debug)
		make -s -C "$here/debug" KSELFTEST_DIR="$KSELFTEST_DIR"
		if [ -n "${PTAUDIT_PROGRAMS:-}" ]; then
			# shellcheck disable=SC2086 # lists
			boot "$kernel" ${PTAUDIT_BOOT:-4 on} $PTAUDIT_PROGRAMS witnesses.sh
			return
		fi
		# Those that need NUMA nodes or XFS, which it has not, or memory without a hole, run on
		# stock kernels only; so do those that never ask the module, and the test of the tests,
		# which is long.
		mapfile -t programs < <({
			printf '%s\n' "${programs[@]}" |
				grep -vxE 'migrate_test|pagesfile_moving_test|filethp_test|offline_test' |
				grep -vxE '(checks|cow|cow_shared|flags|footprint|footprint_set|freeze|system|uffd_unused)_test|(kernel_bugs|schema).sh'
			make -s --no-print-directory -C "$here/debug" list | grep -vx witnesses.sh
		})
		halve "${programs[@]}"
		# Not with 5 levels: an interrupt early in boot makes KASAN report itself, once in a
		# few boots (pgtable_l5_enabled() asks CPU flags while get_cpu_cap() fills them in),
		# and after a report lockdep is off.
		for i in 0 1; do
			# shellcheck disable=SC2086 # a list
			boot "$kernel" 4 on ${halves[i]} witnesses.sh
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
	*) fail "$kernel: CONFIG_PGTABLE_LEVELS is '$levels'" ;;
	esac
	halve "${programs[@]}"
	for kind in "${kinds[@]}"; do
		# shellcheck disable=SC2086 # lists
		if [ "$which" = all ] || [ "$kind" = "$(whole "$kernel")" ]; then
			boot "$kernel" $kind ${halves[0]}
			boot "$kernel" $kind ${halves[1]}
		elif [ "$which" != short ]; then
			boot "$kernel" $kind "${depending[@]}"
		fi
	done
}

show_matrix() {
	local status=0 not_ok
	"$here/matrix.py" "$boots" "$out" >"$tmp/matrix" || status=$?
	cat "$tmp/matrix"
	not_ok=$(grep -c '^not ok' "$tmp/matrix") || :
	failed=$((failed + not_ok))
	# A cell that says FAIL has been counted above, or else is counted here.
	[ "$status" = 0 ] || [ "$failed" != 0 ] || fail "matrix.py ended with status $status"
}

which='' nr_boots=0
at_once=${PTAUDIT_VMS:-$(awk -v nr="$(nproc)" '/^MemAvailable:/ {
	fit = int($2 / (3.5 * 1024 * 1024))
	nr = nr < fit ? nr : fit; print nr < 1 ? 1 : nr < 4 ? nr : 4 }' /proc/meminfo)}
[ "$at_once" -ge 1 ] || { echo "run-vm.sh: PTAUDIT_VMS is '$at_once'" >&2; exit 2; }
case ${1:-} in --all | --short) which=${1#--}; shift ;; esac
[ $# -gt 0 ] || set -- 6.1
rm -rf "$boots"
mkdir -p "$boots"
tmp=$(mktemp -d)
trap 'for job in $(jobs -p); do kill -- -"$job" 2>/dev/null || :; done; rm -rf "$tmp"' EXIT
# Before anything is compiled.
for kernel; do
	[ -f "$here/expected-skips/${kernel%-*}" ] || {
		echo "run-vm.sh: '$kernel' is not a kernel with expected skips: $(cd "$here/expected-skips" &&
			echo *); scripts/vm --image --build --modules runs other kernels" >&2
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
make -s -j "$(nproc)" -C "$here/live" KSELFTEST_DIR="$KSELFTEST_DIR"
for kernel; do
	run_kernel "$kernel"
done
sum_up
show_matrix
echo "# $answers walks were completed, by what the tests have read of their answers"
echo "# $skipped skipped, each for a reason that its list names"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
