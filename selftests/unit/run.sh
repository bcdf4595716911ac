#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run.sh PROGRAM...: run programs of unit.h; the last line counts all tests. A program that ends
# without its summary (crash, sanitizer) counts as one more failed test.
set -u

passed=0 failed=0
for test; do
	echo "# ${test##*/}"
	"$test" >"$test.out" 2>&1
	status=$?
	cat "$test.out"
	passed=$((passed + $(grep -c '^ok ' "$test.out")))
	failed=$((failed + $(grep -c '^not ok ' "$test.out")))
	if ! tail -n 1 "$test.out" | grep -q '^# [0-9]* passed, [0-9]* failed$' ||
		{ [ $status -ne 0 ] && ! grep -q '^not ok ' "$test.out"; }; then
		echo "not ok - ${test##*/} ended with status $status" | tee -a "$test.out"
		failed=$((failed + 1))
	fi
done
# once more, because other programs may have printed hundreds of lines since
for test; do
	sed -n "s/^not ok [0-9-]*/# ${test##*/}:/p" "$test.out"
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
