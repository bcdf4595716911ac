#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""usage: columns_test.py PTAUDIT

The columns and the order of rows that a user asks for, through the whole tool. The
process that is looked at is this one: it touches a known number of pages in each slot
of 2 MiB of two mappings, so that each figure follows from that.
"""
import ctypes
import json
import mmap
import os
import subprocess
import sys

from results import end_with_total, result

PAGE, SLOT, ENTRIES = 4096, 2 << 20, 512
REGION = 1 << 30
MADV_NOHUGEPAGE = 15
# slots that are touched, and pages in each
SHAPES = ((7, 1), (5, 256))

libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]


def touched(slots, pages):
    """A mapping of a GiB to itself, of which each PTE table has that many entries."""
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000
    area = libc.mmap(None, 3 * REGION, 0, flags, -1, 0)
    start = (area + 2 * REGION - 1) // REGION * REGION
    libc.mprotect(start, slots * SLOT, mmap.PROT_READ | mmap.PROT_WRITE)
    libc.madvise(start, slots * SLOT, MADV_NOHUGEPAGE)
    for slot in range(slots):
        for page in range(pages):
            ctypes.memset(start + slot * SLOT + page * PAGE, 1, 1)
    return start


def ask(tool, *words):
    return subprocess.run([tool, *words], capture_output=True, text=True, errors="replace", check=False)


def mappings(tool, starts):
    """--output with --mappings is about the mappings."""
    pid = str(os.getpid())
    done = ask(tool, "estimate", "-nm", "-o", "START,PTE,FILL", pid)
    rows = [line.split() for line in done.stdout.splitlines()]
    for start, (slots, pages) in zip(starts, SHAPES):
        fill = f"{100 * pages / ENTRIES:.1f}".removesuffix(".0")
        expected = [hex(start), str(slots), fill]
        result(expected in rows, f"estimate -m -o: {slots} tables, {fill} % full", f"{expected}\n{done.stdout}{done.stderr}")
    done = ask(tool, "estimate", "-mb", "-o", "+END", pid)
    head = [line for line in done.stdout.splitlines() if "PERMS" in line]
    result(head and head[0].split()[-1] == "END", "estimate -m -o +: after the default columns", done.stderr)
    listed = ask(tool, "estimate", "-m", "--list-columns").stdout
    names = [line.split()[0] for line in listed.splitlines()]
    result("PERMS" in names and "RSS" not in names, "-m --list-columns has the columns of mappings", listed)
    for name in names:
        done = ask(tool, "estimate", "-m", "-o", name, pid)
        result(done.returncode == 0, f"estimate -m takes the column {name}", done.stderr)
    done = ask(tool, "estimate", "-m", "-o", "LEVEL", pid)
    result(done.returncode == 2 and "unknown column 'LEVEL'" in done.stderr, "a column of levels is refused beside mappings", done.stderr)
    done = ask(tool, "estimate", "-me", "pagemap", "-n", "-o", "START,EMPTY", pid)
    rows = [line.split() for line in done.stdout.splitlines()]
    result([hex(starts[0]), "-"] in rows, "what the estimator cannot see is unknown, not 0", done.stdout + done.stderr)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    starts = [touched(*shape) for shape in SHAPES]
    mappings(sys.argv[1], starts)
    end_with_total()


main()
