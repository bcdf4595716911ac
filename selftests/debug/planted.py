#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""usage: planted.py [--kernel NAME] [--build-only] [FAULT...]

Checks that the tests find faults of the module, those of faults/debug. For each fault it builds
a copy of the module, loads it in a VM, and runs the programs that the patch names. What they or
the kernel print must match the patch's Pattern. A fault that a program of live/ finds by a failed
test is tried with a stock kernel, the others with a debug kernel; --kernel: all with this one.
`clean` is the module without a fault, with which all programs must pass. --build-only: only
check that each fault can be built. The last line is `N passed, N failed`.
"""
import pathlib
import re
import signal
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent))

# pylint: disable=wrong-import-position # needs the path set above
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
        self.needs_debug = "Kernel" in head

    def machine(self):
        stock = self.pattern.startswith("^not ok") and "|BUG" not in self.pattern and not self.needs_debug
        return STOCK if stock and not any((HERE / f"{p}.c").exists() for p in self.programs) else DEBUG

    def file(self):
        """The path and the text of the file with the fault."""
        path = re.search(r"^--- a/(.*)", self.patch.read_text(), re.MULTILINE)[1]
        done = subprocess.run(["patch", "-s", "-F0", "-o", "-", ROOT / path, self.patch],
                              check=True, stdout=subprocess.PIPE, text=True)
        return path, done.stdout


def try_faults(machine, faults, build_only):
    """Give a result for each of {name: Fault}; the name clean has None."""
    tried = boots.Boots(ROOT, ROOT / "build/planted" / machine.kernel, machine)
    tried.prepare()
    if not build_only:
        tried.build_programs()
    specs = {}
    for name, built in tried.build_all({name: fault.file() if fault else () for name, fault in faults.items()}):
        if build_only or not built:
            result(built, f"{name}: the module can be built for {machine.kernel}")
        elif faults[name]:
            (tried.work / f"{name}.pattern").write_text(faults[name].pattern + "\n")
            # witnesses.sh finds memory that is leaked
            specs[name] = ",".join(faults[name].programs + ["witnesses.sh"])
        else:
            specs[name] = ",".join(sorted({p for f in faults.values() if f for p in f.programs}))

    def note(name, verdict, text, seconds):
        if verdict == "ended" and faults[name]:
            log = (tried.work / "log").read_text(errors="replace")
            match = re.search(f".*(?:{faults[name].pattern}).*", log)
            if match:
                verdict, text = "found", f"the kernel: {match[0].strip()}"
        wanted = "found" if faults[name] else "survived"
        result(verdict == wanted and (faults[name] or not text),
               f"{name}: {verdict} {text} ({machine.kernel}, {seconds:.0f} s)")
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
    names = arguments or ["clean"] + sorted(path.stem for path in FAULTS.glob("*.patch"))
    by_machine = {}
    for name in names:
        fault = None if name == "clean" else Fault(name)
        for chosen in [machine or fault.machine()] if fault else [machine] if machine else [STOCK, DEBUG]:
            by_machine.setdefault(chosen, {})[name] = fault
    for chosen, faults in by_machine.items():
        try_faults(chosen, faults, build_only)
    end_with_total()


if __name__ == "__main__":
    # by an exception, so that the VM ends as well
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    main(sys.argv[1:])
