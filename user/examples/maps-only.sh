#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Example of an external estimator: `ptaudit check --estimator ./maps-only.sh PID`.
# Prints `level address` lines, as if every page of every mapping were populated.
# It is wrong wherever a mapping is reserved but not used.
set -eu

awk -v slot=$((2 << 20)) '
	# first and last slot of 2 MiB; awk has no hex, and doubles hold 53 bits
	function hex(text,    i, value) {
		for (i = 1; i <= length(text); i++)
			value = value * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1
		return value
	}
	# each table once
	function table(level, reach, addr,    line) {
		addr -= addr % reach
		line = sprintf("%s 0x%x%08x", level, addr / 4294967296, addr % 4294967296)
		if (!(line in seen))
			print line
		seen[line] = 1
	}
	BEGIN { print "pgd 0x0" }
	{
		split($1, range, "-")
		if (length(range[1]) > 12)	# [vsyscall]
			next
		end = hex(range[2])
		for (addr = hex(range[1]); addr < end; addr += slot - addr % slot) {
			table("pud", 512 * 1073741824, addr)
			table("pmd", 1073741824, addr)
			table("pte", slot, addr)
		}
	}
' "/proc/$1/maps"
