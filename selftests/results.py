# SPDX-License-Identifier: GPL-2.0-only
"""Prints the results of a test in Python: a line for each check, and the totals."""
import ctypes
import errno
import fcntl
import mmap
import os
import struct
import subprocess
import sys

PAGEMAP_SCAN = 0xC0606610  # _IOWR('f', 16, struct pm_scan_arg), which has 96 bytes
nr = nr_failed = 0
# These variables change what the tool prints.
for setting in ("COLUMNS", "LINES", "NO_COLOR"):
    os.environ.pop(setting, None)


def result(good, name, why=""):
    """@why: printed if the check failed"""
    global nr, nr_failed
    nr += 1
    nr_failed += not good
    if not good:
        for line in str(why).splitlines()[:40]:
            print("#", line)
    print("ok" if good else "not ok", nr, name, flush=True)


def skip(name, why):
    """A skipped check. host/run.sh lists the skipped checks."""
    global nr
    nr += 1
    print("ok", nr, name, "# SKIP", why, flush=True)


def has_pagemap_scan():
    """Linux 6.7 and later"""
    with open("/proc/self/pagemap", "rb") as pagemap:
        try:
            fcntl.ioctl(pagemap, PAGEMAP_SCAN, (96).to_bytes(8, "little") + bytes(88))
        except OSError as error:
            return error.errno != errno.ENOTTY
    return True


def scan_shows_empty():
    """Linux 6.7 to 7.2: the first page of an emptied table is in PAGEMAP_SCAN's category "written"."""
    slot, page, written = 1 << 21, mmap.PAGESIZE, 1 << 1
    memory = mmap.mmap(-1, 2 * slot, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    memory.madvise(mmap.MADV_NOHUGEPAGE)
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    offset = -address % slot
    memory[offset] = 1
    memory.madvise(mmap.MADV_DONTNEED, offset, page)
    region = ctypes.create_string_buffer(24)
    # size, flags, start, end, walk_end, vec, vec_len, max_pages, inverted, mask, anyof, return
    start = address + offset
    ask = struct.pack("12Q", 96, 0, start, start + page, 0, ctypes.addressof(region), 1, 1, 0, written, 0, written)
    with open("/proc/self/pagemap", "rb") as pagemap:
        try:
            return fcntl.ioctl(pagemap, PAGEMAP_SCAN, bytearray(ask)) == 1
        except OSError:
            return False


def sees_empty(tool):
    """Can the tool find empty tables, by PAGEMAP_SCAN or, if the caller may use it, BPF?"""
    if scan_shows_empty():
        return True
    return subprocess.run([tool, "map", "--truth", "bpf", "self"], capture_output=True, check=False).returncode == 0


def end_with_total():
    print(f"{nr - nr_failed} passed, {nr_failed} failed")
    sys.exit(nr_failed != 0 or nr == 0)


def end_with_plan():
    print(f"1..{nr}")
    sys.exit(nr_failed != 0)
