#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests ktap.awk with a correct output and with each way in which an output can be wrong, and
# checks the totals.
set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d) || exit
trap 'rm -rf "$tmp"' EXIT
# shellcheck source=/dev/null
. "$here/result.sh"
show_on_failure "$tmp/said"

right='### begin a_test
TAP version 13
1..3
# Starting 3 tests from 2 test cases.
#  RUN           f.first ...
#            OK  f.first
ok 1 f.first
#  RUN           f.second ...
#      SKIP      needs a moon
#            OK  f.second
ok 2 # SKIP needs a moon
#  RUN           f.third ...
# a word about it
#            OK  f.third
ok 3 f.third
# PASSED: 3 / 3 tests passed.
# answers 5

### end a_test 0
### begin b_test
1..1
#  RUN           g.only ...
ok 1 g.only
# answers 7
### end b_test 0
### done'
# Without the harness's lines.
right_script='### begin a_test
ok 1 alone
1..1
### end a_test 0
### begin b_test
1..1
ok 1 - alone too
# answers 1
### end b_test 0
### done'
list='# comment
4 off a_test f.second a moon
5 * a_test f.first another machine
* * c_test h.not_run_here something'

# expect NAME "PASSED FAILED SKIPPED[ ANSWERS]" OUTPUT [LIST]
expect() {
	local totals
	printf '%s\n' "$3" >"$tmp/output"
	printf '%s\n' "${4-$list}" >"$tmp/skips"
	rm -f "$tmp/totals"
	awk -v boot=x -v programs='a_test b_test' -v chosen="${chosen-}" -v skips="$tmp/skips" \
		-v levels=4 -v pti=off -v totals="$tmp/totals" -f "$here/ktap.awk" "$tmp/output" >"$tmp/said"
	totals=$(cat "$tmp/totals")
	case $2 in *' '*' '*' '*) ;; *) totals=${totals% *} ;; esac
	[ "$totals" = "$2" ]
	result $? "$1" "'$totals', not '$2'"
}

# without PATTERN, changed SED: the correct output with this change.
without() {
	grep -vE "$1" <<<"$right"
}

changed() {
	sed "$1" <<<"$right"
}

expect a_correct_output_passes '3 0 1 12' "$right"
expect no_answer_is_a_failure '3 1 1 0' "$(changed 's/^# answers .*/# answers 0/')"
expect a_missing_number_of_answers_is_a_failure '3 1 1 0' "$(without '^# answers')"
expect an_empty_output_is_a_failure '0 4 0' ''
expect a_failed_test_is_counted_once '2 1 1' "$(changed 's/^ok 3/not ok 3/; s/end a_test 0/end a_test 1/')"
expect status_0_after_a_failed_test_is_a_failure '2 2 1' "$(changed 's/^ok 3/not ok 3/')"
expect status_1_without_a_failed_test_is_a_failure '3 1 1' "$(changed 's/end a_test 0/end a_test 1/')"
expect a_timeout_is_a_failure '3 1 1' "$(changed 's/end a_test 0/end a_test 124/')"
expect a_missing_result_is_a_failure '2 1 1' "$(without '^ok 3')"
# shellcheck disable=SC2016 # sed's $
expect results_that_are_cut_off_are_failures '0 5 0' "$(changed '/^#  RUN  *f.first/,$d')"
expect a_missing_result_in_the_middle_is_a_failure '1 4 1' "$(without '^ok 1 f')"
expect more_results_than_planned_are_a_failure '3 1 1' "$(changed 's/^1..3/1..2/')"
expect a_missing_plan_is_a_failure '3 1 1' "$(without '^1..3')"
expect an_empty_plan_is_a_failure '1 2 0' "$(printf '### begin a_test\n1..0\n### end a_test 0\n%s' "$(sed -n '/begin b/,$p' <<<"$right")")"
expect two_plans_of_a_program_are_a_failure '3 1 1' "$(changed 's/^1..3/&\n&/')"
expect a_missing_end_of_a_program_is_a_failure '3 1 1' "$(without '^### end a_test')"
expect a_missing_program_is_a_failure '2 1 1' "$(changed '/begin b_test/,/end b_test/d')"
expect a_program_that_ran_twice_is_a_failure '4 1 1' "$(sed '$d' <<<"$right"; sed -n '/begin b_test/,$p' <<<"$right")"
expect a_missing_end_of_the_guest_is_a_failure '3 1 1' "$(without '^### done')"
expect a_result_of_another_test_is_a_failure '2 1 1' "$(changed 's/^ok 3 .*/ok 3 f.fourth/')"
expect an_output_of_scripts_passes '2 0 0' "$right_script" ''
# shellcheck disable=SC2034 # used in expect
chosen='a_test b_test'
expect chosen_programs_need_no_answers '3 0 1 0' "$(without '^# answers')"
unset chosen
expect a_skip_by_a_script_that_is_not_listed_is_a_failure '1 1 0' "${right_script/ok 1 alone/ok 1 alone # SKIP needs a moon}" ''
expect a_listed_skip_by_a_script_is_no_failure '1 0 1' "${right_script/ok 1 alone/ok 1 alone # SKIP needs a moon}" '4 off a_test alone a moon'
expect a_skip_that_is_not_listed_is_a_failure '3 1 0' "$right" ''
expect a_skip_for_another_reason_is_a_failure '3 1 0' "$right" '4 off a_test f.second a star'
expect the_list_can_allow_skips_of_all_tests '3 0 1' "$right" '4 off * * a moon'
expect skips_of_all_tests_are_allowed_for_one_reason '3 1 0' "$right" '4 off * * a star'
expect a_skip_listed_for_another_boot_is_a_failure '3 1 0' "$right" '4 on a_test f.second a moon'
expect a_listed_skip_that_did_not_happen_is_a_failure '3 1 1' "$right" "$list"$'\n''* * a_test f.third a sun'
finish
