#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# `ptaudit estimate` works without the module: its output is the same with and without the module,
# it opens nothing below debugfs, and it needs no privilege for the user's own processes.
#
# Runs as root in a VM, with the module loaded. PTAUDIT_KO or PTAUDIT_MODULE: the module to load
# again. PTAUDIT_TOOL: path of the tool to test; the default is the one of this tree.
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

# After a bail-out fewer tests than planned are reported, which is a failure.
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

# shellcheck source=/dev/null
. "$root/selftests/result.sh"
show_on_failure "$tmp/why"

is_loaded() {
	grep -q '^ptaudit ' /proc/modules
}

# as_user COMMAND...: run without privileges.
as_user() {
	setpriv --reuid "$uid" --regid "$uid" --clear-groups "$@"
}

# stop PID: stop the process, and wait until it is stopped.
stop() {
	kill -STOP "$1"
	until grep -q '^State:[[:space:]]*T' "/proc/$1/status"; do
		sleep 0.1
	done
}

# estimate PID FILE: write the estimate's JSON without the time. The JSON must list mappings.
estimate() {
	"$tool" estimate --json --mappings "$1" >"$tmp/json" 2>"$tmp/why" || return
	sed '/^    "time": "[^"]*",$/d' "$tmp/json" >"$2"
	if [ "$(wc -l <"$2")" -ne $(($(wc -l <"$tmp/json") - 1)) ]; then
		echo "the JSON does not have exactly one line with the time" >"$tmp/why"
	elif ! grep -q '"status": "ok"' "$2" || ! grep -q '"path": "\[stack\]"' "$2"; then
		cat "$2" >"$tmp/why"
	else
		return 0
	fi
	return 1
}

# same NAME FILE: compare a new estimate with the first one.
same() {
	estimate "$target" "$2" && diff "$tmp/first" "$2" >"$tmp/why"
	result $? "$1"
}

# silent TRACE: the traced tool has opened pagemap, and no file of debugfs.
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
[ -x "$tool" ] || bail_out "there is no $tool: run make user"
# the unprivileged user may have no access to the tree
cp "$tool" "$tmp/ptaudit" || bail_out "cannot copy $tool"
chmod 755 "$tmp/ptaudit"
tool=$tmp/ptaudit
for program in strace setpriv insmod rmmod diff; do
	command -v "$program" >/dev/null || bail_out "this test needs $program"
done

# The target: a process that has written its buffer of 4 MiB. It blocks when it writes it to the pipe.
mkfifo "$tmp/pipe"
exec 3<>"$tmp/pipe"
dd if=/dev/zero of="$tmp/pipe" bs=4M count=1 2>/dev/null &
target=$!
head -c 1 <&3 >"$tmp/why"
stop "$target"
# khugepaged would change its memory although it is stopped
if [ -e "$enabled" ]; then
	thp=$(sed 's/.*\[\(.*\)\].*/\1/' "$enabled")
	echo never >"$enabled"
fi

is_loaded || echo "ptaudit is not in /proc/modules" >"$tmp/why"
is_loaded
result $? "the module is loaded at first"
estimate "$target" "$tmp/first"
result $? "the process is estimated while the module is loaded"
same "a second estimate is the same" "$tmp/second"

if ! is_loaded; then
	echo "the module was not loaded, so nothing was compared" >"$tmp/why"
	false
elif [ -z "$ko" ]; then
	echo "PTAUDIT_KO is not set, so the module could not be loaded again and was not unloaded" >"$tmp/why"
	false
elif rmmod ptaudit 2>"$tmp/why"; then
	! is_loaded && [ ! -e "$debugfs/ptaudit" ]
fi
unloaded=$?
result $unloaded "the module can be unloaded"

if [ $unloaded -eq 0 ]; then
	same "the estimate without the module is the same" "$tmp/without"
	insmod "$ko" 2>"$tmp/why" && is_loaded
	result $? "the module can be loaded again"
else
	echo "not tried: the module is still loaded, or was never loaded" >"$tmp/why"
	result 1 "the estimate without the module is the same"
	echo "not tried: the module was not unloaded" >"$tmp/why"
	result 1 "the module can be loaded again"
fi

strace -f -e trace=open,openat,statfs -o "$tmp/trace" "$tool" estimate --json "$target" \
	>"$tmp/json" 2>"$tmp/why" && silent "$tmp/trace"
result $? "nothing below debugfs is opened as root"

# Without as_user: $! would be the PID of the shell that runs the function.
setpriv --reuid "$uid" --regid "$uid" --clear-groups sleep 1000 &
own=$!
# until setpriv has executed sleep, the process does not belong to that user
until [ "$(cat "/proc/$own/comm")" = sleep ]; do
	sleep 0.1
done
stop "$own"
as_user "$tool" estimate --json "$own" >"$tmp/json" 2>"$tmp/why" &&
	grep -q '"status": "ok"' "$tmp/json" && grep -q "\"uid\": $uid," "$tmp/json"
result $? "an unprivileged user's own process is estimated"

# The user writes to the trace.
: >"$tmp/trace-user"
chown "$uid" "$tmp/trace-user"
as_user strace -f -e trace=open,openat,statfs -o "$tmp/trace-user" "$tool" estimate --json "$own" \
	>"$tmp/json" 2>"$tmp/why" && silent "$tmp/trace-user"
result $? "nothing below debugfs is opened as an unprivileged user"

finish
