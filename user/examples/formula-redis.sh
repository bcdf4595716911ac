#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# How Redis documents what a fork has to copy: memory of the instance / 4 kB * 8.
# The memory of the instance is taken to be what is anonymous, resident or swapped.
# Source: Redis documentation, "Diagnosing latency issues", section on fork
# (https://redis.io/docs/latest/operate/oss_and_stack/management/optimization/latency/).
set -eu

awk '/^(RssAnon|VmSwap):/ { kib += $2 }
	END { bytes = int(kib / 4) * 8; printf "pte count %d\n", int((bytes + 4095) / 4096) }' \
	"/proc/$1/status"
