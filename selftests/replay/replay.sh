#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Replays every recording in selftests/data: the text and the JSON must be unchanged to the byte,
# and every mutant of the module's answer must be detected.
#   replay.sh PTAUDIT MUTATE [--accept]: --accept stores the output as expected
set -uo pipefail

ptaudit=$1 mutate=$2 accept=${3:-} differ=0
data=$(cd "$(dirname "$0")/../data" && pwd)
scratch=$(mktemp -d) || exit
trap 'rm -rf "$scratch"' EXIT
# shellcheck source=/dev/null
. "$(dirname "$0")/../result.sh"
show_on_failure "$scratch/out"

replay() { # FORMAT OPTION RECORDING NAME
	local expected=$3.$1 status=0

	# shellcheck disable=SC2086 # $2 is empty or one option
	"$ptaudit" check $2 --truth "$truth" --estimator all --from "$3" "$pid" >"$scratch/$1" 2>&1
	echo "exit status $?" >>"$scratch/$1"
	[ -z "$accept" ] || cp "$scratch/$1" "$expected"
	diff -u "$expected" "$scratch/$1" | sed 's/^/# /'
	cmp -s "$expected" "$scratch/$1" || status=1
	((differ += status))
	result $status "$4: the output equals the stored $1"
	grep -qx 'exit status 0' "$scratch/$1"
	result $? "$4: check ends with status 0 ($1)"
}

shopt -s nullglob
for recording in "$data"/*/*/; do
	recording=${recording%/}
	name=${recording#"$data"/}
	pid=$(cd "$recording" && dirname -- */stat | head -n 1)
	truth=auto
	[ ! -e "$recording/geometry" ] || [ ! -e "$recording/geometry-bpf" ] || truth=both
	replay txt "" "$recording" "$name"
	replay json --json "$recording" "$name"
	rm -rf "$scratch/copy"
	cp -r "$recording" "$scratch/copy"
	"$mutate" "$scratch/copy" "$pid"
	result $? "$name: check finds each mutant"
done
((differ == 0)) || echo "# $differ outputs differ; if the new ones are right, store them: make -C selftests/replay accept"
finish
