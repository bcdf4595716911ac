#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tests `ptaudit score` with formulas that are wrong by known numbers. The measured
processes are stopped: one has 64 slots with a PTE table each, the other one has 16."""
import ctypes
import json
import mmap
import os
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from results import end_with_plan, result  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
TOOL = os.path.join(HERE, "..", "..", "user", "ptaudit")
PLAIN = os.path.join(HERE, "..", "..", "user", "examples", "pagemap.py")
SLOT = 2 << 20
# An address without a mapping: below the executable and above mmap_min_addr.
NOWHERE = 64 << 20


def process_with(slots):
    """A stopped process that wrote to each slot of a mapping of its own."""
    there, here = os.pipe()
    pid = os.fork()
    if not pid:
        area = mmap.mmap(-1, (slots + 1) * SLOT, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        area.madvise(mmap.MADV_NOHUGEPAGE)
        first = ctypes.addressof(ctypes.c_char.from_buffer(area))
        first += -first % SLOT
        for i in range(slots):
            ctypes.memset(first + i * SLOT, 1, 1)
        os.write(here, first.to_bytes(8, "little"))
        while True:
            signal.pause()
    first = int.from_bytes(os.read(there, 8), "little")
    os.close(there)
    os.close(here)
    os.kill(pid, signal.SIGSTOP)
    os.waitpid(pid, os.WUNTRACED)
    return pid, first


def ask(*words):
    return subprocess.run([TOOL, *words], capture_output=True, text=True, check=False)


def score(*words):
    done = ask("score", "--json", *words)
    try:
        return json.loads(done.stdout)["estimators"], done
    except ValueError:
        return [], done


def level(row, name):
    return next(at for at in row["levels"] if at["level"] == name)


def program(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="ascii") as file:
        file.write(text)
    os.chmod(path, 0o700)
    return path


def kernel_counts(pid):
    checked = json.loads(ask("check", "--json", str(pid)).stdout)["processes"][0]
    return {row["level"]: row["kernel"] for row in checked["levels"]}


def counts_off_by(folder, big, small):
    """The formula states 7 tables too many for one process and 2 too few for the other."""
    pte = {pid: kernel_counts(pid)["pte"] for pid in (big, small)}
    formula = program(
        folder,
        "count",
        f"""#!/bin/sh
        case $1 in
        {big}) echo pte count {pte[big] + 7};;
        {small}) echo pte count {pte[small] - 2};;
        esac
        """,
    )
    rows, done = score(formula, "--", str(big), str(small))
    row = rows[0]
    at = level(row, "pte")
    result(
        done.returncode == 0
        and row["counts"]
        and [at["level"] for at in row["levels"]] == ["pte"]
        and (at["kernel"], at["estimate"]) == (sum(pte.values()), sum(pte.values()) + 5)
        and (at["errors"], at["missed"], at["invented"]) == (9, 2, 7)
        and (at["mean_errors"], at["worst_errors"], at["worst_pid"]) == (4.5, 7, big)
        and [worst["pid"] for worst in row["worst"]] == [big, small]
        and (row["processes"], row["exact"], row["wrong"]) == (2, 0, 2),
        "score_sums_up_counts_that_are_off_by_7_and_2",
        done.stdout + done.stderr,
    )
    done = ask("score", formula, "--", str(big), str(small))
    result(
        f"pte {pte[big] + 7} for {pte[big]}" in done.stdout and f"pte {pte[small] - 2} for" in done.stdout,
        "text_of_score_has_both_wrong_counts",
        done.stdout + done.stderr,
    )
    done = ask("score", "--levels", "pmd", formula, "--", str(big))
    result(
        done.returncode == 2 and "not scored" in done.stderr,
        "score_of_a_level_that_the_formula_does_not_state_fails",
        done.stdout + done.stderr,
    )
    for command in ("check", "estimate"):
        done = ask(command, "--estimator", formula, str(big))
        result(
            done.returncode == 2 and "states counts, not tables" in done.stderr and done.stderr.count("\n") == 1,
            f"{command}_refuses_a_formula_that_states_counts",
            done.stdout + done.stderr,
        )


def tables_off_by(folder, big, first, small):
    """The formula leaves out 3 tables of one process and invents 2; the other process is right."""
    left_out = "|".join(hex(first + i * SLOT) for i in (0, 20, 63))
    formula = program(
        folder,
        "tables",
        f"""#!/bin/sh
        [ $1 = {big} ] || exec {PLAIN} $1
        {PLAIN} $1 | grep -vE '^pte ({left_out})$'
        echo pte {NOWHERE:x}
        echo pte {NOWHERE + SLOT:x}
        """,
    )
    rows, done = score("--levels", "pte", PLAIN, formula, "--", str(big), str(small))
    right, wrong = (level(row, "pte") for row in rows)
    result(
        done.returncode == 0
        and (wrong["errors"] - right["errors"], wrong["explained"]) == (5, right["explained"])
        and (wrong["missed"] - right["missed"], wrong["invented"] - right["invented"]) == (3, 2)
        and wrong["estimate"] - right["estimate"] == -1
        and wrong["worst_pid"] == big
        and right["errors"] == 0,
        "score_counts_3_missed_and_2_invented_tables",
        "\n".join(str(at) for at in (right, wrong)) + done.stderr,
    )


def failures(folder, big):
    formula = program(folder, "fails", "#!/bin/sh\nexit 3\n")
    rows, done = score(formula, "naive", "--", str(big))
    result(
        done.returncode == 2
        and [row["processes"] for row in rows] == [0, 1]
        and rows[0]["not_measured"] == 1
        and "ended with exit status 3" in done.stderr,
        "score_of_a_formula_that_fails_is_status_2",
        done.stdout + done.stderr,
    )


def main():
    probe = ask("check", "--truth", "bpf", str(os.getpid()))
    if os.geteuid() or probe.returncode == 2:
        print("1..0 # SKIP", probe.stderr.strip().splitlines()[0] if probe.stderr else "needs root")
        sys.exit(4)
    big, first = process_with(64)
    small, _ = process_with(16)
    try:
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            more = kernel_counts(big)["pte"] - kernel_counts(small)["pte"]
            result(more == 48, "the_processes_differ_by_48_tables", more)
            counts_off_by("./", big, small)
            tables_off_by("./", big, first, small)
            failures("./", big)
    finally:
        os.kill(big, signal.SIGKILL)
        os.kill(small, signal.SIGKILL)
    end_with_plan()


main()
