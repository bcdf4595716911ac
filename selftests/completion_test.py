#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Completion in an interactive bash: with a tool whose names are invented here, so that
nothing but its help can tell them, and with the real tool. Prints KTAP."""
import os
import pty
import re
import select
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

HELP = """Usage:
 ptaudit COMMAND

Commands:
 check     compare
 zebra     invented

Options:
 -h, --help                display this help
"""
ZEBRA = """Usage:
 ptaudit zebra

Options:
 -o, --output [+]COLS      output columns
     --stripes             invented
     --truth WHICH         one of a few
 -e, --estimator NAME,...  estimators

Estimators (invented):
 quagga    an estimator
 ./PROGRAM any executable
"""
TOOL = f"""#!/bin/sh
case "$*" in
--help) cat <<'END'
{HELP}END
;;
*--help) cat <<'END'
{ZEBRA}END
;;
*--list-columns) printf '%s\\n' '  GNU  a column' '  OKAPI  another';;
*--truth*) echo "unknown truth '?'; there are lion, tiger and bear" >&2; exit 2;;
esac
"""

# What is typed before TAB, and what then stands there.
INVENTED = [
    ("a_command", "ptaudit ze", "ptaudit zebra "),
    ("an_option", "ptaudit zebra --st", "ptaudit zebra --stripes "),
    ("a_column", "ptaudit zebra -o GN", "ptaudit zebra -o GNU"),
    ("a_second_column", "ptaudit zebra -o GNU,O", "ptaudit zebra -o GNU,OKAPI"),
    ("a_column_to_add", "ptaudit zebra --output=+OK", "ptaudit zebra --output=+OKAPI"),
    ("an_estimator", "ptaudit zebra -e all,qu", "ptaudit zebra -e all,quagga"),
    ("a_word_of_an_option", "ptaudit zebra --truth ti", "ptaudit zebra --truth tiger "),
    ("nothing_for_an_unknown_column", "ptaudit zebra -o XYZ", "ptaudit zebra -o XYZ"),
    ("help_of_a_command", "ptaudit help ze", "ptaudit help zebra "),
]
REAL = [
    ("real_command", "ptaudit kpa", "ptaudit kpagemap "),
    ("real_option", "ptaudit estimate --req", "ptaudit estimate --require-all "),
    ("no_option_of_another_command", "ptaudit cow --req", "ptaudit cow --req"),
    ("real_column", "ptaudit estimate -o RESI", "ptaudit estimate -o RESIDUAL"),
    ("column_of_check_pages", "ptaudit check --pages -o KE", "ptaudit check --pages -o KE"),
    ("real_estimator", "ptaudit check -e naive,wri", "ptaudit check -e naive,written"),
    ("a_program_after_dashes", "ptaudit -- mkfif", "ptaudit -- mkfifo "),
]


def process():
    """A process that lives on, whose PID is the beginning of no other one."""
    for _ in range(1000):
        child = subprocess.Popen(["sleep", "600"])
        if sum(name.startswith(str(child.pid)) for name in os.listdir("/proc")) == 1:
            return child
        child.kill()
        child.wait()
    raise RuntimeError("each PID is the beginning of another one")


class Bash:
    """An interactive bash with nothing but the completion in it."""

    def __init__(self, path):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update(PATH=path + ":/usr/bin:/bin", TERM="dumb", LC_ALL="C", PS1="", COLUMNS="200")
            os.execv("/bin/bash", ["bash", "--norc", "--noprofile", "-i"])
        self.ask("bind 'set bell-style none'; bind 'set enable-bracketed-paste off'; stty -echo cols 200; PS1=''")
        self.ask(f"source {ROOT}/user/completion/ptaudit.bash")
        # Ctrl-X shows the line as it is, between marks, instead of running it.
        self.ask("show() { printf '\\n<<%s>>\\n' \"$READLINE_LINE\"; READLINE_LINE=; }; bind -x '\"\\C-x\": show'")

    def read_to(self, pattern):
        text, end = "", time.monotonic() + 60
        while not (found := re.search(pattern, text, re.S)):
            if not select.select([self.fd], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError(repr(text[-300:]))
            text += os.read(self.fd, 4096).decode(errors="replace")
        return found

    def ask(self, line):
        mark = f"mark{time.monotonic_ns()}"
        os.write(self.fd, f"{line}; echo {mark[:4]}''{mark[4:]}\n".encode())
        self.read_to(mark)

    def completed(self, typed):
        os.write(self.fd, (typed + "\t\x18").encode())
        return self.read_to(r"<<(.*?)>>").group(1)

    def close(self):
        os.close(self.fd)
        os.waitpid(self.pid, 0)


def main():
    nr = failed = 0
    print("KTAP version 1")
    with tempfile.TemporaryDirectory() as path:
        with open(f"{path}/ptaudit", "w", encoding="ascii") as tool:
            tool.write(TOOL)
        os.chmod(f"{path}/ptaudit", 0o755)
        for where, cases in ((path, INVENTED), (f"{ROOT}/user", REAL)):
            bash = Bash(where)
            child = process()
            a_pid = ("a_pid", f"ptaudit check {child.pid}", f"ptaudit check {child.pid} ")
            for name, typed, expected in cases + [a_pid]:
                got = bash.completed(typed)
                nr += 1
                failed += got != expected
                print(f"{'ok' if got == expected else 'not ok'} {nr} {name}")
                if got != expected:
                    print(f"# {typed!r} became {got!r}, not {expected!r}")
            bash.close()
            child.kill()
            child.wait()
    print(f"1..{nr}\n{nr - failed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
