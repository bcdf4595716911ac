#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Sets of processes by --all, --user, --cgroup and --unit: which processes belong to the set,
# what the output shows for processes without read permission, and that SIZE covers all page
# tables of a process.
#
# Runs as root in a VM, with the module loaded. It mounts cgroup2 at another place.
set -u

root=$(cd "$(dirname "$0")/../../.." && pwd)
tool=${PTAUDIT_TOOL:-$root/user/ptaudit}
enabled=/sys/kernel/mm/transparent_hugepage/enabled
uid=65534
buffer_kb=65536
slots=$((buffer_kb / 2048))
tmp=$(mktemp -d) || exit 1
chmod 755 "$tmp"
target='' own='' thp=''

# shellcheck disable=SC2317 # called by trap
cleanup() {
	for pid in $target $own; do
		kill -KILL "$pid"
	done 2>/dev/null
	[ -z "$thp" ] || echo "$thp" >"$enabled"
	rm -rf "$tmp"
}
trap cleanup EXIT

# shellcheck source=/dev/null
. "$root/selftests/result.sh"
show_on_failure "$tmp/out" "$tmp/err"

run() {
	status=0
	"$@" >"$tmp/out" 2>"$tmp/err" </dev/null || status=$?
}

as_user() {
	run setpriv --reuid "$uid" --regid "$uid" --clear-groups "$@"
}

kb_of() { # PID KEY
	sed -n "s/^$2:[[:blank:]]*\\([0-9]*\\).*/\\1/p" "/proc/$1/status"
}

stand_still() { # PID
	kill -STOP "$1"
	until grep -q '^State:[[:blank:]]*T' "/proc/$1/status"; do
		sleep 0.1
	done
}

# lists PIDS: the output must list exactly these.
lists() {
	[ "$status" -eq 0 ] && [ "$(cut -d ' ' -f 1 "$tmp/out" | xargs)" = "$1" ]
}

echo "KTAP version 1"
echo "1..12"
[ -n "${PTAUDIT_VM:-}" ] || {
	echo "Bail out! this test mounts file systems and runs only in a VM"
	exit 1
}
cp "$tool" "$tmp/ptaudit" || exit 1
chmod 755 "$tmp/ptaudit"
tool=$tmp/ptaudit

if [ -e "$enabled" ]; then
	thp=$(sed 's/.*\[\(.*\)\].*/\1/' "$enabled")
	echo always >"$enabled"
fi
# The first byte in the pipe shows that the process has filled its buffer.
mkfifo "$tmp/pipe"
exec 3<>"$tmp/pipe"
dd if=/dev/zero of="$tmp/pipe" bs=${buffer_kb}k count=1 2>/dev/null &
target=$!
head -c 1 <&3 >"$tmp/out"
stand_still "$target"
setpriv --reuid "$uid" --regid "$uid" --clear-groups sleep 1000 &
own=$!
until [ "$(cat "/proc/$own/comm")" = sleep ]; do
	sleep 0.1
done
stand_still "$own"

# SIZE is VmPTE plus the PGD, which has two pages under KPTI, and a P4D table with 5 levels.
above=4096
[ "${PTAUDIT_EXPECT_PTI:-off}" = off ] || above=8192
[ "${PTAUDIT_EXPECT_LEVELS:-4}" = 4 ] || above=$((above + 4096))
expected=$(($(kb_of "$target" VmPTE) * 1024 + above))
size_is_whole() {
	[ "$(awk -v pid="$target" '$2 == pid { print $1 }' "$tmp/out")" = "$expected" ] &&
		[ "$expected" -ge $((slots * 4096)) ]
}
run "$tool" check --all -rnb -o SIZE,PID
size_is_whole
result $? size_of_check_is_vmpte_and_the_levels_above
run "$tool" estimate --all -rnb -o SIZE,PID
size_is_whole
result $? size_of_estimate_is_vmpte_and_the_levels_above
run "$tool" footprint -rnb -o TABLES,PID "$target"
size_is_whole
result $? tables_of_footprint_are_vmpte_and_the_levels_above

as_user "$tool" estimate --all -rnb -o PID,RSS,VMPTE,SIZE,STATUS
[ "$status" -eq 0 ] && [ "$(wc -l <"$tmp/err")" -eq 1 ] && grep -qx \
	"$target $(($(kb_of "$target" VmRSS) * 1024)) $(($(kb_of "$target" VmPTE) * 1024)) - denied" "$tmp/out"
result $? denied_processes_show_vmrss_and_vmpte_and_status_is_0
as_user "$tool" estimate --all --json
[ "$status" -eq 0 ] && [ "$(grep -c '"status": "denied"' "$tmp/out")" -eq \
	"$(sed -n 's/^  "denied": \([0-9]*\).*/\1/p' "$tmp/out")" ]
result $? denied_processes_are_counted_in_json
as_user "$tool" estimate --all --require-all
[ "$status" -eq 2 ]
result $? require_all_makes_a_denied_process_status_2
as_user "$tool" estimate "$target"
[ "$status" -eq 2 ]
result $? estimate_of_a_denied_pid_is_status_2

run "$tool" check --user "$uid" -rn -o PID
lists "$own"
result $? check_of_a_user_lists_the_processes_of_the_user

umount /sys/fs/cgroup && mount -t tmpfs tmpfs /sys/fs/cgroup && mkdir /sys/fs/cgroup/unified &&
	mount -t cgroup2 cgroup2 /sys/fs/cgroup/unified && mkdir /sys/fs/cgroup/unified/t1 &&
	echo "$target" >/sys/fs/cgroup/unified/t1/cgroup.procs
run "$tool" footprint --cgroup t1 -rn -o PID
lists "$target set"
result $? cgroup2_is_found_where_it_is_mounted
run "$tool" check --cgroup /sys/fs/cgroup/unified/t1 -rn -o PID
lists "$target"
result $? check_of_a_cgroup_by_its_path_lists_its_process
run "$tool" estimate --cgroup t1 -rn -o PID
lists "$target"
result $? estimate_of_a_cgroup_lists_its_process
mkdir -p /sys/fs/cgroup/unified/a.slice/b.service &&
	echo "$target" >/sys/fs/cgroup/unified/a.slice/b.service/cgroup.procs
run "$tool" estimate --unit b -rn -o PID
lists "$target"
result $? estimate_of_a_unit_lists_its_process

echo "$target" >/sys/fs/cgroup/unified/cgroup.procs
rmdir /sys/fs/cgroup/unified/t1 /sys/fs/cgroup/unified/a.slice/b.service /sys/fs/cgroup/unified/a.slice
umount /sys/fs/cgroup/unified
umount /sys/fs/cgroup
mount -t cgroup2 cgroup2 /sys/fs/cgroup

finish
