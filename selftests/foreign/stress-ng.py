#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""usage: stress-ng.py [--seconds N] [--truth WHICH] [STRESSOR...]

Runs stress-ng as an ordinary user, and compares each of its processes repeatedly meanwhile,
every second time with --freeze. Each stressor (default: those of the file stressors) runs
alone, then all run together. Prints the table of servers.py, and fails as servers.py does.
Needs root, and the module or BPF; changes no setting of the machine. The last line is
`N passed, N failed`.
"""
import argparse
import functools
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from compare import Load, print_table  # noqa: E402
from programs import find, start  # noqa: E402
from results import end_with_total  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
# For stressors that would use all memory or fill a file system.
LIMITS = ("--as=1000000000", "--fsize=268435456")
# An ordinary user cannot run these stressors, or stress-ng runs them only with --pathological.
LEFT_OUT = {
    "mlockmany": "needs --pathological: it may hang the machine",
    "oom-pipe": "needs --pathological: it may hang the machine",
    "tmpfs": "finds no tmpfs that it may write to",
    "userfaultfd": "needs root",
}
# When stress-ng is killed, its shared memory remains; the kernel frees it with these namespaces.
OWN_SHM = ("unshare", "--ipc", "--mount", "sh", "-c", 'mount -t tmpfs -o size=512m none /dev/shm && exec "$@"', "sh")


def stress(names, workers, seconds, load):
    os.mkdir("files")
    shutil.chown("files", "nobody")
    words = [word for name in names for word in ("--" + name, str(workers))]
    as_nobody = ("runuser", "-u", "nobody", "--", "prlimit", *LIMITS)
    start(*OWN_SHM, *as_nobody, find("stress-ng"), "--temp-path", os.path.abspath("files"), "--oomable", "--timeout", "0", *words)
    load.compare_family(seconds)


def stressors():
    with open(os.path.join(HERE, "stressors"), encoding="ascii") as file:
        return file.read().split()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=30, help="time for each stressor (default 30)")
    parser.add_argument("--truth", default="auto", help="the kernel's side, as for ptaudit check")
    parser.add_argument("stressors", metavar="STRESSOR", nargs="*")
    options = parser.parse_args()
    names = options.stressors or [name for name in stressors() if name not in LEFT_OUT]
    for name, why in LEFT_OUT.items() if not options.stressors else ():
        print(f"skip {name} # {why}")
    loads = [(name, [name], 2) for name in names]
    if len(names) > 1:
        loads.append(("together", names, 1))
    results = []
    for name, load_names, workers in loads:
        results.append(Load(name, options.truth))
        results[-1].run(functools.partial(stress, load_names, workers, options.seconds))
    print_table(results)
    end_with_total()


main()
