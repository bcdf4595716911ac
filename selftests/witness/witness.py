#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Boots a VM, stops it while a layout of memory stands in it, and compares the
page tables in its RAM, read from outside, with the module and the tool.

usage: witness.py TOOL BOOT...

A BOOT is LEVELS:PTI, such as 4:off or 5:on, or LEVELS:PTI:LAYOUT[,LAYOUT...].
Prints KTAP.
"""
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

import compare
import physwalk

HERE = os.path.dirname(os.path.abspath(__file__))
VM = os.path.join(HERE, "../../scripts/vm")
MEMORY_MB = 2560
LAYOUTS = {"dense": ("only",), "thp": ("only",), "empty": ("only",), "sparse": ("only",),
           "files": ("only",), "ldt": ("only",), "fork": ("parent", "child"),
           "hugetlb": ("parent", "child"), "huge1g": ("only",)}


class Results:
    """KTAP on standard output."""
    passed = failed = 0

    def report(self, name, wrong):
        self.passed, self.failed = self.passed + (not wrong), self.failed + bool(wrong)
        print(f"{'not ok' if wrong else 'ok'} {self.passed + self.failed} {name}")
        for line in wrong[:8]:
            print(f"#   {line}")
        if len(wrong) > 8:
            print(f"#   and {len(wrong) - 8} more")
        sys.stdout.flush()


class Monitor:
    """QEMU's monitor."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.stream = self.socket.makefile("rw", encoding="utf-8")
        self.stream.readline()
        self.execute("qmp_capabilities")

    def execute(self, command, **arguments):
        self.stream.write(json.dumps({"execute": command, "arguments": arguments}) + "\n")
        self.stream.flush()
        while True:
            line = self.stream.readline()
            if not line:
                raise ConnectionError("QEMU's monitor is gone")
            answer = json.loads(line)
            if "error" in answer:
                raise ConnectionError(answer["error"]["desc"])
            if "return" in answer:
                return answer["return"]

    def registers(self, cpu):
        """CR3, CR4 and the privilege level of a CPU."""
        text = self.execute("human-monitor-command", **{"command-line": "info registers",
                                                        "cpu-index": cpu})
        return (int(re.search(r"CR3=([0-9a-f]+)", text)[1], 16),
                int(re.search(r"CR4=([0-9a-f]+)", text)[1], 16),
                int(re.search(r"CPL=(\d)", text)[1]))


class Boot:
    """One VM and what is measured in it."""

    def __init__(self, results, tool, levels, pti, layouts):
        self.results, self.tool = results, os.path.abspath(tool)
        self.levels, self.pti = levels, pti
        self.name = f"{levels} levels, pti {'on' if pti else 'off'}"
        self.dir = tempfile.mkdtemp(prefix="ptaudit-witness.")
        self.shared_pmds = []
        # 1 GiB of memory in one piece is sure to be there only with the kernel at its default place
        self.layouts = layouts or [name for name in LAYOUTS if name != "huge1g" or not pti]

    def start(self):
        append = f"pti={'on' if self.pti else 'off'}"
        if "huge1g" in self.layouts:
            append += " nokaslr hugepagesz=1G hugepages=1"
        share = os.path.join(self.dir, "share")
        os.mkdir(share)
        qemu = ["-object", f"memory-backend-file,id=mem,size={MEMORY_MB}M,"
                f"mem-path={self.dir}/ram,share=on", "-machine", "memory-backend=mem",
                "-qmp", f"unix:{self.dir}/qmp,server=on,wait=off"]
        command = [VM, "--kernel", "6.1", "--cpus", "2", "--memory", f"{MEMORY_MB}M",
                   "--cpu", f"la57={'on' if self.levels == 5 else 'off'}", "--append", append,
                   "--share-dir", share, "--timeout", "400"]
        for argument in qemu:
            command += ["--qemu-arg", argument]
        command += ["--", "python3", f"{HERE}/guest.py", share, self.tool, str(self.levels),
                    "on" if self.pti else "off", *self.layouts]
        with open(f"{self.dir}/output", "wb") as output:
            return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output)

    def stop_in_process(self, monitor, memory, process):
        """Stops the VM with the process on CPU 1 in user mode; returns its PGD.

        That the CR3 is the process's is seen by its token, read through it.
        """
        for _ in range(200):
            monitor.execute("stop")
            cr3, cr4, privilege = monitor.registers(1)
            if privilege == 3:
                levels = 5 if cr4 >> 12 & 1 else 4
                if levels != self.levels:
                    raise ValueError(f"the CPU uses {levels} levels")
                # under PTI, user mode runs on the second page of the PGD
                if self.pti and not cr3 & physwalk.PAGE:
                    raise ValueError(f"PTI is on, but CR3 in user mode is {cr3:#x}")
                pgd = cr3 & physwalk.ADDRESS & ~(physwalk.PAGE if self.pti else 0)
                page = physwalk.translate(memory, pgd, levels, process["address"])
                if page and memory.read(page, 16).hex() == process["token"]:
                    return pgd
            monitor.execute("cont")
            time.sleep(0.02)
        raise ValueError("the process was never seen on CPU 1")

    def fault_in_memory(self, memory, pgd, answer, address):
        """Takes the PTE table of an address out of the guest's memory for a moment."""
        where = physwalk.entry_address(memory, pgd, self.levels, address, 1)
        entry = memory.word(where)
        memory.set_word(where, 0)
        try:
            walk = physwalk.walk(memory, pgd, self.levels)
        finally:
            memory.set_word(where, entry)
        return bool(compare.compare_tables(walk, answer) and
                    compare.compare_counts(walk, answer, {}))

    def judge(self, label, walk, answer, process, extra):
        report, expect = self.results.report, process["expect"]
        sums = compare.level_sums(walk)
        text = " ".join(f"{key} {value}" for key, value in sums.items())
        report(f"{label}: the layout is what it is to be ({text})",
               compare.compare_expected(walk, answer, expect))
        report(f"{label}: each of {len(walk.tables)} tables in memory has its record, entry for entry",
               compare.compare_tables(walk, answer) + extra)
        report(f"{label}: each of {len(walk.entries)} children and huge pages is in a run",
               compare.compare_runs(walk, answer))
        report(f"{label}: counts and VmPTE", compare.compare_counts(walk, answer, expect))
        report(f"{label}: ptaudit check --json", compare.compare_report(walk, answer))

    def judge_faults(self, label, walk, answer, expect):
        def findings(answer):
            return [compare.compare_tables(walk, answer), compare.compare_runs(walk, answer),
                    compare.compare_counts(walk, answer, expect),
                    compare.compare_report(walk, answer)]

        # what is found must be new, for the answer can have real faults too
        before = findings(answer)
        faults = list(compare.plant(answer))
        missed = [what for what, faulty in faults if findings(faulty) == before]
        self.results.report(f"{label}: {len(faults)} planted faults are found", missed)

    def measure(self, monitor, memory, name, role):
        label = f"{self.name}: {name}" + ("" if role == "only" else f", {role}")
        path = f"{self.dir}/share/{name}.{role}"
        with open(path + ".json", encoding="ascii") as file:
            process = json.load(file)
        with open(path + ".tables", "rb") as file:
            answer = compare.parse_answer(file.read(), process)
        pgd = self.stop_in_process(monitor, memory, process)
        walk = physwalk.walk(memory, pgd, self.levels)
        extra = []
        if self.pti and not physwalk.same_halves(memory, pgd):
            extra.append("the two pages of the PGD differ in their user half")
        found = self.fault_in_memory(memory, pgd, answer, process["address"])
        monitor.execute("cont")
        self.judge(label, walk, answer, process, extra)
        if name in ("thp", "ldt"):
            self.judge_faults(label, walk, answer, process["expect"])
        self.results.report(f"{label}: a table taken out of memory is missed",
                            [] if found else ["it is not"])
        if "shared_pmd" in process["expect"]:
            self.shared_pmds += [pfn for level, start, pfn in walk.tables
                                 if (level, start) == ("pmd", process["expect"]["shared_pmd"])]
        with open(path + ".done", "wb"):
            pass

    def run(self):
        monitor = memory = None
        vm = self.start()
        try:
            for name in self.layouts:
                for role in LAYOUTS[name]:
                    while not os.path.exists(f"{self.dir}/share/{name}.{role}.json"):
                        if vm.poll() is not None:
                            raise ValueError(f"the VM ended before {name} stood")
                        time.sleep(0.05)
                    monitor = monitor or Monitor(f"{self.dir}/qmp")
                    memory = memory or physwalk.Memory(f"{self.dir}/ram")
                    self.measure(monitor, memory, name, role)
            status = vm.wait()
            self.results.report(f"{self.name}: the VM ended well",
                                [f"status {status}"] * bool(status))
            if "hugetlb" not in self.layouts:
                return
            self.results.report(f"{self.name}: parent and child share one hugetlb PMD table",
                                [] if len(self.shared_pmds) == 2 and len(set(self.shared_pmds)) == 1
                                else [f"PFNs {self.shared_pmds}"])
        except (ValueError, OSError, KeyError, TypeError) as error:
            self.results.report(f"{self.name}: all layouts", [repr(error)])
        finally:
            if vm.poll() is None:
                vm.terminate()
                vm.wait()
            if vm.returncode:
                with open(f"{self.dir}/output", encoding="utf-8", errors="replace") as file:
                    for line in file.readlines()[-40:]:
                        print(f"# {line.rstrip()}")
            shutil.rmtree(self.dir)


def main():
    tool, *boots = sys.argv[1:] or sys.exit(__doc__)
    results = Results()
    print("KTAP version 1")
    for boot in boots:
        levels, pti, *layouts = boot.replace(",", ":").split(":")
        begin = time.monotonic()
        Boot(results, tool, int(levels), pti == "on", layouts).run()
        print(f"# {boot}: {time.monotonic() - begin:.0f} s")
    print(f"1..{results.passed + results.failed}")
    print(f"{results.passed} passed, {results.failed} failed")
    sys.exit(1 if results.failed or not results.passed else 0)


if __name__ == "__main__":
    main()
