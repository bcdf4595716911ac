#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Checks that every planted fault still applies.

Each patch in faults/ begins with the names of the programs that find the fault
(`Found-by:`) and a pattern of what they print then (`Pattern:`). A test that the pattern
names must exist. The lines that a patch changes must occur in exactly one place, because
patch would take the nearest one. The same holds for the one-line faults in
mutants/*.faults.
"""
import pathlib
import re
import subprocess
import sys

from results import end_with_total, result

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path.insert(0, str(HERE / "mutants"))

import faults  # pylint: disable=wrong-import-position # sys.path must be set first

HUNK = re.compile(r"^@@ .*\n((?:[ +-].*\n)+)", re.MULTILINE)
TESTS = "".join(path.read_text() for folder in ("live", "debug") for path in (HERE / folder).rglob("*.[ch]"))
HEAD = re.compile(r"Found-by: (\S+)\nPattern: (.+)\n(?:Kernel: debug\n)?\n--- a/(\S+)\n\+\+\+ b/\3\n@@ ")


def wrong_with(patch):
    """Return what is wrong with a patch, or None."""
    text = patch.read_text()
    head = HEAD.match(text)
    if not head:
        return "it must begin with Found-by:, Pattern:, a blank line and the diff of one file"
    for program in head[1].split(","):
        stem = program.partition(".")[0]
        if not any(path.suffix in (".c", ".sh", ".py") for folder in ("*", "live/*")
                   for path in HERE.glob(f"{folder}/{stem}.*")):
            return f"there is no program {program}"
    try:
        re.compile(head[2])
    except re.error as error:
        return f"the pattern is not a regular expression: {error}"
    for word in re.findall(r"[a-z0-9]+(?:_[a-z0-9]+)+", head[2]) if head[2].startswith("^not ok") else ():
        if word not in TESTS:
            return f"no test has {word} in its name"
    lines = (ROOT / head[3]).read_text().splitlines(keepends=True)
    for hunk in HUNK.findall(text):
        old = [line[1:] for line in hunk.splitlines(keepends=True) if line[0] != "+"]
        nr = sum(lines[at:at + len(old)] == old for at in range(len(lines)))
        if nr != 1:
            return f"this occurs in {nr} places of {head[3]}:\n" + "".join(old)
    done = subprocess.run(["patch", "-p1", "-F0", "--dry-run", "-i", patch], cwd=ROOT, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.stdout if done.returncode else None


def main():
    for patch in sorted((HERE / "faults").glob("*/*.patch")):
        wrong = wrong_with(patch)
        result(not wrong, patch.relative_to(HERE), wrong or "")
    for part in ("user", "module"):
        listed, wrong = faults.read_list(HERE / f"mutants/{part}.faults", faults.read_sources(ROOT, part))
        result(listed and not wrong, f"mutants/{part}.faults: {len(listed)} faults",
               "\n\n".join(f"{reason}:\n{block}" for block, reason in wrong))
    end_with_total()


if __name__ == "__main__":
    main()
