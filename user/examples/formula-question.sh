#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The calculation in a question on Stack Overflow: 8 bytes of page table for each page of
# each mapping, whether the page is used or not.
# Source: Stack Overflow, question 76373278, "Calculating total page table size of a
# process with PID in 4-level x64-64 linux machine using /proc/pid/maps and
# /proc/pid/pagemap".
set -eu

awk '/^Size:/ { pages += $2 / 4 }
	END { printf "pte count %d\n", int((pages * 8 + 4095) / 4096) }' "/proc/$1/smaps"
