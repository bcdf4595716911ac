#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# KubeVirt's memory overhead for page tables: memory of the guest / 512.
# GUEST_MEMORY is the memory of the guest in bytes. Without it the size of the largest
# mapping is used. In a QEMU process this is the guest's memory, or TCG's translated code.
# Source: KubeVirt, pkg/virt-controller/services, GetMemoryOverhead(); a comment there says
# that the result is not exact.
set -eu

awk -v bytes="${GUEST_MEMORY:-0}" '
	/^Size:/ && $2 > most { most = $2 }
	END {
		if (!bytes)
			bytes = most * 1024
		printf "pte count %d\n", int((bytes / 512 + 4095) / 4096)
	}
' "/proc/$1/smaps"
