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


def column(tool, *words, at=0):
    """The cells of a column of rows without headings."""
    done = ask(tool, *words)
    if done.returncode:
        return done.stderr
    rows = [line.split() for line in done.stdout.splitlines() if line]
    # other tables stand before that of mappings
    return [row[at] for row in rows if "START" not in ",".join(words) or "0x" in "".join(row)]


def is_sorted(got, key, reverse=False):
    return isinstance(got, list) and len(got) > 1 and got == sorted(got, key=key, reverse=reverse)


def orders(tool, starts):
    """--sort in the table of each command."""
    pid = str(os.getpid())
    address = lambda word: int(word, 16)
    base = ["estimate", "-nbm", "-o", "START,PTE,FILL,SIZE", pid, "--sort"]
    sizes = column(tool, *base, "SIZE", at=3)
    result(is_sorted(sizes, int, True), "estimate -m: SIZE, the largest first", sizes)
    fills = column(tool, *base, "FILL", at=2)
    result(is_sorted([fill for fill in fills if fill != "-"], float), "estimate -m: FILL, the emptiest first", fills)
    result(fills == sorted(fills, key=lambda fill: fill == "-"), "what is not known stands last", fills)
    got = column(tool, *base, "START")
    result(is_sorted(got, address), "estimate -m: addresses upwards", got)
    got = column(tool, *base, "PTE")
    expected = [hex(start) for start in starts]
    result([start for start in got if start in expected] == expected, "7 tables stand before 5", got)
    got = column(tool, "estimate", "-nb", "--sort", "SIZE", "-o", "SIZE", pid)
    result(is_sorted(got, int, True), "estimate PID: levels by SIZE", got)
    other = ["sleep", "60"]
    with subprocess.Popen(other) as sleeper:
        user = str(os.getuid())
        base = ["estimate", "-rnb", "--user", user, "-o", "PID,VMPTE", "--sort"]
        got = column(tool, *base, "PID")
        result(is_sorted(got, int), "estimate --user: PIDs upwards", got)
        got = column(tool, *base, "VMPTE", at=1)
        got = [word for word in got if word != "-"]
        result(is_sorted(got, int, True), "estimate --user: VMPTE downwards", got)
        sleeper.kill()
    base = ["map", "-nb", "-o", "START,TABLES,FILL", pid, "--sort"]
    got = column(tool, *base, "START")
    result(is_sorted(got, address), "map: addresses upwards", got)
    got = column(tool, *base, "TABLES", "-N", "2", at=1)
    result(isinstance(got, list) and len(got) == 2 and is_sorted(got, int, True), "map: sorted before -N cuts", got)
    # neighbours with the same name share a row
    result(isinstance(got, list) and int(got[0]) >= max(slots for slots, _ in SHAPES), "map: the one with most tables is first", got)
    got = column(tool, "system", "-rnb", "-o", "SIZE,PART", "--sort", "SIZE")
    result(is_sorted(got, int, True), "system: the largest part first", got)
    got = column(tool, "system", "-rnb", "-o", "PART", "--sort", "PART")
    result(is_sorted(got, str), "system: words by their letters", got)
    got = column(tool, "cow", "-rn", "-o", "PAGES,START", "--sort", "PAGES", pid)
    result(is_sorted(got, int, True), "cow: most pages first", got)
    for words in (["estimate", "--sort", "NOPE", pid], ["map", "--sort", "SIZES", pid], ["system", "--sort", "PART,SIZE"]):
        done = ask(tool, *words)
        right = done.returncode == 2 and ("unknown column" in done.stderr or "one column" in done.stderr)
        result(right, f"{words[0]} --sort {words[2]} is refused", done.stderr)


def chosen_json(tool):
    """--json with --output: rows have these members alone."""
    pid = str(os.getpid())
    done = ask(tool, "system", "-J", "-b", "-n", "-o", "SIZE,PART")
    root = json.loads(done.stdout) if done.stdout else {"parts": []}
    parts = root["parts"]
    result(parts and all(sorted(part) == ["bytes", "name"] for part in parts), "system -J -o: two members", done.stderr)
    result(sum(part["bytes"] for part in parts) == root.get("accounted_bytes"), "... and the parts add up", parts)
    result(root.get("ptaudit", {}).get("output") == "SIZE,PART", "... and the head names them", root.get("ptaudit"))
    if os.geteuid():
        return
    done = ask(tool, "footprint", "-J", "-b", "-n", "-o", "PID,VMPTE", pid)
    rows = json.loads(done.stdout)["processes"] if done.stdout else []
    with open("/proc/self/status", encoding="ascii", errors="replace") as file:
        vmpte = next(int(line.split()[1]) << 10 for line in file if line.startswith("VmPTE"))
    result(rows == [{"pid": os.getpid(), "vmpte_bytes": vmpte}], "footprint -J -o: this process, and its VmPTE", f"{vmpte}\n{done.stdout}{done.stderr}")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    starts = [touched(*shape) for shape in SHAPES]
    mappings(sys.argv[1], starts)
    orders(sys.argv[1], starts)
    chosen_json(sys.argv[1])
    end_with_total()


main()
