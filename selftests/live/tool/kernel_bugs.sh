#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The programs of kernel-bugs/ must find exactly the bugs that kernel-bugs/expected lists for
# this kernel.
#
# Runs as root. Prints KTAP with a plan.
set -u

root=$(cd "$(dirname "$0")/../../.." && pwd)
expected=$root/selftests/kernel-bugs/expected
built=$root/build/selftests/kernel-bugs
kernel=$(uname -r | cut -d . -f 1,2 | sed 's/[^0-9.].*//')
# shellcheck source=/dev/null
. "$root/selftests/result.sh"

programs=$(awk '!/^#/ { print $2 }' "$expected" | sort -u)
# shellcheck disable=SC2086 # a list
set -- $programs
echo "1..$#"
for program; do
	want=$(awk -v kernel="$kernel" -v program="$program" \
		'$1 == kernel && $2 == program { $1 = $2 = ""; print }' "$expected" | xargs)
	output=$("$built/$program" 2>&1)
	status=$?
	# exit status: 4 is KSFT_SKIP, 0 is pass, 1 is fail
	case $status in
	4) got=skip ;;
	0 | 1)
		got=$(printf '%s\n' "$output" | awk '/^(not )?ok [0-9]/ {
			print /# SKIP/ ? "skip" : $1 == "ok" ? "ok" : "not_ok" }' | xargs)
		;;
	*) got="status $status" ;;
	esac
	printf '%s\n' "$output" | sed 's/^/# /'
	[ "$got" = "$want" ]
	result $? "$program.has_the_listed_results_on_this_kernel" "'$got' on $kernel; kernel-bugs/expected lists '${want:-nothing}'"
done
finish
