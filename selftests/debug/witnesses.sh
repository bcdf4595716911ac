#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs last. Checks that lockdep is still active, because it turns itself off at its first report
# and some other events. Unloads the module and lets kmemleak look for memory without references.
# Findings are printed, and are in the kernel's log.
set -u
leaks=/sys/kernel/debug/kmemleak
locks=/proc/lockdep_stats

lockdep() {
	if [ ! -e "$locks" ]; then
		echo 'ok 1 lockdep_is_active # SKIP needs PROVE_LOCKING'
	elif grep -q 'debug_locks: *1$' "$locks"; then
		echo 'ok 1 lockdep_is_active'
	else
		echo 'not ok 1 lockdep_is_active'
		return 1
	fi
}

not_clean() {
	echo "$*" | head -n 80 | sed 's/^/# /'
	echo 'not ok 2 no_memory_is_leaked'
	return 1
}

kmemleak() {
	if [ ! -e "$leaks" ]; then
		echo 'ok 2 no_memory_is_leaked # SKIP needs DEBUG_KMEMLEAK'
		return
	fi
	if grep -q '^ptaudit ' /proc/modules && ! rmmod ptaudit; then
		not_clean 'the module does not unload'
		return
	fi
	# The first scan also finds memory that RCU or a CPU still holds, and kmemleak never
	# reports objects younger than 5 s (mm/kmemleak.c, MSECS_MIN_AGE). Only what two scans
	# report is a leak.
	for _ in 1 2; do
		sleep 6
		# This fails if kmemleak has turned itself off.
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
	echo 'ok 2 no_memory_is_leaked'
}

echo 1..2
status=0
lockdep || status=1
kmemleak || status=1
exit $status
