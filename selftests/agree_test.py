#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""usage: agree_test.py [--quiet] [PTAUDIT]

Compares `estimate --all`, `footprint --all` and `system` for stopped processes. For each
process, the estimate plus its residual must be the size that footprint shows. For a
cgroup, system must count the tables of those levels that the kernel counts. --quiet is for
a machine on which nothing else changes: it compares all processes, except ptaudit and this
test. Needs root; prints KTAP.
"""
import ctypes
import json
import mmap
import os
import signal
import subprocess
import sys
import tempfile

from results import end_with_plan, result, skip

SLOT = 2 << 20
# Upper limit for the page tables of ptaudit and of this test, which have some hundred mappings
# each.
OWN_MOST = 4 << 20


def target(cgroup, slots, given_back, advice):
    """A stopped process that touched a page in each of @slots slots and freed @given_back of them."""
    there, here = os.pipe()
    pid = os.fork()
    if not pid:
        if cgroup:
            with open(cgroup + "/cgroup.procs", "w", encoding="ascii") as file:
                file.write("0")
        area = mmap.mmap(-1, (slots + 1) * SLOT, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        area.madvise(advice)
        first = ctypes.addressof(ctypes.c_char.from_buffer(area))
        skew = -first % SLOT
        for i in range(slots):
            ctypes.memset(first + skew + i * SLOT, 1, 1)
        for i in range(given_back):
            area.madvise(mmap.MADV_DONTNEED, skew + i * SLOT, mmap.PAGESIZE)
        os.write(here, b"1")
        while True:
            signal.pause()
    os.close(here)
    if os.read(there, 1) != b"1":
        raise ChildProcessError("a process could not touch its memory")
    os.close(there)
    os.kill(pid, signal.SIGSTOP)
    os.waitpid(pid, os.WUNTRACED)
    return pid


def make_cgroup(folder):
    """Make a cgroup2 whose memory.stat counts page tables. Return: (its path, ""), or (None, why not)."""
    path = f"{folder}/agree-{os.getpid()}"  # another run of this test has another one
    subprocess.run(["mount", "-t", "cgroup2", "none", folder], check=True)
    try:
        with open(folder + "/cgroup.subtree_control", "w", encoding="ascii") as file:
            file.write("+memory")
        os.mkdir(path)
    except OSError as error:
        return None, f"there is no memory controller of cgroup2: {error.strerror}"
    with open(path + "/memory.stat", encoding="ascii") as file:
        if not any(line.startswith("pagetables ") for line in file):
            return None, "memory.stat of this kernel has no pagetables"
    return path, ""


def ask(tool, *words):
    done = subprocess.run([tool, *words, "--json"], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{words}: {done.stderr}")
    return json.loads(done.stdout)


def measured(answer):
    """{PID: process} of the measured processes, without ptaudit and this test."""
    return {
        process["pid"]: process
        for process in answer["processes"]
        if process["status"] == "ok" and not process["self"] and process["pid"] != os.getpid()
    }


def expected(estimated):
    """The bytes of all tables. An estimate misses some; its residual against VmPTE has them."""
    return estimated["tables_bytes"] + estimated["vmpte"]["residual_bytes"]


def short(process):
    return {key: value for key, value in (process or {}).items() if key not in ("mappings", "estimators")}


def compare_each(estimate, footprint, pids):
    estimated, counted = measured(estimate), measured(footprint)
    for i, pid in enumerate(pids):
        result(
            pid in estimated and pid in counted and expected(estimated[pid]) == counted[pid]["tables_bytes"],
            f"estimate_and_footprint_of_process_{i + 1}_agree",
            f"{short(estimated.get(pid))}\n{short(counted.get(pid))}",
        )
    if footprint["tables_source"] != "module":
        result(bool(footprint["tables_note"]), "footprint_without_the_module_has_a_note", footprint["tables_note"])


def tables_of(process):
    return {row["level"]: row["bytes"] for row in process["levels"]}


def compare_cgroup(estimate, system, pids, cgroup, why):
    name = "system_counts_the_cgroup_as_estimate_does"
    if not cgroup:
        skip(name, why)
        return
    row = next((row for row in system["cgroups"] if row["path"].endswith("/" + os.path.basename(cgroup))), None)
    uncounted = {level["level"] for level in system["uncounted"]}
    estimated = measured(estimate)
    bytes_ = 0
    for pid in pids:
        process = estimated[pid]
        bytes_ += process["vmpte"]["deposited_tables"] * 4096 + process["vmpte"]["residual_bytes"]
        bytes_ += sum(size for level, size in tables_of(process).items() if level not in uncounted)
    result(row and row["processes_bytes"] == bytes_, name, f"{row} {bytes_} without {uncounted}")


def compare_all(estimate, footprint, system):
    """The totals minus all other processes are the tables of ptaudit and of this test."""
    estimated, counted = measured(estimate), measured(footprint)
    common = estimated.keys() & counted.keys()
    off = [pid for pid in common if expected(estimated[pid]) != counted[pid]["tables_bytes"]]
    result(common and not off, "estimate_and_footprint_of_all_agree", [(short(estimated[pid]), short(counted[pid])) for pid in off[:3]])
    for name, answer, sum_ in (("estimate", estimate, "tables_bytes"), ("footprint", footprint, "tables_bytes")):
        rest = answer["set"][sum_] - sum(process[sum_] for process in measured(answer).values())
        result(0 <= rest < OWN_MOST, f"the_set_of_{name}_is_its_processes", rest)
    others = sum(expected(process) for process in estimated.values())
    parts = {part["name"]: part["bytes"] for part in system["parts"]}
    walked = sum(parts[name] for name in ("pte", "pmd", "pud", "p4d", "pgd", "deposited", "vmpte"))
    walked += sum(level["bytes"] for level in system["uncounted"])
    result(0 < walked - others < OWN_MOST, "system_counts_the_tables_of_estimate_and_its_own", (walked, others, parts))


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    tool = next((word for word in sys.argv[1:] if word != "--quiet"), os.path.join(here, "..", "user", "ptaudit"))
    print("KTAP version 1")
    if os.geteuid():
        print("1..0 # SKIP root reads all processes")
        sys.exit(4)
    pids = []
    with tempfile.TemporaryDirectory() as folder:
        cgroup, why = make_cgroup(folder)
        try:
            pids.append(target(cgroup, 64, 0, mmap.MADV_NOHUGEPAGE))
            pids.append(target(cgroup, 64, 32, mmap.MADV_NOHUGEPAGE))
            pids.append(target(cgroup, 16, 0, mmap.MADV_HUGEPAGE))
            estimate, footprint, system = (ask(tool, *words) for words in (["estimate", "--all"], ["footprint", "--all"], ["system"]))
            compare_each(estimate, footprint, pids)
            compare_cgroup(estimate, system, pids, cgroup, why)
            if "--quiet" in sys.argv:
                compare_all(estimate, footprint, system)
        finally:
            for pid in pids:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
            if cgroup:
                os.rmdir(cgroup)
            subprocess.run(["umount", folder], check=True)
    end_with_plan()


main()
