#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# usage: stress-ng.sh [KERNEL [SECONDS [STRESSOR...]]]
#
# Boots a VM (default 6.1) and compares all processes repeatedly while stress-ng runs there: each
# stressor for SECONDS (default 60), then all of them together. The default stressors (file
# stressors) are those of the classes vm and memory that map or unmap memory. No table may be
# unexplained. Before that, the test plants a table, and check must report that one as
# unexplained. Prints the number of completed comparisons. The last line is `N passed, N failed`.
set -uo pipefail

cd "$(dirname "$0")/../.." || exit 2
kernel=${1:-6.1} seconds=${2:-60}
shift $(($# < 2 ? $# : 2))
if [ $# = 0 ]; then
	read -r -d '' -a stressors <selftests/foreign/stressors
	set -- "${stressors[@]}"
fi
make -s user || exit 2
# shellcheck source=/dev/null
. selftests/boot.sh
built=$(mktemp -d -p build) || exit
trap 'rm -rf "$built"' EXIT
plant=$(scripts/kernel --module "$kernel" "$built" selftests/live/kmod/plant) || exit 2
vm_total --kernel "$kernel" --memory 3G --timeout $((600 + ($# + 1) * (seconds * 2 + 60))) -- \
	env PTAUDIT_TOOL="${PTAUDIT_TOOL:-user/ptaudit}" selftests/foreign/stress-ng-guest \
	"$PWD/$plant" "$seconds" "$@"
