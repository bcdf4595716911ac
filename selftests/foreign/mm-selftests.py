#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""usage: mm-selftests.py [--all] [--seconds N] [--truth WHICH] DIR [PROGRAM...]

Runs the kernel's own tests of mm/, built in DIR, as targets of check. check compares each
test once when it ends. A short test runs repeatedly, and check compares it at a different
moment each time. During a longer test, check compares all its processes repeatedly. Every second
comparison uses --freeze. The results of the tests themselves do not count. A program
fails if no comparison was completed, if a table is unexplained, or if a frozen process
could not be measured. Without --all, only programs that change no setting of the machine
run. Prints the table of servers.py; the last line is `N passed, N failed`.
"""
import argparse
import functools
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from compare import OK, Load, print_table  # noqa: E402
from programs import end_all, start  # noqa: E402
from results import end_with_total  # noqa: E402

# These tests use only memory of their own. They write no file of /proc/sys, /sys or debugfs,
# reserve no huge pages and poison no memory.
HARMLESS = (
    "droppable guard-regions madv_populate map_fixed_noreplace map_populate mdwe_test mkdirty mlock-random-test mlock2-tests "
    "mremap_dontunmap mremap_test mrelease_test mseal_test on-fault-limit pfnmap pkey_sighandler_tests_64 process_madv "
    "protection_keys_64 rmap soft-dirty transhuge-stress va_high_addr_switch"
).split()
# These tests take memory out of use, or use all of it, and the kernel reports that.
LEFT_OUT = {
    "compaction_test": "uses all memory",
    "hmm-tests": "needs the module test_hmm",
    "hugetlb-read-hwpoison": "poisons memory",
    "hugetlb-soft-offline": "takes memory offline",
    "memory-failure": "poisons memory",
    "gup_test": "needs CONFIG_GUP_TEST",
    "seal_elf": "needs a program as an argument",
    "write_to_hugetlbfs": "needs a file as an argument",
    "page_frag": "is a module",
}
# A test that ends sooner is started again for each comparison.
BRIEF_S = 5
ARGUMENTS = {"transhuge-stress": ["-d", "2"], "uffd-stress": ["anon", "20", "16"]}


def compare_moments(load, words, took, deadline):
    """Compare at different moments of the run time @took; the golden ratio spreads them evenly."""
    while not load.wrong and (time.monotonic() < deadline or load.rounds < 4):
        moment = max(took * (load.rounds * 0.618 % 1), 0.001)
        load.compare(load.rounds % 2 == 1, "--after", f"{moment:.3f}", "--", *words, most_s=10 * BRIEF_S)


def compare_test(words, seconds, load):
    began = time.monotonic()
    load.compare(False, "--", *words, most_s=BRIEF_S)
    took = time.monotonic() - began
    if load.rounds:
        compare_moments(load, words, took, began + seconds)
    else:
        start("sh", "-c", 'while :; do "$@"; done', "sh", *words)
        load.compare_family(seconds)
        if not any(nr[OK] for nr in load.nr.values()):
            # A busy machine made a short test look like a long one.
            end_all()
            compare_moments(load, words, BRIEF_S, time.monotonic() + seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="also run programs that change settings of the machine")
    parser.add_argument("--seconds", type=float, default=20, help="time for each program (default 20)")
    parser.add_argument("--truth", default="auto", help="the kernel's side, as for ptaudit check")
    parser.add_argument("directory", metavar="DIR", help="directory that scripts/kernel --mm-selftests prints")
    parser.add_argument("programs", metavar="PROGRAM", nargs="*")
    options = parser.parse_args()
    directory = os.path.abspath(options.directory)
    loads = []
    for name in options.programs or sorted(os.listdir(directory)):
        if not os.access(os.path.join(directory, name), os.X_OK) or name.endswith(".sh"):
            continue
        why = None if options.programs else LEFT_OUT.get(name)
        if not why and not options.all and name not in HARMLESS:
            why = "may change settings of the machine; see --all"
        if why:
            print(f"skip {name} # {why}", flush=True)
            continue
        words = [os.path.join(directory, name), *ARGUMENTS.get(name, [])]
        load = Load(name, options.truth)
        load.run(functools.partial(compare_test, words, options.seconds), both=False)
        loads.append(load)
    print_table(loads)
    end_with_total()


main()
