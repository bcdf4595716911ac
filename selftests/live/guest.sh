#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# usage: guest.sh DIR PROGRAM...
#
# In the VM: runs the test programs of DIR, one after the other, for ktap.awk to
# judge. Output goes through a file, so that a process that a test leaves behind
# cannot hold up the next program.
set -u

cd "$(dirname "$0")" || exit
dir=$1
shift
# the tree may lie where an unprivileged user cannot go
cp "$PTAUDIT_TOOL" /tmp/ptaudit || exit
chmod 755 /tmp/ptaudit
export PTAUDIT_TOOL=/tmp/ptaudit
for program; do
	echo "### begin $program"
	case $program in
	*.sh) file=./$program ;;
	*) file=$dir/$program ;;
	esac
	timeout -k 5 "$(sed -n 's/^timeout=//p' settings)" "$file" >/tmp/output 2>&1
	status=$?
	cat /tmp/output
	echo
	echo "### end $program $status"
done
echo '### done'
