#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Records a process of our own: who may read the recording, where it is put, and what remains if
# a process, the memory or the disk fails during record.
#   record.sh PTAUDIT FAULT-LIBRARY
set -uo pipefail

ptaudit=$(realpath "$1") fault=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d) || exit
to=$scratch/to
# shellcheck source=/dev/null
. "$(dirname "$0")/../result.sh"
show_on_failure "$scratch/out"

sleep 3600 &
target=$!
never=4194304 # the kernel's highest PID is one less
trap 'kill $target; rm -rf "$scratch"' EXIT

record() { # ARGUMENT...
	"$ptaudit" record --to "$to" "$@" >"$scratch/out" 2>&1
}

replays() {
	"$ptaudit" estimate --from "$to" "$target" >>"$scratch/out" 2>&1
}

# says STATUS SENTENCE: true if the last run ended with STATUS and printed SENTENCE. It does not run
# grep, because a fork takes some milliseconds, and there are a thousand calls.
says() {
	local text
	IFS= read -r -d '' text <"$scratch/out"
	[ "$status" = "$1" ] && [[ $text == *"$2"* ]]
}

umask 022
record "$target" && replays
result $? "recording_replays"

[ -z "$(find "$to" -type d ! -perm 700 -o -type f ! -perm 600)" ]
result $? "only_the_owner_can_read_the_recording"

cp "$to/manifest" "$scratch/manifest" && "$here/manifest" "$to" && cmp "$to/manifest" "$scratch/manifest"
result $? "manifest_equals_an_independent_computation"

record "$target"
status=$?
says 2 'already exists and is not empty' && replays
result $? "directory_that_is_not_empty_is_not_changed"

rm -rf "$to" && mkdir -m 750 "$to"
before=$(stat -c '%i %a %u' "$to")
record "$target" && [ "$(stat -c '%i %a %u' "$to")" = "$before" ] && replays
result $? "empty_directory_is_kept_not_replaced"

rm -rf "${to:?}"/* && record "$target" no-pid
[ "$(stat -c '%i %a %u' "$to")" = "$before" ]
result $? "usage_error_does_not_remove_the_directory_of_the_caller"

record "$target" "$never"
status=$?
says 2 "process $never: no such process" && [ -z "$(ls -A "$to")" ] &&
	[ "$(stat -c '%i %a %u' "$to")" = "$before" ]
result $? "failed_run_empties_the_directory_of_the_caller"

rm -rf "$to"
record "$target" "$never"
status=$?
says 2 "process $never: no such process" && [ ! -e "$to" ]
result $? "failed_run_leaves_no_directory"

# Without capabilities record can use neither the module nor BPF. The empty bounding set removes
# those of root.
bare=("$ptaudit")
[ "$EUID" != 0 ] || bare=(setpriv --bounding-set=-all --inh-caps=-all "$ptaudit")
"${bare[@]}" record --to "$to" "$never" >"$scratch/out" 2>&1
status=$?
says 2 "process $never: no such process" && ! says 2 "recorded without"
result $? "failed_run_does_not_say_what_it_recorded"
"${bare[@]}" record --to "$to" self >"$scratch/out" 2>&1
status=$?
says 0 "recorded without a walk by the module or BPF: "
result $? "recording_without_the_kernels_side_is_announced"
rm -rf "$to"

record "$target" "$target" && replays
result $? "process_named_twice_is_recorded_once"

# The remainder is PageTables at the end, not at the start, minus VmPTE of the two recorded processes.
rm -rf "$to"
kb() {
	awk -v name="$1:" '$1 == name { sum += $2 } END { print sum * 1024 }' "${@:2}"
}
record "$target" $$ && sed -i 's/^PageTables:.*/PageTables: 1 kB/' "$to/meminfo" && "$here/manifest" "$to" &&
	[ "$("$ptaudit" system -rnb -o PART,SIZE --from "$to" | awk '$2 { print $1, $2 }')" = \
		"vmpte $(kb VmPTE "$to"/[0-9]*/status)
remainder $(($(kb PageTables "$to/meminfo-after") - $(kb VmPTE "$to"/[0-9]*/status)))" ]
result $? "system_compares_the_recorded_PageTables_with_VmPTE_of_the_recorded_processes"

"$ptaudit" system --from "$here/../data/6.1/empty" >"$scratch/out" 2>&1
status=$?
says 2 'has no meminfo: an older version'
result $? "system_refuses_a_recording_without_meminfo"
rm -rf "$to" && record "$target"

estimates() {
	"$ptaudit" estimate --estimator all --json --from "$to" "$target" | jq -c '.processes[].estimators'
}
plain=$(estimates) && rm -rf "$to" && record --redact "$target" && [ "$(estimates)" = "$plain" ]
result $? "redacted_recording_has_the_same_estimates"

grep -q ' /redacted/1$' "$to/$target/maps" && ! grep -hE '^[0-9a-f]+-' -r "$to" | grep -q ' /[^r]'
result $? "redacted_recording_has_no_paths"

# Redaction numbers the 2 MiB blocks of frames from 1 on, so there are no more blocks than pages.
pages=$(awk '/^VmRSS:/ { print $2 / 4 }' "$to/$target/status")
/usr/bin/python3 - "$to/$target/pagemap" "$pages" <<'END'
import sys
words = [int(line.split()[2], 16) for line in open(sys.argv[1])]
frames = [word % 2**55 for word in words if word >> 63]
sys.exit(not frames or max(frames) >= (int(sys.argv[2]) + 65) * 512)
END
result $? "redacted_recording_has_no_frame_numbers"

# stop_at PATH ARGUMENT...: starts record, and stops it when it opens PATH. Status: 0 if it stopped.
stop_at() {
	local path=$1 state
	shift
	rm -rf "$to"
	LD_PRELOAD=$fault FAULT=stop:$path "$ptaudit" record --to "$to" "$@" >"$scratch/out" 2>&1 &
	recording=$!
	while read -r _ _ state _ <"/proc/$recording/stat" && [ "$state" != T ] && [ "$state" != Z ]; do
		sleep 0.1
	done
	[ "$state" = T ]
}

resume() {
	kill -CONT "$recording" && wait "$recording"
}

# The mappings of a process change while record is stopped. If the machine stalls, record can reach its
# time limit meanwhile. Then repeat the test.
mkfifo "$scratch/go"
/usr/bin/python3 -c 'import mmap, sys
print("ready", flush=True)
kept = []
for line in sys.stdin:
    kept.append(mmap.mmap(-1, 1 << 20))
    print("mapped", flush=True)' <"$scratch/go" >"$scratch/did" &
changing=$!
exec {go}>"$scratch/go"
until grep -q ready "$scratch/did"; do
	sleep 0.1
done
nr=0 status=1
while [ $status != 0 ] && stop_at "/proc/$changing/smaps" "$changing"; do
	nr=$((nr + 1))
	echo >&"$go"
	until [ "$(grep -c mapped "$scratch/did")" = $nr ]; do
		sleep 0.1
	done
	resume
	status=$?
	grep -q 'the time limit' "$scratch/out" || break
done
[ $status = 0 ] && cmp "/proc/$changing/maps" "$to/$changing/maps"
result $? "process_that_changes_meanwhile_is_recorded_again"
exec {go}>&-
kill "$changing"

# The second process of a group ends after record has opened its maps, and before BPF walks its
# tables. It becomes a zombie, because its parent does not wait for it.
name=ending$$ # another run has another name
cp /bin/sleep "$scratch/$name"
# shellcheck disable=SC2016 # expanded by the inner shell
sh -c '"$0" 3600 & echo $!; exec "$0" 3600' "$scratch/$name" >"$scratch/pid" &
parent=$!
until [ "$(cat "/proc/$parent/comm" "/proc/$(cat "$scratch/pid")/comm" 2>&1)" = "$name"$'\n'"$name" ]; do
	sleep 0.1
done
ends=$(cat "$scratch/pid")
stop_at "/proc/$ends/maps" --name "^$name\$"
stopped=$?
kill -KILL "$ends"
until grep -q '^State:.Z' "/proc/$ends/status"; do
	sleep 0.1
done
[ $stopped = 0 ] && resume && "$ptaudit" estimate --from "$to" "$parent" >>"$scratch/out" 2>&1
result $? "process_of_a_group_that_ends_meanwhile_is_left_out"

rm -rf "$to"
record "$ends"
status=$?
says 2 'is a zombie: its page tables are already freed' && [ ! -e "$to" ]
result $? "zombie_is_named_as_one"
kill "$parent"

# The main thread ends by exit(), number 60 on x86-64; the other thread, started later and renamed
# by PR_SET_NAME, number 15, sleeps.
/usr/bin/python3 -c 'import ctypes, threading, time
libc = ctypes.CDLL(None)
def other():
    libc.prctl(15, b"other", 0, 0, 0)
    time.sleep(3600)
time.sleep(0.1)
threading.Thread(target=other).start()
libc.syscall(60, 0)' &
threaded=$!
until grep -q '^State:.Z' /proc/$threaded/status && grep -q other /proc/$threaded/task/*/comm; do
	sleep 0.1
done
rm -rf "$to"
record "$threaded" && "$ptaudit" estimate --from "$to" "$threaded" >>"$scratch/out" 2>&1
result $? "process_whose_main_thread_has_exited_is_recorded"

[ "$("$ptaudit" estimate --json --from "$to" | jq -r '.processes[] | "\(.start_time) \(.comm) \(.tid)"')" = \
	"$(awk '{ print $22 }' /proc/$threaded/stat) $(cat /proc/$threaded/comm) $(find /proc/$threaded/task -mindepth 1 -maxdepth 1 ! -name $threaded -printf "%f")" ]
result $? "recorded_start_time_and_name_are_those_of_the_exited_main_thread"

"$ptaudit" diff "$to" "$threaded" >"$scratch/out" 2>&1
result $? "recording_through_another_thread_is_the_same_process_in_diff"

"$ptaudit" map --from "$to" >"$scratch/out" 2>&1 && "$ptaudit" map --diff "$to" "$threaded" >>"$scratch/out" 2>&1
result $? "recording_through_another_thread_is_drawn_by_map"
kill -KILL $threaded

rm -rf "$to" && mkdir "$scratch/other" && ln -s other "$to"
record "$target"
status=$?
says 2 'already exists and is not a directory' && [ -z "$(ls -A "$scratch/other")" ]
result $? "symbolic_link_is_not_followed"

"$ptaudit" record --to "$to/" "$target" >"$scratch/out" 2>&1
status=$?
says 2 'already exists and is not a directory' && [ -z "$(ls -A "$scratch/other")" ]
result $? "symbolic_link_with_a_slash_is_not_followed"

rm "$to" && mkdir -m 777 "$scratch/open"
"$ptaudit" record --to "$scratch/open/to" "$target" >"$scratch/out" 2>&1
status=$?
says 2 'is writable by everybody' && [ -z "$(ls -A "$scratch/open")" ]
result $? "directory_below_a_world_writable_one_is_refused"

"$ptaudit" record --to "$scratch/open" "$target" >"$scratch/out" 2>&1
status=$?
says 2 'is writable by everybody' && [ -z "$(ls -A "$scratch/open")" ]
result $? "world_writable_directory_is_refused"

chmod 1777 "$scratch/open"
to=$scratch/open/to record "$target" && rm -r "$scratch/open/to"
result $? "directory_below_a_sticky_world_writable_one_is_accepted"

# A PID namespace with a few processes; we may not read one of them.
namespace() { # COMMAND, with $hidden and $target
	rm -f "$scratch/hidden"
	# shellcheck disable=SC2016 # expanded by the inner shell
	unshare --user --map-root-user --pid --fork --mount-proc \
		setpriv --bounding-set=-all --inh-caps=-all bash -c '
			/usr/bin/python3 -c "import ctypes, sys, time; ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)
open(sys.argv[1], \"w\"); time.sleep(3600)" "$0/hidden" &
			hidden=$!
			sleep 3600 &
			target=$!
			while [ ! -e "$0/hidden" ]; do sleep 0.1; done
			'"$1"'
			status=$?
			kill $hidden $target
			exit $status' "$scratch" >"$scratch/out" 2>&1
}

export ptaudit to
# shellcheck disable=SC2016
if ! unshare --user --map-root-user --pid --fork --mount-proc true 2>/dev/null; then
	result 1 "unreadable_processes: unshare --user fails"
else
	rm -rf "$to"
	namespace '"$ptaudit" record --all --to "$to" && [ -e "$to/$target/maps" ] && [ ! -e "$to/$hidden" ] &&
		"$ptaudit" estimate --from "$to" && echo "hidden: $hidden"'
	status=$?
	hidden=$(sed -n 's/^hidden: //p' "$scratch/out")
	says 0 "permission denied for 1 of 3 processes, which are not recorded: $hidden"
	result $? "record_all_continues_after_an_unreadable_process"

	rm -rf "$to"
	namespace '"$ptaudit" record --all --require-all --to "$to"'
	status=$?
	says 2 'permission denied for 1 of 3 processes' && "$ptaudit" estimate --from "$to" >>"$scratch/out"
	result $? "require_all_fails_with_an_unreadable_process"

	rm -rf "$to"
	namespace '"$ptaudit" record --to "$to" $target $hidden'
	status=$?
	says 2 'not allowed to read maps' && [ ! -e "$to" ]
	result $? "record_of_an_unreadable_process_by_pid_fails"
fi

# faulty FAULT: run record with the fault. Return: whether the fault occurred.
faulty() {
	[ ! -e "$to" ] || rm -rf "$to"
	: >"$scratch/done"
	LD_PRELOAD=$fault FAULT=$1 FAULT_DONE=$scratch/done record --redact "$target"
	status=$?
	[ -s "$scratch/done" ]
}

# The disk is full after each multiple of 1000 bytes, up to the size of the recording.
bytes=0 wrong=
while faulty disk:$bytes; do
	says 2 'No space left on device' && [ ! -e "$to" ] || wrong+=" $bytes"
	bytes=$((bytes + 1000))
done
[ -z "$wrong" ] && [ $bytes -gt 10000 ] && [ $status = 0 ] && replays
result $? "full_disk_is_an_error_and_no_file_stays (up to byte $bytes; wrong:$wrong)"

# Each allocation fails once: record fails, or its recording is complete.
files=$(cut -d' ' -f3 "$to/manifest")
nr_failed=0 call=1 wrong=
while faulty malloc:$call; do
	if [ $status = 0 ]; then
		[ "$(cut -d' ' -f3 "$to/manifest")" = "$files" ] && replays || wrong+=" $call"
	else
		nr_failed=$((nr_failed + 1))
		says 2 'ptaudit: ' && ! says 2 $': \n' && [ ! -e "$to" ] || wrong+=" $call"
	fi
	call=$((call + 1))
done
[ -z "$wrong" ] && [ $nr_failed -gt 10 ] && [ $status = 0 ] && replays
result $? "failed_allocation_is_an_error_and_no_file_stays ($nr_failed of $((call - 1)); wrong:$wrong)"

# With each number of descriptors: record fails and leaves nothing, or its recording is complete.
# The BPF programs need ten of them.
nr_complete=0 wrong=
for descriptors in {4..30}; do
	rm -rf "$to"
	if (ulimit -n "$descriptors" && record "$target"); then
		nr_complete=$((nr_complete + 1))
		replays || wrong+=" $descriptors"
	else
		[ ! -e "$to" ] || wrong+=" $descriptors"
	fi
done
[ -z "$wrong" ] && [ $nr_complete -gt 0 ] && [ $nr_complete -lt 27 ]
result $? "missing_descriptors_are_an_error_and_no_file_stays (complete: $nr_complete of 27; wrong:$wrong)"

rm -rf "$to"
(ulimit -f 1 && record "$target")
status=$?
says 2 'File too large' && [ ! -e "$to" ]
result $? "file_size_limit_is_an_error_and_no_file_stays"

# Kill the tool while it opens or writes a file: there must be no recording, or a complete one. Not
# SIGINT: a shell may have started this script with SIGINT ignored.
nr_absent=0 nr_complete=0 wrong=
for call in openat write; do
	status=143
	for ((when = 1; status == 143; when += 8)); do
		rm -rf "$to"
		strace -o /dev/null -e trace=$call -e inject=$call:signal=SIGTERM:when=$when \
			"$ptaudit" record --to "$to" "$target" >"$scratch/out" 2>&1
		status=$?
		if [ ! -e "$to" ]; then
			nr_absent=$((nr_absent + 1))
		elif replays; then
			nr_complete=$((nr_complete + 1))
		else
			wrong+=" $call:$when"
		fi
	done
	[ $status = 0 ] || wrong+=" $call:status-$status"
done
[ -z "$wrong" ] && [ $nr_absent -ge 10 ] && [ $nr_complete -ge 2 ]
result $? "interrupted_record_leaves_no_file (absent $nr_absent, complete $nr_complete; wrong:$wrong)"

rm -rf "$to"
(
	trap '' HUP
	exec strace -o /dev/null -e trace=write -e inject=write:signal=SIGHUP:when=1 \
		"$ptaudit" record --to "$to" "$target" >"$scratch/out" 2>&1
) && replays
result $? "ignored_signal_does_not_interrupt_record"

# From one allocation on, all fail: the directory is removed without memory.
call=1 wrong=
while faulty malloc:$call+; do
	[ $status = 0 ] || { says 2 'ptaudit: ' && [ ! -e "$to" ]; } || wrong+=" $call"
	call=$((call + 20))
done
[ -z "$wrong" ] && [ $call -gt $nr_failed ] && [ $status = 0 ] && replays
result $? "exhausted_memory_is_an_error_and_no_file_stays (up to call $call; wrong:$wrong)"

finish
