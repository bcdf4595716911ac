#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs the tool as user nobody with chosen capabilities. CAP_BPF and CAP_PERFMON suffice to walk the
# tables of one's own process. CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH suffice to estimate a process of
# another user. If one is missing, the tool names it. BPF also walks a process whose main thread has
# exited. PTAUDIT_TOOL: path of the tool to test. The default is the one built here.
tool=${PTAUDIT_TOOL:-$(dirname "$0")/../../user/ptaudit}
tmp=$(mktemp -d) || exit
trap 'rm -rf "$tmp"' EXIT
n=0 failed=0

if [ "$(id -u)" != 0 ] || ! command -v setpriv >/dev/null; then
	echo "1..0 # SKIP needs root and setpriv"
	exit 4
fi
# user nobody may have no access to the tree
cp "$tool" "$tmp/ptaudit" && chmod 755 "$tmp" "$tmp/ptaudit" || exit 1

# as_nobody CAPS COMMAND OPTION...: run the tool on the shell that starts it; output in $tmp/out.
as_nobody() {
	caps=$1
	shift
	# shellcheck disable=SC2016 # expanded by the inner shell
	setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps "$caps" --ambient-caps "$caps" \
		sh -c 'tool=$1; shift; "$tool" "$@" $$' sh "$tmp/ptaudit" "$@" >"$tmp/out" 2>&1
}

# result STATUS WANTED TEXT NAME
result() {
	n=$((n + 1))
	if [ "$1" = "$2" ] && grep -q -- "$3" "$tmp/out"; then
		echo "ok $n $4"
	else
		sed 's/^/# /' "$tmp/out"
		echo "not ok $n $4"
		failed=1
	fi
}

echo 1..21
as_nobody +bpf,+perfmon check --json --truth bpf
result $? 0 '"truth": "bpf"' bpf_and_perfmon_are_enough_for_an_own_process
as_nobody +bpf check --truth bpf
result $? 2 'needs CAP_PERFMON' missing_perfmon_is_named
as_nobody +perfmon check --truth bpf
result $? 2 'needs CAP_BPF' missing_bpf_is_named
as_nobody -all check
result $? 2 'needs root.*CAP_BPF' without_both_capabilities_root_and_both_are_named
as_nobody +bpf,+perfmon check --truth module
result $? 2 'needs root' the_module_needs_root
mkdir "$tmp/to" && chown 65534:65534 "$tmp/to"
as_nobody +bpf,+perfmon record --truth bpf --to "$tmp/to" 1
result $? 2 'process 1: not allowed to read maps' record_of_another_users_process_fails_before_bpf_is_loaded
as_nobody -all top --truth bpf
result $? 2 'needs CAP_BPF' top_with_truth_bpf_does_not_use_another_side

as_nobody +sys_ptrace estimate --estimator pagemap $$
result $? 2 'read pagemap: .*, or as root with CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH' ptrace_alone_does_not_open_pagemap_and_both_are_named
as_nobody +dac_read_search estimate --estimator pagemap $$
result $? 2 'read maps: .*, or as root with CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH' dac_read_search_alone_does_not_open_maps_and_both_are_named
as_nobody +sys_ptrace,+dac_read_search estimate --estimator pagemap $$
result $? 0 " ($$): estimator pagemap" both_capabilities_are_enough_for_another_users_process

# Run the tool as a user without processes. The PID makes the user unique to this run. With hidepid=1,
# /proc lists the processes of other users, but their files cannot be opened.
user=$((2000000000 + $$))
with_hidepid() {
	# shellcheck disable=SC2016 # expanded by the inner shell
	unshare --mount sh -c 'mount -t proc -o hidepid=1 proc /proc && exec setpriv --reuid "$0" --regid 65534 --clear-groups "$@"' \
		"$user" "$tmp/ptaudit" "$@" >"$tmp/out" 2>&1
}
with_hidepid estimate --all
status=$?
result $status 0 '^1 process ' processes_hidden_by_hidepid_are_not_listed
result $status 0 'hidepid: processes of other users are left out' estimate_says_that_hidepid_hides_processes
with_hidepid top --batch
result $? 0 'hidepid: processes of other users are left out' top_says_that_hidepid_hides_processes
with_hidepid system
status=$?
result $status 0 'remainder: /proc is mounted with hidepid' system_says_that_hidepid_hides_processes
result $status 0 ' 0 ended meanwhile' hidden_processes_have_not_ended
# without_words FILE COMMAND...: run the command while FILE in /proc is empty.
without_words() {
	# shellcheck disable=SC2016 # expanded by the inner shell
	unshare --mount sh -c 'mount --bind /dev/null "/proc/$0" && exec "$@"' "$@" >"$tmp/out" 2>&1
}
for file in kpageflags kpagecount; do
	without_words "$file" "$tmp/ptaudit" footprint $$
	result $? 2 'cannot open /proc/kpageflags and kpagecount: No data' "footprint_refuses_an_empty_$file"
done
without_words kpageflags "$tmp/ptaudit" system
result $? 0 'cannot open /proc/kpageflags: No data' system_says_that_kpageflags_is_empty
without_words kpageflags "$tmp/ptaudit" record --to "$tmp/without" $$ &&
	"$tmp/ptaudit" estimate --from "$tmp/without" >"$tmp/out" 2>&1
result $? 0 '(estimator: ' record_does_without_kpageflags
unshare --user --map-root-user "$tmp/ptaudit" check --truth bpf self >"$tmp/out" 2>&1
result $? 2 'in the initial user namespace' root_of_a_user_namespace_is_told_that_it_cannot_use_bpf

/usr/bin/python3 -c 'import ctypes, _thread, time
_thread.start_new_thread(time.sleep, (3600,))
ctypes.CDLL(None).syscall(60, 0)' &
until grep -q '^State:.*Z' "/proc/$!/status"; do # although a thread runs
	sleep 0.01
done
"$tmp/ptaudit" check --truth bpf $! >"$tmp/out" 2>&1
result $? 0 'read through thread' bpf_walks_a_process_whose_main_thread_has_exited
kill $!
exit $failed
