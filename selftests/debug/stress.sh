#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# usage: stress.sh [KERNEL [SECONDS [CPUS]]]
#
# Runs only the stress test, on any kernel that scripts/kernel knows. Default: 7.3-debug, for
# 1200 seconds of the guest's time, with 2 CPUs. On a debug kernel kmemleak then looks for leaks.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
kernel=${1:-7.3-debug} seconds=${2:-1200} cpus=${3:-2}
# An emulated debug kernel loses ticks of its only clock; more CPUs lose more ticks.
case $kernel in *-debug | *-kcsan) slow=8 ;; *) slow=3 ;; esac

KSELFTEST_DIR=${KSELFTEST_DIR:-$("$root/scripts/kernel" --source 6.1)}
make -s -C "$here" KSELFTEST_DIR="$KSELFTEST_DIR"
module=$("$root/scripts/kernel" --module "$kernel" 2>/dev/null)
# shellcheck disable=SC2016 # expanded in the guest
# slab_nomerge: the objects of each cache can then be counted.
exec "$root/scripts/vm" --kernel "$kernel" --module "$module" --memory 3G --cpus "$cpus" \
	--timeout $((slow * seconds + 900)) --append slab_nomerge -- env PTAUDIT_STRESS_SECONDS="$seconds" \
	PTAUDIT_MODULE="$module" sh -c '"$1" && "$2"' sh "$root/build/selftests/live/stress_test" "$here/witnesses.sh"
