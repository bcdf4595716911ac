#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# usage: run.sh TEST...
#
# Runs the test programs one after the other and sums up the results. A program that prints fewer
# results than its plan counts as one more failed test. Skipped tests are listed; they count
# neither as failed nor as passed.
passed=0 failed=0 skipped=0
out=$(mktemp) || exit
skips=$(mktemp) || exit
trap 'rm -f "$out" "$skips"' EXIT

for test; do
	echo "# ${test##*/}"
	"$test" >"$out" 2>&1
	status=$?
	cat "$out"
	planned=$(sed -n 's/^1\.\.\([0-9]*\).*/\1/p' "$out")
	ok=$(grep -c '^ok ' "$out")
	not_ok=$(grep -c '^not ok ' "$out")
	sed -nE "s|^1\.\.0 # SKIP |${test##*/}: |p; s|^ok [0-9]+ ([^ ]+) # SKIP |${test##*/}, \1: |p" \
		"$out" >>"$skips"
	not_run=$(grep -c '^ok .* # SKIP ' "$out")
	passed=$((passed + ok - not_run)) failed=$((failed + not_ok))
	skipped=$((skipped + not_run))
	if [ "$status" = 4 ] && [ "$planned" = 0 ]; then
		skipped=$((skipped + 1))
	elif [ "$planned" != $((ok + not_ok)) ] || { [ "$status" != 0 ] && [ "$not_ok" = 0 ]; }; then
		echo "not ok - ${test##*/} ended with status $status"
		failed=$((failed + 1))
	fi
done
if [ "$skipped" != 0 ]; then
	echo "# skipped on this machine:"
	sed 's/^/#   /' "$skips"
fi
echo "$passed passed, $failed failed, $skipped not run"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
