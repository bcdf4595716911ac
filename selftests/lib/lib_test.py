#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""usage: lib_test.py [--accept] PTAUDIT DIRECTORY

Tests the libptaudit that the Makefile of this directory installed below DIRECTORY. The
example program and the Python module must give the known tables of a process and the
results of `ptaudit estimate`. The exported symbols and the ABI are compared with the stored
ones. --accept stores the current ABI in libptaudit.abi.
"""
import copy
import ctypes
import errno
import importlib.util
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
sys.path.insert(0, os.path.join(HERE, ".."))

from results import end_with_total, result  # pylint: disable=wrong-import-position

# As in layout.h.
BASE = 32 << 39
SLOT = 2 << 20
SLOTS = 1100
EMPTY = 300
ABI = os.path.join(HERE, "libptaudit.abi")
MOST_SYMBOLS = 40
DUMP = ["abidw", "--headers-dir", os.path.join(ROOT, "user/lib"), "--drop-private-types",
        "--drop-undefined-syms", "--no-corpus-path", "--no-comp-dir-path", "--no-show-locs"]


def output(*words, **options):
    return subprocess.run(words, capture_output=True, text=True, check=False, **options)


def start(directory):
    child = subprocess.Popen([os.path.join(directory, "target")], stdout=subprocess.PIPE)
    child.stdout.read(1)
    return child


def check_example(directory, pid, levels):
    """Compare the output of the example with the JSON of the tool and with the expected numbers."""
    said = output(os.path.join(directory, "tables"), str(pid))
    rows = dict(re.findall(r"^(p[gmu4t][de]) (\d+) tables", said.stdout, re.M))
    result(said.returncode == 0 and {k: int(n) for k, n in rows.items()} == levels,
           "example_prints_the_numbers_of_the_tool", f"{said.stdout}{said.stderr}{levels}")
    most = re.search(r"^most: (\d+) PTE tables, (\w+) to (\w+)", said.stdout, re.M)
    sees_empty = "\nempty:" in said.stdout
    result(most is not None and [int(x, 0) for x in most.groups()] ==
           [SLOTS - (0 if sees_empty else EMPTY), BASE, BASE + SLOTS * SLOT],
           "example_finds_the_mapping", said.stdout)
    result(not sees_empty or f"\nempty: {EMPTY} tables" in said.stdout,
           "example_counts_the_empty_tables", said.stdout)
    said = output(os.path.join(directory, "tables"), str(2**31 - 1))
    result(said.returncode == 2 and said.stderr.startswith("tables: process 2147483647: no such"),
           "example_prints_the_error", said.stderr)


def check_symbols(library):
    """The header, the map, the manual and Debian's list must name exactly the exported symbols."""
    said = output("nm", "-D", "--defined-only", library).stdout
    exported = set(re.findall(r" T (\S+)@@PTAUDIT_0\.1$", said, re.M))
    others = [line for line in said.splitlines() if " T " not in line and " A " not in line]
    result(exported and len(exported) < MOST_SYMBOLS and not others and
           len(exported) == said.count(" T ") and all(name.startswith("ptaudit_") for name in exported),
           "all_exported_symbols_are_versioned_and_begin_with_ptaudit", said)

    def read(path):
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            return file.read()

    pages = [path for path in os.listdir(os.path.join(ROOT, "user/man")) if path.endswith(".3")]
    named = {
        "header": re.findall(r"^PTAUDIT_API [^;(]*?(ptaudit_\w+)\(", read("user/lib/ptaudit.h"), re.M),
        "map": re.findall(r"^\t(ptaudit_\w+);", read("user/lib/libptaudit.map"), re.M),
        "pages": [name for page in pages
                  for name in re.findall(r"^\.F[no] \"?(?:[\w *]* \*?)?(ptaudit_\w+)", read("user/man/" + page), re.M)],
        "symbols of Debian": re.findall(r"^ (ptaudit_\w+)@PTAUDIT_0\.1 ",
                                        read("scripts/packaging/debian/libptaudit0.symbols"), re.M),
    }
    for where, names in named.items():
        result(set(names) == exported, f"{where.replace(' ', '_')}_names_exactly_the_exported_symbols",
               f"{sorted(set(names) ^ exported)}")
    # the library runs inside other programs: no output, signal handlers, exit or environment
    wants = set(re.findall(r" U (\w+)", output("nm", "-D", "-u", library).stdout))
    never = {"printf", "puts", "perror", "exit", "abort", "signal", "sigaction", "setenv", "putenv",
             "setlocale", "mallopt", "chdir", "stdout", "stderr"}
    result(wants and not wants & never, "library_does_not_print_or_exit_or_change_the_environment", wants & never)


def check_abi(library, directory, accept):
    dumped = output(*DUMP, library)
    if accept:
        with open(ABI, "w", encoding="utf-8") as file:
            file.write(dumped.stdout)
    now = os.path.join(directory, "now.abi")
    with open(now, "w", encoding="utf-8") as file:
        file.write(dumped.stdout)
    said = output("abidiff", ABI, now)
    result(dumped.returncode == 0 and said.returncode == 0, "abi_is_the_stored_one",
           said.stdout + said.stderr + dumped.stderr +
           "If the change is intended, accept it by: make -C selftests/lib accept")


def check_header(ptaudit, directory):
    """The structs and constants in Python must be those of the header."""
    header = output(os.path.join(directory, "sizes")).stdout.split()
    mine = [str(ctypes.sizeof(getattr(ptaudit, name))) for name in
            ("Options", "Ask", "ProcessRow", "LevelRow", "MappingRow", "CauseRow", "DifferenceRow", "TableRow")]
    mine += [str(getattr(ptaudit, name)) for name in (
        "PTE PMD PUD P4D PGD ANY MODULE BPF BOTH ASK_FILL ASK_KERNEL "
        "TABLE_HUGE_PAGE TABLE_SHARED TABLE_POSSIBLE TABLE_COUNTED").split()]
    result(header == mine, "python_has_the_sizes_and_constants_of_the_header", f"{header} {mine}")
    with open(os.path.join(ROOT, "user/lib/ptaudit.h"), encoding="utf-8") as file:
        structs = re.findall(r"^struct ptaudit_(\w+) \{\n(.*?)^\};", file.read(), re.M | re.S)
    for name, body in structs:
        kind = getattr(ptaudit, name.title().replace("_", ""))
        members = re.findall(r"(\w+)(?:\[\w+\])?;$", body, re.M)
        mine = [field[0] for field in kind._fields_]
        result(members and mine == members, f"python_has_the_members_of_{name}", f"{mine} {members}")


def check_difference(ptaudit):
    """A recording in which the kernel has three entries more in a PTE table than pagemap shows."""
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "copy")
        shutil.copytree(os.path.join(ROOT, "selftests/data/6.12/dense"), copy)
        pid = ptaudit.Handle(recording=copy).processes()[0]
        for name in ("tables-before", "tables-after"):
            # the offsets of module/ptaudit_abi.h
            path = os.path.join(copy, str(pid), name)
            with open(path, "rb") as file:
                walk = bytearray(file.read())
            for at in range(struct.unpack_from("<H", walk, 12)[0], len(walk), 64):
                level, kind = walk[at + 20], walk[at + 21]
                used, present = (struct.unpack_from("<H", walk, at + k)[0] for k in (24, 30))
                if level == ptaudit.PTE and kind == 1 and used == present < 500:
                    struct.pack_into("<H", walk, at + 24, used + 3)
                    struct.pack_into("<H", walk, at + 30, used + 3)
                    start = struct.unpack_from("<Q", walk, at)[0]
                    break
            with open(path, "wb") as file:
                file.write(walk)
        output("/usr/bin/python3", os.path.join(ROOT, "selftests/replay/manifest"), copy)
        report = ptaudit.Handle(recording=copy, estimator="pagemap").check(pid)
        rows = [(row.level, row.is_huge_page, row.cause, row.seen_by, row.start, row.end, row.entries)
                for row in report.differences()]
        result(rows == [(ptaudit.PTE, 0, b"unexplained", b"kernel", start, start + SLOT, used + 3)] and
               report.process().unexplained == 1, "python_lists_a_difference_with_the_entries_of_the_kernel",
               f"{rows} {used}")


def check_virtual_environment(library):
    """PYTHON=: the named interpreter finds the module, although it does not look below the prefix."""
    with tempfile.TemporaryDirectory() as directory:
        home = os.path.join(directory, "env")
        output("/usr/bin/python3", "-m", "venv", "--without-pip", home)
        python = os.path.join(home, "bin/python")
        made = output("make", "-s", "-C", ROOT, "install-lib", f"prefix={directory}/prefix", f"PYTHON={python}")
        said = output(python, "-c", "import ptaudit; print(ptaudit.__file__)", cwd=directory,
                      env=os.environ | {"LIBPTAUDIT": os.path.abspath(library)})
        result(said.stdout.startswith(home + "/") and "note:" not in made.stdout,
               "python_of_a_virtual_environment_finds_the_module", said.stdout + said.stderr + made.stdout + made.stderr)
        made = output("make", "-s", "-C", ROOT, "install-lib", f"prefix={directory}/prefix")
        result(f"note: python3 does not look for modules in {directory}/prefix/lib/python3/dist-packages: " in made.stdout,
               "install_says_that_python_does_not_find_the_module", made.stdout + made.stderr)


def check_lifetimes(ptaudit, pid):
    """A row keeps its report. The last reference frees a handle and a report."""
    freed = []

    def note(name):
        function = getattr(ptaudit._lib, name)
        setattr(ptaudit._lib, name, lambda pointer: freed.append(name) or function(pointer))

    note("ptaudit_free")
    note("ptaudit_report_free")
    row = next(ptaudit.Handle().estimate(pid).mappings())
    result(freed == ["ptaudit_free"], "python_row_keeps_its_report", freed)
    del row
    result(freed == ["ptaudit_free", "ptaudit_report_free"], "python_frees_handle_and_report", freed)
    unraisable = []
    sys.unraisablehook = unraisable.append
    try:
        ptaudit.Handle(unknown=1)
    except TypeError:
        pass
    sys.unraisablehook = sys.__unraisablehook__
    result(not unraisable, "python_frees_a_handle_that_was_not_made", unraisable)


def check_misuse(ptaudit, pid):
    """What C would cut off is refused, and so is a copy, which would be freed twice."""
    recording = os.path.join(ROOT, "selftests/data/6.12/empty")
    for name, error, options in (
        ("a_recording_with_a_nul", ValueError, {"recording": recording + "\0/another"}),
        ("an_estimator_with_a_nul", ValueError, {"estimator": "naive\0x"}),
        ("a_truth_that_is_too_large", ptaudit.Error, {"truth": 2**32 + ptaudit.BPF}),
    ):
        try:
            ptaudit.Handle(**options)
            result(False, f"python_refuses_{name}")
        except (OSError, ValueError) as got:
            result(isinstance(got, error), f"python_refuses_{name}", got)
    handle = ptaudit.Handle(estimator="naive")
    for owner in handle, handle.estimate(pid):
        name = f"python_does_not_copy_a_{type(owner).__name__.lower()}"
        try:
            copy.copy(owner)._pointer = None
            result(False, name)
        except TypeError as got:
            result("cannot be copied" in str(got), name, got)


def check_python(directory, pid, levels, version):
    os.environ["LIBPTAUDIT"] = os.path.join(directory, "dest/opt/ptaudit/lib/libptaudit.so.0")
    installed = os.path.join(directory, "dest/opt/ptaudit/lib/python3/dist-packages")
    spec = importlib.util.spec_from_file_location("ptaudit", os.path.join(installed, "ptaudit.py"))
    ptaudit = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(ptaudit)

    handle = ptaudit.Handle(estimator="pagemap")
    report = handle.estimate(pid, fill=True)
    mapping = next(row for row in report.mappings() if row.start == BASE)
    result((mapping.tables[ptaudit.PTE], mapping.tables[ptaudit.PMD], mapping.tables[ptaudit.PUD]) ==
           (SLOTS - EMPTY, 3, 1) and mapping.fill.entries == SLOTS - EMPTY,
           "python_estimates_the_mapping", list(mapping.tables))
    tables = [row for row in handle.map(pid).tables() if row.level == ptaudit.PTE and
              BASE <= row.start < BASE + SLOTS * SLOT]
    result([row.start for row in tables] == [BASE + i * SLOT for i in range(EMPTY, SLOTS)],
           "python_lists_the_tables", len(tables))
    got = {name: row.tables for name, row in ptaudit.Handle().estimate(pid).levels().items()}
    result(list(got.items()) == list(levels.items()), "python_has_the_numbers_of_the_tool", f"{got} {levels}")
    pids = handle.processes()
    result(pid in pids and 0 not in pids, "python_lists_the_processes", pids)
    handle = ptaudit.Handle(recording=os.path.join(ROOT, "selftests/data/6.12/empty"), estimator="pagemap")
    report = handle.check(handle.processes()[0])
    causes = [(row.level, row.cause, row.tables) for row in report.causes()]
    result((ptaudit.PTE, b"empty", 40) in causes and not list(report.differences()) and
           report.process().unexplained == 0, "python_checks_a_recording", causes)
    nr_tables = [sum(row.level == ptaudit.PTE for row in handle.map(handle.processes()[0], kernel).tables())
                 for kernel in (False, True)]
    result(nr_tables[1] == nr_tables[0] + 40, "python_maps_the_tables_of_the_kernel", nr_tables)
    for empty in {"recording": ""}, {"estimator": ""}:
        try:
            ptaudit.Handle(**empty)
            result(False, f"python_refuses_an_empty_{next(iter(empty))}")
        except (ptaudit.Error, TypeError) as error:
            result(isinstance(error, ptaudit.Error), f"python_refuses_an_empty_{next(iter(empty))}", error)
    try:
        handle.estimate(2**31 - 1)
        result(False, "python_raises_the_error")
    except ptaudit.Error as error:
        result(isinstance(error, OSError) and error.errno == 3 and "no such process" in str(error),
               "python_raises_the_error", error)
    # as an int of C, it would be the PID of this process
    try:
        ptaudit.Handle().estimate(2**32 + os.getpid())
        result(False, "python_refuses_a_pid_that_is_too_large")
    except ptaudit.Error as error:
        result(error.errno == errno.EINVAL, "python_refuses_a_pid_that_is_too_large", error)
    handle = ptaudit.Handle(recording=os.path.join(ROOT, "selftests/data/6.12/empty"), truth=ptaudit.BPF)
    try:
        handle.check(handle.processes()[0])
        result(False, "python_chooses_the_truth")
    except ptaudit.Error as error:
        result("no walk by BPF" in str(error), "python_chooses_the_truth", error)
    row = ptaudit.Handle().estimate(pid).process()
    result(not (row.sees_empty and row.fill.entries), "python_does_not_ask_for_the_fill_by_default", row.fill.entries)
    result(ptaudit.version == version, "python_has_the_version_of_the_tool", ptaudit.version)
    check_header(ptaudit, directory)
    check_difference(ptaudit)
    check_lifetimes(ptaudit, pid)
    check_misuse(ptaudit, pid)
    said = output(sys.executable, os.path.join(ROOT, "user/examples/library/full.py"), str(pid),
                  env=os.environ | {"PYTHONPATH": installed})
    lines = said.stdout.splitlines()
    in_area = [line for line in lines if line.startswith("pte ") and
               BASE <= int(line.split()[1], 0) < BASE + SLOTS * SLOT]
    result(said.returncode == 0 and len(in_area) == SLOTS - EMPTY and "pgd 0x0" in lines,
           "python_estimator_names_the_tables_with_entries", said.stderr or len(in_area))


def main():
    words = sys.argv[1:]
    accept = words[0] == "--accept"
    tool, directory = words[accept:]
    library = os.path.join(directory, "dest/opt/ptaudit/lib/libptaudit.so.0")
    child = start(directory)
    try:
        said = json.loads(output(tool, "estimate", "--json", str(child.pid)).stdout)
        levels = {row["level"]: row["low"] for row in said["processes"][0]["levels"]}
        check_example(directory, child.pid, levels)
        check_python(directory, child.pid, levels, output(tool, "--version").stdout.split()[1])
    finally:
        child.kill()
        child.wait()
    check_virtual_environment(library)
    check_symbols(library)
    check_abi(library, directory, accept)
    end_with_total()


main()
