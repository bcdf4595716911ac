#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# usage: stress.sh [KERNEL [SECONDS]]
#
# The stress test alone, on any kernel that scripts/kernel knows: by default
# 7.2-debug, for 1200 seconds of the guest's.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
kernel=${1:-7.2-debug} seconds=${2:-1200}

KSELFTEST_DIR=${KSELFTEST_DIR:-$("$root/scripts/kernel" --source 6.1)}
make -s -C "$here" KSELFTEST_DIR="$KSELFTEST_DIR"
module=$("$root/scripts/kernel" --module "$kernel" 2>/dev/null)
# Unmerged, so that each cache's objects can be counted.
exec "$root/scripts/vm" --kernel "$kernel" --module "$module" --memory 3G --timeout $((3 * seconds + 900)) \
	--append slab_nomerge -- env PTAUDIT_STRESS_SECONDS="$seconds" PTAUDIT_MODULE="$module" \
	"$root/build/selftests/live/stress_test"
