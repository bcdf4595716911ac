#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Lets one allocation after the other fail: the tool prints the same report as without a fault,
# or ends with status 2 and a message.
#   faulty.sh PTAUDIT FAULT-LIBRARY
set -uo pipefail

ptaudit=$(realpath "$1") fault=$(realpath "$2")
data=$(cd "$(dirname "$0")" && pwd)/../data
scratch=$(mktemp -d) || exit
# shellcheck source=/dev/null
. "$(dirname "$0")/../result.sh"
show_on_failure "$scratch/out"

sleep 3600 &
target=$!
trap 'kill $target; rm -rf "$scratch"' EXIT

# faulty FAULT COMMAND...: run it with the fault. Return: whether the fault occurred.
faulty() {
	: >"$scratch/done"
	LD_PRELOAD=$fault FAULT=$1 FAULT_DONE=$scratch/done LC_ALL=C "$ptaudit" "${@:2}" \
		>"$scratch/report" 2>"$scratch/out" </dev/null
	status=$?
	[ -s "$scratch/done" ]
}

# each KIND MINIMUM COMMAND...: runs COMMAND again and again; one allocation of KIND fails in each
# run. Fewer than MINIMUM runs are a failure, too.
each() {
	local kind=$1 minimum=$2 n=0 wrong=0 whole shown
	shift 2
	faulty none "$@"
	whole=$status
	mv "$scratch/report" "$scratch/expected"
	while faulty "$kind:$((n + 1))" "$@"; do
		n=$((n + 1))
		[ "$status" = 2 ] && [ -s "$scratch/out" ] && continue
		[ "$status" = "$whole" ] && cmp -s "$scratch/report" "$scratch/expected" && continue
		wrong=$((wrong + 1))
		printf '# %s:%d: status %d\n' "$kind" "$n" "$status"
	done
	shown=${*//$data\//}
	[ "$whole" -lt 2 ] && [ "$wrong" = 0 ] && [ "$n" -ge "$minimum" ]
	result $? "$kind: ${shown//$target/TARGET} ($n faults, $wrong with another report)"
}

each malloc 100 check --from "$data/6.12/empty"
each malloc 50 estimate "$target"
# The first call is for the test of PAGEMAP_SCAN. Without this test another estimator would be
# chosen.
each mmap 1 estimate "$target"
finish
