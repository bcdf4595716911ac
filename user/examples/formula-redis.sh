#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The page tables that fork() copies according to Redis: memory of the instance / 4 kB * 8.
# Here the memory of the instance is its anonymous memory, resident or swapped out.
# Source: Redis documentation, "Diagnosing latency issues", section on fork
# (https://redis.io/docs/latest/operate/oss_and_stack/management/optimization/latency/).
set -eu

awk '/^(RssAnon|VmSwap):/ { kib += $2 }
	END { bytes = int(kib / 4) * 8; printf "pte count %d\n", int((bytes + 4095) / 4096) }' \
	"/proc/$1/status"
