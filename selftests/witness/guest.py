#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Runs in the guest.  For each layout, reads the answers of the module and the tool, and
then waits while the host reads the memory of the guest.

usage: guest.py DIR TOOL bpf|no-bpf KERNEL LEVELS PTI LAYOUT...

DIR is shared with the host.  For each process, NAME.ROLE.tables has the answer of the
module, NAME.ROLE.tables.bpf that of the walk by BPF, and NAME.ROLE.json everything else.  The
host creates NAME.ROLE.done when it has finished.  A LAYOUT is a name in layouts.py, or
random.SEED.INDEX.
"""
import json
import os
import signal
import subprocess
import sys
import time

DEBUGFS = "/sys/kernel/debug/ptaudit/"
LOG = "/tmp/random_layout"
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


def check(tool, pid, estimator):
    command = [tool, "check", "--json", "--estimator", estimator, str(pid)]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=600,
                              check=False)
        return {"estimator": estimator, "status": done.returncode, "output": done.stdout.decode(),
                "errors": done.stderr.decode()}
    except (OSError, subprocess.TimeoutExpired) as error:
        return {"estimator": estimator, "status": None, "output": "", "errors": str(error)}


def ask_faulty(directory, tool, label, pid, estimator):
    """Return the answers of the modules in DIR. Each has one fault, except sound.ko, which comes last."""
    answers = {}
    names = sorted(name[:-3] for name in os.listdir(directory) if name.endswith(".ko"))
    for name in sorted(names, key="sound".__eq__):
        subprocess.run(["rmmod", "ptaudit"], check=True)
        subprocess.run(["insmod", f"{directory}/{name}.ko"], check=True)
        answers[name] = {"counts": dict(line.split() for line in ask("counts", pid).decode().splitlines()),
                         "checks": [check(tool, pid, estimator)]}
        with open(f"{label}.tables.{name}", "wb") as file:
            file.write(ask("tables", pid))
    return answers


def walk_by_bpf(program, pid, path):
    """Write the records of the tool's walk by BPF to a file; no command prints them."""
    subprocess.run([program, str(pid), path], stdout=subprocess.DEVNULL, check=True)


def walk_faulty(directory, label, pid):
    """
    Run the walks by BPF in DIR, which have one fault each.

    Return: {name: message of a walk that failed, or ""}. The tool may find a fault itself, for
    example if a deposited table appears twice.
    """
    walks = {}
    for name in sorted(name[:-5] for name in os.listdir(directory) if name.endswith(".walk")):
        command = [f"{directory}/{name}.walk", str(pid), f"{label}.tables.bpf.{name}"]
        walk = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
        walks[name] = walk.stderr.strip() or f"exit status {walk.returncode}" if walk.returncode else ""
    return walks


def measure(directory, tool, name, process, estimators, has_bpf):
    """Measure the stopped process. Then let it run on CPU 1 until the host has read its tables."""
    pid = process["pid"]
    label = f"{directory}/{name}.{process['role']}"
    process["counts"] = dict(line.split() for line in ask("counts", pid).decode().splitlines())
    with open(label + ".tables", "wb") as file:
        file.write(ask("tables", pid))
    if has_bpf:
        walk_by_bpf(os.path.join(os.path.dirname(tool), "../build/bench/bpf"), pid, label + ".tables.bpf")
    process["vmpte_kb"] = kb_of(f"/proc/{pid}/status", "VmPTE")
    process["anon_huge_kb"] = kb_of(f"/proc/{pid}/smaps", "AnonHugePages")
    process["checks"] = [check(tool, pid, estimator) for estimator in estimators]
    process["faults"] = ask_faulty(directory, tool, label, pid, estimators[-1])
    process["faults_bpf"] = walk_faulty(directory, label, pid)
    write(label + ".json.new", json.dumps(process))
    os.kill(pid, signal.SIGCONT)
    os.rename(label + ".json.new", label + ".json")
    # The host may need minutes for the layout before. Only the VM's time limit ends this loop.
    while not os.path.exists(label + ".done"):
        time.sleep(0.02)
    os.kill(pid, signal.SIGSTOP)


def start(name, kernel, levels, pti):
    """Start a layout. Return: its first process, and what each process announced when it was built."""
    if name.startswith("random."):
        _, seed, index = name.split(".")
        # without address randomization, so that the addresses are the same each time
        command = ["setarch", "-R", sys.executable, f"{HERE}/random_layouts.py", seed, index, levels, LOG]
    else:
        command = [sys.executable, f"{HERE}/layouts.py", name, kernel, levels, pti]
    # pylint: disable=consider-using-with # ended by killpg
    leader = subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True)
    processes = []
    while not processes or len(processes) < processes[0]["processes"]:
        line = leader.stdout.readline()
        if not line:
            sys.exit(f"the layout {name} was not built")
        processes.append(json.loads(line))
    return leader, sorted(processes, key=lambda process: process["role"])


def settle(pid):
    """Stop a process after it has run for a while, because its first loops may touch new pages."""
    def ticks():
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            return int(file.read().rsplit(")", 1)[1].split()[11])

    before = ticks()
    while ticks() < before + 10:
        time.sleep(0.02)
    os.kill(pid, signal.SIGSTOP)


def run(directory, tool, name, boot, estimators, has_bpf):
    leader, processes = start(name, *boot)
    for process in processes:
        settle(process["pid"])
    for process in processes:
        log = f"{LOG}.{process['role']}"
        if os.path.exists(log):
            with open(log, encoding="ascii") as file:
                process["log"] = file.read().splitlines()
            os.unlink(log)
        measure(directory, tool, name, process, estimators, has_bpf)
    os.killpg(leader.pid, signal.SIGKILL)
    leader.wait()


def set_up(pti):
    thp = "/sys/kernel/mm/transparent_hugepage/"
    write(thp + "enabled", "madvise")
    write(thp + "shmem_enabled", "advise")
    # khugepaged must not change the layouts
    write(thp + "khugepaged/scan_sleep_millisecs", "4000000000")
    write("/proc/sys/vm/nr_hugepages", "48")
    subprocess.run(["modprobe", "brd", "rd_nr=1", "rd_size=98304"], check=True)
    for command in ("mkswap", "swapon"):
        subprocess.run([command, "/dev/ram0"], stdout=subprocess.DEVNULL, check=True)
    with open("/proc/cpuinfo", encoding="ascii") as file:
        if (" pti" in file.read()) != (pti == "on"):
            sys.exit(f"page-table isolation is not {pti}")


def main():
    directory, tool, bpf, kernel, levels, pti, *names = sys.argv[1:]
    os.sched_setaffinity(0, {0})
    set_up(pti)
    estimators = ["naive", "pagemap"] + ["scan"] * (kernel not in ("5.10", "6.1"))
    estimators += ["written"] * (kernel in ("6.12", "7.2"))
    for name in names:
        # reading the pagemap of sparse, 1 TiB, takes half a minute: use only one estimator
        run(directory, tool, name, (kernel, levels, pti),
            estimators[-1:] if name == "sparse" else estimators, bpf == "bpf")


if __name__ == "__main__":
    main()
