#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""usage: tui_test.py PTAUDIT

Tests `ptaudit top` in an emulated terminal: the screen after each key, and the state of
the terminal after the end. The screen shows two processes with known memory: one has
empty tables, the other one full tables. The screen must show no other process: root gives
both a separate UID and selects it; other users select the children of the test.
"""
import ctypes
import fcntl
import mmap
import os
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

import pyte

from results import end_with_total, result, sees_empty

HERE = os.path.dirname(os.path.abspath(__file__))
RECORDING = os.path.join(HERE, "data", "6.12", "empty")
HUGE_PAGES = os.path.join(HERE, "data", "6.12", "thp")  # 6 deposited tables
UID = 20000 + os.getpid() % 40000  # a UID that no other process has, nor another run of this test
SLOT = 2 << 20
EMPTY = 700  # number of PTE tables without entries in the first process
FULL = 9  # number of completely used slots in the other process
FULL_NAME = f"full{os.getpid()}"  # of that process
PATIENCE = 60  # seconds; each step takes less
END_OF_SCREEN = b"\x1b[?1049l"
# the sequences in the terminal's description
DOWN, END, HOME, LEFT, RIGHT = b"\x1bOB", b"\x1b[4~", b"\x1b[1~", b"\x1bOD", b"\x1bOC"
PAGE_UP, PAGE_DOWN = b"\x1b[5~", b"\x1b[6~"
# Sequences that would set the window title, clear the screen, and start a new line.
EVIL = b"\x1b]0;X\x07\x1b[2J\n"

TOOL = os.path.abspath(sys.argv[1])
SEES_EMPTY = sees_empty(TOOL)


def memory(slots):
    """A mapping of @slots slots, and the offset of the first complete one."""
    area = mmap.mmap(-1, (slots + 1) * SLOT, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    area.madvise(mmap.MADV_NOHUGEPAGE)
    address = ctypes.addressof(ctypes.c_char.from_buffer(area))
    return area, -address % SLOT


def make_empty():
    """Tables without entries: touches a page in each slot and frees it again."""
    area, at = memory(EMPTY)
    for i in range(EMPTY):
        area[at + i * SLOT] = 1
        area.madvise(mmap.MADV_DONTNEED, at + i * SLOT, mmap.PAGESIZE)
    return area


def make_full():
    area, at = memory(FULL)
    for page in range(at, at + FULL * SLOT, mmap.PAGESIZE):
        area[page] = 1
    return area


def start(make, name):
    """Start a process that has called @make and waits."""
    ready, done = os.pipe()
    pid = os.fork()
    if not pid:
        if os.geteuid() == 0:
            os.setuid(UID)
        libc = ctypes.CDLL(None)
        libc.prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
        libc.prctl(4, 1)  # PR_SET_DUMPABLE: setuid() has cleared it
        kept = make()
        libc.prctl(15, name)  # PR_SET_NAME
        os.write(done, b"x")
        while kept:
            signal.pause()
    os.close(done)
    if os.read(ready, 1) != b"x":
        sys.exit("tui_test: the measured process did not start")
    os.close(ready)
    return pid


class Terminal:
    """The tool on a terminal of its own, as a child of a session leader, as under a shell."""

    def __init__(self, *words, lines=24, columns=80, term="screen-256color", **environment):
        self.fd, slave = os.openpty()
        self.resize(lines, columns)
        self.screen = pyte.Screen(columns, lines)
        self.stream = pyte.ByteStream(self.screen)
        self.raw = b""
        self.before = termios.tcgetattr(slave)
        self.slave = slave
        told, tell = os.pipe()
        self.told = told
        self.leader = os.fork()
        if not self.leader:
            os.close(self.fd)
            os.setsid()
            fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
            signal.signal(signal.SIGTTOU, signal.SIG_IGN)
            self.lead(slave, tell, words, {**os.environ, "TERM": term, "LC_ALL": "C.UTF-8", **environment})
        os.close(tell)
        self.pid = int(self.hear())

    def lead(self, slave, tell, words, environment):
        pid = os.fork()
        if not pid:
            os.setpgid(0, 0)
            os.tcsetpgrp(slave, os.getpid())
            # a background job has SIGINT ignored, and the tool would inherit that
            for number in (signal.SIGTTOU, signal.SIGHUP, signal.SIGINT):
                signal.signal(number, signal.SIG_DFL)
            for fd in range(3):
                os.dup2(slave, fd)
            os.closerange(3, 64)
            os.execve(TOOL, ["ptaudit", "top", *words], environment)
        os.write(tell, b"%d\n" % pid)
        while True:
            _, status = os.waitpid(pid, os.WUNTRACED)
            os.write(tell, b"stopped\n" if os.WIFSTOPPED(status) else b"%d\n" % os.waitstatus_to_exitcode(status))
            if not os.WIFSTOPPED(status):
                os._exit(0)

    def hear(self):
        """Wait until the tool stops or ends, and keep reading its output. Return: what the leader reports."""
        end = time.monotonic() + PATIENCE
        line = b""
        while not line.endswith(b"\n") and time.monotonic() < end:
            if not self.take(self.told):
                continue
            byte = os.read(self.told, 1)
            if not byte:
                break
            line += byte
        while self.take():
            pass
        return line.decode().strip()

    def take(self, other=None):
        """Read output, if there is any. Return: whether there was; with @other: whether @other is readable."""
        watched = [self.fd] + ([other] if other is not None else [])
        readable = select.select(watched, [], [], 0.1)[0]
        if self.fd in readable:
            try:
                data = os.read(self.fd, 1 << 16)
            except OSError:
                data = b""
            self.raw += data
            self.stream.feed(data)
            if other is None:
                return bool(data)
        return other in readable if other is not None else False

    def resize(self, lines, columns):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        if hasattr(self, "screen"):
            self.screen.resize(lines, columns)

    def press(self, keys):
        os.write(self.fd, keys)

    def lines(self):
        return [line.rstrip() for line in self.screen.display]

    def until(self, good, name):
        """Wait until @good is true of the screen. Return: its lines, or None after a failed test."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            self.take()
            # ptaudit moves the cursor to the last line after it has drawn the others
            cursor = (self.screen.cursor.y, self.screen.cursor.x)
            if cursor == (self.screen.lines - 1, 0) and good(self.lines()):
                result(True, name)
                return self.lines()
        result(False, name, "\n".join(self.lines()))
        return None

    def end(self, name, status="0"):
        """The tool must have ended with @status and must have restored the terminal."""
        became = self.hear()
        result(became == status, name + ": the tool ends with the expected status", f"{became}, not {status}")
        result(termios.tcgetattr(self.slave) == self.before, name + ": the mode of the terminal is restored")
        result(self.raw.rfind(END_OF_SCREEN) > self.raw.rfind(b"\x1b[?1049h"), name + ": the screen is restored",
               repr(self.raw[-200:]))
        self.close()

    def close(self):
        os.waitpid(self.leader, 0)
        os.close(self.fd)
        os.close(self.slave)
        os.close(self.told)


def rows(lines):
    return [line.split() for line in lines[2:-2] if line.strip()]


def row_of(lines, pid):
    """The number of the process's row below the headings, and its cells by heading."""
    headings = lines[1].split()
    for i, cells in enumerate(rows(lines)):
        if "PID" in headings and cells[headings.index("PID")] == str(pid):
            return i, dict(zip(headings, cells))
    return None, {}


def shows(*pids):
    return lambda lines: all(row_of(lines, pid)[1] for pid in pids)


def is_before(one, other):
    return lambda lines: shows(one, other)(lines) and row_of(lines, one)[0] < row_of(lines, other)[0]


def open_mappings(terminal, pid):
    """Choose the row of the process and open it. Try again if the rows were reordered meanwhile."""
    for _ in range(5):
        terminal.until(shows(pid), "the screen shows the process to be opened")
        terminal.press(HOME + DOWN * row_of(terminal.lines(), pid)[0] + b"\r")
        lines = terminal.until(lambda lines: lines[0].startswith("PID "), "Enter shows the mappings of a process")
        if lines is None or lines[0].startswith(f"PID {pid} "):
            break
        terminal.press(b"q")
    return lines or [""]


def is_count(cell):
    """Is it the number of empty tables? The interpreter may have a few, too."""
    return cell.isdigit() and EMPTY <= int(cell) <= EMPTY + 4


def live(words, empty, full):
    terminal = Terminal(*words, "-d", "1")
    lines = terminal.until(shows(empty, full), "the first screen shows both processes") or []
    cells = row_of(lines, empty)[1]
    result(is_count(cells.get("EMPTY", "")), "column EMPTY counts the empty tables of the first process", cells)
    result("\\x1b]0;X\\x07" in "\n".join(lines), "control characters in a process name are escaped", "\n".join(lines))
    result(EVIL not in terminal.raw and b"\x1b]" not in terminal.raw and b"\x1b[2J" not in terminal.raw,
           "no escape sequence of the process name is sent to the terminal", repr(terminal.raw))
    result(re.search(rb"\x1b\[[0-9;]*4[0-7]m", terminal.raw), "the headings have a colour", repr(terminal.raw))

    terminal.press(b"E")
    terminal.until(is_before(empty, full), "E sorts by empty tables")
    terminal.press(b"M")
    terminal.until(is_before(full, empty), "M sorts by memory")
    terminal.press(b"R")
    terminal.until(is_before(empty, full), "R reverses the order")
    terminal.press(b"RE")
    terminal.until(is_before(empty, full), "RE sorts by empty tables again")
    terminal.press(b">>")
    terminal.until(lambda lines: shows(empty, full)(lines), ">> sorts by a later column")

    lines = open_mappings(terminal, empty)
    result(lines[0].startswith(f"PID {empty} "), "Enter shows the mappings of the chosen process", lines[0])
    made = [line.split() for line in lines[2:] if line.endswith("[anon]")]
    # VmPTE shows how many a process has, but not in which mapping
    result(any(is_count(cells[1]) if SEES_EMPTY else cells[1] == "-" for cells in made),
           "the mapping of the first process has the empty tables, if they are known", "\n".join(lines))
    terminal.press(b"f")
    lines = terminal.until(lambda lines: "[ ] MAPPED" in "\n".join(lines) or "[x] MAPPED" in "\n".join(lines), "f shows the columns of mappings") or []
    result(not any(line[4:].startswith("PID ") for line in lines), "mappings have no column PID", "\n".join(lines))
    terminal.press(b"\rq")
    terminal.until(shows(empty), "q returns from the mappings to the processes")

    terminal.press(b"f")
    terminal.until(lambda lines: "[ ] UID" in "\n".join(lines), "f shows the list of columns")
    # in the last column, Down must not move further
    for mark in " x":
        terminal.press(END + DOWN + b" ")
        terminal.until(lambda lines, mark=mark: f"[{mark}] WHY" in "\n".join(lines), f"space changes the last column to [{mark}]")
    terminal.press(HOME)
    terminal.press(DOWN + b" ")
    terminal.until(lambda lines: "[x] UID" in "\n".join(lines), "space chooses the column UID")
    terminal.press(b"\r")
    terminal.until(lambda lines: "UID" in lines[1].split(), "after Enter, the screen has the column UID")
    terminal.press(b"h")
    terminal.until(lambda lines: lines[1] == "Keys", "h shows the keys")
    terminal.press(b"x")

    terminal.resize(14, 60)
    lines = terminal.until(lambda lines: len(lines) == 14 and lines[13].startswith("q quit") and shows(empty)(lines),
                           "in a terminal of 60 columns the screen is drawn again") or []
    result(all(re.match(r" *\d+ ", line) for line in lines[2:12] if line), "in a terminal of 60 columns no row is wrapped", "\n".join(lines))
    terminal.press(b"q")
    terminal.end("q")


def ended_by_signals(words, empty):
    for number in (signal.SIGTERM, signal.SIGINT):
        terminal = Terminal(*words)
        terminal.until(shows(empty), f"{number.name}: the screen before the signal")
        os.kill(terminal.pid, number)
        terminal.end(number.name, str(-number))


def stopped(words, empty):
    terminal = Terminal(*words)
    terminal.until(shows(empty), "the screen before Ctrl-Z")
    terminal.press(b"\x1a")
    result(terminal.hear() == "stopped", "Ctrl-Z stops the tool")
    result(termios.tcgetattr(terminal.slave) == terminal.before, "the mode of the terminal is restored while the tool is stopped")
    terminal.screen.reset()
    os.kill(terminal.pid, signal.SIGCONT)
    terminal.until(shows(empty), "after SIGCONT the screen is drawn again")
    terminal.press(b"q")
    terminal.end("q after SIGCONT")


def vanished(words, empty):
    """The process whose mappings are shown ends."""
    victim = start(make_full, b"victim")
    terminal = Terminal(*words, "-d", "1")
    lines = open_mappings(terminal, victim)
    result(lines[0].startswith(f"PID {victim} "), "the screen shows the mappings of a process that will end", lines[0])
    os.kill(victim, signal.SIGKILL)
    os.waitpid(victim, 0)
    terminal.until(lambda lines: str(victim) in lines[-1] and shows(empty)(lines), "after the process ends, the screen says so and shows the others")
    terminal.press(b"q")
    terminal.end("q")


def without_colour(words, empty):
    terminal = Terminal(*words, NO_COLOR="1")
    terminal.until(shows(empty), "NO_COLOR: the screen shows the process")
    result(not re.search(rb"\x1b\[([0-9]+;)*[34][0-7](;[0-9]+)*m", terminal.raw), "NO_COLOR: the screen has no colour", repr(terminal.raw))
    terminal.press(b"q")
    terminal.end("NO_COLOR, q")


def tables_only(words, empty):
    """Output without a screen: --batch, or a terminal that cannot move its cursor."""
    terminal = Terminal(*words, term="dumb")
    result(terminal.hear() == "0" and b"\x1b" not in terminal.raw and b"%d" % empty in terminal.raw,
           "TERM=dumb: top prints one table and ends", repr(terminal.raw))
    terminal.close()
    terminal = Terminal("--batch", *words)
    result(terminal.hear() == "0" and b"\x1b" not in terminal.raw and b"%d" % empty in terminal.raw,
           "--batch: top prints one table and ends", repr(terminal.raw))
    terminal.close()


def repeated():
    """Tables one after the other: each begins with the time of the measurement."""
    with open(os.path.join(RECORDING, "about")) as about:
        when = next(line.split()[1] for line in about if line.startswith("time "))
    words = [TOOL, "top", "--from", RECORDING, "-d", "0.1"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as top:
        lines = [top.stdout.readline().rstrip("\n") for _ in range(12)]
        top.kill()
    table = lines[1:5]
    result(lines == [when, *table, "", when, *table, ""] and table[0].split()[0] == "PID", "-d: the time, a table, and again", lines)


def recorded():
    pid = next(name for name in os.listdir(RECORDING) if name.isdigit())
    terminal = Terminal("--from", RECORDING)
    terminal.until(lambda lines: "recording of" in lines[0] and shows(pid)(lines), "--from: the screen shows the process of the recording")
    terminal.press(b"\r")
    lines = terminal.until(lambda lines: lines[0].startswith(f"PID {pid} "), "--from: Enter shows the mappings in the recording") or []
    batch = subprocess.run([TOOL, "top", "--from", RECORDING, "-b", "-n", "-r", "-o", "START,TOTAL", pid],
                           capture_output=True, text=True, check=True).stdout.split()
    result(batch and all(any(start in line.split() for line in lines) for start in batch[0:10:2]), "--from: the mappings are those of --batch",
           "\n".join(lines))

    # two of the four rows fit
    terminal.resize(6, 80)
    top = terminal.until(lambda lines: len(lines) == 6 and lines[5].startswith("q back"), "--from: a small screen") or []
    terminal.press(PAGE_DOWN)
    terminal.until(lambda lines: lines[2].split() == top[3].split(), "PgDn: the third row is chosen, and the first one is gone")
    terminal.press(PAGE_UP)
    terminal.until(lambda lines: lines[2:4] == top[2:4], "PgUp: the first row is chosen again")
    terminal.press(RIGHT * 30)
    terminal.until(lambda lines: lines[1].split() == ["NAME"], "Right: the last column stays")
    terminal.press(LEFT * 30)
    terminal.until(lambda lines: lines[1] == top[1], "Left: all columns are back")
    terminal.press(b"qq")
    terminal.end("qq")


def deposited():
    terminal = Terminal("--from", HUGE_PAGES)
    terminal.until(shows(228), "--from: the screen shows the process with huge pages")
    terminal.press(b"\r")
    terminal.until(lambda lines: "24K of it deposited for huge pages" in lines[0], "the title of the mappings has the deposited part of VmPTE")
    terminal.press(b"qq")
    terminal.end("qq")
    terminal = Terminal("--from", HUGE_PAGES, "--bytes")
    terminal.until(lambda lines: lines[0].endswith(f"VmPTE of all {68 << 10}"), "--bytes: the title has the sum in bytes")
    terminal.press(b"\r")
    terminal.until(lambda lines: f"{24 << 10} of it deposited" in lines[0], "--bytes: the title of the mappings has bytes")
    terminal.press(b"qq")
    terminal.end("--bytes, qq")


def grouped(words, empty, full):
    """Enter opens a group, then a process of it; q and Esc go back step by step."""
    is_groups = lambda lines: "PROCESSES" in lines[1].split() and lines[-1].startswith("q quit")
    terminal = Terminal(*words, "--by", "user", "-N", "1", "-d", "1")
    terminal.until(lambda lines: is_groups(lines) and len(rows(lines)) == 1, "--by -N 1: the screen shows one group")
    terminal.press(b"\r")
    terminal.until(shows(empty, full), "--by -N 1: Enter shows all processes of the group")
    terminal.press(b"qq")
    terminal.end("--by -N 1, qq")
    twin = start(make_full, FULL_NAME.encode())
    terminal = Terminal(*words, "--by", "comm", "-d", "1")
    lines = terminal.until(lambda lines: is_groups(lines) and any(FULL_NAME in row for row in rows(lines)), "--by: the screen shows the groups") or ["", ""]
    at = next((i for i, row in enumerate(rows(lines)) if FULL_NAME in row), 0)
    terminal.press(HOME + DOWN * at + b"\r")
    is_group = lambda lines: f", {FULL_NAME}: 2 processes, " in lines[0] and shows(full, twin)(lines) and lines[-1].startswith("q back")
    lines = terminal.until(is_group, "--by: Enter shows the processes of the group") or []
    result(not shows(empty)(lines), "--by: the screen shows no process of another group", "\n".join(lines))
    lines = open_mappings(terminal, twin)
    result(lines[0].startswith(f"PID {twin} "), "--by: Enter shows the mappings of a process of the group", lines[0])
    terminal.press(b"\x1b")
    terminal.until(is_group, "--by: Esc returns to the processes of the group")
    terminal.press(DOWN + b"\r")
    terminal.until(lambda lines: lines[0].startswith("PID "), "--by: Enter shows the mappings of the second process")
    os.kill(twin, signal.SIGKILL)
    os.waitpid(twin, 0)
    terminal.press(b"q")
    terminal.until(lambda lines: f", {FULL_NAME}: 1 process, " in lines[0] and shows(full)(lines), "--by: a process that has ended is no longer in the group")
    terminal.press(b"q")
    terminal.until(is_groups, "--by: q returns to the groups")
    terminal.press(b"q")
    terminal.end("--by, q")


def limited():
    """--limit is for the rows of the command line, not for the mappings of a process that is opened."""
    pid = next(name for name in os.listdir(RECORDING) if name.isdigit())
    terminal = Terminal("--from", RECORDING, "-N", "1")
    terminal.until(shows(pid), "-N 1: the screen shows the process")
    terminal.press(b"\r")
    terminal.until(lambda lines: lines[0].startswith(f"PID {pid} ") and len(rows(lines)) == 4, "-N 1: Enter shows all mappings")
    terminal.press(b"qq")
    terminal.end("-N 1, qq")
    terminal = Terminal("--from", RECORDING, "-N", "1", pid)
    terminal.until(lambda lines: lines[0].startswith(f"PID {pid} ") and len(rows(lines)) == 1, "-N 1 PID: the screen shows one mapping")
    terminal.press(b"q")
    terminal.end("-N 1 PID, q")


def progress():
    """The bar of system is on stderr, whatever stdout is."""
    ours, theirs = os.openpty()
    with subprocess.Popen([TOOL, "system"], stdout=subprocess.DEVNULL, stderr=theirs) as tool:
        os.close(theirs)
        try:
            shown = os.read(ours, 100)
        except OSError:  # it ended
            shown = b""
        tool.kill()
    os.close(ours)
    result(shown.startswith(b"\rpage frames ["), "system: the progress bar", shown)


def main():
    empty = start(make_empty, EVIL)
    full = start(make_full, FULL_NAME.encode())
    words = ["--tree", str(os.getpid())] if os.geteuid() else ["--user", str(UID)]
    try:
        live(words, empty, full)
        ended_by_signals(words, empty)
        stopped(words, empty)
        vanished(words, empty)
        without_colour(words, empty)
        tables_only(words, empty)
        repeated()
        recorded()
        deposited()
        grouped(words, empty, full)
        limited()
        if os.geteuid() == 0:  # others cannot read the page frames
            progress()
    finally:
        for pid in (empty, full):
            os.kill(pid, signal.SIGKILL)
    end_with_total()


main()
