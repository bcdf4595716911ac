#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The part of KubeVirt's memory overhead that is for page tables: memory of the guest
# / 512. GUEST_MEMORY has it in bytes; without it the largest mapping counts, which in a
# QEMU process is the memory of its guest, or the code that TCG translated to.
# Source: KubeVirt, pkg/virt-controller/services, GetMemoryOverhead(); its authors call
# the whole function their best estimation and "still not 100% accurate".
set -eu

awk -v bytes="${GUEST_MEMORY:-0}" '
	/^Size:/ && $2 > most { most = $2 }
	END {
		if (!bytes)
			bytes = most * 1024
		printf "pte count %d\n", int((bytes / 512 + 4095) / 4096)
	}
' "/proc/$1/smaps"
