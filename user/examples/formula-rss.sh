#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# RSS / 512, the rule of thumb: 8 bytes of page table for each resident page of 4 KiB,
# so one PTE table for each 512 of them. For `ptaudit score ./formula-rss.sh -- PID`.
set -eu

awk '/^VmRSS:/ { pages = $2 / 4; printf "pte count %d\n", int((pages + 511) / 512) }' \
	"/proc/$1/status"
