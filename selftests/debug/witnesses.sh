#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Last of all programs: is lockdep still awake, which goes to sleep at its first
# report and at some others', and does kmemleak, with the module gone, find memory
# that nobody points to? What it finds is printed, and the kernel's log names it too.
set -u
leaks=/sys/kernel/debug/kmemleak
locks=/proc/lockdep_stats

lockdep() {
	if [ ! -e "$locks" ]; then
		echo 'ok 1 lockdep_is_awake # SKIP needs PROVE_LOCKING'
	elif grep -q 'debug_locks: *1$' "$locks"; then
		echo 'ok 1 lockdep_is_awake'
	else
		echo 'not ok 1 lockdep_is_awake'
		return 1
	fi
}

not_clean() {
	echo "$*" | head -n 80 | sed 's/^/# /'
	echo 'not ok 2 nothing_is_left'
	return 1
}

kmemleak() {
	if [ ! -e "$leaks" ]; then
		echo 'ok 2 nothing_is_left # SKIP needs DEBUG_KMEMLEAK'
		return
	fi
	if grep -q '^ptaudit ' /proc/modules && ! rmmod ptaudit; then
		not_clean 'the module does not unload'
		return
	fi
	# The first scan sees what RCU and the CPUs still hold, and objects younger than 5 s
	# are never reported (mm/kmemleak.c, MSECS_MIN_AGE); what two scans report is there.
	for _ in 1 2; do
		sleep 6
		# Fails where kmemleak has switched itself off.
		if ! echo scan >"$leaks"; then
			not_clean 'kmemleak does not scan'
			return
		fi
	done
	found=$(cat "$leaks") || found='kmemleak cannot be read'
	if [ -n "$found" ]; then
		not_clean "$found"
		return
	fi
	echo 'ok 2 nothing_is_left'
}

echo 1..2
status=0
lockdep || status=1
kmemleak || status=1
exit $status
