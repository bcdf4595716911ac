#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# How administrators of PostgreSQL estimate page tables: shared_buffers / 4096 * 8 for
# each backend. A backend is a process, and this is the estimate for one process.
# SHARED_BUFFERS is shared_buffers in bytes. Without it the size of the largest shared
# mapping is used, which is a few per cent larger.
# Source: the check PG-MEM-008 of a public collection of checks for PostgreSQL; the same
# arithmetic is in the articles on huge_pages that count "200 MB per backend" for
# 100 GB of shared_buffers.
set -eu

awk -v bytes="${SHARED_BUFFERS:-0}" '
	/^[0-9a-f]+-[0-9a-f]+ / { shared = substr($2, 4, 1) == "s" }
	shared && /^Size:/ && $2 > most { most = $2 }
	END {
		if (!bytes)
			bytes = most * 1024
		printf "pte count %d\n", int((bytes / 4096 * 8 + 4095) / 4096)
	}
' "/proc/$1/smaps"
