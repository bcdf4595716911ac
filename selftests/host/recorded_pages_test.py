#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""footprint, cow and flags of two stopped processes are the same live, from a recording, and from
a redacted one. Columns that depend on other processes of the machine are left out."""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from results import end_with_plan, result  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
TOOL = os.path.join(HERE, "..", "..", "user", "ptaudit")
# Anonymous pages and pages of a memfd; the child writes to some of both.
TARGET = """
import ctypes, mmap, os, signal
anon = mmap.mmap(-1, 1 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
fd = os.memfd_create("pages")
os.ftruncate(fd, 1 << 20)
shared, private = mmap.mmap(fd, 1 << 20), mmap.mmap(fd, 1 << 20, flags=mmap.MAP_PRIVATE)
for page in range(0, 100 * 4096, 4096):
    anon[page] = shared[page] = private[page] = 1
child = os.fork()
for page in range(0, 30 * 4096, 4096):
    if not child:
        anon[page] = private[page] = 2
    shared[page]
start = [ctypes.addressof(ctypes.c_char.from_buffer(area)) for area in (anon, private)]
if child:
    print(child, *map(hex, start), flush=True)
signal.pause()
"""
FOOTPRINT = "PID,RSS,SWAP,ANON,SHMEM,USS-ANON,USS-SHMEM,HUGETLB,VMPTE"


def ask(*words):
    done = subprocess.run([TOOL, *words], capture_output=True, text=True, check=False)
    return done.stdout if not done.returncode else done.stderr


def figures(pids, areas, *source):
    """What the three commands say of the processes."""
    said = {"footprint": ask("footprint", "-rnb", "-o", FOOTPRINT, *source, *pids)}
    for pid in pids:
        said["cow " + pid] = ask("cow", "-rn", "-o", "START,PAGES,UNTOUCHED,ORIGINAL,COPIED,SHARED,SWAPPED,DISAGREE", *source, pid)
        for area in areas:
            # the kernel moves pages between its lists, which changes other flags
            answer = ask("flags", "-J", *source, pid, area[2:])
            try:
                flags = {row["flag"]: row["pages"] for row in json.loads(answer)["flags"]}
                said[f"flags {pid} {area}"] = [flags.get(name) for name in ("ANON", "SWAPBACKED", "HUGE", "ZERO_PAGE")]
            except ValueError:
                said[f"flags {pid} {area}"] = answer
    return said


def stopped(pid):
    os.kill(pid, signal.SIGSTOP)
    while True:
        with open(f"/proc/{pid}/stat") as stat:
            if stat.read().rpartition(")")[2].split()[0] == "T":
                return
        time.sleep(0.05)


def main():
    with subprocess.Popen([sys.executable, "-c", TARGET], stdout=subprocess.PIPE, text=True) as parent:
        child, *areas = parent.stdout.readline().split()
        pids = [str(parent.pid), child]
        try:
            for pid in pids:
                stopped(int(pid))
            live = figures(pids, areas)
            # each process has 100 anonymous pages; the child has replaced 30 of them by copies
            result(all(live[f"flags {pid} {areas[0]}"][0] == 100 for pid in pids), "live_has_the_pages_that_were_written", str(live))
            for redact in [], ["--redact"]:
                with tempfile.TemporaryDirectory() as top:
                    to = os.path.join(top, "to")
                    why = ask("record", "--pages", *redact, "--to", to, *pids)
                    recorded = figures(pids, areas, "--from", to)
                for name, expected in live.items():
                    name = name.replace(pids[0], "parent").replace(child, "child").replace(areas[0], "anon").replace(areas[1], "private")
                    got = recorded.pop(next(iter(recorded)))
                    result(got == expected, f"{name} is as live{' if redacted' if redact else ''}", f"live: {expected}\nrecorded: {got}\n{why}")
        finally:
            os.kill(int(child), signal.SIGKILL)
            parent.kill()
    end_with_plan()


if os.geteuid():
    print("1..0 # SKIP needs root")
    sys.exit(4)
main()
