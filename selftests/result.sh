# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Sourced by tests in shell: prints a line of KTAP for each check, and the totals.

passed=0 failed=0 outputs=

# show_on_failure FILE...: print the ends of these files before a failed check, if they exist.
show_on_failure() {
	outputs=$*
}

# result STATUS NAME [WHY]: print whether a check has passed. STATUS 0 means yes. WHY explains a failure.
result() {
	if [ "$1" = 0 ]; then
		passed=$((passed + 1))
		echo "ok $((passed + failed)) $2"
	else
		failed=$((failed + 1))
		# shellcheck disable=SC2086 # a list
		[ -z "$outputs" ] || tail -qn 20 $outputs 2>/dev/null | sed 's/^/# /'
		echo "not ok $((passed + failed)) $2${3:+: $3}"
	fi
}

# result_of NAME COMMAND...: run COMMAND, with its output in $tmp/out. The check has passed if COMMAND succeeds.
result_of() {
	check=$1
	shift
	show_on_failure "${tmp:?}/out"
	"$@" >"$tmp/out" 2>&1
	result $? "$check"
}

# finish: print the totals. Return 0 if at least one check ran and all checks passed.
finish() {
	[ $((passed + failed)) -gt 0 ] || result 1 no_test_ran
	echo "$passed passed, $failed failed"
	[ "$failed" = 0 ]
}
