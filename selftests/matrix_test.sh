#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests matrix.py on the output of ktap.awk, as run-vm.sh calls them. There are two boots of a
# program with two shapes, another test and one without a fixture, and of a script. Checks a
# correct output and each way in which it can be wrong, with the expected cell and message.
set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d) || exit
trap 'rm -rf "$tmp"' EXIT
# shellcheck source=/dev/null
. "$here/result.sh"
show_on_failure "$tmp/said"

# The symbols that kselftest_harness.h would define.
objects='layout_fixture layout_dense layout_sparse layout_is_exact layout_tool_agrees other_fixture other_works alone'
for object in $objects; do
	echo "int _${object}_object = 1;"
done >"$tmp/a_test.c"
echo 'int _layout_dense_variant = 1, _layout_sparse_variant = 1;
/* a function of the harness with a name like a variant */
void __register_fixture_variant(void) { }' >>"$tmp/a_test.c"
mkdir "$tmp/programs"
cc -c -o "$tmp/programs/a_test" "$tmp/a_test.c" || exit

right='### begin a_test
1..6
#  RUN           layout.dense.is_exact ...
ok 1 layout.dense.is_exact
#  RUN           layout.dense.tool_agrees ...
ok 2 layout.dense.tool_agrees
#  RUN           layout.sparse.is_exact ...
ok 3 layout.sparse.is_exact
#  RUN           layout.sparse.tool_agrees ...
ok 4 layout.sparse.tool_agrees
#  RUN           other.works ...
ok 5 other.works
#  RUN           global.alone ...
ok 6 global.alone
# answers 6
### end a_test 0
### begin b.sh
1..1
ok 1 - says a thing
### end b.sh 0
### done'
# In the second boot a shape lacks something altogether, and one for one test.
lacking=$(sed 's/^ok [34] .*/ok \0/; s/^ok ok \([34]\) .*/ok \1 # SKIP needs a moon/
	s/^ok 2 .*/ok 2 # SKIP needs a star/' <<<"$right")
list='* * a_test layout.sparse.is_exact a moon
* * a_test layout.sparse.tool_agrees a moon
* * a_test layout.dense.tool_agrees a star'

# boot LEVELS OUTPUT LIST: create the files that run-vm.sh keeps of a boot.
boot() {
	local keep=$tmp/boots/$1
	mkdir -p "$keep"
	echo "6.1 $1 off a_test b.sh" >"$keep/boot"
	printf '%s\n' "$2" >"$tmp/output"
	printf '%s\n' "$3" >"$tmp/skips"
	awk -v boot="6.1/$1-level/pti=off" -v programs='a_test b.sh' -v skips="$tmp/skips" -v levels="$1" \
		-v pti=off -v totals="$tmp/totals" -f "$here/ktap.awk" "$tmp/output" >"$keep/judged"
}

# expect NAME STATUS NOT_OK ROW OUTPUT [LIST]: OUTPUT is that of the second boot, ROW a line of
# the matrix, NOT_OK the number of failures that matrix.py adds.
expect() {
	local status=0 not_ok
	rm -rf "$tmp/boots"
	boot 4 "$right" ''
	boot 5 "$5" "${6-}"
	[ -z "${after:-}" ] || eval "$after"
	"$here/matrix.py" "$tmp/boots" "$tmp/programs" >"$tmp/said" 2>&1 || status=$?
	not_ok=$(grep -c '^not ok' "$tmp/said")
	[ "$status" = "$2" ] && [ "$not_ok" = "$3" ] && sed 's/  */ /g; s/^ //' "$tmp/said" | grep -qxF -- "$4"
	result $? "$1" "status $status, not $2; $not_ok messages, not $3; or no row '$4'"
}

without() {
	grep -vE "$1" <<<"$right"
}

changed() {
	sed "$1" <<<"$right"
}

expect each_shape_has_a_row 0 0 'dense pass pass' "$right"
expect tests_of_a_fixture_without_shapes_have_one_row 0 0 'other (tests: 1) pass pass' "$right"
expect a_script_has_a_row 0 0 'b.sh (tests: 1) pass pass' "$right"
expect each_boot_has_a_column 0 0 'levels 4 5' "$right"
expect a_row_whose_tests_are_all_skipped_has_the_letter_of_the_reason 0 0 'sparse pass b' "$lacking" "$list"
expect a_row_with_a_skipped_test_has_the_letter_behind_pass 0 0 'dense pass pass a' "$lacking" "$list"
expect the_legend_has_the_reasons 0 0 'b: needs a moon, which this boot does not have' "$lacking" "$list"

expect a_failed_test_fails_its_cell 1 0 'sparse pass FAIL' \
	"$(changed 's/^ok 3/not ok 3/; s/end a_test 0/end a_test 1/')"
expect a_failed_test_without_a_shape_fails_its_cell 1 0 'other (tests: 1) pass FAIL' \
	"$(changed 's/^ok 5/not ok 5/; s/end a_test 0/end a_test 1/')"
expect a_failed_script_fails_its_cell 1 0 'b.sh (tests: 1) pass FAIL' \
	"$(changed 's/^ok 1 - says/not ok 1 - says/; s/end b.sh 0/end b.sh 1/')"
expect a_failed_test_is_found_behind_output_that_is_no_text 1 0 'sparse pass FAIL' \
	"$(changed 's/^ok 3/# \xed\nnot ok 3/; s/end a_test 0/end a_test 1/')"
expect unexpected_skips_fail_their_cell 1 0 'sparse pass FAIL' "$lacking" "$(grep -v sparse <<<"$list")"
expect an_unexpected_skip_of_one_test_fails_its_cell 1 0 'dense pass FAIL' "$lacking" "$(grep -v dense <<<"$list")"
expect a_skip_for_another_reason_fails_its_cell 1 0 'sparse pass FAIL' "$lacking" "${list//a moon/a sun}"
expect a_listed_skip_that_did_not_happen_fails_its_cell 1 0 'sparse pass FAIL' "$right" "$(grep sparse.is_exact <<<"$list")"
expect a_missing_result_fails_its_cell 1 1 'sparse pass FAIL' "$(without ' 4 |sparse.tool')"
# The program lacks the shape, and its plan does not count it.
expect a_shape_missing_in_one_boot_fails_its_cell 1 1 'sparse pass FAIL' \
	"$(without 'sparse' | sed 's/^1..5/1..3/; s/^ok 5/ok 3/')"
# shellcheck disable=SC2034,SC2016 # evaluated in expect
after='sed -i "s/5-level/4-level/g; s/6.1 5 off/6.1 4 off/" "$tmp"/boots/5/*'
expect two_boots_of_a_kind_have_a_column_each 1 0 'sparse pass FAIL' \
	"$(changed 's/^ok 3/not ok 3/; s/end a_test 0/end a_test 1/')"
# shellcheck disable=SC2016
after='sed -i /sparse/d "$tmp"/boots/*/judged'
expect a_shape_missing_in_all_boots_fails_in_each 1 2 'sparse FAIL FAIL' "$right"
after=
expect a_shape_without_a_symbol_fails_its_program 1 3 '(the program) pass FAIL' "$(changed 's/sparse/hidden/')"
expect a_missing_program_fails_its_cells 1 1 'dense pass FAIL' "$(changed '/begin a_test/,/end a_test/d')"
expect a_script_without_its_test_fails_its_cell 1 1 'b.sh (tests: 1) pass FAIL' "$(changed 's/^ok 1 - says.*//; s/^1..1/1..0/')"
expect a_program_that_died_fails_its_cells 1 1 'other (tests: 1) pass FAIL' "$(changed '/^#  RUN *other/,/^### end a_test/d')"
expect an_exit_status_without_a_failed_test_fails_the_program 1 0 '(the program) pass FAIL' "$(changed 's/end a_test 0/end a_test 1/')"
expect a_guest_that_died_fails_the_boot 1 0 '(the boot) pass FAIL' "$(without '^### done')"
# shellcheck disable=SC2016 # evaluated in expect
after='rm "$tmp/boots/5/judged"'
expect a_boot_without_verdicts_fails 1 2 '(the boot) pass FAIL' "$right"
# shellcheck disable=SC2016
after='echo "not ok 6.1/5-level/pti=off: the VM ended with status 125" >>"$tmp/boots/5/judged"'
expect a_failed_vm_fails_the_boot 1 0 '(the boot) pass FAIL' "$right"
# shellcheck disable=SC2016
after='rm -r "$tmp"/boots/*'
expect a_matrix_without_boots_is_an_error 2 1 "not ok matrix no boots in $tmp/boots" "$right"
after=
mv "$tmp/programs/a_test" "$tmp/programs/gone"
expect a_missing_program_file_is_an_error 2 1 'not ok matrix '"Command '['nm', '$tmp/programs/a_test']' returned non-zero exit status 1." "$right"
echo 'int main;' | cc -x c -c -o "$tmp/programs/a_test" -
expect a_program_file_without_tests_is_an_error 2 1 "not ok matrix $tmp/programs/a_test has no tests" "$right"

finish
