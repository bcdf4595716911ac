#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""usage: columns_test.py PTAUDIT

Tests --output, --sort and --limit of the tool. The measured process is this test itself.
It touches a known number of pages in each slot of 2 MiB of two mappings. The expected
figures follow from these numbers.
"""
import ctypes
import json
import mmap
import os
import shutil
import signal
import subprocess
import sys
import tempfile

from results import end_with_total, result

PAGE, SLOT, ENTRIES = 4096, 2 << 20, 512
REGION = 1 << 30
BASE = 32 << 39  # in an entry of the PGD without other mappings
MAP_FIXED_NOREPLACE = 0x100000
MADV_NOHUGEPAGE = 15
PR_SET_NAME = 15
# for each mapping: the number of touched slots, and of touched pages in each slot
SHAPES = ((7, 1), (5, 256))
DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data", "6.12")
SIDES = [os.path.join(DATA, case) for case in ("dense", "empty")]

libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]


def touched(start, slots, pages):
    """A mapping in a GiB of its own. Each slot has a PTE table with @pages entries."""
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_FIXED_NOREPLACE
    if libc.mmap(start, slots * SLOT, mmap.PROT_READ | mmap.PROT_WRITE, flags, -1, 0) != start:
        raise OSError(ctypes.get_errno(), f"mmap at {start:#x}")
    libc.madvise(start, slots * SLOT, MADV_NOHUGEPAGE)
    for slot in range(slots):
        for page in range(pages):
            ctypes.memset(start + slot * SLOT + page * PAGE, 1, 1)
    return start


def ask(tool, *words):
    return subprocess.run([tool, *words], capture_output=True, text=True, errors="replace", check=False)


def mappings(tool, starts):
    """--output with --mappings chooses columns of mappings."""
    pid = str(os.getpid())
    done = ask(tool, "estimate", "-nm", "-o", "START,PTE,FILL", pid)
    rows = [line.split() for line in done.stdout.splitlines()]
    for start, (slots, pages) in zip(starts, SHAPES):
        fill = f"{100 * pages / ENTRIES:.1f}".removesuffix(".0")
        expected = [hex(start), str(slots), fill]
        result(expected in rows, f"estimate -m -o: the mapping has {slots} tables, {fill} % full", f"{expected}\n{done.stdout}{done.stderr}")
    done = ask(tool, "estimate", "-mb", "-o", "+END", pid)
    head = [line for line in done.stdout.splitlines() if "PERMS" in line]
    result(head and head[0].split()[-1] == "END", "estimate -m -o +END: END is the last column", done.stderr)
    listed = ask(tool, "estimate", "-m", "--list-columns").stdout
    names = [line.split()[0] for line in listed.splitlines()]
    result("PERMS" in names and "RSS" not in names, "estimate -m --list-columns lists the columns of mappings", listed)
    for name in names:
        done = ask(tool, "estimate", "-m", "-o", name, pid)
        result(done.returncode == 0, f"estimate -m accepts the column {name}", done.stderr)
    done = ask(tool, "estimate", "-m", "-o", "LEVEL", pid)
    result(done.returncode == 2 and "unknown column 'LEVEL'" in done.stderr, "estimate -m refuses a column of levels", done.stderr)
    done = ask(tool, "estimate", "-me", "pagemap", "-n", "-o", "START,EMPTY", pid)
    rows = [line.split() for line in done.stdout.splitlines()]
    result([hex(starts[0]), "-"] in rows, "estimate -m: the number of empty tables is unknown to pagemap, not 0", done.stdout + done.stderr)


def names_of(tool, *words, without="(neither)"):
    """The listed columns, except those whose line ends with @without."""
    listed = ask(tool, *words, "--list-columns").stdout.splitlines()
    return [line.split()[0] for line in listed if not line.endswith(without)]


def taken(tool):
    """Each command takes the columns that it lists, and no others."""
    pid = str(os.getpid())
    commands = [[name, pid] for name in ("cow", "map", "whatif", "reclaim")]
    commands += [["system"], ["diff", *SIDES], ["score", "--from", SIDES[0], "naive"]]
    if not os.geteuid():
        commands += [["flags", pid], ["footprint", pid]]
    cases = [(words, names_of(tool, words[0]), []) for words in commands]
    if not os.geteuid():
        cases.append((["flags", "--ranges", pid], names_of(tool, "flags", "--ranges"), []))
    for words in ["watch", "-i", "0.01", "-c", "1"], ["estimate"]:
        of_pid, of_all = (names_of(tool, *words, without=mark) for mark in ("(--all)", "(PID)"))
        cases.append((words + [pid], of_pid, sorted(set(of_all) - set(of_pid))))
        cases.append((words + ["--all"], of_all, sorted(set(of_pid) - set(of_all))))
    for words, names, others in cases:
        what = " ".join(words).replace(pid, "PID").replace(DATA, "DATA")
        done = ask(tool, *words, "-rn", "-o", ",".join(names))
        widths = {len(line.split()) for line in done.stdout.splitlines()}
        result(names and done.returncode in (0, 1) and widths <= {len(names)}, f"{what} takes its {len(names)} columns", f"{names}\n{done.stdout}{done.stderr}")
        for name in others:
            done = ask(tool, *words, "-o", name)
            result(done.returncode == 2 and f"{name} is not in this table" in done.stderr, f"{what} has no column {name}", done.stderr)


def column(tool, *words, at=0):
    """The cells of a column of rows without headings."""
    done = ask(tool, *words)
    if done.returncode:
        return done.stderr
    rows = [line.split() for line in done.stdout.splitlines() if line]
    # the table of mappings comes after other tables
    return [row[at] for row in rows if "START" not in ",".join(words) or "0x" in "".join(row)]


def is_sorted(got, key, reverse=False):
    """Whether these are several cells in that order, and all of that kind."""
    try:
        return isinstance(got, list) and len(got) > 1 and got == sorted(got, key=key, reverse=reverse)
    except (TypeError, ValueError):
        return False


def begin_resting(name):
    """Start a process that waits, so that its tables do not change. Return: its PID."""
    ends = os.pipe()
    pid = os.fork()
    if not pid:
        libc.prctl(PR_SET_NAME, name.encode(), 0, 0, 0)
        os.write(ends[1], b".")
        while True:
            signal.pause()
    os.read(ends[0], 1)
    for end in ends:
        os.close(end)
    return pid


def end_resting(pid):
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def with_nameless(tool, base):
    """A process without a name has no value to sort by, and does not shift columns."""
    nameless = begin_resting("")
    done = ask(tool, *base, "COMM,PID", "--sort", "COMM")
    rows = [line.split() for line in done.stdout.splitlines()]
    result(["-", str(nameless)] in rows and rows[0][0] != "-", "estimate --user --sort COMM: a process without a name is not first", rows)
    done = ask(tool, "top", "-rn", "-o", "COMM,PID")
    rows = [line.split() for line in done.stdout.splitlines()]
    result(["-", str(nameless)] in rows, "top --raw: a process without a name has a cell for it", rows)
    end_resting(nameless)


def sum_beside_the_rows(tool):
    """top --json: the sums of all processes, as below the table, whatever --limit is."""
    # another run of this test has another name
    name = f"two-{os.getpid()}"
    pids = [begin_resting(name) for _ in range(2)]
    done = ask(tool, "top", "-J", "-N", "1", "--name", f"^{name}$")
    root = json.loads(done.stdout) if done.stdout else {"processes": []}
    want = {"rows": 2, "vmpte_bytes": sum(map(vmpte, pids))}
    result(len(root["processes"]) == 1 and root.get("all") == want, "top -J -N 1: number and VmPTE of both processes", f"{want}\n{root}")
    done = ask(tool, "top", "-J", "--by", "comm", "--name", f"^{name}$")
    root = json.loads(done.stdout) if done.stdout else {}
    want["rows"] = 1
    result(root.get("all") == want, "top -J --by: number of groups, and VmPTE of all", f"{want}\n{root}")
    for pid in pids:
        end_resting(pid)


def rows_add_up(tool):
    """top PID: the rows of a process with huge pages add up to VmPTE, which the kernel counted."""
    data = os.path.join(DATA, "thp")
    pid = next(name for name in os.listdir(data) if name.isdigit())
    with open(os.path.join(data, pid, "status"), encoding="ascii") as file:
        want = next(int(line.split()[1]) << 10 for line in file if line.startswith("VmPTE"))
    done = ask(tool, "top", "-J", "--from", data, "-o", "TOTAL,DEPOSITED,HUGE", pid)
    process = json.loads(done.stdout)["processes"][0] if done.stdout else {"mappings": []}
    rows = process["mappings"]
    result(sum(row["total_bytes"] for row in rows) == want, "top PID: the rows add up to VmPTE", f"{want}\n{rows}")
    deposited = sum(row["deposited_tables"] for row in rows)
    result(deposited == process.get("deposited_tables") and deposited > 0, "top PID: the deposits of the rows add up", process)
    without = [row for row in rows if row["deposited_tables"] > row["huge_pages"]]
    result(rows and not without, "top PID: no mapping has more deposits than huge pages", without)


def in_turkish(tool):
    """Columns in lower case, where i is not the small letter of I."""
    with tempfile.TemporaryDirectory() as directory:
        locale = os.path.join(directory, "tr_TR.UTF-8")
        made = shutil.which("localedef") and subprocess.run(["localedef", "-i", "tr_TR", "-f", "UTF-8", locale], capture_output=True, check=False)
        if not os.path.exists(locale):
            print(f"# the Turkish locale was not tested: {made.stderr.decode() if made else 'there is no localedef'}")
            return
        env = dict(os.environ, LOCPATH=directory, LC_ALL="tr_TR.UTF-8")
        words = [tool, "cow", "-rn", "--sort", "copied", "-o", "copied,disagree", str(os.getpid())]
        done = subprocess.run(words, env=env, capture_output=True, text=True, check=False)
        result(done.returncode == 0 and done.stdout, "in Turkish, disagree is the column DISAGREE", done.stdout + done.stderr)


def orders(tool, starts):
    """--sort in the table of each command."""
    pid = str(os.getpid())
    address = lambda word: int(word, 16)
    base = ["estimate", "-nbm", "-o", "START,PTE,FILL,SIZE", pid, "--sort"]
    sizes = column(tool, *base, "SIZE", at=3)
    result(is_sorted(sizes, int, True), "estimate -m --sort SIZE: the largest mapping is first", sizes)
    fills = column(tool, *base, "FILL", at=2)
    result(is_sorted([fill for fill in fills if fill != "-"], float), "estimate -m --sort FILL: the emptiest mapping is first", fills)
    result(fills == sorted(fills, key=lambda fill: fill == "-"), "estimate -m --sort FILL: unknown values are last", fills)
    got = column(tool, *base, "START")
    result(is_sorted(got, address), "estimate -m --sort START: addresses ascend", got)
    got = column(tool, *base, "PTE")
    expected = [hex(start) for start in starts]
    result([start for start in got if start in expected] == expected, "estimate -m --sort PTE: 7 tables come before 5", got)
    got = column(tool, "estimate", "-nb", "--sort", "SIZE", "-o", "SIZE", pid)
    result(is_sorted(got, int, True), "estimate PID --sort SIZE: the largest level is first", got)
    other = ["sleep", "60"]
    with subprocess.Popen(other) as sleeper:
        user = str(os.getuid())
        base = ["estimate", "-rnb", "--user", user, "-o", "PID,VMPTE", "--sort"]
        got = column(tool, *base, "PID")
        result(is_sorted(got, int), "estimate --user --sort PID: PIDs ascend", got)
        got = column(tool, *base, "VMPTE", at=1)
        got = [word for word in got if word != "-"]
        result(is_sorted(got, int, True), "estimate --user --sort VMPTE: the largest is first", got)
        sleeper.kill()
    with_nameless(tool, base[:5])
    base = ["map", "-nb", "-o", "START,TABLES,FILL", pid, "--sort"]
    got = column(tool, *base, "START")
    result(is_sorted(got, address), "map: addresses upwards", got)
    first = column(tool, *base, "START", "-N", "2")
    result(got[:2] == first, "map: sorted before -N cuts", f"{first}\n{got}")
    got = column(tool, *base, "TABLES", at=1)
    result(is_sorted(got, int, True), "map: most tables first", got)
    # neighbours with the same name share a row
    result(isinstance(got, list) and int(got[0]) >= max(slots for slots, _ in SHAPES), "map --sort TABLES: the mapping with most tables is first", got)
    got = column(tool, "system", "-rnb", "-o", "SIZE,PART", "--sort", "SIZE")
    # without root there may be one part: VmPTE
    result(len(got) == 2 or is_sorted(got[:-1], int, True), "system: the largest part first", got)
    got = column(tool, "system", "-rnb", "-o", "PART", "--sort", "PART")
    result((len(got) == 2 or is_sorted(got[:-1], str)) and got[-1:] == ["remainder"], "system: words by their letters, and the remainder", got)
    got = column(tool, "system", "-rnb", "-o", "PART", "--sort", "SIZE", "-N", "1")
    result(len(got) == 2 and got[-1:] == ["remainder"], "system -N 1: one part, and the remainder", got)
    got = column(tool, "cow", "-rn", "-o", "PAGES,START", "--sort", "PAGES", pid)
    result(is_sorted(got, int, True), "cow --sort PAGES: the mapping with most pages is first", got)
    for words in (["estimate", "--sort", "NOPE", pid], ["map", "--sort", "SIZES", pid], ["system", "--sort", "PART,SIZE"]):
        done = ask(tool, *words)
        right = done.returncode == 2 and ("unknown column" in done.stderr or "one column" in done.stderr)
        result(right, f"{words[0]} --sort {words[2]} is refused", done.stderr)


def load(tool, *words):
    """The printed JSON object, or {}; and the text on stderr."""
    done = ask(tool, *words)
    return json.loads(done.stdout) if done.stdout else {}, done.stderr


def ordered_json(tool, starts):
    """--json with --output, --sort and --limit."""
    pid = str(os.getpid())
    root, why = load(tool, "estimate", "-Jmbn", "-o", "START,PTE,FILL", "--sort", "PTE", pid)
    rows = root["processes"][0]["mappings"] if root else []
    for start, (slots, pages) in zip(starts, SHAPES):
        expected = {"start": hex(start), "pte": {"low": slots, "high": slots}, "fill_percent": round(100 * pages / ENTRIES, 1)}
        result(expected in rows, f"estimate -J -m -o: the mapping has {slots} tables", f"{expected}\n{rows}{why}")
    tables = [row["pte"]["low"] for row in rows]
    result(is_sorted(tables, int, True), "estimate -J -m --sort PTE: the mapping with most tables is first", tables)
    root, why = load(tool, "estimate", "-Jm", "--sort", "PTE", "-N", "2", pid)
    whole = root["processes"][0]["mappings"] if root else []
    result([row["start"] for row in whole] == [row["start"] for row in rows[:2]] and "levels" in whole[0], "estimate -J -m --sort PTE -N 2: two rows with all members", why)
    root, why = load(tool, "estimate", "-J", "-o", "LEVEL,SIZE", "--sort", "SIZE", pid)
    rows = root["processes"][0]["levels"] if root else []
    result(rows and all(sorted(row) == ["bytes", "level"] for row in rows), "estimate -J -o LEVEL,SIZE: the rows of levels have these members", why)
    result(is_sorted([row["bytes"] for row in rows], int, True), "estimate -J --sort SIZE: the largest level is first", rows)
    deposited = root["processes"][0]["vmpte"]["deposited_tables"] * PAGE if root else 0
    result(rows and sum(row["bytes"] for row in rows) + deposited == root["processes"][0]["tables_bytes"], "estimate -J --sort SIZE: the levels add up to all tables", rows)
    with subprocess.Popen(["sleep", "60"]) as first, subprocess.Popen(["sleep", "60"]) as second:
        root, why = load(tool, "estimate", "-J", "--user", str(os.getuid()), "-o", "PTE,PID", "--sort", "PTE", "-N", "3")
        rows = root.get("processes", [])
        result(len(rows) == 3 and all(sorted(row) == ["pid", "pte_tables"] for row in rows), "estimate -J --user -o PTE,PID -N 3: three rows with two members", f"{rows}{why}")
        result(is_sorted([row["pte_tables"] for row in rows], int, True), "estimate -J --user --sort PTE: the process with most PTE tables is first", rows)
        text = column(tool, "estimate", "-n", "--user", str(os.getuid()), "-o", "PID", "--sort", "PID", "-N", "2")
        result(isinstance(text, list) and len(text) == 2, "estimate --user -N 2: two rows of text", text)
        first.kill()
        second.kill()
    root, why = load(tool, "map", "-J", "-o", "START,TABLES", "--sort", "START", "-N", "2", pid)
    rows = root["processes"][0]["mappings"] if root else []
    every = column(tool, "map", "-n", "-o", "START,TABLES", "--sort", "START", pid)
    result(len(rows) == 2 and [row["start"] for row in rows] == every[:2], "map -J: sorted before -N cuts", f"{rows}{every}{why}")
    root, why = load(tool, "cow", "-J", "--sort", "PAGES", pid)
    result(is_sorted([row["pages"] for row in root.get("mappings", [])], int, True), "cow -J --sort PAGES: the mapping with most pages is first", why)
    root, why = load(tool, "system", "-J", "--sort", "PART")
    result(is_sorted([row["name"] for row in root.get("parts", [])], str), "system -J: words by their letters", why)
    root, why = load(tool, "diff", "-J", "-o", "CAME,WENT,LEVEL", "--sort", "CAME", *SIDES)
    processes = root.get("processes", [])
    # the PGD belongs to no mapping
    in_rows = sum(row["came"] + row["went"] for process in processes for row in process["mappings"])
    in_all = sum(row["came"] + row["went"] for process in processes for row in process["levels"] if row["level"] != "pgd")
    result(in_rows == in_all > 0, "diff -J -o CAME,WENT: the rows of mappings add up to the levels", f"{in_rows} {in_all}{why}")
    if os.geteuid():
        return
    root, why = load(tool, "flags", "-J", "-o", "FLAGS,PAGES", "--sort", "PAGES", pid)
    rows = root.get("combinations", [])
    result(rows and all(sorted(row) == ["flags", "pages"] and isinstance(row["flags"], list) for row in rows), "flags -J -o FLAGS: the flags of a row are a list", f"{rows}{why}")
    result(sum(row["pages"] for row in rows) == root.get("pages"), "flags -J -o PAGES: the rows add up to all pages", why)
    root, why = load(tool, "flags", "-J", "--ranges", "-o", "PAGES", "--sort", "PAGES", "-N", "2", pid)
    rows = root.get("ranges", [])
    result(len(rows) == 2 and sorted(rows[0]) == ["pages"] and rows[0]["pages"] >= rows[1]["pages"], "flags -J --ranges --sort PAGES -N 2: the two longest runs", f"{rows}{why}")


def vmpte(pid):
    with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith("VmPTE"))


def watched(tool):
    """Lines of watch, which come one by one."""
    child = begin_resting("watched")
    pid = str(child)
    done = ask(tool, "watch", "-rnb", "-i", "0.01", "-c", "2", "-o", "PID,STATUS,GROWTH,VMPTE", pid)
    rows = [line.split() for line in done.stdout.splitlines()]
    expected = [[pid, "ok", growth, str(vmpte(pid))] for growth in ("-", "0", "0")]
    result(rows == expected, "watch -o: a process that rests does not grow", f"{done.stdout}{done.stderr}")
    done = ask(tool, "watch", "-i", "0.01", "-c", "2", "-o", "+SECONDS", pid)
    lines = done.stdout.splitlines()
    result(lines.index("") == 4 and lines[0].split()[-2:] == ["MOST", "SECONDS"], "watch -o +: after the default columns, with one heading", done.stdout)
    end_resting(child)


def chosen_json(tool):
    """--json with --output: the rows have only the chosen members."""
    done = ask(tool, "system", "-J", "-b", "-n", "-o", "SIZE,PART")
    root = json.loads(done.stdout) if done.stdout else {"parts": []}
    parts = root["parts"]
    result(parts and all(sorted(part) == ["bytes", "name"] for part in parts), "system -J -o SIZE,PART: the parts have these members", done.stderr)
    result(sum(part["bytes"] for part in parts) == root.get("accounted_bytes"), "system -J -o SIZE,PART: the parts add up to the accounted bytes", parts)
    result(root.get("ptaudit", {}).get("output") == "SIZE,PART", "system -J -o SIZE,PART: the head has the list of columns", root.get("ptaudit"))
    if os.geteuid():
        return
    child = begin_resting("measured")
    want = [{"pid": child, "vmpte_bytes": vmpte(child)}]
    done = ask(tool, "footprint", "-J", "-b", "-n", "-o", "PID,VMPTE", str(child))
    rows = json.loads(done.stdout)["processes"] if done.stdout else []
    result(rows == want, "footprint -J -o: a process, and its VmPTE", f"{want}\n{done.stdout}{done.stderr}")
    end_resting(child)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    starts = [touched(BASE + i * REGION, *shape) for i, shape in enumerate(SHAPES)]
    mappings(sys.argv[1], starts)
    orders(sys.argv[1], starts)
    ordered_json(sys.argv[1], starts)
    chosen_json(sys.argv[1])
    watched(sys.argv[1])
    taken(sys.argv[1])
    sum_beside_the_rows(sys.argv[1])
    rows_add_up(sys.argv[1])
    in_turkish(sys.argv[1])
    end_with_total()


main()
