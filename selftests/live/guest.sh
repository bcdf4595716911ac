#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# usage: guest.sh SECONDS DIR PROGRAM...
#
# Runs in the VM: runs the test programs of DIR one after the other; ktap.awk judges the output.
# Each program may run SECONDS. Scripts are in tool/ or in ../debug. Output goes through a file,
# so that a process that a test leaves behind cannot delay the next program; the file is printed
# meanwhile, because the kernel may crash. PTAUDIT_HOLD_MODULE: the module built from kmod/hold.
# PTAUDIT_BOTH: programs whose layouts are checked against module and BPF, or all.
set -u

cd "$(dirname "$0")" || exit
seconds=$1
dir=$2
shift 2
# an unprivileged user may have no access to the tree
cp "$PTAUDIT_TOOL" /tmp/ptaudit || exit
chmod 755 /tmp/ptaudit
export PTAUDIT_TOOL=/tmp/ptaudit
if [ -n "${PTAUDIT_HOLD_MODULE:-}" ]; then
	insmod "$PTAUDIT_HOLD_MODULE" || exit
fi
for program; do
	echo "### begin $program"
	case $program in
	*.sh)
		file=./tool/$program
		[ -e "$file" ] || file=../debug/$program
		;;
	*) file=$dir/$program ;;
	esac
	case " ${PTAUDIT_BOTH:-} " in
	' all ' | *" $program "*) export PTAUDIT_TRUTH=both ;;
	*) export PTAUDIT_TRUTH=module ;;
	esac
	began=$(date +%s)
	: >/tmp/output
	timeout -k 5 "$seconds" "$file" >/tmp/output 2>&1 &
	tail -n +1 -s 0.2 -f --pid=$! /tmp/output
	wait $!
	status=$?
	echo
	echo "### end $program $status $(($(date +%s) - began))"
done
echo '### done'
