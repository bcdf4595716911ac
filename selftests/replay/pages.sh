#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Tests footprint, cow and flags on recordings that were made with --pages. The recording `fork` has
# two processes. They have only the pages that shapes.c makes. So the test computes every figure:
#
# area     pages of each process        pages of both
# code     1 of its own                 2
# anon     64, of which the child wrote 24 after fork(): 24 own, 40 shared     64 + 24 = 88
# zero     3 of 8, the zero page, which is no memory
# shared   16 of a memfd                16
# private  16 of the same memfd, of which 5 were written before fork(): 5 copies, of which the child
#          wrote 2 again: 2 own, 3 shared; 11 originals        5 + 2 = 7 copies
# hugetlb  3 of 512, of which the child wrote 1: 1 own, 2 shared        4 of 512
#
# A page of the memfd has 2 mappings if it was copied in `private`, else 4.
#   pages.sh PTAUDIT
set -uo pipefail

ptaudit=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
data=$here/../data
fork=$data/6.12/fork
scratch=$(mktemp -d) || exit
trap 'rm -rf "$scratch"' EXIT
copy=$scratch/copy
# shellcheck source=/dev/null
. "$here/../result.sh"
show_on_failure "$scratch/out"
pids=("$fork"/[0-9]*)
parent=${pids[0]##*/} child=${pids[1]##*/}

# prints NAME EXPECTED COMMAND...: the output of the command, without the blanks of its columns
prints() {
	local name=$1 expected=$2

	shift 2
	"$ptaudit" "$@" >"$scratch/out" 2>&1 && [ "$(sed 's/  */ /g; s/^ //; s/ $//' "$scratch/out")" = "$expected" ]
	result $? "$name"
}

anon=$((1 + 64 + 5)) shmem=$((16 + 11))
own=$((1 + 24 + 2)) # pages that each process has alone
# in quarters of a page: own pages, shared ones, and pages of the memfd
quarters=$((4 * own + 2 * (40 + 3) + 2 * 5 + 11 + 11))
set_anon=$((2 + 88 + 7)) set_shmem=16
huge=$((512 * 4096))
# a PTE table for each area but hugetlb, a PMD and a PUD table
tables=$(((5 + 1 + 1) * 4096))
each="$((4096 * (anon + shmem))) $((1024 * quarters)) $((4096 * own)) 0 $((4096 * anon)) 0 $((4096 * shmem)) \
$((4096 * own)) 0 0 $((3 * huge)) $huge $tables"
columns=RSS,PSS,USS,SWAP,ANON,FILE,SHMEM,USS-ANON,USS-FILE,USS-SHMEM,HUGETLB,USS-HUGETLB
# nobody else maps any page of the set
all=$((4096 * (set_anon + set_shmem)))
set="$all $all $all 0 $((4096 * set_anon)) 0 $((4096 * set_shmem)) $((4096 * set_anon)) 0 $((4096 * set_shmem)) \
$((4 * huge)) $((4 * huge))"

prints footprint_counts_a_shared_page_once_in_the_set "$parent $each
$child $each
set $set -" footprint -rnb -o "PID,$columns,VMPTE" --from "$fork"
prints footprint_takes_the_name_of_recorded_processes "$parent
$child
set" footprint -rn -o PID --from "$fork" --name '^shapes$'
# count each page once: `private` maps some pages of `shared` too
alone="$((4096 * (anon + 16))) $((1024 * quarters)) $((4096 * own))"
prints footprint_of_one_process_counts_each_page_once "$child ${each%% 0 *}
set $alone" footprint -rnb -o PID,RSS,PSS,USS --from "$fork" "$child"
# with the PGD, on a kernel without KPTI one page; no table is shared
prints footprint_has_the_tables_of_the_recorded_walk "$((tables + 4096)) 0 0
$((tables + 4096)) 0 0
$((2 * (tables + 4096))) 0 0" footprint -rnb -o TABLES,TABLES-INSIDE,TABLES-OUTSIDE --from "$fork"
"$ptaudit" footprint -J --from "$fork" >"$scratch/out" 2>&1
jq -e '.tables_source == "module" and .large_folio_counts == "exact" and .address_spaces_known == false and
	([.processes[] | .self] | any | not)' "$scratch/out" >"$scratch/jq"
result $? "footprint_says_what_the_recording_has"

cp -r "$fork" "$copy"
rm "$copy"/geometry "$copy"/*/tables-*
"$here/manifest" "$copy"
"$ptaudit" footprint -J --from "$copy" >"$scratch/out" 2>&1
jq -e --argjson bytes "$tables" '.tables_source == "vmpte" and
	([.processes[] | .vmpte_bytes == $bytes] | all) and .set.tables_bytes >= 2 * ($bytes + 4096)' \
	"$scratch/out" >"$scratch/jq"
result $? "footprint_without_a_walk_has_vmpte"

for pid in "$parent" "$child"; do
	prints "cow_counts_the_copies_of_each_area ($pid)" "0x10000000000 1 0 0 1 0 0 0
0x10000200000 64 0 0 24 40 0 0
0x10000400000 8 5 3 0 0 0 0
0x10000800000 16 0 11 2 3 0 0
0x10001000000 1536 0 0 512 1024 0 0" \
		cow -rn -o START,PAGES,UNTOUCHED,ORIGINAL,COPIED,SHARED,SWAPPED,DISAGREE --from "$fork" "$pid"
	"$ptaudit" flags -J --from "$fork" "$pid" >"$scratch/out" 2>&1
	jq -e --argjson mapped $((anon + shmem + 3 + 3 * 512)) --argjson anon $((anon + 3 * 512)) \
		--argjson backed $((anon + shmem)) '.pages == $mapped and .ksm_is_anon and
		(.flags | map({ (.flag): .pages }) | add |
			.ANON == $anon and .SWAPBACKED == $backed and .ZERO_PAGE == 3 and
			.HUGE == 3 * 512 and .COMPOUND_HEAD == 3)' "$scratch/out" >"$scratch/jq"
	result $? "flags_counts_all_pages ($pid)"
	prints "cow_counts_the_copies_of_a_range ($pid)" "0x10000201000 0x10000219000 24 23 1" \
		cow -rn -o START,END,PAGES,COPIED,SHARED --from "$fork" "$pid" 10000201000-10000219000
	"$ptaudit" flags -J --ranges --from "$fork" "$pid" 10000800000 >"$scratch/out" 2>&1
	jq -e '.pages == 16 and ([.ranges[] | select(.flags | index("ANON")) | .pages] | add) == 5' \
		"$scratch/out" >"$scratch/jq"
	result $? "flags_counts_the_pages_of_a_mapping ($pid)"
done

# Without /proc nothing of the running machine can be read.
for command in footprint "cow $parent" "flags $parent"; do
	# shellcheck disable=SC2086 # words
	"$ptaudit" $command --from "$fork" >"$scratch/expected" 2>&1
	# shellcheck disable=SC2016,SC2086 # expanded by the inner shell; words
	unshare --user --map-root-user --mount sh -c 'mount -t tmpfs none /proc && exec "$@"' sh \
		"$ptaudit" $command --from "$fork" >"$scratch/out" 2>&1 && cmp "$scratch/expected" "$scratch/out"
	result $? "${command%% *}_needs_no_proc"
done

# A line of the table: name; the command that damages the copy, with the manifest made anew; the
# commands that must refuse it; the expected message.
damages() {
	cat <<'EOT'
recording_without_page_words_is_refused|rm page-caps kpagecount|footprint cow flags|make it with `ptaudit record --pages`
missing_kpagecount_is_damage|rm kpagecount|footprint cow flags|kpagecount is missing
missing_kpageflags_is_damage|rm kpageflags|footprint cow flags|kpageflags is missing
missing_page_caps_are_damage|rm page-caps|footprint cow flags|page-caps is missing
altered_page_caps_are_damage|sed -i 's/exact/exakt/' page-caps|footprint cow flags|page-caps does not have the format
text_behind_page_caps_is_damage|echo >>page-caps|footprint cow flags|page-caps does not have the format
frame_without_flags_is_damage|sed -i 1d kpageflags|footprint cow flags|kpageflags has no page frame 0x
frame_without_a_count_is_damage|sed -i '$d' kpagecount|footprint cow flags|kpagecount has no page frame 0x
zero_page_without_a_count_is_not_taken_for_0|sed -i '/ 0 0$/d' kpagecount|footprint cow flags|kpagecount has no page frame 0x
no_frame_at_all_is_damage|: >kpageflags|footprint cow flags|kpageflags has no page frame 0x
one_frame_less_in_a_run_is_damage|sed -i '0,/ 1fe /s// 1fd /' kpageflags|footprint cow flags|kpageflags has no page frame 0x
overlapping_runs_of_counts_are_damage|sed -i 1p kpagecount|footprint cow flags|cannot read the recording's kpageflags and kpagecount
more_counts_than_memory_has_are_refused|echo 'f00000000 40000001 1 0' >>kpagecount|footprint cow flags|cannot read the recording's kpageflags and kpagecount
empty_maps_are_damage|: >$pid/maps|cow flags|maps has no mapping
empty_smaps_are_damage|: >$pid/smaps|footprint|maps has no mapping
other_geometry_is_not_taken_for_a_missing_walk|sed -i '1s/.*/abi 0/' geometry|footprint|do not agree on the geometry
cut_walk_is_damage|truncate -s -1 $pid/tables-before|footprint|process $pid
EOT
}

refused() { # NAME COMMANDS SENTENCE
	local command status

	for command in $2; do
		(
			ulimit -v 1048576 -t 60
			timeout 600 "$ptaudit" "$command" --from "$copy" "$parent"
		) >"$scratch/out" 2>&1
		status=$?
		[ $status = 2 ] && grep -qF -- "${3//\$pid/$parent}" "$scratch/out"
		result $? "$command: $1 (status $status)"
	done
}

while IFS='|' read -r name command commands sentence; do
	rm -rf "$copy"
	cp -r "$fork" "$copy"
	(cd "$copy" && pid=$parent && eval "$command") || result 1 "$name: the command could not damage the copy"
	"$here/manifest" "$copy"
	refused "$name" "$commands" "$sentence"
done < <(damages)

rm -rf "$copy"
cp -r "$fork" "$copy"
truncate -s -1 "$copy/kpagecount"
refused cut_counts_are_found_by_the_manifest 'footprint cow flags' 'kpagecount has another size'

"$ptaudit" footprint --from "$data/6.12/dense" >"$scratch/out" 2>&1
[ $? = 2 ] && grep -qF 'record --pages' "$scratch/out"
result $? "older_recording_says_how_to_make_a_new_one"
finish
