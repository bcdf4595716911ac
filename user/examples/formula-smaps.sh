#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Rss of smaps, mapping by mapping: the PTE tables that the resident pages of a mapping
# need if they lie side by side. For `ptaudit score ./formula-smaps.sh -- PID`.
set -eu

awk '/^Rss:/ { tables += int(($2 + 2047) / 2048) } END { printf "pte count %d\n", tables }' \
	"/proc/$1/smaps"
