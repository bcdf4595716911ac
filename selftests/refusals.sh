#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Messages for a user without privileges: commands that need the kernel's side, page frames or
# the memory of others end with status 2 and a message; other commands work.
#   refusals.sh PTAUDIT
set -uo pipefail

if [ "${2:-}" != inside ]; then
	# a user namespace: no privileges outside it, even if root runs this
	exec unshare --user --map-user=1000 --map-group=1000 "$0" "$(realpath "$1")" inside
fi
ptaudit=$1
data=$(dirname "$0")/data/6.12
# not in TMPDIR: the table has its name, and no name in the table may have a blank
scratch=$(mktemp -d /tmp/refusals.XXXXXX) || exit
# shellcheck source=/dev/null
. "$(dirname "$0")/result.sh"
show_on_failure "$scratch/out"
# a process of this user, whose memory may be read
sleep 3600 &
own=$!
trap 'kill $own; rm -rf "$scratch"' EXIT

# PID 1 belongs to another user.
table() {
	cat <<END
load --module $scratch/none.ko|2|$scratch/none.ko
kpagemap|2|kpagemap needs root
check $own|2|needs root
check --pages $own|2|needs root
check --truth bpf $own|2|needs CAP_BPF
map --truth module $own|2|needs root
system --truth module|2|needs root
export --openmetrics - --truth module|2|needs root
footprint $own|2|page frames are hidden from you
reclaim --do $own|2|needs CAP_SYS_NICE: run it as root
estimate --cgroup no/such|2|(version 2): No such file
estimate --from $data/dense 4194304|2|process 4194304: the recording has no such process
estimate --from $data/dense --name ^shape -rn|0|shapes
top --from $data/dense --name ^shape -rn|0|shapes
top -rnb -o VMPTE,RSS --from $data/dense|0|$((60 * 1024)) $((9916 * 1024))
estimate --from $data/dense --name nothing|2|name nothing: there is no process to measure
estimate 4194304|2|process 4194304: no such process
estimate --tree $own 4194304|2|process 4194304: no such process
watch --tree --count 1 $own 4194304|2|process 4194304: no such process
flags 1|2|process 1: not allowed to read maps
cow 1|2|process 1: not allowed to read maps
reclaim 1|2|process 1: not allowed to read maps
flags $own|2|page frames are hidden
record --pages --to $scratch/to $own|2|page frames are hidden from you: record --pages needs root
footprint --from $data/dense|2|record --pages
cow --from $data/dense 206|2|record --pages
flags --from $data/dense 206|2|record --pages
cow --from $data/fork 221|0|pagemap agrees
flags --from $data/fork 221|0|1636 pages are mapped
footprint --from $data/fork -rno PID --name nothing|2|there is no process to measure
estimate --freeze $own|0|sleep ($own)
estimate --all|0|processes: only their VmPTE and VmRSS are known; root can measure all
whatif --all|0|processes; root can measure all
estimate --user 4294967295|2|there is no user '4294967295'
score --levels p4d --from $data/dense naive|2|there is no level p4d on this machine
score --levels pmd,pte -rno LEVEL --from $data/dense naive|0|pmd
score --from $data/empty pagemap|0|0 exact, 1 explained, 0 wrong
score --exact-only --from $data/empty pagemap|0|0 exact, 0 explained, 1 wrong
estimate --all --require-all|2|permission denied for
whatif --all --require-all|2|permission denied for
reclaim --all --require-all|2|permission denied for
estimate -m $own|0|[stack]
check -m --from $data/dense 206|0|ENTRIES USED PTE TABLES
cow $own|0|not compared with kpageflags
reclaim $own|0|nothing was changed
check --list-columns|0|UNEXPLAINED
estimate --list-columns|0|RESIDUAL
top --list-columns|0|EMPTY
map --list-columns|0|START
cow --list-columns|0|COPIED
flags --list-columns|0|RAW
system --list-columns|0|ABOUT
footprint --list-columns|0|PSS
flags --ranges --list-columns|0|START
kpagemap --list-columns|0|UNEXPLAINED
whatif --list-columns|0|TAKES
reclaim --list-columns|0|UPPER
watch --list-columns|0|GROWTH
watch -- /none/such|2|cannot run /none/such: No such file or directory
estimate -- false|0|ptaudit: false ended with status 1
diff --list-columns|0|CAME
score --list-columns|0|WORST
flags -o START $own|2|unknown column 'START'
watch --sort PID $own|2|--sort does not go with the command watch
watch -N 1 $own|2|--limit does not go with the command watch
watch -o PROCS $own|2|column PROCS is not in this table
watch -o PTE --all|2|column PTE is not in this table
watch -c 1 -i 0.01 -rnb -o PID,GROWTH $own|0|$own 0
watch -c 1 -i 0.01 -J -o PID,GROWTH $own|0|"pid":$own,"growth_bytes":0,
estimate -J -o PID,VMPTE --sort VMPTE -N 1 --all|0|"vmpte_bytes"
estimate -J -m -o START --sort START -N 1 $own|0|"start"
cow -J -o PAGES --sort PAGES -N 1 $own|0|"pages"
map -J -o TABLES --sort TABLES -N 1 $own|0|"tables"
top -J -o PID,TOTAL --sort TOTAL -N 1|0|"total_bytes"
top -e all|2|top takes one built-in estimator
top -e naive,pagemap|2|top takes one built-in estimator
top -e pagmap|2|unknown estimator 'pagmap'; did you mean
top --sort START|2|processes cannot be sorted by 'START'; there are TOTAL, EMPTY
top --by user --sort START|2|groups cannot be sorted by 'START'
top --sort RSS $own|2|mappings cannot be sorted by 'RSS'
top -o PID,START|2|column START is not in this table
top --by user -o UID|2|column UID is not in this table
top -o WHY $own|2|column WHY is not in this table
top -J -o START --sort START -N 1 $own|0|"start"
system -J -o SIZE --sort SIZE -N 1|0|"remainder_bytes"
system -rn -o PART --sort SIZE -N 1|0|remainder
whatif -J -o WAY --sort SIZE -N 1 --from selftests/data/6.12/empty|0|"way"
whatif -r -o WAY,TABLES --sort TABLES -N 1 --from selftests/data/6.12/empty|0|WAY TABLES
reclaim -J -o WAY --sort SIZE -N 1 $own|0|"ways": []
diff -J -o CAME --sort CAME -N 1 $data/dense $data/empty|1|"came"
score -J -b -o ERRORS --sort ERRORS -N 1 --from $data/dense naive|0|"errors"
END
	# each command with a table checks -N first, even if it needs privileges
	for command in check estimate cow flags kpagemap footprint top map whatif reclaim diff system score; do
		echo "$command -N 0 $own|2|--limit '0' is not a number of rows"
	done
}

# judge NAME STATUS BECAME SENTENCE: the output is in $scratch/out
judge() {
	[ "$3" = "$2" ] && grep -qF -- "$4" "$scratch/out"
	result $? "$1" "status $3, not $2 with: $4"
}

while IFS='|' read -r arguments status sentence; do
	# shellcheck disable=SC2086 # words
	"$ptaudit" $arguments >"$scratch/out" 2>&1 </dev/null
	judge "${arguments//$own/OWN}" "$status" $? "$sentence"
	[ "$status" = 0 ] || continue
	# shellcheck disable=SC2086 # words
	"$ptaudit" $arguments 2>"$scratch/out" >/dev/full </dev/null
	became=$?
	[ -z "$(sort "$scratch/out" | uniq -d)" ] || became="$became and a sentence twice"
	judge "${arguments//$own/OWN} to a full disk" 2 "$became" 'cannot write the output: No space left on device'
done < <(table)

# With four descriptors, the tool can load its libraries and list /proc, but not open a process.
for command in top system 'export --openmetrics -' 'watch --all -c 1'; do
	# shellcheck disable=SC2086 # words
	(ulimit -n 4 && exec "$ptaudit" $command) >"$scratch/out" 2>&1 </dev/null
	judge "$command with four descriptors" 2 $? 'cannot read all processes: Too many open files'
done

# The caller may ignore SIGCHLD. Then the kernel keeps no status of a program.
env --ignore-signal=CHLD "$ptaudit" estimate --estimator /bin/false "$own" >"$scratch/out" 2>&1
judge 'an estimator that fails while SIGCHLD is ignored' 2 $? '/bin/false ended with exit status 1'
env --ignore-signal=CHLD "$ptaudit" estimate -- false >"$scratch/out" 2>&1
judge 'a command that fails while SIGCHLD is ignored' 0 $? 'ptaudit: false ended with status 1'

# A kernel without kcmp() cannot tell which processes share an address space.
no_kcmp() {
	python3 -c '
import ctypes, os, struct, sys

kcmp = {"x86_64": 312, "aarch64": 272}[os.uname().machine]
# load the number of the system call; is it kcmp? ENOSYS; else allow it
rules = struct.pack("=" + "HBBI" * 4, 0x20, 0, 0, 0, 0x15, 0, 1, kcmp, 6, 0, 0, 0x50026, 6, 0, 0, 0x7fff0000)
buffer = ctypes.create_string_buffer(rules)
program = struct.pack("@HP", 4, ctypes.addressof(buffer))
prctl = ctypes.CDLL(None).prctl
if prctl(38, 1, 0, 0, 0) or prctl(22, 2, program):
    sys.exit("no seccomp")
os.execv(sys.argv[1], sys.argv[1:])' "$@"
}
no_kcmp "$ptaudit" estimate --freeze "$own" >"$scratch/out" 2>&1
judge 'estimate --freeze without kcmp()' 0 $? 'without those that share its address space: kcmp() does not work'

# If a standard descriptor is closed, open() returns its number for the next file, and messages or
# reports would go into this file. The second command prints a report, so it fails without standard
# output.
while IFS='|' read -r closed status; do
	eval "\"$ptaudit\" export --openmetrics \"$scratch/metrics\" $closed"
	became=$?
	tail -n 1 "$scratch/metrics" >"$scratch/out"
	judge "export to a file with $closed" 0 "$became" '# EOF'
	rm -f "$scratch/metrics" "$scratch/out"
	eval "\"$ptaudit\" estimate $closed -- sh -c '[ -e /proc/\$\$/fd/0 ] && [ -e /proc/\$\$/fd/2 ] &&
		echo it ran >\"$scratch/out\"'" >/dev/null 2>&1
	became=$?
	judge "a command with $closed" "$status" "$became" 'it ran'
done <<'END'
<&-|0
>&-|2
2>&-|0
<&- >&-|2
<&- 2>&-|0
>&- 2>&-|2
<&- >&- 2>&-|2
END

"$ptaudit" estimate --all 2>&1 >"$scratch/report" | grep -e denied -e 'not allowed' >"$scratch/out"
judge 'one sentence for all denied processes' 1 "$(wc -l <"$scratch/out")" 'permission denied for'

"$ptaudit" score --from "$data/../6.1/dense" naive scan 2>"$scratch/out" >"$scratch/report"
judge 'score with an estimator that fails' 2 $? 'scan: 1 of 1 processes not scored; the first: this kernel has no PAGEMAP_SCAN'
judge 'score says so only of this estimator' 1 "$(wc -l <"$scratch/out")" scan

# The module may be loaded on this machine; this user cannot unload it.
"$ptaudit" unload >"$scratch/out" 2>&1
became=$?
if [ -d /sys/module/ptaudit ]; then
	judge 'unload of a loaded module' 2 $became 'unloading a module needs root'
else
	judge 'unload' 0 $became 'the module is not loaded'
fi

"$ptaudit" record --to '' "$own" >"$scratch/out" 2>&1
judge 'record with an empty directory name' 2 $? 'record needs --to DIR'

# A program that does not wait for its child, which ends after the program has started.
mkfifo "$scratch/end"
sh -c 'read -r _ <"$0" & echo $!; exec sleep 3600' "$scratch/end" >"$scratch/zombie" &
parent=$!
until [ "$(cat "/proc/$parent/comm")" = sleep ]; do
	sleep 0.01
done
echo >"$scratch/end"
until grep -q '^State:.*Z' "/proc/$(cat "$scratch/zombie")/status"; do
	sleep 0.01
done
for command in cow estimate flags map top watch; do
	"$ptaudit" "$command" "$(cat "$scratch/zombie")" >"$scratch/out" 2>&1
	judge "$command of a zombie" 2 $? 'is a zombie: its page tables are already freed'
done
kill "$parent"

unshare --user --map-root-user --pid --fork --mount-proc "$ptaudit" system >"$scratch/out" 2>&1
judge 'system in a PID namespace' 0 $? 'are in the remainder: ptaudit runs in a PID namespace'
for command in system 'estimate --all'; do
	# shellcheck disable=SC2016,SC2086 # sh expands "$@"; words
	unshare --user --map-root-user --mount sh -c 'mount -t tmpfs none /proc && exec "$@"' sh "$ptaudit" $command \
		>"$scratch/out" 2>&1
	judge "$command without /proc" 2 $? ': No such file or directory (/proc is not mounted'
done
finish
