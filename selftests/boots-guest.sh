#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# usage: boots-guest.sh SECONDS PROGRAMS DIR NAME:PROGRAM,...
#
# Runs in the VM, for boots.py. For each NAME, loads DIR/NAME.ko and runs the test programs one after
# the other, each for at most SECONDS, until one of them finds the fault. A program finds a fault if
# one of its tests fails, or if the kernel logs a warning. If DIR/NAME.pattern exists, a line of the
# program or of the kernel's log must match it as well; then the program is ended at once.
# boots.py reads the lines that begin with ###. They name each program before it runs, and the
# result of each module. The script ends after a module that cannot be unloaded, or that leaves the
# kernel without lockdep or tainted: such a kernel may miss the next fault.
set -u

cd "$(dirname "$0")/live" || exit
seconds=$1
programs=$2
dir=$3
shift 3
cp "$PTAUDIT_TOOL" /tmp/ptaudit || exit
chmod 755 /tmp/ptaudit
export PTAUDIT_TOOL=/tmp/ptaudit PTAUDIT_TRUTH=module
kmemleak=/sys/kernel/debug/kmemleak
insmod "$PTAUDIT_HOLD_MODULE" || exit

# matched: did the kernel, or a program of which a test failed, print the pattern?
matched() {
	dmesg -c >>/tmp/kernel
	grep -m 1 -aE -f "$pattern" /tmp/kernel && return
	grep -q '^not ok' /tmp/output && grep -m 1 -aE -f "$pattern" /tmp/output
}

# finds PROGRAM
finds() {
	case $1 in
	*.sh)
		file=tool/$1
		[ -e "$file" ] || file=../debug/$1
		;;
	*) file=$programs/$1 ;;
	esac
	timeout -k 5 "$seconds" "$file" >/tmp/output 2>&1 &
	if [ -e "$pattern" ]; then
		while kill -0 $! 2>/dev/null; do
			sleep 1
			! matched || kill $!
		done
		wait $!
		matched
		return
	fi
	wait $!
	# 4: all tests were skipped
	case $? in 0 | 4) ;; *) return 0 ;; esac
	grep '^not ok' /tmp/output && return
	dmesg -c | grep -E 'WARNING: |BUG: |Oops'
}

# Scans twice, see witnesses.sh, so that leaks of earlier modules are not reported again.
forget_leaks() {
	for _ in 1 2; do
		sleep 6
		echo scan >$kmemleak
	done
	echo clear >$kmemleak
}

# is_sound: the module is unloaded, lockdep is active, no B (bad page), D (died) or L (lockup)
is_sound() {
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		! grep -q '^ptaudit ' /proc/modules && break
		rmmod ptaudit && break
		sleep 1
	done
	! grep -q '^ptaudit ' /proc/modules || return
	! grep -q 'debug_locks: *0$' /proc/lockdep_stats 2>/dev/null || return
	[ $(($(cat /proc/sys/kernel/tainted) & (1 << 5 | 1 << 7 | 1 << 14))) = 0 ]
}

dmesg -c >/dev/null
for spec; do
	name=${spec%%:*}
	pattern=$dir/$name.pattern
	export PTAUDIT_MODULE="$dir/$name.ko"
	[ ! -e $kmemleak ] || ! grep -qs 'unreferenced' "$pattern" || forget_leaks
	[ ! -e /sys/kernel/debug/clear_warn_once ] || echo 1 >/sys/kernel/debug/clear_warn_once
	: >/tmp/kernel
	echo "### $name begin"
	if ! insmod "$PTAUDIT_MODULE"; then
		echo "### $name found insmod"
		continue
	fi
	verdict=survived
	for program in $(echo "${spec#*:}" | tr , ' '); do
		echo "### $name run $program"
		if finds "$program" >/tmp/found; then
			verdict="found $program: $(head -n 1 /tmp/found)"
			break
		fi
		! grep -m 1 '^not ok' /tmp/output >/tmp/match || verdict="survived $program: $(cat /tmp/match)"
	done
	echo "### $name $verdict"
	is_sound || break
done
