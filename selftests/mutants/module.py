# SPDX-License-Identifier: GPL-2.0-only
"""Tries faults of the module. Each is built on the host; one boot of a VM tries them in turn.

A module with a fault may crash the kernel or leave a process that cannot be killed. Such a
fault counts as found, and another boot continues with the next fault.
"""
import os
import queue
import shutil
import signal
import subprocess
import threading
import time

import faults

KERNEL = "6.1"
# Time limits: for a test program in the VM, and for output; a longer silence means that the kernel
# hangs.
PROGRAM_SECONDS, SILENT_SECONDS = 600, 700
# The programs that are likely to find a fault in a file run first; the others follow, the quick
# ones first.
FIRST = {
    "debugfs.c": ["debugfs_test", "session_test"],
    "entry.c": ["range_test", "vma_test"],
    "kpagemap.c": ["kpagemap_test", "kpagemap_tool_test"],
    "orphans.c": ["orphans_test"],
    "pages.c": ["pagesfile_test", "pagesfile_shared_test", "pagesfile_moving_test"],
    "store.c": ["budget_test", "debugfs_test"],
    "target.c": ["session_test", "debugfs_test", "ended_test"],
    "vma.c": ["vma_test", "pagesfile_test", "shared_test", "signals_test"],
    "walk.c": ["range_test", "pfn_test", "pagesfile_shared_test"],
}
THEN = ["range_test", "edges_test", "vma_test", "huge_test", "gigantic_test", "hugetlb_test",
        "shared_test", "debugfs_test", "session_test", "pagesfile_test", "orphans_test",
        "kpagemap_test"]


def output(root, *command):
    return subprocess.run(command, cwd=root, check=True, stdout=subprocess.PIPE, text=True).stdout


class Module:
    """Builds modules and boots VMs. Calls note(fault, verdict, by, seconds) for each fault."""

    def __init__(self, root, work, sources, note):
        self.root, self.work, self.sources, self.note = root, work, sources, note
        work.mkdir(parents=True, exist_ok=True)

    def make(self, source, module, name):
        """Build a module as NAME.ko. Return: whether it compiles."""
        built = self.work / "built"
        shutil.rmtree(built, ignore_errors=True)
        done = subprocess.run([self.root / "scripts/kernel", "--module", KERNEL, built, source],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        if done.returncode == 0:
            os.replace(built / module, self.work / f"{name}.ko")
        return done.returncode == 0

    def build(self, name, path=None, text=None):
        """Build ptaudit with a fault as NAME.ko. Return: whether it compiles."""
        copy = self.work / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        copy.mkdir()
        shutil.copy(self.root / "Kbuild", copy)
        shutil.copytree(self.root / "module", copy / "module",
                        ignore=shutil.ignore_patterns("*.o", "*.ko", "*.mod*", ".*"))
        if path:
            (copy / path).write_text(text)
        return self.make(copy, "ptaudit.ko", name)

    def boot(self, specs):
        """Boot a VM. Yield (seconds, name, word...) for each ### line until the VM ends."""
        live = self.root / "build/selftests/live"
        command = ["bash", "-c", f"""
            . selftests/boot.sh
            eval "$(scripts/kernel {KERNEL})"
            tool=$PWD/user/ptaudit module= hold=$0 plant=$1 factor=1 gib=3 both=
            shift
            boot_machine 4 off --kernel {KERNEL} --timeout 86400 -- "$@" """,
                   self.work / "hold.ko", self.work / "plant.ko",
                   self.root / "selftests/mutants/guest.sh", str(PROGRAM_SECONDS), live, self.work,
                   *specs]
        lines = queue.SimpleQueue()
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              stdin=subprocess.DEVNULL, cwd=self.root,
                              start_new_session=True) as vm:
            def read():
                for line in vm.stdout:
                    lines.put(line.decode(errors="replace"))
                lines.put(None)
            threading.Thread(target=read, daemon=True).start()
            try:
                while True:
                    try:
                        line = lines.get(timeout=SILENT_SECONDS)
                    except queue.Empty:
                        break
                    if line is None:
                        break
                    if line.startswith("### "):
                        yield time.monotonic(), *line.split()[1:]
            finally:
                # the whole process group, so that QEMU ends as well
                if vm.poll() is None:
                    os.killpg(vm.pid, signal.SIGTERM)

    def check_sound(self, programs):
        """Check that all programs pass without a fault. Return: the time that each takes."""
        headers = output(self.root, "scripts/kernel", "--source", KERNEL).strip()
        output(self.root, "make", "-s", "user")
        output(self.root, "make", "-s", "-j2", "-C", "selftests/live", f"KSELFTEST_DIR={headers}")
        kmod = self.root / "selftests/live/kmod"
        if not (self.build("sound") and all(self.make(kmod / name, f"{name}.ko", name)
                                            for name in ("hold", "plant"))):
            raise faults.Error("the modules do not build without a fault")
        began, took, last = 0, {}, None
        for when, _, word, *rest in self.boot(["sound:" + ",".join(programs)]):
            if last:
                took[last] = when - began
            last, began = (rest[0] if word == "run" else None), when
            if word == "found":
                raise faults.Error(f"{rest[0]} fails with a module without a fault")
            if word == "survived":
                print("# seconds of a program:",
                      ", ".join(f"{name} {seconds:.0f}" for name, seconds in took.items()))
                return took
        raise faults.Error("the VM with the unchanged module did not end as it should")

    def try_all(self, some):
        """Give every fault a verdict."""
        names = {f"fault{i}": fault for i, fault in enumerate(some)}
        wanted = {name: list(dict.fromkeys(FIRST.get(os.path.basename(fault.path), []) + THEN))
                  for name, fault in names.items()}
        took = self.check_sound(list(dict.fromkeys(p for ps in wanted.values() for p in ps)))
        left = {}
        for name, fault in names.items():
            lines = self.sources[fault.path]
            if self.build(name, fault.path, fault.text(lines)):
                first = FIRST.get(os.path.basename(fault.path), [])
                rest = sorted(set(wanted[name]) - set(first), key=lambda p: took[p])
                left[name] = f"{name}:" + ",".join(first + rest)
            else:
                self.note(fault, "does not compile", "", 0)
        while left:
            current, program, began = None, "", time.monotonic()
            for when, name, word, *rest in self.boot(list(left.values())):
                if word == "begin":
                    current, program, began = name, "insmod", when
                elif word == "run":
                    program = rest[0]
                else:
                    self.note(names[name], word, rest[0] if rest else "", when - began)
                    del left[name]
                    current = None
            if current:
                self.note(names[current], "found", f"{program}: the VM ended or hung",
                          time.monotonic() - began)
                del left[current]
            elif program == "":
                raise faults.Error("the VM does not start")
