#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# `ptaudit estimate` stands alone: it says the same with the module and without,
# opens nothing below debugfs, and needs no privilege for one's own processes.
#
# Runs as root in a VM, the module loaded. PTAUDIT_KO or PTAUDIT_MODULE is the module
# to load again, PTAUDIT_TOOL the tool, if it is not the one of this tree.
set -u

root=$(cd "$(dirname "$0")/../../.." && pwd)
tool=${PTAUDIT_TOOL:-$root/user/ptaudit}
ko=${PTAUDIT_KO:-${PTAUDIT_MODULE:-}}
debugfs=/sys/kernel/debug
enabled=/sys/kernel/mm/transparent_hugepage/enabled
thp=''
uid=65534
tmp=$(mktemp -d) || exit 1
chmod 755 "$tmp"
target='' own=''

# A bail-out is a failure of all that was not reached: the plan is not met.
bail_out() {
	echo "Bail out! $*"
	exit 1
}

cleanup() {
	for pid in $target $own; do
		kill -CONT "$pid"
		kill "$pid"
	done 2>/dev/null
	[ -z "$thp" ] || echo "$thp" >"$enabled"
	rm -rf "$tmp"
}
trap cleanup EXIT

nr=0 nr_failed=0

# result STATUS NAME: one line of the plan; what a test has to say stands in $tmp/why.
result() {
	nr=$((nr + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $nr $2"
	else
		nr_failed=$((nr_failed + 1))
		echo "not ok $nr $2"
		[ ! -s "$tmp/why" ] || sed 's/^/# /' "$tmp/why"
	fi
	: >"$tmp/why"
}

is_loaded() {
	grep -q '^ptaudit ' /proc/modules
}

# as_user COMMAND...: without any privilege.
as_user() {
	setpriv --reuid "$uid" --regid "$uid" --clear-groups "$@"
}

# stop PID: stop it, and wait until it stands.
stop() {
	kill -STOP "$1"
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		! grep -q '^State:[[:space:]]*T' "/proc/$1/status" || return 0
		sleep 0.1
	done
	bail_out "process $1 does not stop"
}

# estimate PID FILE: its JSON but for the time, which must hold the process's tables.
estimate() {
	"$tool" estimate --json --mappings "$1" >"$tmp/json" 2>"$tmp/why" || return
	sed '/^    "time": "[^"]*",$/d' "$tmp/json" >"$2"
	if [ "$(wc -l <"$2")" -ne $(($(wc -l <"$tmp/json") - 1)) ]; then
		echo "no line of the time in it" >"$tmp/why"
	elif ! grep -q '"status": "ok"' "$2" || ! grep -q '"path": "\[stack\]"' "$2"; then
		cat "$2" >"$tmp/why"
	else
		return 0
	fi
	return 1
}

# same NAME FILE: does the estimate say what it said at first?
same() {
	estimate "$target" "$2" && diff "$tmp/first" "$2" >"$tmp/why"
	result $? "$1"
}

# silent TRACE: it traced a tool that opened files, and none of debugfs.
silent() {
	if ! grep -q '/proc/[0-9]*.*pagemap\|"pagemap"' "$1"; then
		echo "the trace shows no pagemap:" >"$tmp/why"
		cat "$1" >>"$tmp/why"
		return 1
	fi
	! grep -F "$debugfs" "$1" >"$tmp/why"
}

echo "KTAP version 1"
echo "1..9"

[ "$(id -u)" -eq 0 ] || bail_out "this test needs root"
[ -x "$tool" ] || bail_out "there is no $tool; make user"
# the tree may lie where the unprivileged user cannot go
cp "$tool" "$tmp/ptaudit" || bail_out "cannot copy $tool"
chmod 755 "$tmp/ptaudit"
tool=$tmp/ptaudit
for program in strace setpriv insmod rmmod diff; do
	command -v "$program" >/dev/null || bail_out "this test needs $program"
done

# Something to estimate: 4 MiB that are written, in a process that then stands still.
dd if=/dev/zero of=/dev/null bs=4M 2>/dev/null &
target=$!
sleep 0.3
stop "$target"
# khugepaged would change it all the same
if [ -e "$enabled" ]; then
	thp=$(sed 's/.*\[\(.*\)\].*/\1/' "$enabled")
	echo never >"$enabled"
fi

is_loaded || echo "ptaudit is not in /proc/modules" >"$tmp/why"
is_loaded
result $? "the module is loaded at first"
estimate "$target" "$tmp/first"
result $? "an estimate with the module loaded"
same "the same estimate twice" "$tmp/second"

if ! is_loaded; then
	echo "the module was not loaded, so that nothing was compared" >"$tmp/why"
	false
elif [ -z "$ko" ]; then
	echo "PTAUDIT_KO is not set: the module could not be loaded again, so it stays" >"$tmp/why"
	false
elif rmmod ptaudit 2>"$tmp/why"; then
	! is_loaded && [ ! -e "$debugfs/ptaudit" ]
fi
unloaded=$?
result $unloaded "the module can be unloaded"

if [ $unloaded -eq 0 ]; then
	same "the same estimate without the module" "$tmp/without"
	insmod "$ko" 2>"$tmp/why" && is_loaded
	result $? "the module can be loaded again"
else
	echo "not tried: the module is still there, or never was" >"$tmp/why"
	result 1 "the same estimate without the module"
	echo "not tried" >"$tmp/why"
	result 1 "the module can be loaded again"
fi

strace -f -e trace=open,openat,statfs -o "$tmp/trace" "$tool" estimate --json "$target" \
	>"$tmp/json" 2>"$tmp/why" && silent "$tmp/trace"
result $? "nothing below debugfs is opened as root"

# Not as_user: $! would be the shell that runs the function.
setpriv --reuid "$uid" --regid "$uid" --clear-groups sleep 1000 &
own=$!
# before its exec it is not yet a process of that user's own
for _ in 1 2 3 4 5 6 7 8 9 10; do
	[ "$(cat "/proc/$own/comm")" != sleep ] || break
	sleep 0.3
done
stop "$own"
as_user "$tool" estimate --json "$own" >"$tmp/json" 2>"$tmp/why" &&
	grep -q '"status": "ok"' "$tmp/json" && grep -q "\"uid\": $uid," "$tmp/json"
result $? "an unprivileged user's own process is estimated"

# The trace is written by the user.
: >"$tmp/trace-user"
chown "$uid" "$tmp/trace-user"
as_user strace -f -e trace=open,openat,statfs -o "$tmp/trace-user" "$tool" estimate --json "$own" \
	>"$tmp/json" 2>"$tmp/why" && silent "$tmp/trace-user"
result $? "nothing below debugfs is opened as an unprivileged user"

echo "# $((nr - nr_failed)) passed, $nr_failed failed"
[ "$nr_failed" -eq 0 ] && [ "$nr" -eq 9 ]
