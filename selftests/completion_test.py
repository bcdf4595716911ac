#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tests the completion in interactive shells, with the real tool and with a stand-in. The
words of the stand-in are invented, so that only its --complete can supply them."""
import os
import pty
import re
import select
import shlex
import subprocess
import sys
import tempfile
import time

from results import end_with_total, result

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# The output of the stand-in, by the words after --complete.
WORDS = {
    ("ze",): "check\tcompare\nzebra\tinvented",
    ("zebra", "--st"): "--help\tthis\n--stripes\tinvented: as all\n",
    ("zebra", "-o", "GN"): ":more\nGNU\ta column\nOKAPI\tanother",
    ("zebra", "-o", "XYZ"): ":more\nGNU\ta column\nOKAPI\tanother",
    ("zebra", "-o", "GNU,O"): ":more\nGNU,GNU\ta column\nGNU,OKAPI\tanother",
    ("zebra", "--output=+OK"): ":more\n--output=+GNU\ta column\n--output=+OKAPI\tanother",
    ("zebra", "--unit", r"dev\x2"): r"dev\x2dgnu.swap",
    ("zebra", "--unit", "a:q"): "a:quagga\na:lion",
    ("zebra", "--from", "anim"): ":dirs",
    ("zebra", "-o", ""): ":more\nGNU\ta column",
    ("zebra", "--from=anim"): ":dirs",
    ("zebra", "--module=anima"): ":files",
    ("zebra", "--module", "anima"): ":files",
    ("zebra", "-e", "quagga,./bea"): ":more\n:list-of-files",
    ("zebra", "--", "mkfif"): ":commands",
}
# What is completed (the name of the test has it), the text typed before TAB, and the resulting line.
# ~ at its end: the word can continue. Then only fish inserts a blank.
INVENTED = [
    ("a_command", "ptaudit ze", "ptaudit zebra "),
    ("an_option", "ptaudit zebra --st", "ptaudit zebra --stripes "),
    ("a_column", "ptaudit zebra -o GN", "ptaudit zebra -o GNU~"),
    ("the_only_column", "ptaudit zebra -o ", "ptaudit zebra -o GNU~"),
    ("a_second_column", "ptaudit zebra -o GNU,O", "ptaudit zebra -o GNU,OKAPI~"),
    ("a_column_to_add", "ptaudit zebra --output=+OK", "ptaudit zebra --output=+OKAPI~"),
    ("no_unknown_column", "ptaudit zebra -o XYZ", "ptaudit zebra -o XYZ"),
    ("a_backslash", r"ptaudit zebra --unit dev\\x2", r"ptaudit zebra --unit dev\\x2dgnu.swap "),
    ("a_colon", "ptaudit zebra --unit a:q", "ptaudit zebra --unit a:quagga "),
    ("a_directory", "ptaudit zebra --from anim", "ptaudit zebra --from animals/"),
    ("a_directory_behind_equals", "ptaudit zebra --from=anim", "ptaudit zebra --from=animals/"),
    ("a_file_behind_equals", "ptaudit zebra --module=anima", "ptaudit zebra --module=animal"),
    ("a_file", "ptaudit zebra --module anima", "ptaudit zebra --module animal"),
    ("a_file_in_a_list", "ptaudit zebra -e quagga,./bea", "ptaudit zebra -e quagga,./bear~"),
    ("a_program_after_dashes", "ptaudit zebra -- mkfif", "ptaudit zebra -- mkfifo "),
]
REAL = [
    ("a_real_command", "ptaudit kpa", "ptaudit kpagemap "),
    ("a_real_option", "ptaudit estimate --req", "ptaudit estimate --require-all "),
    ("no_option_of_another_command", "ptaudit cow --req", "ptaudit cow --req"),
    ("a_real_column", "ptaudit estimate -o RESI", "ptaudit estimate -o RESIDUAL~"),
    ("a_real_estimator", "ptaudit check -e naive,wri", "ptaudit check -e naive,written~"),
    ("a_real_column_beside_json", "ptaudit estimate -J -o RESI", "ptaudit estimate -J -o RESIDUAL~"),
    ("a_real_column_of_watch", "ptaudit watch -o GRO", "ptaudit watch -o GROWTH~"),
    ("a_real_column_of_whatif", "ptaudit whatif -o UPP", "ptaudit whatif -o UPPER~"),
    ("a_real_column_of_reclaim", "ptaudit reclaim -o TABLES,TAK", "ptaudit reclaim -o TABLES,TAKES~"),
    ("a_real_column_of_ranges", "ptaudit flags --ranges -o STA", "ptaudit flags --ranges -o START~"),
    ("no_column_of_ranges", "ptaudit flags -o STA", "ptaudit flags -o STA"),
    ("a_real_column_to_sort_by", "ptaudit top --sort TOT", "ptaudit top --sort TOTAL "),
    ("a_real_column_to_sort_mappings_by", "ptaudit top 1 --sort STA", "ptaudit top 1 --sort START "),
    ("a_real_column_to_sort_json_by", "ptaudit system -J --sort ABO", "ptaudit system -J --sort ABOUT "),
    ("a_real_column_to_sort_tables_by", "ptaudit whatif --sort TAK", "ptaudit whatif --sort TAKES "),
    ("a_real_option_behind_a_number", "ptaudit whatif -N 3 --nohe", "ptaudit whatif -N 3 --noheadings "),
    ("no_order_of_watch", "ptaudit watch --sor", "ptaudit watch --sor"),
    ("a_real_user", "ptaudit top --user roo", "ptaudit top --user root "),
    ("a_real_name", "ptaudit top --name quagga-for-t", "ptaudit top --name quagga-for-tes "),
    ("a_real_help", "ptaudit help kpa", "ptaudit help kpagemap "),
    ("a_real_directory", "ptaudit check --from anim", "ptaudit check --from animals/"),
]


def invent(path):
    """Create the stand-in and files to complete in the directory @path."""
    cases = "".join(f"{shlex.quote(chr(31).join(typed))}) printf '%s\\n' {shlex.quote(said)};;\n"
                    for typed, said in WORDS.items())
    with open(f"{path}/ptaudit", "w", encoding="ascii") as tool:
        tool.write("#!/bin/sh\n[ \"$1\" = --complete ] || exit 2\nshift\n"
                   f"IFS='{chr(31)}'\ncase \"$*\" in\n{cases}esac\n")
    os.chmod(f"{path}/ptaudit", 0o755)
    os.mkdir(f"{path}/files")
    os.mkdir(f"{path}/files/animals")
    for name in ("animal", "bear"):
        with open(f"{path}/files/{name}", "w", encoding="ascii"):
            pass


def process(path):
    """Start a process whose PID is not a prefix of another PID."""
    if not os.path.exists(f"{path}/quagga-for-tes"):
        os.symlink("/bin/sleep", f"{path}/quagga-for-tes")
    for _ in range(1000):
        child = subprocess.Popen([f"{path}/quagga-for-tes", "600"])
        if sum(name.startswith(str(child.pid)) for name in os.listdir("/proc")) == 1:
            return child
        child.kill()
        child.wait()
    raise RuntimeError("each PID is a prefix of another one")


class Shell:
    """An interactive shell that has only the completion configured. Ctrl-T prints the line
    between marks instead of running it."""

    name = ""
    command = []
    setup = ()
    more = ""

    def __init__(self, path, directory):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(directory)
            os.environ.update(PATH=path + ":/usr/bin:/bin", TERM="dumb", LC_ALL="C", PS1="", COLUMNS="200", INPUTRC="/dev/null",
                              HOME=directory, XDG_CONFIG_HOME=directory, XDG_DATA_HOME=directory)
            os.execvp(self.command[0], self.command)
        for line in self.setup:
            self.ask(line.format(root=ROOT))

    def read_to(self, pattern):
        text, end = "", time.monotonic() + 60
        while not (found := re.search(pattern, text, re.S)):
            if not select.select([self.fd], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError(f"{self.name}: {text[-1000:]!r}")
            text += os.read(self.fd, 4096).decode(errors="replace")
        return found

    def ask(self, line):
        mark = f"mark{time.monotonic_ns()}"
        os.write(self.fd, f"{line}; echo {mark[:4]}''{mark[4:]}\r".encode())
        self.read_to(mark)

    def completed(self, typed):
        os.write(self.fd, (typed + "\t\x14").encode())
        return self.read_to(r"<<(.*?)>>").group(1)

    def close(self):
        os.close(self.fd)
        os.waitpid(self.pid, 0)


class Bash(Shell):
    name = "bash"
    command = ["bash", "--norc", "--noprofile", "-i"]
    setup = (
        "bind 'set bell-style none'; bind 'set enable-bracketed-paste off'; stty -echo cols 200; PS1=''",
        "source {root}/user/completion/ptaudit.bash",
        "show() {{ printf '\\n<<%s>>\\n' \"$READLINE_LINE\"; READLINE_LINE=; }}; bind -x '\"\\C-t\": show'",
    )


class Zsh(Shell):
    name = "zsh"
    command = ["zsh", "-f", "-i"]
    setup = (
        "unsetopt zle_bracketed_paste prompt_sp beep; stty -echo cols 200; PS1=''",
        "fpath=({root}/user/completion $fpath); autoload -Uz compinit; compinit -D -u",
        "show() {{ print -r -- $'\\n'\"<<$BUFFER>>\"; BUFFER=; }}; zle -N show; bindkey '^T' show",
    )


class Fish(Shell):
    name = "fish"
    command = ["fish", "--no-config", "-i"]
    setup = (
        "function fish_prompt; end; set -g fish_autosuggestion_enabled 0; stty cols 200",
        "source {root}/user/completion/ptaudit.fish",
        "function show; printf '\\n<<%s>>\\n' (commandline | string collect); commandline ''; end; bind \\ct show",
    )
    more = " "


def main():
    with tempfile.TemporaryDirectory() as path:
        invent(path)
        child = process(path)
        a_pid = ("a_pid", f"ptaudit check {child.pid}", f"ptaudit check {child.pid} ")
        for kind in (Bash, Zsh, Fish):
            for where, cases in ((path, INVENTED), (f"{ROOT}/user", REAL + [a_pid])):
                shell = kind(where, f"{path}/files")
                for name, typed, expected in cases:
                    got = shell.completed(typed)
                    expected = expected.replace("~", kind.more)
                    result(got == expected, f"{kind.name}_completes_{name}", f"{typed!r} became {got!r}, not {expected!r}")
                shell.close()
        child.kill()
        child.wait()
    end_with_total()


if __name__ == "__main__":
    main()
