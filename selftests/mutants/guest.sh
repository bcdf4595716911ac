#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# usage: guest.sh SECONDS PROGRAMS DIR NAME:PROGRAM,...
#
# Runs in the VM: loads each DIR/NAME.ko in turn, and runs its test programs of PROGRAMS until
# one fails; each may take SECONDS. For module.py it prints a line before each program, and one
# with the result. Ends at the first module that cannot be unloaded: the next one then needs
# another boot.
set -u

cd "$(dirname "$0")/../live" || exit
seconds=$1
programs=$2
dir=$3
shift 3
cp "$PTAUDIT_TOOL" /tmp/ptaudit || exit
chmod 755 /tmp/ptaudit
export PTAUDIT_TOOL=/tmp/ptaudit PTAUDIT_TRUTH=module
insmod "$PTAUDIT_HOLD_MODULE" || exit

# try PROGRAM: 0 if all its tests pass and the kernel reports nothing
try() {
	timeout -k 5 "$seconds" "$programs/$1" >/tmp/output 2>&1
	# 4: all tests were skipped
	case $? in 0 | 4) ;; *) return 1 ;; esac
	! grep -q '^not ok' /tmp/output && ! dmesg -c | grep -qE 'WARNING: |BUG: |Oops'
}

dmesg -c >/dev/null
for spec; do
	name=${spec%%:*}
	verdict=survived
	export PTAUDIT_MODULE="$dir/$name.ko"
	echo "### $name begin"
	if ! insmod "$PTAUDIT_MODULE"; then
		echo "### $name found insmod"
		continue
	fi
	for program in $(echo "${spec#*:}" | tr , ' '); do
		echo "### $name run $program"
		try "$program" || {
			verdict="found $program"
			grep '^not ok' /tmp/output | head -n 3
			break
		}
	done
	echo "### $name $verdict"
	! grep -q '^ptaudit ' /proc/modules || rmmod ptaudit || break
done
