#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Boots a VM and builds layouts of memory in it.  For each layout, stops the VM, reads the
page tables in its RAM from outside, and compares them with the module and the tool.

usage: witness.py [--faults DIR | --bpf] TOOL BOOT...

A BOOT is KERNEL:LEVELS:PTI, such as 6.1:4:off or 7.2:5:on, or
KERNEL:LEVELS:PTI:LAYOUT[,LAYOUT...].  A LAYOUT is a name in layouts.py; fixed, which is
all of these; random.SEED, which is RANDOM random layouts; or random.SEED.INDEX, which is
one random layout.  The default is fixed and random.1.  Prints KTAP.

--bpf: also compare the walk by BPF, except on 5.10, which has none.
--faults: also compare the modules DIR/KERNEL/*.ko and the walks DIR/KERNEL/*.walk.  Each
has a fault, except sound.ko and sound.walk; the comparison must find it.
"""
import glob
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import compare
import physwalk

HERE = os.path.dirname(os.path.abspath(__file__))
VM = os.path.join(HERE, "../../scripts/vm")
MEMORY_MB = 2560
LAYOUTS = ("dense", "thp", "empty", "sparse", "files", "ldt", "fork", "hugetlb", "huge1g")
FORKING = ("fork", "hugetlb")
# Number of random layouts per seed, with one to three processes each; and the default seed.
RANDOM, SEED = 12, 1
# Number of VMs at a time: the two CPUs of a guest are seldom busy at the same time.
BOOTS = 2


class Results:
    """The results of one boot. They are printed later, in the order of the boots."""

    def __init__(self):
        self.tests = []

    def report(self, name, wrong):
        lines = [f"#   {line}" for line in wrong[:12]]
        if len(wrong) > 12:
            lines.append(f"#   and {len(wrong) - 12} more differences")
        self.tests.append((not wrong, name, lines))

    def note(self, lines):
        self.tests[-1][2].extend(f"# {line}" for line in lines)


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
                raise ConnectionError("QEMU closed its monitor")
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
    """One VM and the measurements in it."""

    def __init__(self, tool, faults, bpf, text):
        self.kernel, levels, pti, *layouts = text.replace(",", ":").split(":")
        self.tool, self.levels, self.pti = os.path.abspath(tool), int(levels), pti == "on"
        self.text, self.results = text, Results()
        self.name = f"{self.kernel}, {levels} levels, pti {pti}"
        self.dir = tempfile.mkdtemp(prefix="ptaudit-witness.")
        self.faults = faults and [path for end in ("ko", "walk")
                                  for path in glob.glob(f"{faults}/{self.kernel}/*.{end}")]
        # 5.10 has no BPF walk
        self.has_bpf = bpf and self.kernel != "5.10"
        self.found = {}
        self.seen = Counter()
        self.monitor = self.memory = None
        # only a kernel at its default address leaves 1 GiB of contiguous memory free for certain
        self.has_1g = not self.pti
        self.layouts = []
        for layout in layouts or ["fixed", f"random.{SEED}"]:
            if layout == "fixed":
                self.layouts += [name for name in LAYOUTS if self.has_1g or name != "huge1g"]
            elif layout.count(".") == 1:
                self.layouts += [f"{layout}.{index}" for index in range(RANDOM)]
            else:
                self.layouts.append(layout)

    def start(self):
        append = f"pti={'on' if self.pti else 'off'}"
        if self.has_1g:
            append += " nokaslr hugepagesz=1G hugepages=1"
        share = os.path.join(self.dir, "share")
        os.mkdir(share)
        for faulty in self.faults or ():
            shutil.copy(faulty, share)
        qemu = ["-object", f"memory-backend-file,id=mem,size={MEMORY_MB}M,"
                f"mem-path={self.dir}/ram,share=on", "-machine", "memory-backend=mem",
                "-qmp", f"unix:{self.dir}/qmp,server=on,wait=off"]
        command = [VM, "--kernel", self.kernel, "--cpus", "2", "--memory", f"{MEMORY_MB}M",
                   "--cpu", f"la57={'on' if self.levels == 5 else 'off'}", "--append", append,
                   "--share-dir", share, "--timeout", "1800"]
        for argument in qemu:
            command += ["--qemu-arg", argument]
        command += ["--", "/usr/bin/python3", f"{HERE}/guest.py", share, self.tool,
                    "bpf" if self.has_bpf else "no-bpf", self.kernel,
                    str(self.levels), "on" if self.pti else "off", *self.layouts]
        with open(f"{self.dir}/output", "wb") as output:
            return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output)

    def stop_in_process(self, monitor, memory, process):
        """Stop the VM while the process runs on CPU 1 in user mode. Return: its PGD.

        CR3 belongs to the process if its token can be read through it. A busy host seldom runs the
        guest. Only the VM's time limit ends this loop.
        """
        while True:
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

    def fault_in_memory(self, memory, pgd, answer, address):
        """Clear the entry of a PTE table for a moment. Return: whether the comparison finds that."""
        where = physwalk.entry_address(memory, pgd, self.levels, address, 1)
        entry = memory.word(where)
        memory.set_word(where, 0)
        try:
            walk = physwalk.walk(memory, self.kernel, pgd, self.levels)
        finally:
            memory.set_word(where, entry)
        return bool(compare.compare_tables(walk, answer) and
                    compare.compare_counts(walk, answer))

    def judge(self, label, walk, answer, process, extra):
        report, expect = self.results.report, process["expect"]
        sums = compare.level_sums(walk)
        text = " ".join(f"{key} {value}" for key, value in sums.items())
        report(f"{label}: the layout has the tables for which it was built ({text})",
               compare.compare_expected(walk, answer, expect))
        report(f"{label}: each of {len(walk.tables)} tables in memory has a record with the same entries",
               compare.compare_tables(walk, answer) + extra)
        report(f"{label}: each of {len(walk.entries)} entries of upper tables is in a run",
               compare.compare_runs(walk, answer))
        report(f"{label}: counts and VmPTE agree with memory", compare.compare_counts(walk, answer) +
               compare.compare_smaps(answer, expect))
        report(f"{label}: ptaudit check --json agrees with memory", compare.compare_reports(walk, answer))

    def judge_random(self, label, name, walk, answer, process, extra):
        """Judge a random layout by one result. If it fails, print the log of the layout."""
        wrong = (compare.compare_tables(walk, answer) + extra + compare.compare_runs(walk, answer) +
                 compare.compare_counts(walk, answer) + compare.compare_reports(walk, answer))
        self.results.report(f"{label}: all answers agree with {len(walk.tables)} tables in memory", wrong)
        if wrong:
            boot = ":".join(self.text.split(":")[:3])
            self.results.note([f"to repeat: run.sh {boot}:{name}", *process["log"]])

    def judge_faulty(self, label, walk, answer, process, path):
        """Collect the differences in the answers of the modules with a fault."""
        for name, rest in process["faults"].items():
            with open(f"{path}.tables.{name}", "rb") as file:
                faulty = compare.parse_answer(file.read(), {**process, **rest})
            wrong = (compare.compare_tables(walk, faulty) + compare.compare_runs(walk, faulty) +
                     compare.compare_counts(walk, faulty) + compare.compare_reports(walk, faulty))
            wrong += [f"sharers of {now.start:#x}: {now.sharers}, not {was.sharers}"
                      for was, now in zip(answer.records, faulty.records) if was.sharers != now.sharers]
            self.found.setdefault(("module", name), []).extend(f"{label}: {line}" for line in wrong)
        for name, refused in process["faults_bpf"].items():
            wrong = [refused] if refused else self.compare_bpf(walk, answer, f"{path}.tables.bpf.{name}")
            self.found.setdefault(("BPF", name), []).extend(f"{label}: {line}" for line in wrong)

    def report_faulty(self):
        for (side, name), wrong in sorted(self.found.items()):
            if name == "sound":
                self.results.report(f"{self.name}: nothing is found with the sound {side}", wrong)
                continue
            # the fault has no effect where this part does not exist
            if name == "no_ldt" and not self.pti or name == "no_pud_leaf" and not self.has_1g:
                continue
            self.results.report(f"{self.name}: {side} with the fault {name} is found in {len(wrong)} places",
                                [] if wrong else ["the comparison finds no difference"])
            self.results.note(wrong[:3])

    def judge_faults(self, label, walk, answer, expect):
        def findings(answer):
            return [compare.compare_tables(walk, answer), compare.compare_runs(walk, answer),
                    compare.compare_counts(walk, answer), compare.compare_smaps(answer, expect),
                    compare.compare_reports(walk, answer), compare.compare_group([walk], [answer])]

        # only new findings count: the answer may have real faults
        before = findings(answer)
        faults = list(compare.plant(answer))
        missed = [what for what, faulty in faults if findings(faulty) == before]
        self.results.report(f"{label}: the comparison finds {len(faults)} planted faults", missed)

    def compare_bpf(self, walk, answer, path):
        """Compare the records of the walk by BPF with memory, with the counts and with the module."""
        with open(path, "rb") as file:
            records, runs = compare.parse_tables(file.read())
        by_bpf = answer._replace(records=records, runs=runs)
        return [f"BPF: {line}" for line in compare.compare_tables(walk, by_bpf) +
                compare.compare_runs(walk, by_bpf) + compare.compare_counts(walk, by_bpf) +
                compare.compare_rest(answer, by_bpf)]

    def measure(self, name, process):
        """Compare one process. Return: the walk of its tables, and the answer of the module."""
        monitor, memory, role = self.monitor, self.memory, process["role"]
        label = f"{self.name}: {name}" + ("" if role == "only" else f", {role}")
        path = f"{self.dir}/share/{name}.{role}"
        with open(path + ".tables", "rb") as file:
            answer = compare.parse_answer(file.read(), process)
        pgd = self.stop_in_process(monitor, memory, process)
        walk = physwalk.walk(memory, self.kernel, pgd, self.levels)
        extra = self.compare_bpf(walk, answer, path + ".tables.bpf") if self.has_bpf else []
        if self.pti and not physwalk.same_halves(memory, pgd):
            extra.append("the two pages of the PGD differ in their user half")
        found = self.fault_in_memory(memory, pgd, answer, process["address"])
        monitor.execute("cont")
        with open(path + ".done", "wb"):
            pass
        if name.startswith("random."):
            self.judge_random(label, name, walk, answer, process, extra)
        else:
            self.judge(label, walk, answer, process, extra)
        if name in ("thp", "ldt") or name.endswith(".0") and role == "0":
            self.judge_faults(label, walk, answer, process["expect"])
        self.judge_faulty(label, walk, answer, process, path)
        if not found:
            self.results.report(f"{label}: the comparison finds that a table is removed from memory", ["it finds no difference"])
        return walk, answer

    def measure_group(self, vm, name):
        """Compare all processes of a layout."""
        walks, answers = [], []
        roles = ["only"]
        if name in FORKING:
            roles = ["child", "parent"]
        elif name.startswith("random."):
            roles = ["0"]
        for role in roles:
            path = f"{self.dir}/share/{name}.{role}.json"
            while not os.path.exists(path):
                if vm.poll() is not None:
                    raise ValueError(f"the VM ended before the layout {name} was built")
                time.sleep(0.02)
            self.monitor = self.monitor or Monitor(f"{self.dir}/qmp")
            self.memory = self.memory or physwalk.Memory(f"{self.dir}/ram")
            with open(path, encoding="ascii") as file:
                process = json.load(file)
            if role == "0":
                roles += [str(number) for number in range(1, process["processes"])]
            walk, answer = self.measure(name, process)
            walks.append(walk)
            answers.append(answer)
        shared = compare.shared_tables(walks)
        self.results.report(f"{self.name}: {name}: the sharers are right ({len(shared)} tables are in several places)",
                            compare.compare_group(walks, answers) +
                            ["there is no shared table"] * (name == "hugetlb" and not shared))
        self.seen += compare.what_is_seen(walks)

    def run(self):
        begin = time.monotonic()
        vm = self.start()
        try:
            for name in self.layouts:
                self.measure_group(vm, name)
            self.report_faulty()
            status = vm.wait()
            self.results.report(f"{self.name}: the VM ended with status 0", [f"status {status}"] * bool(status))
            if sum(name.startswith("random.") for name in self.layouts) >= RANDOM:
                needed = compare.to_be_seen(self)
                text = ", ".join(f"{count} {what}" for what, count in sorted(self.seen.items()))
                self.results.report(f"{self.name}: the layouts had all kinds of entries and tables ({text})",
                                    [f"no {what}" for what in needed if not self.seen[what]])
        except (ValueError, OSError, KeyError, TypeError) as error:
            self.results.report(f"{self.name}: all layouts were measured", [repr(error)])
        finally:
            if vm.poll() is None:
                vm.terminate()
                vm.wait()
            if vm.returncode:
                with open(f"{self.dir}/output", encoding="utf-8", errors="replace") as file:
                    self.results.note(line.rstrip() for line in file.readlines()[-40:])
            shutil.rmtree(self.dir)
        self.results.note([f"{self.text}: {time.monotonic() - begin:.0f} s"])
        return self.results


def main():
    faults, bpf = None, False
    arguments = sys.argv[1:]
    if arguments[:1] == ["--faults"]:
        faults, arguments = arguments[1], arguments[2:]
    if arguments[:1] == ["--bpf"]:
        bpf, arguments = True, arguments[1:]
    tool, *boots = arguments or sys.exit(__doc__)
    passed = failed = 0
    print("KTAP version 1")
    with ThreadPoolExecutor(BOOTS) as pool:
        for results in pool.map(lambda text: Boot(tool, faults, bpf, text).run(), boots):
            for good, name, lines in results.tests:
                passed, failed = passed + good, failed + (not good)
                print(f"{'ok' if good else 'not ok'} {passed + failed} {name}", *lines, sep="\n",
                      flush=True)
    print(f"1..{passed + failed}")
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
