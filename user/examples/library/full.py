#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Example of an external estimator that uses libptaudit:
`ptaudit check --estimator ./full.py PID`.

Prints the tables of the built-in estimator, except empty PTE tables. A kernel that freed
each table with its last page would have these tables.
"""
import sys

import ptaudit

NAMES = {ptaudit.PTE: "pte", ptaudit.PMD: "pmd", ptaudit.PUD: "pud", ptaudit.P4D: "p4d", ptaudit.PGD: "pgd"}
NO_TABLE = ptaudit.TABLE_HUGE_PAGE | ptaudit.TABLE_POSSIBLE

for row in ptaudit.Handle().map(int(sys.argv[1])).tables():
    is_empty = row.level == ptaudit.PTE and row.flags & ptaudit.TABLE_COUNTED and not row.entries
    if not is_empty and not row.flags & NO_TABLE:
        print(NAMES[row.level], hex(row.start))
