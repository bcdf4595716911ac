#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Runs in the guest: for each layout, asks the module and the tool, and waits
while the host reads this machine's memory.

usage: guest.py DIR TOOL LEVELS PTI LAYOUT...

DIR is shared with the host.  For each process NAME.ROLE: NAME.ROLE.tables is
the module's answer, NAME.ROLE.json all the rest; then the host makes
NAME.ROLE.done.
"""
import json
import os
import signal
import subprocess
import sys
import time

DEBUGFS = "/sys/kernel/debug/ptaudit/"
HERE = os.path.dirname(os.path.abspath(__file__))


def ask(name, pid):
    fd = os.open(DEBUGFS + name, os.O_RDWR)
    try:
        os.write(fd, b"%d" % pid)
        answer = b""
        while piece := os.read(fd, 1 << 20):
            answer += piece
        return answer
    finally:
        os.close(fd)


def kb_of(path, key):
    with open(path, encoding="ascii") as file:
        return sum(int(line.split()[1]) for line in file if line.startswith(key + ":"))


def write(path, text):
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def measure(directory, tool, name, process):
    pid = process["pid"]
    label = f"{directory}/{name}.{process['role']}"
    process["counts"] = dict(line.split() for line in ask("counts", pid).decode().splitlines())
    with open(label + ".tables", "wb") as file:
        file.write(ask("tables", pid))
    process["vmpte_kb"] = kb_of(f"/proc/{pid}/status", "VmPTE")
    process["anon_huge_kb"] = kb_of(f"/proc/{pid}/smaps", "AnonHugePages")
    try:
        done = subprocess.run([tool, "check", "--json", str(pid)], stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=120, check=False)
        process["check"] = {"status": done.returncode, "output": done.stdout.decode(),
                            "errors": done.stderr.decode()}
    except (OSError, subprocess.TimeoutExpired) as error:
        process["check"] = {"status": None, "output": "", "errors": str(error)}
    write(label + ".json.new", json.dumps(process))
    os.rename(label + ".json.new", label + ".json")
    deadline = time.monotonic() + 120
    while not os.path.exists(label + ".done"):
        if time.monotonic() > deadline:
            sys.exit(f"{name}: the host did not answer")
        time.sleep(0.05)


def run(directory, tool, levels, pti, name):
    # pylint: disable=consider-using-with # ended by killpg
    started = subprocess.Popen([sys.executable, f"{HERE}/layouts.py", name, levels, pti],
                               stdout=subprocess.PIPE, start_new_session=True)
    processes = []
    for _ in range(2 if name in ("fork", "hugetlb") else 1):
        line = started.stdout.readline()
        if not line:
            sys.exit(f"the layout {name} does not stand")
        processes.append(json.loads(line))
    for process in sorted(processes, key=lambda process: process["role"], reverse=True):
        others = [other["pid"] for other in processes if other is not process]
        for pid in others:
            os.kill(pid, signal.SIGSTOP)
        measure(directory, tool, name, process)
        for pid in others:
            os.kill(pid, signal.SIGCONT)
    os.killpg(started.pid, signal.SIGKILL)
    started.wait()


def main():
    directory, tool, levels, pti, *names = sys.argv[1:]
    os.sched_setaffinity(0, {0})
    thp = "/sys/kernel/mm/transparent_hugepage/"
    write(thp + "enabled", "madvise")
    write(thp + "shmem_enabled", "advise")
    # khugepaged and the layouts are not to meet
    write(thp + "khugepaged/scan_sleep_millisecs", "4000000000")
    write("/proc/sys/vm/nr_hugepages", "24")
    with open("/proc/cpuinfo", encoding="ascii") as file:
        if (" pti" in file.read()) != (pti == "on"):
            sys.exit(f"page-table isolation is not {pti}")
    for name in names:
        run(directory, tool, levels, pti, name)


if __name__ == "__main__":
    main()
