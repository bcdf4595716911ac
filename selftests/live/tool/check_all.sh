#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs check --ktap on all processes, with and without --orphans. Among them are processes at
# rest that have tables of several kinds.
set -u

tmp=$(mktemp -d) || exit 1
targets=''
nr=0 nr_failed=0 answers=0
echo 1..4

# shellcheck disable=SC2317 # called by trap
cleanup() {
	# shellcheck disable=SC2086 # PIDs
	[ -z "$targets" ] || kill -KILL $targets 2>/dev/null
	rm -rf "$tmp"
}
trap cleanup EXIT

result() { # STATUS NAME
	nr=$((nr + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $nr $2"
	else
		nr_failed=$((nr_failed + 1))
		echo "not ok $nr $2"
	fi
}

# has PID: did the tool measure the process, and did the process match?
has() {
	grep -q "^ok [0-9]* $1 [^#]*\$" "$tmp/out"
}

# This shell has both ends of the pipes open and does not use them. So the writer of one pipe and the
# reader of the other one block.
mkfifo "$tmp/full" "$tmp/idle" "$tmp/ready" && exec 3<>"$tmp/full" 4<>"$tmp/idle" || exit
dd if=/dev/zero of="$tmp/full" bs=64M count=1 2>/dev/null &
targets=$!
head -c 1 <&3 >/dev/null
# A process that has freed most of its memory.
awk 'BEGIN { for (i = 0; i < 200000; i++) a[i] = i; delete a
	print "ready" >"/dev/stderr"; getline <ARGV[1] }' "$tmp/idle" 2>"$tmp/ready" &
targets="$targets $!"
read -r _ <"$tmp/ready"
sleep 1000 &
targets="$targets $!"
# The mappings change until execve() is complete.
until grep -qx sleep "/proc/$!/comm"; do
	sleep 0.1
done

for orphans in '' --orphans; do
	"$PTAUDIT_TOOL" check --truth module --all --ktap $orphans >"$tmp/out" 2>"$tmp/err"
	status=$?
	sed 's/^\([^#]\)/# \1/' "$tmp/out" "$tmp/err"
	result $((status != 0)) "every_process_matches${orphans:+_with_orphans}"
	answers=$((answers + $(grep '^ok' "$tmp/out" | grep -vc '# SKIP')))
	nr_lost=0
	for pid in $targets; do
		has "$pid" || nr_lost=$((nr_lost + 1))
	done
	result "$nr_lost" "own_processes_are_measured${orphans:+_with_orphans}"
done
echo "# answers $answers"
[ "$nr_failed" -eq 0 ]
