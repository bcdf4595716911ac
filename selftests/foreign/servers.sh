#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# usage: servers.sh [KERNEL [SECONDS [LOAD...]]]
#
# Runs servers.py in a VM (default 6.1) that also has huge pages for PostgreSQL; the module
# provides the kernel's side. The last line is `N passed, N failed`.
set -uo pipefail

cd "$(dirname "$0")/../.." || exit 2
kernel=${1:-6.1} seconds=${2:-60}
shift $(($# < 2 ? $# : 2))
make -s user || exit 2
# shellcheck source=/dev/null
. selftests/boot.sh
vm_total --kernel "$kernel" --memory 4G --timeout $((1200 + 20 * (seconds + 120))) --append hugepages=200 -- \
	env PTAUDIT_TOOL="${PTAUDIT_TOOL:-user/ptaudit}" selftests/foreign/servers.py --seconds "$seconds" "$@"
