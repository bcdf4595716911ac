#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# usage: postgres.sh [KERNEL]
#
# Boots a VM (default 6.1) in which a PostgreSQL server with 20 connections has a memory cgroup
# of its own, and compares `ptaudit footprint` with the charges of the cgroup. The last line is
# `N passed, N failed`. PTAUDIT_TOOL: path of the tool to test. The default is the one built
# here.
set -uo pipefail

cd "$(dirname "$0")/../.." || exit 2
[ $# -le 1 ] || {
	echo 'usage: postgres.sh [KERNEL]' >&2
	exit 2
}
make -s user || exit 2
# shellcheck source=/dev/null
. selftests/boot.sh
vm_total --kernel "${1:-6.1}" --memory 2G --timeout 900 -- \
	env PTAUDIT_TOOL="${PTAUDIT_TOOL:-user/ptaudit}" selftests/footprint/postgres-guest
