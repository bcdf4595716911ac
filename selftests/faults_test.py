#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Does every fault that the tests are tried with still apply?

Patches of faults/ say in their heads which programs find them (`Found-by:`) and what is
printed then (`Pattern:`). Each place that they change has to be there, and once only:
patch would take the nearest one. Those of faults/kernel are for a kernel's source, and
vm/kernel-faults.sh tries them. So it is with the one-line faults of mutants/*.faults.
"""
import pathlib
import re
import subprocess
import sys

from results import end_with_total, result

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path.insert(0, str(HERE / "mutants"))

import faults  # pylint: disable=wrong-import-position # needs the path set above

HUNK = re.compile(r"^@@ .*\n((?:[ +-].*\n)+)", re.MULTILINE)
HEAD = re.compile(r"Found-by: (\S+)\nPattern: (.+)\n\n--- a/(\S+)\n\+\+\+ b/\3\n@@ ")


def wrong_with(patch):
    """What is wrong with a patch, or nothing."""
    text = patch.read_text()
    head = HEAD.match(text)
    if not head:
        return "it has to begin with Found-by:, Pattern:, a blank line and one file's diff"
    for program in head[1].split(","):
        stem = program.partition(".")[0]
        if not any(path.suffix in (".c", ".sh", ".py") for folder in ("*", "live/*")
                   for path in HERE.glob(f"{folder}/{stem}.*")):
            return f"there is no program {program}"
    try:
        re.compile(head[2])
    except re.error as error:
        return f"the pattern is no regular expression: {error}"
    if patch.parent.name == "kernel":
        return None
    lines = (ROOT / head[3]).read_text().splitlines(keepends=True)
    for hunk in HUNK.findall(text):
        old = [line[1:] for line in hunk.splitlines(keepends=True) if line[0] != "+"]
        nr = sum(lines[at:at + len(old)] == old for at in range(len(lines)))
        if nr != 1:
            return f"this stands in {nr} places of {head[3]}:\n" + "".join(old)
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
