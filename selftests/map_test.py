#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""usage: map_test.py PTAUDIT [--write]

Tests `ptaudit map` on the recordings and on a process of this machine. The expected
values follow from the golden output of check, from the list of single tables, and from
the memory that the process maps. For some recordings the complete output is compared with
data/KERNEL/NAME.map. --write rewrites these files; review the changes.
"""
import fcntl
import json
import os
import pty
import re
import stat
import struct
import subprocess
import sys
import tempfile
import termios
import unicodedata

from results import end_with_total, result

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "data")
ENTRY = 8
REACH = 2 << 20


def ask(tool, *words, locale="C.UTF-8", **settings):
    environment = dict(os.environ, LC_ALL=locale, **settings)
    return subprocess.run([tool, "map", *words], capture_output=True, env=environment, check=False)


def read_json(tool, *words):
    done = ask(tool, "--json", *words)
    return json.loads(done.stdout)["processes"][0] if done.stdout else {"error": done.stderr.decode()}


def golden(path):
    """The golden output of check for the recording, without its last line."""
    with open(path + ".json", encoding="utf-8") as file:
        text = file.read()
    return json.loads(text[: text.rindex("exit status")])["processes"][0]


def mapped(path):
    """Start and end of each mapping of the recorded process."""
    folder = next(entry.path for entry in os.scandir(path) if entry.name.isdigit())
    with open(os.path.join(folder, "maps"), encoding="utf-8", errors="replace") as file:
        return [[int(word, 16) for word in line.split()[0].split("-")] for line in file]


def judge_sizes(tool, path, name):
    """SPAN includes the gaps between the mappings of a row; MAPPED does not."""
    wrong = []
    rows = read_json(tool, "-o", "START,END,MAPPED,SPAN", "--from", path)["mappings"]
    for row in rows:
        start, end = int(row["start"], 16), int(row["end"], 16)
        size = sum(last - first for first, last in mapped(path) if start <= first and last <= end)
        if row["mapped_bytes"] != size or row["span_bytes"] != end - start:
            wrong.append(row)
    result(rows and not wrong, f"{name}: MAPPED is the sum of the mappings between START and END", wrong)


def judge_recording(tool, path, name):
    expected = golden(path)
    process = read_json(tool, "--tables", "--from", path)
    levels = {row["level"]: row for row in process.get("levels", [])}
    for row in expected["levels"]:
        got = levels.get(row["level"], {})
        same = got.get("tables") == row["kernel"] and got.get("bytes") == row["bytes"]
        result(same, f"{name}: the number of {row['level']} tables is that of check", f"{row}\n{got}")
    huge = {row["level"]: row["entries"] for row in expected["leaves"]}
    got = {level: row["huge_pages"] for level, row in levels.items() if row["huge_pages"]}
    result(got == huge, f"{name}: the number of huge pages is that of check", f"{huge}\n{got}")
    tables = [table for table in process["tables"] if table["kind"] == "table"]
    ptes = [table["used_entries"] for table in tables if table["level"] == "pte"]
    # an upper table without a page in its reach is waste as a whole
    hollow = sum(row["empty_tables"] for level, row in levels.items() if level != "pte")
    waste = sum(512 - used for used in ptes) * ENTRY + hollow * 4096
    result(process["waste_bytes"] == waste, f"{name}: the waste of the process is the sum over its tables", f"{waste}\n{process['waste_bytes']}")
    result(sum(row["waste_bytes"] or 0 for row in process["mappings"]) == waste, f"{name}: the waste of the process is the sum over its mappings")
    result(levels["pte"]["empty_tables"] == ptes.count(0), f"{name}: the empty tables are those without entries")
    total = sum(row["bytes"] for row in levels.values()) + expected["vmpte"]["deposited_tables"] * 4096
    result(process["total_bytes"] == total, f"{name}: the total includes the deposited tables", f"{total}\n{process['total_bytes']}")
    upper = {}
    for table in process["tables"]:
        above = {"pte": ("pmd", 30), "pmd": ("pud", 39), "pud": ("pgd", 64)}
        level, shift = above.get(table["level"], (None, 0))
        if table["kind"] == "huge":
            level, shift = table["level"], {"pmd": 30, "pud": 39}[table["level"]]
        if level:
            key = (level, int(table["start"], 16) >> shift << shift)
            upper[key] = upper.get(key, 0) + 1
    wrong = [
        table
        for table in tables
        if table["level"] in ("pmd", "pud", "pgd")
        and table["used_entries"] < upper.get((table["level"], int(table["start"], 16)), 0)
    ]
    result(not wrong, f"{name}: upper tables have an entry for each table and huge page below", wrong)
    text = ask(tool, "--from", path).stdout.decode()
    said = re.findall(r"^waste in upper tables that hold nothing: ([0-9]+)K \(([0-9]+)\)$", text, re.M)
    result(said == ([(str(hollow * 4), str(hollow))] if hollow else []), f"{name}: upper tables that hold nothing are named", f"{hollow}\n{text}")
    judge_sizes(tool, path, name)
    raw = ask(tool, "--tables", "--raw", "--noheadings", "--from", path).stdout.decode().splitlines()
    want = [(t["level"], t["start"], str(t["used_entries"])) for t in tables]
    result([tuple(line.split(" ")[:3]) for line in raw] == want, f"{name}: --tables --raw prints each table", raw)


def cells(text):
    """(address, cells) of each line of the strip."""
    return re.findall(r"^ *(0x[0-9a-f]+) ([^\s].*)$", text, re.M)


# Recordings with empty tables and their causes, with both kernel sides, shared tables, huge
# pages, and markers.
SHOWN = ["6.1/both", "6.1/empty", "6.1/hugetlb", "6.18/thp", "7.2/guard"]


def form(tool, path):
    """The output of map as text and as JSON, and the data in the pages of map and check."""
    parts = ["map", ask(tool, "--from", path, COLUMNS="80").stdout.decode()]
    parts += ["map --json --tables", ask(tool, "--json", "--tables", "--from", path).stdout.decode()]
    with tempfile.TemporaryDirectory() as folder:
        for command in ("map", "check"):
            page = os.path.join(folder, "page.html")
            sides = ["--truth", "both"] if (command, os.path.basename(path)) == ("check", "both") else []
            done = subprocess.run([tool, command, "--html", page, "--from", path, *sides], capture_output=True, check=False)
            if b"built without pages" in done.stderr:
                break
            with open(page, encoding="utf-8") as file:
                data = json.loads(re.search(r'(?s)id="data">(.*?)</script>', file.read())[1])
            lines = [f"{key}: {json.dumps(value)}\n" for key, value in data.items() if key != "sides"]
            lines += [f"{side['name']} {key}: {json.dumps(value)}\n" for side in data["sides"] for key, value in side.items()]
            parts += [f"{command} --html", "".join(lines)]
    return "".join(f"# {title}\n{text}" for title, text in zip(parts[::2], parts[1::2]))


def judge_form(tool, name, write):
    path = os.path.join(DATA, name)
    got = form(tool, path)
    pages = "\n# map --html\n"
    if write:
        with open(path + ".map", "w", encoding="utf-8") as file:
            file.write(got)
    with open(path + ".map", encoding="utf-8") as file:
        want = file.read()
    if pages not in got:
        print(f"# {name}: the tool was built without pages; their data is not compared")
        want = want[: want.index(pages) + 1]
    differ = [line for line in zip(want.splitlines(), got.splitlines()) if line[0] != line[1]]
    result(got == want, f"{name}: text, JSON and page data equal the reviewed ones", differ[:3])


def judge_strip(tool, path, name):
    drawn = read_json(tool, "--tables", "--from", path)["tables"]
    units = {int(t["start"], 16) // REACH for t in drawn if t["level"] == "pte" or t["kind"] == "huge"}
    for width in (60, 80, 200):
        text = ask(tool, "--from", path, COLUMNS=str(width), locale="C").stdout.decode("ascii")
        lines = text.split("\n\n")[1].splitlines()
        result(max(map(len, lines)) <= width, f"{name}: the strip fits into {width} columns", lines)
        strip = cells("\n".join(lines))
        nr_cells = sum(len(line.replace(" ", "")) for _, line in strip)
        at_units = "a cell: 2M" in text
        good = nr_cells == len(units) if at_units else 0 < nr_cells < len(units)
        result(good, f"{name}: at {width} columns the strip has as many cells as it should", f"{len(units)} places\n{text}")
    text = ask(tool, "--from", path).stdout.decode()
    result("\033" not in text and re.search("[░▒▓█]|H |o ", text), f"{name}: output to a file has block elements and no colour")


def on_terminal(tool, *words, width=80, **settings):
    """The output of map on a terminal."""
    pid, fd = pty.fork()
    if pid == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
        os.environ.update(dict(LC_ALL="C.UTF-8", TERM="xterm"), **settings)
        os.execv(tool, [tool, "map", *words])
    text = b""
    try:
        while part := os.read(fd, 65536):
            text += part
    except OSError:
        pass
    os.waitpid(pid, 0)
    os.close(fd)
    return text


CHILD = """
import ctypes, mmap, sys
ctypes.CDLL(None).prctl(15, b"a\\x1b[31m\\n<\\xff")
m = mmap.mmap(-1, 64 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
m.madvise(15)
for i in range(0, 64 << 20, 4096): m[i] = 1
print("ready", flush=True)
sys.stdin.read()
"""


def judge_process(tool):
    with subprocess.Popen([sys.executable, "-c", CHILD], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        child.stdout.readline()
        pid = str(child.pid)
        process = read_json(tool, pid)
        # 64 MiB written in 4 KiB pages: at least 31 full tables
        full = [row for row in process["mappings"] if row["tables"] >= 32 and row["used_entries"] >= 16384]
        result(full, "the written 64 MiB have 16384 entries in at least 32 tables", process)
        text = ask(tool, pid).stdout
        result(text.startswith(b"a\\x1b[31m\\x0a<\\xff ("), "control characters in a process name are escaped", text[:100])
        result(b"\x1b" not in text, "the output has no escape sequence of the process name", text)
        result(b"\033[" in on_terminal(tool, pid), "output to a terminal has colours")
        result(b"\033[" not in on_terminal(tool, pid, NO_COLOR="1"), "with NO_COLOR, output to a terminal has no colours")
        rows = ask(tool, "-rn", "-N", "2", pid).stdout.splitlines()
        result(len(rows) == 2, "-N 2 shows two mappings", rows)
        nr = len(process["mappings"])
        text = ask(tool, "-N", "2", pid).stdout
        result(nr > 2 and text.endswith(f"\n2 of {nr} rows; -N {nr} shows all\n".encode()), "-N 2: the last line says how to see all rows", (nr, text[-200:]))
        with open("/dev/full", "wb") as full_disk:
            done = subprocess.run([tool, "map", pid], stdout=full_disk, stderr=subprocess.PIPE, check=False)
        result(done.returncode == 2 and done.stderr.endswith(b"No space left on device\n"), "a failed write to standard output is exit status 2 with the reason", done)
        child.stdin.close()
        child.wait()
        done = ask(tool, pid)
        result(done.returncode == 2 and done.stderr.count(b"\n") == 1, "a process that has ended is exit status 2", done)


MAPPER = """
import mmap, sys
file = open(sys.argv[1], "wb+")
file.truncate(8 << 20)
m = mmap.mmap(file.fileno(), 8 << 20)
for i in range(0, 8 << 20, 1 << 20): m[i] = 1
print("ready", flush=True)
sys.stdin.read()
"""


def columns_of(line):
    return sum(2 if unicodedata.east_asian_width(c) == "W" else 1 for c in line)


def judge_terminal(tool):
    """A file whose path is longer than any line: its end is shown on a terminal, all of it elsewhere."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "d" * 160, "\u6f22\u5b57" * 5, "the-end")
        os.makedirs(os.path.dirname(path))
        with subprocess.Popen([sys.executable, "-c", MAPPER, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
            child.stdout.readline()
            for words in [str(child.pid)], ["--tables", str(child.pid)]:
                for width in (60, 80, 200):
                    for locale, mark in (("C.UTF-8", "\u2026"), ("C", "..")):
                        text = on_terminal(tool, *words, width=width, LC_ALL=locale, NO_COLOR="1").decode()
                        lines = text.replace("\r", "").splitlines()
                        name = f"{' '.join(words[:-1])} on {width} columns, {locale}"
                        result(max(map(columns_of, lines)) <= width, f"each line fits: {name}", max(lines, key=columns_of))
                        result([line for line in lines if mark in line and line.endswith("the-end")], f"a shortened line shows the end of a path: {name}", text)
                lines = ask(tool, *words, COLUMNS="60").stdout.decode().splitlines()
                result([line for line in lines if line.endswith(" " + path)], f"the whole path is shown in a pipe: {' '.join(words[:-1])}", lines)
            child.stdin.close()


def judge_narrow(tool):
    """Each sentence of the output fits into 60 columns."""
    for name in SHOWN:
        path = os.path.join(DATA, name)
        for words in ["--from", path], ["-e", "pagemap", "--from", path], ["--diff", path, path]:
            lines = on_terminal(tool, *words, width=60, NO_COLOR="1").decode().replace("\r", "").splitlines()
            result(lines and max(map(columns_of, lines)) <= 60, f"{name}: each line of map {words[0]} fits into 60 columns", max(lines, key=columns_of))


def judge_page(tool):
    """What --html does with an existing file."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "page.html")
        done = ask(tool, "--html", path, "self")
        with open(path, "rb") as file:
            old = file.read()
        result(done.returncode == 0 and old.startswith(b"<!DOCTYPE html>"), "--html writes a page", done.stderr)
        masked = os.path.join(folder, "masked")
        subprocess.run([tool, "map", "--html", masked, "self"], check=True, umask=0o027)
        result(os.stat(masked).st_mode & 0o777 == 0o640, "--html: the umask decides who can read the page", oct(os.stat(masked).st_mode))
        os.unlink(masked)
        limit = ["sh", "-c", 'ulimit -f 8 && exec "$@"', "sh", tool, "map", "--html", path, "self"]
        done = subprocess.run(limit, capture_output=True, check=False)
        with open(path, "rb") as file:
            result(done.returncode == 2 and file.read() == old, "--html: if the disk is full, the old page stays", done)
        result(os.listdir(folder) == ["page.html"], "--html: if the disk is full, no temporary file stays", os.listdir(folder))
        done = subprocess.run([os.path.abspath(tool), "map", "--html", "-", "self"], capture_output=True, check=False, cwd=folder)
        result(done.returncode == 0 and done.stdout.startswith(b"<!DOCTYPE html>") and os.listdir(folder) == ["page.html"],
               "--html - is standard output", done.stderr)
        pipe = os.path.join(folder, "pipe")
        os.mkfifo(pipe)
        done = ask(tool, "--html", pipe, "self")
        result(done.returncode == 2 and b"not a regular file" in done.stderr and stat.S_ISFIFO(os.stat(pipe).st_mode),
               "--html: a FIFO is not replaced", done.stderr)


GROWER = """
import mmap, sys
def fill(size, last):
    m = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    m.madvise(15)
    for i in range(0, last, 4096): m[i] = 1
    return m
m, gone = fill(64 << 20, 32 << 20), fill(32 << 20, 32 << 20)
print("ready", flush=True)
sys.stdin.readline()
for i in range(32 << 20, 40 << 20, 4096): m[i] = 1
gone.close()
print("more", flush=True)
sys.stdin.read()
"""


def changes(text):
    """{start: (tables that came, tables that went)} of the mappings that changed."""
    rows = {}
    for line in text.splitlines():
        came, went, start = line.split()[:3]
        if came != "0" or went != "0":
            rows[int(start, 16)] = (int(came), int(went))
    return rows


def change_in_json(tool, *sides):
    done = subprocess.run([tool, "diff", "--json", *sides], capture_output=True, check=False)
    return json.loads(done.stdout)["processes"][0]


def judge_change(tool):
    """A process that touches 8 MiB more of one mapping and unmaps another one of 32 MiB."""
    columns = ["-n", "-o", "CAME,WENT,START"]
    with subprocess.Popen([sys.executable, "-c", GROWER], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child, tempfile.TemporaryDirectory() as folder:
        child.stdout.readline()
        pid = str(child.pid)
        before, after = os.path.join(folder, "before"), os.path.join(folder, "after")
        subprocess.run([tool, "record", "--to", before, pid], check=True, stderr=subprocess.DEVNULL)
        watch = subprocess.Popen([tool, "map", "--watch", "-i", "0.5", pid], stdout=subprocess.PIPE)
        first = b""
        while b"\n---\n" not in first:
            first += watch.stdout.read1()
        child.stdin.write(b"\n")
        child.stdin.flush()
        child.stdout.readline()
        subprocess.run([tool, "record", "--to", after, pid], check=True, stderr=subprocess.DEVNULL)
        while not re.search(rb"since .*: [1-9][0-9]* tables came|since .* [1-9][0-9]* went", first):
            first += watch.stdout.read1()
        views = ask(tool, "--watch", "-i", "0.01", "-c", "2", pid).stdout.decode().split("\n---\n")
        result(len(views) == 3, "--watch -c 2: a view, and one after each of two intervals", len(views))
        # with two pictures, the lines of the second one begin with its name
        result(not any(re.search(r"^ +after ", view, re.M) for view in views), "--watch: each view has one picture", views)
        other, two = os.path.join(folder, "other"), os.path.join(folder, "two")
        own = str(os.getpid())
        for directory, pids in ((other, [own]), (two, [own, pid])):
            subprocess.run([tool, "record", "--to", directory, *pids], check=True, stderr=subprocess.DEVNULL)
        done = ask(tool, "--diff", before, other)
        result(done.returncode == 2 and f"different processes, {pid} and {own}" in done.stderr.decode(), "--diff: recordings of two processes are refused", done)
        done = ask(tool, "--diff", two, two)
        result(done.returncode == 2 and f"{two} has 2 processes: --diff needs recordings of one process".encode() in done.stderr, "--diff: a recording of two processes is refused", done)
        page = ask(tool, "--diff", "--html", "-", before, after).stdout.decode()
        names = re.findall(r'"(before|after)"', page)
        result(names == ["before", "after"], "--diff --html: the first side is before, the second one after", names)
        # the process is a zombie until its parent waits for it
        child.stdin.close()
        first += watch.communicate()[0]
        child.wait()
        views = first.decode().split("\n---\n")
        result(watch.returncode == 0, "--watch ends when the process ends", watch.returncode)
        result(len(views) > 1 and "since" not in views[0], "--watch prints a line between the views, and the first view has no marks", views[0])
        sums = [sum(int(n) for n in column) for column in zip(*re.findall(r"since .*: ([0-9]+) tables came, ([0-9]+) went", "\n".join(views[1:])))]
        growth = change_in_json(tool, before, after)
        want = [sum(level[key] for level in growth["levels"]) for key in ("came", "went")]
        result(len(sums) == 2 and sums[0] >= 4 and sums[1] >= 15, "--watch: the tables of 8 MiB came and those of 32 MiB went", sums)
        text = ask(tool, "--diff", *columns, before, after).stdout.decode()
        got = [sum(row[k] for row in changes(text).values()) for k in (0, 1)]
        result(got == want, "--diff: the sums of the rows are those of diff", f"{got} {want}\n{text}")
        same = [line.split()[:2] == ["0", "0"] for line in text.splitlines()]
        result(same == sorted(same), "--diff: rows with a change are the first ones", text)
        text = ask(tool, "--diff", before, after, COLUMNS="80").stdout.decode()
        result(f": {want[0]} tables came, {want[1]} went" in text, "--diff: the first line has the numbers of tables that came and went", text)
        picture = text.split("\n\n")[1]
        marks = sum(line.count(c) for line in picture.splitlines() if re.fullmatch(r" *[ ^x*]+", line) for c in "^x*")
        pte = next(level for level in growth["levels"] if level["level"] == "pte")
        result(marks == pte["came"] + pte["went"] and max(map(len, picture.splitlines())) <= 80, "--diff: there is a mark below each PTE table that came or went", f"{pte}\n{picture}")
        same = ask(tool, "--diff", *columns, after, after).stdout.decode()
        result(changes(same) == {} and ask(tool, "--diff", before, os.path.join(DATA, "6.1", "empty")).returncode == 2, "--diff: a recording does not differ from itself, and another process is refused", same)


def judge_usage(tool):
    wrong = [[], ["1", "2"], ["--tables", "-o", "SIZE", "1"], ["--truth", "bpf", "--from", DATA], ["-o", "NOPE", "1"]]
    wrong += [["--html", "x", "--json", "1"], ["-e", "all", "1"], ["--from", "/nowhere"], ["--", "true"]]
    wrong += [["--watch", "--from", DATA], ["--watch", "--json", "1"], ["-c", "2", "1"], ["--diff", "1"], ["--diff", "1", "2"]]
    wrong += [["--diff", "--truth", "module", DATA, "1"]]
    for words in wrong:
        done = ask(tool, *words)
        good = done.returncode == 2 and done.stderr.startswith(b"ptaudit: ") and not done.stdout
        result(good, "refused: map " + " ".join(words).replace(DATA, "DATA"), done)


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--write"]):
        sys.exit(__doc__)
    tool = os.path.abspath(sys.argv[1])
    for kernel in sorted(os.listdir(DATA)):
        for case in sorted(os.listdir(os.path.join(DATA, kernel))):
            path = os.path.join(DATA, kernel, case)
            # map draws one process
            if os.path.isdir(path) and sum(entry.isdigit() for entry in os.listdir(path)) == 1:
                judge_recording(tool, path, f"{kernel}/{case}")
                judge_strip(tool, path, f"{kernel}/{case}")
    for name in SHOWN:
        judge_form(tool, name, len(sys.argv) == 3)
    judge_process(tool)
    judge_terminal(tool)
    judge_narrow(tool)
    judge_page(tool)
    judge_change(tool)
    judge_usage(tool)
    end_with_total()


main()
