# SPDX-License-Identifier: GPL-2.0-only
"""Compares the processes of a load repeatedly, every second time with --freeze, and adds up
the results."""
import collections
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from programs import comm, end_all, family  # noqa: E402
from results import result  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
TOOL = os.path.abspath(os.environ.get("PTAUDIT_TOOL") or os.path.join(HERE, "..", "..", "user", "ptaudit"))
GONE, OK = "gone", "ok"
MORE_S = 60
COLUMNS = (OK, "unstable", "failed", GONE, "tables", "matched", "explained", "in_flux", "unexplained")


class Load:
    """The results of one load: of comparisons while it ran, and while it was frozen."""

    def __init__(self, name, truth, hold=None):
        """@hold: called for each measured process; returns a list of what is wrong with it"""
        self.name, self.truth, self.hold = name, truth, hold
        self.rounds = 0
        self.nr = {frozen: collections.Counter() for frozen in (False, True)}
        self.reasons = collections.Counter()
        self.wrong = []

    def compare(self, frozen, *words, most_s=None):
        """Run check once on @words: PIDs, or a command. After @most_s seconds it is killed."""
        with subprocess.Popen(
            [TOOL, "check", "--json", "--mappings", "--truth", self.truth, *(["--freeze"] if frozen else []), *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        ) as process:
            try:
                output, errors = process.communicate(timeout=most_s)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                return
        self.rounds += 1
        try:
            processes = json.loads(output)["processes"]
        except ValueError:
            if b"it had not started yet" in errors:
                return
            self.wrong.append(f"exit status {process.returncode}, no report: {errors.decode(errors='replace')}")
            return
        for process in processes:
            self.add(process, self.nr[frozen], frozen)

    def add(self, process, nr, frozen):
        status = GONE if "is a zombie" in process.get("error", "") else process["status"]
        nr[status] += 1
        if status not in (OK, GONE):
            self.reasons[("frozen: " if frozen else "") + "".join("N" if c.isdigit() else c for c in process["error"])] += 1
        if process.get("unexplained"):
            self.wrong.append(json.dumps({key: value for key, value in process.items() if key not in ("mappings", "estimators", "levels", "fill")}))
        for level in process.get("levels", []) if status == OK else []:
            nr["tables"] += level["kernel"]
            nr["matched"] += level["kernel"] - level["kernel_only"]
            for key in ("explained", "in_flux", "unexplained"):
                nr[key] += level[key]
        if self.hold and status == OK:
            self.wrong += self.hold(process)

    def has_both(self):
        return all(nr[OK] for nr in self.nr.values())

    def compare_family(self, seconds):
        """Compare all started processes except shells, for @seconds, or longer if nothing was measured yet."""
        deadline = time.monotonic() + seconds
        while not self.wrong and time.monotonic() < deadline + (0 if self.has_both() else MORE_S):
            pids = [str(pid) for pid in family() if comm(pid) not in ("", "sh")]
            if pids:
                self.compare(self.rounds % 2 == 1, *pids)

    def run(self, act, both=True):
        """Call @act, which starts and compares processes, in a new directory; then judge."""
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            os.chdir(folder)
            os.chmod(folder, 0o755)
            try:
                act(self)
            except (OSError, subprocess.CalledProcessError) as error:
                self.wrong.append(str(error))
            finally:
                os.chdir("/")
                end_all()
        self.judge(both)

    def judge(self, both):
        """@both: require results of running and of frozen processes"""
        running, frozen = self.nr[False], self.nr[True]
        missed = sum(nr for status, nr in frozen.items() if status in ("unstable", "failed"))
        figures = ", ".join(f"{running[key] + frozen[key]} {key}" for key in COLUMNS).replace("_", " ")
        why = [*self.wrong, *(f"{nr} times: {reason}" for reason, nr in self.reasons.items())]
        done = self.has_both() if both else running[OK] + frozen[OK]
        result(done and not missed and not self.wrong, f"{self.name} # {figures}", "\n".join(why))
        for reason, nr in self.reasons.items():
            print(f"# {nr} times: {reason}", flush=True)


def print_table(loads):
    print("| load | " + " | ".join(COLUMNS).replace("_", " ") + " |\n" + "|---" * (len(COLUMNS) + 1) + "|")
    for load in loads:
        for frozen, name in ((False, load.name), (True, load.name + ", frozen")):
            print("| " + " | ".join([name, *(str(load.nr[frozen][key]) for key in COLUMNS)]) + " |")
    running = [sum(load.nr[False][status] for load in loads) for status in (OK, "unstable", "failed")]
    if sum(running):
        print(f"# running processes: {sum(running[1:])} of {sum(running)} could not be measured, {100 * sum(running[1:]) / sum(running):.1f} %")
