#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Example of an external estimator: `ptaudit check --estimator ./pagemap.py PID`.

Prints `level address` lines. It reads pagemap and assumes a PTE table for each slot of
2 MiB that has a page. It does not see empty tables, and takes huge pages for tables.
"""
import struct
import sys

REACH = {"pte": 2 << 20, "pmd": 1 << 30, "pud": 512 << 30}


def populated(pid):
    """Addresses of the slots that have a page, in ascending order."""
    with open(f"/proc/{pid}/maps") as maps, open(
        f"/proc/{pid}/pagemap", "rb", buffering=0
    ) as pagemap:
        for line in maps:
            start, end = (int(x, 16) for x in line.split()[0].split("-"))
            if end > 1 << 47:
                continue
            while start < end:
                stop = min(end, start - start % REACH["pte"] + REACH["pte"])
                pagemap.seek(start // 4096 * 8)
                words = pagemap.read((stop - start) // 4096 * 8)
                if any(w >> 62 for (w,) in struct.iter_unpack("<Q", words)):
                    yield start
                start = stop


print("pgd 0x0")
seen = set()
for addr in populated(sys.argv[1]):
    for level, reach in REACH.items():
        table = (level, addr - addr % reach)
        if table not in seen:
            print(level, hex(table[1]))
        seen.add(table)
