#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# usage: postgres.sh [KERNEL]
#
# Boots a VM (default 6.1) in which a PostgreSQL server with 20 connections has a
# memory cgroup of its own, and holds what `ptaudit footprint` says of it against what
# the cgroup is charged for. The last line is `N passed, N failed`.
# PTAUDIT_TOOL: another tool than the one built here.
set -uo pipefail

cd "$(dirname "$0")/../.." || exit 2
[ $# -le 1 ] || {
	echo 'usage: postgres.sh [KERNEL]' >&2
	exit 2
}
make -s user || exit 2
output=$(mktemp)
trap 'rm -f "$output"' EXIT
status=0
scripts/vm --kernel "${1:-6.1}" --memory 2G --timeout 900 -- \
	env PTAUDIT_TOOL="${PTAUDIT_TOOL:-user/ptaudit}" selftests/footprint/postgres-guest |
	tee "$output" || status=$?
passed=$(grep -c '^ok ' "$output")
failed=$(grep -c '^not ok ' "$output")
# a guest that was cut off has not said how many there were to be
if [ "$status" != 0 ] && [ "$failed" = 0 ]; then
	echo "not ok the VM ended with status $status"
	failed=1
fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
