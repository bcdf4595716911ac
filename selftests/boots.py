# SPDX-License-Identifier: GPL-2.0-only
"""Builds modules on the host, and tries them one after the other in a VM.

A faulty module may crash the kernel, or leave it in a state in which it finds no further
fault. Then another boot continues with the next module.
"""
import concurrent.futures
import dataclasses
import os
import queue
import re
import shlex
import shutil
import signal
import subprocess
import threading
import time


class Error(Exception):
    """The VM or the build does not work."""


@dataclasses.dataclass(frozen=True)
class Machine:
    """The arguments of boot_machine(), and the time limit of a test program."""
    kernel: str
    pti: str = "off"
    gib: int = 3
    factor: int = 1
    seconds: int = 600
    append: str = ""


class Boots:
    """work: a directory for NAME.ko, NAME.pattern and `log`, the console of the last boot"""

    def __init__(self, root, work, machine):
        self.root, self.work, self.machine = root, work, machine
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        self.kernel = dict(shlex.split(line)[0].split("=", 1)
                           for line in self.output("scripts/kernel", machine.kernel).splitlines())
        if self.kernel["chroot"]:
            raise Error(f"only scripts/kernel --module can build modules for {machine.kernel}")
        self.copies = queue.SimpleQueue()

    def output(self, *command):
        return subprocess.run(command, cwd=self.root, check=True, stdout=subprocess.PIPE, text=True).stdout

    def make(self, source):
        """Build the module of a directory. Return: whether it compiles."""
        done = subprocess.run(["make", "-C", self.kernel["build"], f"M={source}", f"CC={self.kernel['cc']}",
                               "modules"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        return done.returncode == 0

    def copy(self, name, *parts):
        """Copy sources without what was built from them. Return: the new directory."""
        copy = self.work / name
        copy.mkdir()
        for part in parts:
            if part.is_dir():
                shutil.copytree(part, copy / part.name, ignore=shutil.ignore_patterns("*.o", "*.ko", "*.mod*", ".*"))
            else:
                shutil.copy(part, copy)
        return copy

    def build(self, name, path=None, text=None):
        """Build ptaudit, with another text of the file path, as NAME.ko. Return: whether it compiles."""
        copy = self.copies.get()
        if path:
            (copy / path).write_text(text)
        built = self.make(copy)
        if built:
            shutil.copy(copy / "ptaudit.ko", self.work / f"{name}.ko")
        if path:
            shutil.copy(self.root / path, copy / path)
        self.copies.put(copy)
        return built

    def prepare(self):
        """Build the sound module, and the modules of the tests. Make a copy for each CPU."""
        first = self.copy("copy0", self.root / "Kbuild", self.root / "module")
        self.copies.put(first)
        if not self.build("sound"):
            raise Error("the module does not build without a fault")
        # The probes of compat.kbuild take longer than the rest of a build.
        flags = re.findall(r" (-DPTA_\S+|-D'PTA_[^']+')", (first / "module/.main.o.cmd").read_text())
        kbuild = (first / "Kbuild").read_text()
        (first / "Kbuild").write_text(kbuild.replace("include $(pta-src)/module/compat.kbuild",
                                                     "pta-compat-flags := " + " ".join(flags)))
        for i in range(1, os.cpu_count()):
            copy = self.work / f"copy{i}"
            shutil.copytree(first, copy)
            self.copies.put(copy)
        for name in ("hold", "plant"):
            copy = self.copy(name, *(self.root / "selftests/live/kmod" / name).iterdir())
            if not self.make(copy):
                raise Error(f"the module {name} does not build")
            os.replace(copy / f"{name}.ko", self.work / f"{name}.ko")

    def build_all(self, files):
        """Build the modules of {name: (path, text)}. Return: pairs of the name and whether it compiles."""
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            return zip(files, pool.map(lambda name: self.build(name, *files[name]), files))

    def build_programs(self):
        """Build the tool and the test programs."""
        headers = self.output("scripts/kernel", "--source", "6.1").strip()
        self.output("make", "-s", "user")
        for part in ("live", "debug"):
            self.output("make", "-s", f"-j{os.cpu_count()}", "-C", f"selftests/{part}", f"KSELFTEST_DIR={headers}")

    def boot(self, specs):
        """Boot a VM. Yield (seconds, name, word...) for each ### line until the VM ends."""
        machine = self.machine
        command = ["bash", "-c", f"""
            . selftests/boot.sh
            eval "$(scripts/kernel {machine.kernel})"
            tool=$PWD/user/ptaudit module= hold=$0 plant=$1 both=
            factor={machine.factor} gib={machine.gib} append='{machine.append}'
            shift
            boot_machine 4 {machine.pti} --kernel {machine.kernel} --timeout 86400 -- "$@" """,
                   self.work / "hold.ko", self.work / "plant.ko",
                   self.root / "selftests/boots-guest.sh", str(machine.seconds),
                   self.root / "build/selftests/live", self.work, *specs]
        lines = queue.SimpleQueue()
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              stdin=subprocess.DEVNULL, cwd=self.root, start_new_session=True,
                              env={**os.environ, "PTAUDIT_VM_LOG": self.work / "log"}) as vm:
            def read():
                for line in vm.stdout:
                    lines.put(line.decode(errors="replace"))
                lines.put(None)
            threading.Thread(target=read, daemon=True).start()
            try:
                while True:
                    try:
                        # a longer silence than a program may take means that the kernel hangs
                        line = lines.get(timeout=machine.seconds + 100)
                    except queue.Empty:
                        break
                    if line is None:
                        break
                    if line.startswith("### "):
                        yield time.monotonic(), *line.split(maxsplit=3)[1:]
            finally:
                # the whole process group, so that QEMU ends as well
                if vm.poll() is None:
                    os.killpg(vm.pid, signal.SIGTERM)

    def run(self, specs, note):
        """Try each of {name: "PROGRAM,..."}, in as many boots as that takes.

        Calls note(name, verdict, text, seconds): "found" and the program; "survived"; "ended",
        where the VM ended or hung, and the last program.
        """
        left = dict(specs)
        while left:
            current, program, began = None, "", time.monotonic()
            for when, name, word, *rest in self.boot([f"{name}:{programs}" for name, programs in left.items()]):
                text = " ".join(rest).strip()
                if word == "begin":
                    current, program, began = name, "insmod", when
                elif word == "run":
                    program = text
                else:
                    note(name, word, text, when - began)
                    del left[name]
                    current = None
            if current:
                note(current, "ended", program, time.monotonic() - began)
                del left[current]
            elif program == "":
                raise Error("the VM does not start")
