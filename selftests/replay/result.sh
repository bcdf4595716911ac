# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# For the scripts here: counts and prints verdicts.  $scratch is the script's directory; if it has a
# file `out`, that is the output of the last command.

passed=0 failed=0

# result STATUS NAME: the test has passed if STATUS is 0.
result() {
	if [ "$1" = 0 ]; then
		passed=$((passed + 1))
		echo "ok $((passed + failed)) $2"
	else
		failed=$((failed + 1))
		echo "not ok $((passed + failed)) $2"
		[ ! -e "${scratch:?}/out" ] || sed 's/^/# /' "$scratch/out" | head -n 5
	fi
}

# finish: prints the total. Return: whether tests ran, and all of them passed.
finish() {
	[ $((passed + failed)) -gt 0 ] || result 1 "no_test_ran"
	echo "$passed passed, $failed failed"
	[ "$failed" = 0 ]
}
