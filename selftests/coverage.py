#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""usage: coverage.py [--again]

Measures which lines of the tool are run by the tests that need neither root nor a VM.
Builds a copy of the tree for gcov in build/coverage, runs the parts of `make check` that run
the tool, as an unprivileged user, and prints the share of executed lines for each directory
of user/. --again: evaluates the data of the last run again.

coverage.list has the functions that cannot run there, each with the test in a VM that runs
it. The last line is `N passed, N failed`. One check requires that 85 % of the lines ran. For
each line of the list, a check requires that the function exists and did not run, and that
the test exists. The results of the tests themselves do not count: some fail with gcov.
"""
import collections
import json
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
COPY = ROOT / "build/coverage"
LIST = pathlib.Path(__file__).with_name("coverage.list")
PERCENT = 85
TOOL = "user/ptaudit"
BUILD = [".", "selftests/unit", "selftests/replay", "selftests/lib"]
# Without freeze_test, which interrupts each system call of the tool: gcov adds thousands of
# calls.
PROGRAMS = " ".join(f"../../build/replay/{path.stem}"
                    for path in sorted((ROOT / "selftests/replay").glob("*_test.c"))
                    if path.stem != "freeze_test")
RUNS = [["make", "-s", "-C", "selftests/unit", "run"],
        ["make", "-s", "-C", "selftests/lib", "run"],
        ["make", "-s", "-C", "selftests/replay", "programs", f"tests={PROGRAMS}"],
        *(["make", "-s", "-C", "selftests/replay", part] for part in ("replay", "hostile", "record")),
        ["make", "-s", "check-examples"],
        *([f"selftests/{name}_test.py", *arguments, TOOL] for name, *arguments in (
            ["tui"], ["export"], ["map"], ["schema"])),
        ["selftests/refusals.sh", TOOL],
        ["selftests/completion_test.py"]]
# As an unprivileged user, because some machines run the tests so: BPF and page frames need root.
AS_USER = ["unshare", "--user", "--map-user=1000", "--map-group=1000"]


def measure():
    shutil.rmtree(COPY, ignore_errors=True)
    names = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                           cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    for name in filter(None, names.split("\0")):
        if (ROOT / name).is_file():
            (COPY / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, COPY / name)
    environment = dict(os.environ, CFLAGS="-O1 -g --coverage", LDFLAGS="--coverage",
                       CCACHE_DISABLE="1")
    for directory in BUILD:
        subprocess.run(["make", "-s", "-j2", "-C", directory, "user" if directory == "." else "all"],
                       cwd=COPY, env=environment, check=True, stdout=subprocess.DEVNULL)
    for command in RUNS:
        done = subprocess.run(AS_USER + command, cwd=COPY, env=environment, check=False,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace")
        print("#", " ".join(command[:5]), (done.stdout.splitlines() or [""])[-1], flush=True)


def counted():
    """For each file of user/: how often each line ran, and how often each function."""
    lines = collections.defaultdict(collections.Counter)
    functions = collections.defaultdict(collections.Counter)
    notes = [path for place in ("user", "lib", "unit")
             for path in sorted((COPY / "build" / place).rglob("*.gcno"))]
    for note in notes:
        # A file without data was not executed.
        said = subprocess.run(["gcov", "--json-format", "--stdout", note], cwd=COPY, check=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
        read = json.loads(said)
        for file in read["files"]:
            path = pathlib.Path(read["current_working_directory"], file["file"]).resolve()
            if not path.is_relative_to(COPY / "user"):
                continue
            name = path.relative_to(COPY).as_posix()
            for line in file["lines"]:
                lines[name][line["line_number"]] += line["count"]
            for function in file["functions"]:
                functions[name][function["name"]] += function["execution_count"]
    return lines, functions


def read_list():
    """(file, function, test) of each line; function * stands for all functions of the file."""
    for line in LIST.read_text().splitlines():
        if line and line[0] != "#":
            file, function, test = line.split()
            yield file, function, test


def judge_list(functions, tests):
    """Yield for each line of the list what is wrong with it, as a list of messages."""
    for file, function, test in read_list():
        wrong = []
        of_file = functions.get(file, {})
        names = of_file if function == "*" else [function]
        if not names or (function != "*" and function not in of_file):
            wrong.append(f"{file} has no function {function}")
        for name in names:
            if of_file.get(name):
                wrong.append(f"{file}: {name} ran, but the list says that it cannot run")
        if test not in tests:
            wrong.append(f"there is no test {test}")
        yield wrong


def main():
    if sys.argv[1:] != ["--again"]:
        measure()
    lines, functions = counted()
    tests = {path.name.partition(".")[0] for path in (ROOT / "selftests").rglob("*")}
    listed = {(file, function) for file, function, _ in read_list()}
    judged = list(judge_list(functions, tests))
    for file, of_file in sorted(functions.items()):
        for name, count in sorted(of_file.items()):
            if not count and not {(file, name), (file, "*")} & listed:
                print(f"# {file}: {name}() did not run")
    by_place, ran_in = collections.Counter(), collections.Counter()
    for file, of_file in lines.items():
        for place in (os.path.dirname(file), "user"):
            by_place[place] += len(of_file)
            ran_in[place] += sum(1 for count in of_file.values() if count)
    for place, number in sorted(by_place.items()):
        print(f"# {place}: {100 * ran_in[place] / number:.1f} % of {number} lines")
    percent = 100 * ran_in["user"] / by_place["user"]
    if percent < PERCENT:
        judged.append([f"{percent:.1f} % of the lines ran, not {PERCENT} %"])
    else:
        judged.append([])
    for reason in sum(judged, []):
        print(f"not ok - {reason}")
    failed = sum(1 for wrong in judged if wrong)
    print(f"{len(judged) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
