#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# usage: holds.sh [--icount] [KERNEL...]
#
# Measures the longest time that the module holds a process's mmap_lock, by hold_ns_max of its
# answers. Boots each kernel (default 6.1 7.2) and runs holds_test there, on idle CPUs and beside
# stress-ng on all of them. Prints microseconds, one row per shape of process that holds_test
# builds.
#
# --icount: one emulated CPU whose clock counts instructions, 1 ns each, and no load. The results
# then do not depend on the load of this machine, and do not include effects of caches.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$(dirname "$here")")
out=$root/build/selftests/live

# In the VM: --guest LOAD...
if [ "${1:-}" = --guest ]; then
	shift
	sysctl -qw kernel.hung_task_timeout_secs=0 2>/dev/null || :
	for load; do
		echo "### $load"
		[ "$load" = idle ] || {
			stress-ng --quiet --temp-path /tmp --cpu 1 --vm 1 --vm-bytes 64M --mmap 1 --fork 1 >/dev/null 2>&1 &
		}
		timeout -k 5 1800 "$out/holds_test" 2>&1
		[ "$load" = idle ] || kill $! && wait
	done
	exit
fi

vm=(--memory 3G --cpus 2) loads=(idle load)
if [ "${1:-}" = --icount ]; then
	vm=(--memory 3G --cpus 1 --qemu-arg -icount --qemu-arg 'shift=0,sleep=off')
	loads=(idle)
	shift
fi
[ $# -gt 0 ] || set -- 6.1 7.2
make -s -C "$root" user
make -s -C "$root/selftests/live" KSELFTEST_DIR="${KSELFTEST_DIR:-$("$root/scripts/kernel" --source 6.1)}"
status=0
for kernel; do
	vars=$("$root/scripts/kernel" "$kernel")
	eval "$vars"
	hold=$("$root/scripts/kernel" --module "$kernel" '' "$root/selftests/live/kmod/hold")
	# shellcheck disable=SC2016,SC2154 # release: from scripts/kernel
	"$root/scripts/vm" --kernel "$kernel" "${vm[@]}" --timeout 5400 \
		--qemu-arg -device --qemu-arg pci-testdev,membar=16M --append pti=off -- \
		env PTAUDIT_EXPECT_RELEASE="$release" PTAUDIT_EXPECT_LEVELS=4 PTAUDIT_EXPECT_PTI=off \
		sh -c 'insmod "$1" && shift && exec "$@"' sh "$hold" "$here/holds.sh" --guest "${loads[@]}" |
		awk -v kernel="$kernel" '
			/^### / { load = $2 }
			/^# +RUN +/ { shape = $3; sub(/^holds\./, "", shape); sub(/\.each_hold_.*/, "", shape) }
			/longest hold/ { print kernel, load, shape, $(NF - 1), "us" > "/dev/stdout"; n++ }
			/^not ok|SKIP/ { print "holds.sh: " kernel ": " $0 > "/dev/stderr"; bad = 1 }
			END { exit bad || !n }' || status=1
done
exit "$status"
