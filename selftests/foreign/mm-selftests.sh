#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# usage: mm-selftests.sh [KERNEL [SECONDS [PROGRAM...]]]
#
# Runs mm-selftests.py --all in a VM (default 7.2), where the kernel runs its own tests of mm/
# and the module provides the kernel's side. The last line is `N passed, N failed`.
set -uo pipefail

cd "$(dirname "$0")/../.." || exit 2
kernel=${1:-7.2} seconds=${2:-20}
shift $(($# < 2 ? $# : 2))
make -s user || exit 2
programs=$(scripts/kernel --mm-selftests "$kernel") || exit 2
# shellcheck source=/dev/null
. selftests/boot.sh
vm_total --kernel "$kernel" --memory 4G --timeout $((900 + 60 * (seconds * 3 + 30))) --append hugepages=128 -- \
	env PTAUDIT_TOOL="${PTAUDIT_TOOL:-user/ptaudit}" selftests/foreign/mm-selftests.py --all --seconds "$seconds" "$programs" "$@"
