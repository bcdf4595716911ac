#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Damages a recording in one way at a time and replays it: each replay must end with status 2 and
# a message, in bounded CPU time and memory.
#   hostile.sh PTAUDIT
set -uo pipefail

ptaudit=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
original=$here/../data/7.2/guard
pid=237
scratch=$(mktemp -d) || exit
trap 'rm -rf "$scratch"' EXIT
copy=$scratch/copy
# shellcheck source=/dev/null
. "$(dirname "$0")/../result.sh"
show_on_failure "$scratch/out"

# The limits are far above the needs of a replay, which are 0.1 s and 20 MiB. The time is CPU time,
# so that other programs of the machine do not matter; timeout ends a replay that hangs.
replay() { # COMMAND...
	(
		ulimit -v 1048576 -t 60
		timeout 600 "$ptaudit" "$@" --from "$copy"
	) >"$scratch/out" 2>&1 </dev/null
}

# A line of the table: name; whether the manifest is older than the damage (kept) or made after
# it (anew), or whether only check reads the file (walk); the command that does the damage in the
# copy; the expected message.
damages() {
	cat <<'EOT'
fifo_is_refused|kept|rm $pid/maps; mkfifo $pid/maps|$pid/maps is neither a regular file nor a directory
symlink_is_refused|kept|mv $pid/maps ../maps; ln -s ../../maps $pid/maps|$pid/maps is neither a regular file nor a directory
symlink_in_place_of_a_walk_is_not_followed|kept|ln -sf /etc/passwd $pid/tables-before|$pid/tables-before is neither a regular file nor a directory
symlink_to_zeros_is_refused|kept|ln -sf /dev/zero kpageflags|kpageflags is neither a regular file nor a directory
symlink_in_place_of_a_directory_is_refused|kept|mv $pid ../aside; ln -s ../aside $pid|$pid is neither a regular file nor a directory
socket_is_refused|kept|rm $pid/scan; /usr/bin/python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("237/scan")'|$pid/scan is neither a regular file nor a directory
sparse_file_is_not_read|kept|truncate -s 100G kpageflags|kpageflags is larger than 1 GiB
sparse_manifest_is_not_read|kept|truncate -s 100G manifest|manifest
large_manifest_is_not_read|kept|truncate -s 65M manifest|manifest is too large
fifo_as_manifest_is_refused|kept|rm manifest; mkfifo manifest|manifest
missing_manifest_is_named|kept|rm manifest|has no file `manifest`
empty_manifest_is_damage|kept|: >manifest|manifest does not have the format that record writes
manifest_cut_in_a_line_is_damage|kept|truncate -s -3 manifest|manifest does not have the format that record writes
manifest_without_its_last_line_is_damage|kept|sed -i '$d' manifest; rm -r sys|manifest does not have the format that record writes
manifest_in_another_order_is_damage|kept|sed 1d manifest >../m; sed -i 1q manifest; sort -r ../m >>manifest|manifest does not have the format that record writes
cut_file_is_damage|kept|truncate -s -1 $pid/smaps|$pid/smaps has another size
file_that_grew_is_damage|kept|echo >>$pid/stat|$pid/stat has another size
altered_byte_is_damage|kept|sed -i 's/^Name:\ts/Name:\tt/' $pid/status|$pid/status has another checksum
emptied_maps_are_damage|kept|: >$pid/maps|$pid/maps has another size
emptied_scan_is_damage|kept|: >$pid/scan|$pid/scan has another size
missing_stat_is_damage|kept|rm $pid/stat|$pid/stat is missing
missing_process_is_damage|kept|rm -r $pid|$pid/maps is missing
manifest_that_is_a_fifo_is_damage|kept|rm manifest; mkfifo manifest|manifest is not a regular file
added_file_is_damage|kept|echo >$pid/environ|$pid/environ is not in its manifest
added_process_is_damage|kept|cp -r $pid 238|238/
added_empty_directory_is_damage|kept|mkdir 238|238 is an empty directory
deep_directory_is_damage|kept|mkdir -p sys/a/b/c/d/e/f|sys/a/b/c/d is not in its manifest
name_with_escapes_is_shown_escaped|kept|: >$'\e[31mred'|\x1b[31mred is not in its manifest
name_that_reorders_is_shown_escaped|kept|: >$'a\xe2\x80\xaeb'|a\xe2\x80\xaeb is not in its manifest
text_behind_about_is_damage|anew|echo more >>about|`about` does not have the format that record writes
other_version_is_refused|anew|sed -i '1s/1/9/' about|the recording is of version 9, this tool reads 1
escapes_in_about_are_damage|anew|sed -i $'s/^release .*/release 6\e[31mred/' about|`about` does not have the format that record writes
text_that_reorders_in_about_is_damage|anew|sed -i $'s/^time .*/time a\xe2\x80\xaeb/' about|`about` does not have the format that record writes
cut_about_is_damage|anew|sed -i '$d' about|`about` does not have the format that record writes
damaged_scan_caps_are_not_taken_for_an_old_kernel|anew|sed -i 's/any_sees/any_seen/' scan-caps|scan-caps does not have the format that record writes
scan_caps_are_0_or_1|anew|sed -i 's/1$/2/' scan-caps|scan-caps does not have the format that record writes
missing_scan_caps_are_not_taken_for_an_old_kernel|anew|rm scan-caps|$pid/scan exists, but scan-caps is missing
missing_walk_is_damage|anew|rm $pid/tables-after|$pid/tables-after is missing
missing_walk_by_bpf_is_damage|anew|cp geometry geometry-bpf|$pid/tables-bpf-before is missing
walk_of_the_module_is_not_taken_for_one_by_bpf|walk|mv geometry geometry-bpf; for at in before after; do mv $pid/tables-$at $pid/tables-bpf-$at; done|$pid/tables-bpf-before is not a walk by BPF
recording_without_walks_names_the_commands_for_it|walk|rm geometry $pid/tables-*|`estimate`, `top`, `map`, `whatif` and `diff` can read it
recording_without_a_process_is_damage|anew|rm -r $pid|there is no process in it
missing_boot_id_is_damage|anew|rm -r sys|sys/kernel/random/boot_id is missing
escapes_in_geometry_are_shown_escaped|walk|sed -i $'1s/.*/abi \e[31m/' geometry|abi \x1b[31m
empty_maps_are_not_taken_for_an_ended_process|anew|: >$pid/maps|maps has no mapping
missing_stat_is_not_taken_for_an_ended_process|anew|rm $pid/stat|$pid/stat is missing
stat_of_another_process_is_damage|anew|sed -i "s/^$pid /238 /" $pid/stat|stat does not have the format of the kernel
zombie_was_not_recorded|anew|sed -i 's/) [A-Z] /) Z /' $pid/stat|process $pid
process_without_memory_was_not_recorded|anew|sed -i -e /^VmPTE/d -e /^VmRSS/d $pid/status|process $pid
mapping_above_the_user_half_is_damage|anew|sed -i 's/^7ffffffde000-7ffffffff000/7ffffffde000-800000001000/' $pid/maps|a mapping beyond the user half
mapping_in_the_kernel_half_is_damage|anew|echo 'ffffffffff600000-ffffffffff602000 --xp 00000000 00:00 0 [vsyscall]' >>$pid/maps|a mapping beyond the user half
unaligned_slot_is_damage|anew|sed -i '1s/^400000 /401000 /' $pid/scan|scan: line 1 is not
page_beyond_its_slot_is_damage|anew|sed -i '1s/^400000 400000/400000 600000/' $pid/scan|scan: line 1 is not
slot_outside_the_mappings_is_damage|anew|sed -i '1s/^400000 400000/200000 200000/' $pid/scan|scan: line 1 is not
doubled_slot_is_damage|anew|sed -i 1p $pid/scan|scan: line 2 is not
slots_in_descending_order_are_damage|anew|sed -i '1!G;h;$!d' $pid/scan|scan: line 2 is not
negative_populated_is_damage|anew|sed -i '1s/ 1$/ -3/' $pid/scan|scan: line 1 is not
populated_of_two_is_damage|anew|sed -i '1s/ 1$/ 2/' $pid/scan|scan: line 1 is not
more_entries_than_a_table_has_are_damage|anew|sed -i '1s/$/ 513/' $pid/scan|scan: line 1 is not
text_behind_a_slot_is_damage|anew|sed -i '1s/$/ 5 x/' $pid/scan|scan: line 1 is not
scan_cut_in_a_line_is_damage|anew|truncate -s -1 $pid/scan|scan: line
signed_run_is_damage|anew|sed -i '1s/^/-/' $pid/pagemap|cannot read pagemap
empty_run_is_damage|anew|sed -i '1s/^\([^ ]*\) [^ ]*/\1 0/' $pid/pagemap|cannot read pagemap
overlapping_runs_are_damage|anew|sed -i 1p $pid/pagemap|cannot read pagemap
run_that_overflows_is_damage|anew|sed -i '$s/^\([^ ]*\) [^ ]*/\1 ffffffffffffffff/' $pid/pagemap|cannot read pagemap
run_of_more_words_than_memory_is_refused|anew|echo '800000000 40000001 1 0' >>$pid/pagemap|cannot read pagemap
EOT
}

make_manifest() {
	/usr/bin/python3 -IS "$here/manifest" "$copy"
}

fresh_copy() {
	rm -rf "$copy" "$scratch/aside" "$scratch/maps"
	cp -r "$original" "$copy"
}

while IFS='|' read -r name manifest command sentence; do
	fresh_copy
	# the runner of mutants limits the bytes that a faulty tool may write
	(ulimit -S -f unlimited && cd "$copy" && eval "$command") || result 1 "$name: the command could not damage the copy"
	[ "$manifest" = kept ] || make_manifest
	sentence=${sentence//\$pid/$pid}
	for side in check estimate; do
		replay $side --estimator all
		status=$?
		[ $status = 2 ] && grep -qF "$sentence" "$scratch/out" && ! grep -q $'\e' "$scratch/out"
		result $? "$side: $name (status $status)"
		[ "$manifest" != walk ] || break
	done
done < <(damages)

# top and map work on a recording without the kernel's side, but not on a damaged one.
for file in geometry geometry-bpf; do
	fresh_copy
	sed -i '1s/.*/abi 0/' "$copy/geometry"
	if [ $file = geometry-bpf ]; then
		mv "$copy/geometry" "$copy/$file"
		mv "$copy/$pid/tables-before" "$copy/$pid/tables-bpf-before"
		mv "$copy/$pid/tables-after" "$copy/$pid/tables-bpf-after"
	fi
	make_manifest
	for side in check top map; do
		replay $side
		status=$?
		[ $status = 2 ] && grep -qF 'do not agree on the geometry' "$scratch/out"
		result $? "$side: damaged_${file}_is_not_taken_for_a_missing_walk (status $status)"
	done
done

# Changes that do not damage the recording, or that cannot be detected.
fresh_copy
make_manifest
cmp "$copy/manifest" "$original/manifest" && replay check "$pid"
result $? "undamaged_copy_agrees"

# Copy the module's walks as if BPF had made them; module/ptaudit_abi.h has the offsets of
# lock_windows and flags in the header. MORE: number of present entries that BPF reports in
# addition, in the first PTE table that has room.
add_bpf() { # MORE
	cp "$copy/geometry" "$copy/geometry-bpf"
	/usr/bin/python3 -IS - "$copy/$pid" "$1" <<-'END'
		import struct, sys
		top, more = sys.argv[1], int(sys.argv[2])
		for at in "before", "after":
		    with open(f"{top}/tables-{at}", "rb") as file:
		        walk = bytearray(file.read())
		    struct.pack_into("<II", walk, 96, 0, struct.unpack_from("<I", walk, 100)[0] | 4)
		    start = struct.unpack_from("<H", walk, 12)[0]
		    for record in range(start, len(walk), 64):
		        level, kind = walk[record + 20], walk[record + 21]
		        used, present = (struct.unpack_from("<H", walk, record + at)[0] for at in (24, 30))
		        if more and level == 0 and kind == 1 and used + more <= 512:
		            struct.pack_into("<H", walk, record + 24, used + more)
		            struct.pack_into("<H", walk, record + 30, present + more)
		            break
		    with open(f"{top}/tables-bpf-{at}", "wb") as file:
		        file.write(walk)
	END
	make_manifest
}

fresh_copy
add_bpf 0
replay check --truth both --json &&
	jq -e '.truth == "both" and .unexplained == 0 and
		([.processes[].levels[] | .kernel == .kernel_bpf] | all)' "$scratch/out" >"$scratch/jq"
result $? "equal_walks_of_module_and_bpf_agree"

replay check --truth bpf --json && jq -e '.truth == "bpf"' "$scratch/out" >"$scratch/jq"
result $? "option_truth_bpf_uses_the_walk_by_bpf"

replay check --json && jq -e '.truth == "module"' "$scratch/out" >"$scratch/jq"
result $? "default_is_the_walk_of_the_module"

fresh_copy
add_bpf 3
replay check --truth both --json
status=$?
[ $status = 1 ] && jq -e '.unexplained == 2 and ([.processes[].unexplained_tables[] | .side] == ["module", "bpf"]) and
	(.processes[].unexplained_tables | .[1].start == .[0].start and .[1].entries == .[0].entries + 3)' \
	"$scratch/out" >"$scratch/jq"
result $? "both_lists_the_record_of_each_side_for_a_different_table (status $status)"

replay check --truth both
status=$?
[ $status = 1 ] && grep -q 'module and BPF do NOT see the same: 2 differences' "$scratch/out"
result $? "text_of_both_has_the_number_of_differences (status $status)"

# A quadratic parser takes minutes of CPU time for this many lines, a linear one takes 1 s.
fresh_copy
echo '100000000000-200000000000 ---p 00000000 00:00 0' >"$scratch/vma"
for file in "$copy/$pid/maps" "$copy/$pid/smaps"; do
	sed -i '/\[stack\]/Q' "$file"
done
sed -i '/^7ff/d' "$copy/$pid/scan" "$copy/$pid/maps"
cat "$scratch/vma" >>"$copy/$pid/maps"
: >"$copy/$pid/pagemap"
/usr/bin/python3 -c 'for i in range(1000000): print("%x %x 0 1" % (2 * (2**44 + i * 2**21,)))' \
	>>"$copy/$pid/scan"
make_manifest
replay estimate --estimator scan --raw && grep -q ' 1000003 ' "$scratch/out"
result $? "scan_of_a_million_slots_is_read"

finish
