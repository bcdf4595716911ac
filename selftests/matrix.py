#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""usage: matrix.py BOOTS PROGRAMS

Prints which layouts of memory were tested in which boot. The table has a row for each
variant of the fixture `layout`, a row for each other fixture and script, and a column for
each boot. A cell is `pass`, `FAIL`, or a mark: the mark stands for what that boot lacks
according to its list of expected skips. A cell is blank if the boot did not have to run
the program.

BOOTS: the directory that run-vm.sh keeps. It has a directory for each boot with two
files: `boot` has KERNEL LEVELS PTI PROGRAM..., and `judged` has the output of ktap.awk.
PROGRAMS: the directory of the programs. The list of required tests comes from their
symbols, never from their output: a test that did not run has failed.

The exit status is 1 if a cell is FAIL, and 2 if the table cannot be made. A failure that
ktap.awk did not report gets a `not ok` line of its own.
"""
import collections
import pathlib
import re
import subprocess
import sys

# The fixture of layout.h: its variants are the layouts of memory.
SHAPES = "layout"

# kind: "pass", "skip" or "not ok"; test: "" for a complete program; program: "" for the boot.
Verdict = collections.namedtuple("Verdict", "kind program test lacks")
Boot = collections.namedtuple("Boot", "name kernel levels pti programs verdicts")


class Unclear(Exception):
    """The input is incomplete or cannot be parsed, so that there is no matrix."""


def listed_tests(program):
    """Names of the tests of a kselftest_harness.h program, from its symbols.

    Source: kselftest_harness.h (6.1): FIXTURE(f) defines _f_fixture_object,
    FIXTURE_VARIANT_ADD(f, v) _f_v_variant and _f_v_object, TEST_F(f, t)
    _f_t_object, TEST(t) _t_object.
    """
    symbols = subprocess.run(["nm", program], check=True, capture_output=True,
                             text=True).stdout.split()
    objects, variants = ([m[1] for s in symbols if (m := re.fullmatch(f"_(.+)_{kind}", s))]
                         for kind in ("object", "variant"))
    fixtures = [name[:-len("_fixture")] for name in objects if name.endswith("_fixture")]

    def by_fixture(names):
        found = collections.defaultdict(list)
        for name in names:
            of = max((f for f in fixtures if name.startswith(f + "_")), key=len, default="")
            found[of or "global"].append(name[len(of) + 1 if of else 0:])
        return found

    # not the harness's own __register_fixture_variant()
    variants_of = by_fixture(name for name in variants if name in objects)
    tests_of = by_fixture(name for name in objects
                          if name not in variants and not name.endswith("_fixture"))
    names = [".".join(filter(None, (fixture, variant, test)))
             for fixture, tests in tests_of.items()
             for variant in variants_of.get(fixture, [""]) for test in tests]
    if not names:
        raise Unclear(f"{program} has no tests")
    return names


def read_verdict(line, boot_name, programs):
    """The verdict in a line of ktap.awk, or None if the line has none about this boot."""
    kind, _, rest = line.replace("not ok ", "not_ok ", 1).partition(" ")
    if kind not in ("ok", "not_ok", "skip") or rest.split(" ")[0].rstrip(":") != boot_name:
        return None
    program, _, what = rest.partition(" ")[2].partition(" ")
    if kind == "not_ok":
        # `PROGRAM TEST`, `PROGRAM TEST why`, `PROGRAM: why`, or a message about the boot
        if program in programs:
            return Verdict("not ok", program, what, "")
        program = program.rstrip(":")
        return Verdict("not ok", program if program in programs else "", "", "")
    test, _, lacks = what.rpartition(": needs ") if kind == "skip" else (what, "", "")
    if not test or (kind == "skip" and not lacks):
        raise Unclear(f"cannot parse: {line}")
    return Verdict("pass" if kind == "ok" else kind, program, test, lacks)


def read_boot(directory):
    """Read the files that run-vm.sh keeps of one boot."""
    kernel, levels, pti, *programs = (directory / "boot").read_text().split()
    name = f"{kernel}/{levels}-level/pti={pti}"
    judged = directory / "judged"
    lines = judged.read_text(errors="replace").splitlines() if judged.exists() else []
    return Boot(name, kernel, levels, pti, programs,
                [v for line in lines if (v := read_verdict(line, name, programs))])


class Matrix:
    """Rows of cells, the marks in them, and failures that ktap.awk cannot detect."""

    def __init__(self, boots, listed):
        self.boots, self.listed = boots, listed
        self.rows = []      # (program, name, [one cell per boot])
        self.marks = {}     # missing thing: letter
        self.unnoticed = []
        for program in dict.fromkeys(p for boot in boots for p in boot.programs):
            self.add_program(program)
        self.add_row("", "(the boot)", [
            "FAIL" if not boot.verdicts or any(not v.program for v in boot.verdicts) else "pass"
            for boot in boots])

    def failed(self):
        return bool(self.unnoticed) or any("FAIL" in cells for _, _, cells in self.rows)

    def add_row(self, program, name, cells):
        self.rows.append((program, name, cells))

    def add_program(self, program):
        # By number, because two boots may have the same name.
        boots = {i: boot for i, boot in enumerate(self.boots) if program in boot.programs}
        seen = {i: [v for v in boot.verdicts if v.program == program] for i, boot in boots.items()}
        tests = self.listed.get(program)
        if tests is None:
            # A script has no list of tests: the tests of one boot must run in each boot.
            tests = list(dict.fromkeys(v.test for i in boots for v in seen[i]
                                       if v.kind != "not ok"))
        groups = collections.defaultdict(list)
        for test in tests:
            fixture, *variant = test.split(".")[:2] if program in self.listed else (program,)
            groups[variant[0] if fixture == SHAPES and variant else f"{fixture}:"].append(test)
        verdicts = {}
        whole = dict.fromkeys(seen, "pass")
        for i, boot in boots.items():
            of = collections.defaultdict(list)
            for v in seen[i]:
                # `TEST why`: find the test by its name at the start
                test = v.test if v.kind != "not ok" else max(
                    (t for t in tests if re.match(re.escape(t) + r"(?![\w.])", v.test)),
                    key=len, default="")
                if test in tests:
                    of[test].append(v)
                    continue
                whole[i] = "FAIL"
                if v.kind != "not ok":
                    self.unnoticed.append(f"{boot.name} {program} {test}: the program has no symbol of this test")
            missing = [test for test in tests if test not in of]
            if missing or not tests:
                self.unnoticed.append(f"{boot.name} {program}: {len(missing)} of {len(tests)} "
                                      f"tests have no verdict: {' '.join(missing[:3])}")
            verdicts[i] = of
        for name, members in groups.items():
            label = name if name[-1] != ":" else f"{name[:-1]} (tests: {len(members)})"
            self.add_row(program, label, [
                self.cell([verdicts[i][test] for test in members]) if i in boots else ""
                for i in range(len(self.boots))])
        if not groups or "FAIL" in whole.values():
            self.add_row(program, "(the program)", [
                (whole[i] if groups else "FAIL") if i in boots else ""
                for i in range(len(self.boots))])

    def cell(self, of_tests):
        """The cell of a row, from the verdicts on its tests. A test must have exactly one verdict."""
        if any(len(of) != 1 or of[0].kind == "not ok" for of in of_tests):
            return "FAIL"
        lacks = dict.fromkeys(of[0].lacks for of in of_tests if of[0].kind == "skip")
        for what in lacks:
            n = len(self.marks)
            self.marks.setdefault(what, chr(ord("a") + n % 26) + str(n // 26 or ""))
        passed = any(of[0].kind == "pass" for of in of_tests)
        return " ".join(["pass"] * passed + [self.marks[what] for what in lacks])

    def print(self):
        columns = [[boot.kernel, boot.levels, boot.pti, *(cells[i] for _, _, cells in self.rows)]
                   for i, boot in enumerate(self.boots)]
        widths = [max(map(len, column)) for column in columns]
        first = max(len(name) for _, name, _ in self.rows) + 2

        def line(name, cells):
            print("".join([name.ljust(first), *(" " + cell.ljust(width) for cell, width
                                                in zip(cells, widths))]).rstrip())

        print("MATRIX")
        for i, name in enumerate(("kernel", "levels", "KPTI")):
            line(name, [column[i] for column in columns])
        last = ""
        for program, name, cells in self.rows:
            if program != last:
                print(program)
            last = program
            line(f"  {name}" if program else name, cells)
        for what, mark in self.marks.items():
            print(f"{mark}: needs {what}, which this boot does not have")
        if any(cell.startswith("pass ") for _, _, cells in self.rows for cell in cells):
            print("pass and a mark: some tests of the row passed, the others were skipped for the marked reason")
        for sentence in self.unnoticed:
            print(f"not ok matrix {sentence}")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        boots = [read_boot(path.parent)
                 for path in sorted(pathlib.Path(sys.argv[1]).glob("*/boot"))]
        if not boots:
            raise Unclear(f"no boots in {sys.argv[1]}")
        programs = {p for boot in boots for p in boot.programs if not p.endswith(".sh")}
        matrix = Matrix(boots, {p: listed_tests(f"{sys.argv[2]}/{p}") for p in programs})
    except (Unclear, OSError, ValueError, subprocess.CalledProcessError) as error:
        print(f"not ok matrix {error}")
        sys.exit(2)
    matrix.print()
    sys.exit(matrix.failed())


main()
