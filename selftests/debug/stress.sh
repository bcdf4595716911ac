#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# usage: stress.sh [KERNEL [SECONDS [CPUS]]]
#
# The stress test alone, on any kernel that scripts/kernel knows: by default
# 7.2-debug, for 1200 seconds of the guest's, with 2 CPUs. After it, on a debug kernel,
# kmemleak looks for what is left.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
kernel=${1:-7.2-debug} seconds=${2:-1200} cpus=${3:-2}
# An emulated debug kernel loses ticks of its only clock, the more the more CPUs.
case $kernel in *-debug | *-kcsan) slow=8 ;; *) slow=3 ;; esac

KSELFTEST_DIR=${KSELFTEST_DIR:-$("$root/scripts/kernel" --source 6.1)}
make -s -C "$here" KSELFTEST_DIR="$KSELFTEST_DIR"
module=$("$root/scripts/kernel" --module "$kernel" 2>/dev/null)
# shellcheck disable=SC2016 # expanded in the guest
# Unmerged, so that each cache's objects can be counted.
exec "$root/scripts/vm" --kernel "$kernel" --module "$module" --memory 3G --cpus "$cpus" \
	--timeout $((slow * seconds + 900)) --append slab_nomerge -- env PTAUDIT_STRESS_SECONDS="$seconds" \
	PTAUDIT_MODULE="$module" sh -c '"$1" && "$2"' sh "$root/build/selftests/live/stress_test" "$here/witnesses.sh"
