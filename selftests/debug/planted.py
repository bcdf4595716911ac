#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""usage: planted.py [--kernel NAME] [--build-only] [FAULT...]

Checks that the tests find faults of the module, those of faults/debug. For each fault it builds
a copy of the module, loads it in a VM, and runs the programs that the patch names. What they or
the kernel print must match the patch's Pattern. A fault that a program of live/ finds by a failed
test is tried with a stock kernel, unless its patch has the line `Kernel: debug`; the others with a
debug kernel. --kernel: all with this one. `clean` is the module without a fault: the programs of
the chosen faults must pass, alone those of all faults. --build-only: only check that each fault can
be built. The last line is `N passed, N failed`.
"""
import pathlib
import re
import signal
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent))

# pylint: disable=wrong-import-position # sys.path must be set first
import boots
from results import end_with_total, result

FAULTS = HERE.parent / "faults/debug"
STOCK = boots.Machine("6.12", pti="on", seconds=1800)
DEBUG = boots.Machine("7.3-debug", pti="on", gib=5, factor=10, seconds=1800, append="ignore_loglevel")


class Fault:
    def __init__(self, name):
        self.patch = FAULTS / f"{name}.patch"
        head = dict(re.findall(r"^(Found-by|Pattern|Kernel): (.*)\n", self.patch.read_text(), re.MULTILINE))
        self.programs, self.pattern = head["Found-by"].split(","), head["Pattern"]
        stock = self.pattern.startswith("^not ok") and "Kernel" not in head and \
            not any((HERE / f"{p}.c").exists() for p in self.programs)
        self.machine = STOCK if stock else DEBUG

    def file(self):
        """The path and the text of the file with the fault."""
        path = re.search(r"^--- a/(.*)", self.patch.read_text(), re.MULTILINE)[1]
        done = subprocess.run(["patch", "-s", "-F0", "-o", "-", ROOT / path, self.patch],
                              check=True, stdout=subprocess.PIPE, text=True)
        return path, done.stdout


def try_faults(machine, faults, clean, build_only):
    """Give a result for each of {name: Fault}, and for the module without a fault: clean is a set of programs."""
    tried = boots.Boots(ROOT, ROOT / "build/planted" / machine.kernel, machine)
    tried.prepare()
    if not build_only:
        tried.build_programs()
    specs = {}
    files = {name: fault.file() for name, fault in faults.items()}
    if clean:
        files["clean"] = ()
    for name, built in tried.build_all(files):
        if build_only or not built:
            result(built, f"{name}: the module can be built for {machine.kernel}")
            continue
        programs = sorted(clean)
        if name in faults:
            (tried.work / f"{name}.pattern").write_text(faults[name].pattern + "\n")
            programs = faults[name].programs
        # finds memory that is leaked
        specs[name] = ",".join([*programs, "witnesses.sh"])

    def note(name, verdict, text, seconds):
        if verdict == "ended" and name in faults:
            log = (tried.work / "log").read_text(errors="replace")
            match = re.search(f".*(?:{faults[name].pattern}).*", log)
            if match:
                verdict, text = "found", f"the kernel: {match[0].strip()}"
        good = verdict == "found" if name in faults else verdict == "survived" and not text
        result(good, f"{name}: {verdict} {text} ({machine.kernel}, {seconds:.0f} s)")
    tried.run(specs, note)


def main(arguments):
    machine, build_only = None, False
    while arguments and arguments[0].startswith("--"):
        option = arguments.pop(0)
        if option == "--build-only":
            build_only = True
        elif option == "--kernel" and arguments:
            machine = arguments.pop(0)
            machine = next((m for m in (STOCK, DEBUG) if m.kernel == machine),
                           boots.Machine(machine, pti="on", seconds=1800))
        else:
            sys.exit(__doc__)
    names = [name for name in arguments if name != "clean"]
    by_machine = {}
    for name in names or sorted(path.stem for path in FAULTS.glob("*.patch")):
        fault = Fault(name)
        by_machine.setdefault(machine or fault.machine, {})[name] = fault
    for chosen, faults in by_machine.items():
        clean = set()
        if len(names) < len(arguments) or not arguments:
            clean.update(*(fault.programs for fault in faults.values()))
        try_faults(chosen, faults if names or not arguments else {}, clean, build_only)
    end_with_total()


if __name__ == "__main__":
    # by an exception, so that the VM ends as well
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    main(sys.argv[1:])
