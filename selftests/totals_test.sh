#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests the code that adds up results: the last line must count each failed test. The test replaces
# the plan of scripts/run-tests, the result files that sum_up() of run-vm.sh reads, and the programs
# that result.sh, results.py, unit/run.sh and host/run.sh run. It compares the exit status and the
# last line with constants. It does not use result.sh, because it tests that file. It also tests
# scripts that a CI system calls or ends: the commands in ci.md, run-vm.sh, and those of kselftest/.
# shellcheck disable=SC2030,SC2031 # each call of boots() is a subshell with totals of its own
set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d) || exit
trap 'rm -rf "$tmp"' EXIT
passed=0 failed=0

# expect NAME "STATUS LINE": the command of run() must have ended with this status and last line.
expect() {
	if [ "$got" = "$2" ]; then
		passed=$((passed + 1))
		echo "ok $((passed + failed)) $1"
	else
		failed=$((failed + 1))
		tail -n 20 "$tmp/out" | sed 's/^/# /'
		echo "not ok $((passed + failed)) $1: '$got', not '$2'"
	fi
}

# run COMMAND...: sets got to the exit status and the last line of the output.
run() {
	"$@" >"$tmp/out" 2>&1 </dev/null
	got="$? $(tail -n 1 "$tmp/out")"
}

# Copy run-tests. Its plan is the file `plan`, and `make` builds nothing.
mkdir -p "$tmp/tree/scripts" "$tmp/bin"
printf '#!/bin/sh\n' >"$tmp/bin/make"
chmod 755 "$tmp/bin/make"
sed '/^plan() {$/,/^}$/c plan() {\n\tcat plan\n}' "$here/../scripts/run-tests" >"$tmp/tree/scripts/run-tests"
chmod 755 "$tmp/tree/scripts/run-tests"

# part OUTPUT STATUS: adds a part to the plan, which prints OUTPUT and exits with STATUS.
part() {
	nr=$((nr + 1))
	printf '%b\n' "$1" >"$tmp/tree/$nr.out"
	printf 'cat %s.out\nexit %s\n' "$nr" "$2" >"$tmp/tree/$nr.sh"
	echo "check,nightly ${how:-beside} part$nr sh $nr.sh" >>"$tmp/tree/plan"
}

# runs NAME EXPECTED OUTPUT STATUS [OUTPUT STATUS]...: makes a plan with one part for each pair of
# OUTPUT and STATUS. Runs the plan twice: all parts beside each other, and each part alone.
runs() {
	local name=$1 expected=$2
	shift 2
	for how in beside alone; do
		local parts=("$@")
		nr=0
		: >"$tmp/tree/plan"
		while [ ${#parts[@]} -gt 0 ]; do
			part "${parts[0]}" "${parts[1]}"
			parts=("${parts[@]:2}")
		done
		run env PATH="$tmp/bin:$PATH" PARTS="${chosen-}" "$tmp/tree/scripts/run-tests" check
		expect "run_tests_${name}_$how" "$expected"
	done
}

good='ok 1 a\n3 passed, 0 failed'
runs adds_up_parts '0 5 passed, 0 failed' "$good" 0 '2 passed, 0 failed' 0
runs adds_up_totals_of_a_part '1 5 passed, 2 failed' '2 passed, 2 failed\n3 passed, 0 failed' 1
runs finds_a_total_behind_output_that_is_no_text '1 2 passed, 3 failed' '2 passed, 0 failed\n# \0000\n0 passed, 3 failed' 0
runs counts_a_failed_test_of_the_first_part '1 5 passed, 1 failed' '2 passed, 1 failed' 1 "$good" 0
runs counts_a_failed_test_of_the_last_part '1 5 passed, 1 failed' "$good" 0 '2 passed, 1 failed' 1
runs counts_a_failed_test_of_a_part_with_status_0 '1 2 passed, 1 failed' 'not ok 1 a\n2 passed, 1 failed' 0
runs counts_status_1_without_a_failed_test '1 3 passed, 1 failed' "$good" 1
runs counts_a_time_limit '1 3 passed, 1 failed' "$good" 124
runs counts_a_time_limit_after_a_failed_test '1 2 passed, 2 failed' '2 passed, 1 failed' 124
runs counts_a_part_without_a_total '1 0 passed, 1 failed' 'ok 1 a' 0
runs ignores_a_total_in_a_comment '1 0 passed, 1 failed' '# 3 passed, 0 failed' 0
runs counts_a_part_that_ran_nothing '1 3 passed, 1 failed' '0 passed, 0 failed' 0 "$good" 0
chosen=part2 runs runs_only_a_chosen_part '0 3 passed, 0 failed' '2 passed, 1 failed' 1 "$good" 0
# The second part waits for the first one, which takes two seconds of the minute.
# shellcheck disable=SC2016 # for the stand-in
printf '#!/bin/sh\necho "timeout $3"\nshift 3\nexec "$@"\n' >"$tmp/bin/timeout"
chmod 755 "$tmp/bin/timeout"
nr=0 how=alone
: >"$tmp/tree/plan"
how=beside part '2 passed, 0 failed' 0
echo 'sleep 2; cat 1.out' >"$tmp/tree/1.sh"
how=alone part '3 passed, 0 failed' 0
env PATH="$tmp/bin:$PATH" PTAUDIT_DEADLINE=1 "$tmp/tree/scripts/run-tests" check >"$tmp/out" 2>&1 </dev/null
got="$? $(awk '$1 == "timeout" { n++; left = $2 } END { print n, left <= 58 ? "less" : left }' "$tmp/out")"
expect run_tests_takes_the_time_limit_of_a_part_when_it_starts '0 2 less'
rm "$tmp/bin/timeout"
# nightly KERNEL STATUS: runs a nightly whose only part has that argument and ends with that status.
nightly() {
	echo "nightly beside part1 sh 1.sh $1" >"$tmp/tree/plan"
	printf 'echo 1 passed, 0 failed\nexit %s\n' "$2" >"$tmp/tree/1.sh"
	run env PATH="$tmp/bin:$PATH" "$tmp/tree/scripts/run-tests" nightly
}
git init -q "$tmp/tree"
echo '*' >"$tmp/tree/.gitignore"
git -C "$tmp/tree" -c user.name=a -c user.email=a@b commit -q --allow-empty -m a
nightly 6.1 0
nightly 6.1 1
expect run_tests_does_not_repeat_a_part_of_a_nightly_that_passed '0 1 passed, 0 failed'
nightly '6.1 7.2' 1
expect run_tests_repeats_a_part_with_other_kernels '1 1 passed, 1 failed'
PTAUDIT_PROGRAMS=edges_test nightly 7.2 0
nightly 7.2 1
expect run_tests_repeats_a_part_with_other_programs '1 1 passed, 1 failed'
# The build fails, so that nothing is run if the setting is accepted.
mkdir "$tmp/unbuilt"
printf '#!/bin/sh\nexit 1\n' >"$tmp/unbuilt/make"
chmod 755 "$tmp/unbuilt/make"
run env PATH="$tmp/unbuilt:$PATH" PTAUDIT_DEADLINE=1.5 "$tmp/tree/scripts/run-tests" check
expect run_tests_refuses_a_deadline_that_is_no_number "2 run-tests: PTAUDIT_DEADLINE must be a number of minutes, not '1.5'"
run env PATH="$tmp/unbuilt:$PATH" TMPDIR="$tmp/none" "$tmp/tree/scripts/run-tests" check
got=${got%% *}
expect run_tests_ends_without_a_directory_for_its_files 2
chosen='part1 part9' runs refuses_an_unknown_part '2 run-tests: check has no part part9' "$good" 0

# boots TOTALS STATUS [TOTALS STATUS]...: writes the result files of one boot for each pair; of an
# empty string, none. Runs sum_up() of run-vm.sh, then prints the four totals.
boots() {
	(
		boots=$tmp/boots passed=0 failed=0 skipped=0 answers=0 nr=0
		rm -rf "$boots"
		while [ $# -gt 0 ]; do
			nr=$((nr + 1))
			mkdir -p "$boots/$nr"
			[ -z "$1" ] || echo "$1" >"$boots/$nr/totals"
			[ -z "$2" ] || echo "$2 boot$nr" >"$boots/$nr/status"
			echo 'vm: a reason' >"$boots/$nr/errors"
			shift 2
		done
		eval "$(sed -n '/^fail() {$/,/^}$/p; /^sum_up() {$/,/^}$/p' "$here/run-vm.sh")"
		sum_up
		echo "$passed $failed $skipped $answers"
	)
}

run boots '3 0 1 12' 0 '4 0 0 5' 0
expect run_vm_adds_up_boots '0 7 0 1 17'
run boots '3 2 1 12' 0 '4 1 0 5' 0
expect run_vm_adds_up_failures '0 7 3 1 17'
run boots '3 0 0 12' 125
expect run_vm_counts_a_failed_vm '0 3 1 0 12'
run boots '3 0 0 12' ''
expect run_vm_counts_a_boot_without_a_status '0 3 1 0 12'
run boots '' 0
expect run_vm_counts_a_boot_without_totals '0 0 1 0 0'

# PTAUDIT_VMS=0 is invalid too, so that no VM boots if the kind is accepted.
run env PTAUDIT_BOOT=5 PTAUDIT_VMS=0 "$here/run-vm.sh"
expect run_vm_refuses_a_boot_without_kpti "2 run-vm.sh: PTAUDIT_BOOT must be '4 off' or the like, not '5'"
run env PTAUDIT_BOOT='5 on' PTAUDIT_VMS=0 "$here/run-vm.sh"
expect run_vm_refuses_zero_vms "2 run-vm.sh: PTAUDIT_VMS must be a number above 0, not '0'"

# kselftest-install: nothing is left of a wrong directory.
run "$here/kselftest/install.sh" "$tmp/wrong/ptaudit"
expect kselftest_install_refuses_a_wrong_directory "1 kselftest-install: there is no directory $tmp/wrong: DIR has to be TREE/tools/testing/selftests/ptaudit"
mkdir "$tmp/wrong"
run "$here/kselftest/install.sh" "$tmp/wrong/ptaudit"
got+=$(ls -A "$tmp/wrong")
expect kselftest_install_makes_nothing_outside_a_kernel_tree \
	"1 kselftest-install: $tmp/wrong has no lib.mk: DIR has to be TREE/tools/testing/selftests/ptaudit"

# The kselftest runner ends a test that takes too long. Stand-ins for what root and a module are needed for.
mkdir -p "$tmp/kselftest/bin" "$tmp/kselftest/debug"
sed "s|/sys/kernel/debug/ptaudit|$tmp/kselftest/debug|; s|/sys/module/ptaudit|$tmp/none|" "$here/kselftest/run.sh" \
	>"$tmp/kselftest/a_test"
touch "$tmp/kselftest/ptaudit" "$tmp/kselftest/ptaudit.ko" "$tmp/kselftest/programs"
# shellcheck disable=SC2016 # for the stand-in
printf '#!/bin/sh\ncd "%s"\necho $$ >pid\n[ -e short ] || exec sleep 1000\nexit 3\n' "$tmp" >"$tmp/kselftest/bin/a_test"
for name in insmod modprobe rmmod mount; do
	printf '#!/bin/sh\necho %s >>"%s/calls"\n' "$name" "$tmp" >"$tmp/bin/$name"
done
printf '#!/bin/sh\necho 0\n' >"$tmp/bin/id"
chmod 755 "$tmp"/bin/* "$tmp/kselftest/a_test" "$tmp/kselftest/bin/a_test"
PATH=$tmp/bin:$PATH "$tmp/kselftest/a_test" >"$tmp/out" 2>&1 &
for _ in $(seq 600); do
	[ ! -s "$tmp/pid" ] || break
	sleep 0.1
done
kill $!
wait $!
got="$(xargs <"$tmp/calls") $(kill -0 "$(cat "$tmp/pid")" 2>/dev/null && kill "$(cat "$tmp/pid")" && echo 'and the program runs')"
expect kselftest_that_is_ended_unloads_the_module 'insmod rmmod '
touch "$tmp/short"
run env PATH="$tmp/bin:$PATH" "$tmp/kselftest/a_test"
expect kselftest_has_the_status_of_its_program '3 '
rm "$tmp"/bin/{insmod,modprobe,rmmod,mount,id}

run sh -c '. "$0/result.sh"; result 0 a; result 0 b; finish' "$here"
expect result_sh_counts_passed_tests '0 2 passed, 0 failed'
run sh -c '. "$0/result.sh"; result 1 a; result 0 b; finish' "$here"
expect result_sh_counts_a_failed_test '1 1 passed, 1 failed'
run sh -c '. "$0/result.sh"; tmp=$1; result_of a false; result_of b true; finish' "$here" "$tmp"
expect result_sh_counts_a_failed_command '1 1 passed, 1 failed'
run sh -c '. "$0/result.sh"; finish' "$here"
expect result_sh_fails_without_a_test '1 0 passed, 1 failed'

# document NR: runs that command of "A program" in ci.md, in a directory of its own.
document() {
	local command
	command=$(awk -v nr="$1" '/^## /{ here = /A program/ } here && /^```/{ n++; next } here && n == 2 * nr - 1' "$here/../user/doc/ci.md")
	[ -n "$command" ] && (cd "$tmp" && PATH=$tmp/bin:$PATH bash -c "$command")
}
# measures JSON STATUS: the stand-in of `sudo ptaudit` prints this and ends with this status.
measures() {
	printf "#!/bin/sh\nprintf '%%s' '%s'\nexit %s\n" "$1" "$2" >"$tmp/bin/sudo"
	chmod 755 "$tmp/bin/sudo"
}
measures '{"processes": [{"status": "ok", "tables_bytes": 2097152, "levels": [], "vmpte": {"deposited_tables": 0}}]}' 0
run document 1
expect the_limit_in_ci_md_allows_2_MiB '0 true'
run document 3
got="$got$(cat "$tmp/before")"
expect the_numbers_in_ci_md_are_written '0 ["deposited",0]'
measures '{"processes": [{"status": "ok", "tables_bytes": 2097153}]}' 0
run document 1
expect the_limit_in_ci_md_refuses_a_byte_more '1 false'
measures '' 2
run document 1
expect the_limit_in_ci_md_refuses_a_failed_measurement '2 '
run document 3
expect the_numbers_in_ci_md_fail_with_the_measurement '2 '

# python CODE: imports results.py, then runs CODE.
python() {
	PYTHONPATH=$here /usr/bin/python3 -B -c "from results import *; $1"
}
run python 'result(1, "a"); result(True, "b"); end_with_total()'
expect results_py_counts_passed_tests '0 2 passed, 0 failed'
run python 'result([], "a"); result(True, "b"); end_with_total()'
expect results_py_counts_a_failed_test '1 1 passed, 1 failed'
run python 'end_with_total()'
expect results_py_fails_without_a_test '1 0 passed, 0 failed'
run python 'result(False, "a"); end_with_plan()'
expect results_py_fails_with_a_plan_and_a_failed_test '1 1..1'

# sums NAME SCRIPT EXPECTED OUTPUT STATUS: SCRIPT runs a program that passes, and one that prints
# OUTPUT and exits with STATUS.
sums() {
	printf '#!/bin/sh\nprintf "%s\\n"\nexit %s\n' "$good_program" 0 >"$tmp/good"
	printf '#!/bin/sh\nprintf "%s\\n"\nexit %s\n' "$4" "$5" >"$tmp/other"
	chmod 755 "$tmp/good" "$tmp/other"
	run "$here/$2" "$tmp/good" "$tmp/other"
	expect "${2%/*}_run_$1" "$3"
}
good_program='ok 1 a\n# 1 passed, 0 failed'
sums counts_passed_tests unit/run.sh '0 2 passed, 0 failed' "$good_program" 0
sums counts_a_failed_test unit/run.sh '1 1 passed, 1 failed' 'not ok 1 a\n# 0 passed, 1 failed' 1
sums counts_a_crash unit/run.sh '1 2 passed, 1 failed' 'ok 1 a' 139
sums counts_an_output_that_is_cut_off unit/run.sh '1 2 passed, 1 failed' 'ok 1 a' 0
sums counts_a_line_behind_the_summary unit/run.sh '1 2 passed, 1 failed' "$good_program\nok" 0
sums counts_a_report_of_a_sanitizer unit/run.sh '1 2 passed, 1 failed' "$good_program" 1
good_program='ok 1 a\n1..1'
sums counts_passed_tests host/run.sh '0 2 passed, 0 failed, 0 not run' "$good_program" 0
sums counts_a_skipped_test host/run.sh '0 2 passed, 0 failed, 1 not run' 'ok 1 a # SKIP no b\nok 2 c\n1..2' 0
sums counts_a_failed_test host/run.sh '1 1 passed, 1 failed, 0 not run' 'not ok 1 a\n1..1' 1
sums counts_an_output_that_is_cut_off host/run.sh '1 2 passed, 1 failed, 0 not run' 'ok 1 a\n1..2' 0
sums counts_a_crash host/run.sh '1 2 passed, 1 failed, 0 not run' "$good_program" 139

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
