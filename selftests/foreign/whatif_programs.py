#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""usage: whatif_programs.py [--all] [PROGRAM...]

Compares the prediction of `ptaudit whatif` with the tables that are freed, for third-party
programs on this machine. A program works, frees memory to its allocator, and waits. Then it
frees its empty tables by the call that whatif names (through give_back.c). Tables of shared
memory are freed by `reclaim --do`. The change of VmPTE and the change of the tables that BPF
counts must both be the prediction. The answers of the program must be the same before and
after. With --all, a PostgreSQL server is also restarted with huge_pages=on; vm.nr_hugepages
is raised for that time, no other setting is changed. Needs root, BPF and Linux 6.14. The last
line is `N passed, N failed`."""
import argparse
import glob
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
import results  # noqa: E402
from results import result  # noqa: E402

TOOL = os.path.join(HERE, "..", "..", "user", "ptaudit")
LIBRARIES = "/usr/lib/x86_64-linux-gnu"
POOL = "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages"
ALL_LEVELS = ("pte", "pmd", "pud", "p4d")
PAGE = 4096
MIB = 1 << 20


def tool(*words):
    done = subprocess.run([TOOL, *words], capture_output=True, text=True, check=False)
    try:
        return json.loads(done.stdout), done
    except ValueError:
        return None, done


def vmpte(pids):
    """The sum of VmPTE in tables; it includes upper tables."""
    kib = 0
    for pid in pids:
        with open(f"/proc/{pid}/status", encoding="ascii") as file:
            kib += next(int(line.split()[1]) for line in file if line.startswith("VmPTE:"))
    return kib * 1024 // PAGE


def walked(pids, levels=("pte",)):
    """The number of tables of @levels that BPF finds."""
    root, done = tool("check", "--truth", "bpf", "--json", *map(str, pids))
    assert root, done.stderr
    return sum(
        row["kernel"] for process in root["processes"] for row in process["levels"] if row["level"] in levels
    )


def settle(pids):
    """Wait until the number of tables is stable for a second."""
    still, last = 0, None
    for _ in range(300):
        now = vmpte(pids)
        still, last = (still + 1 if now == last else 0), now
        if still == 5:
            return
        time.sleep(0.2)
    raise TimeoutError("the number of tables does not become stable")


class Program:
    """@shared: the tables map shared memory. @unmaps: the program has a setting that makes it
    unmap a file. @align: map shared memory at addresses where huge pages fit. @least: minimum
    of the predicted tables, from what the program does."""

    def __init__(self, folder, shared=False, unmaps=False, align=False, preload="", least=1):
        self.folder, self.shared, self.unmaps, self.least = folder, shared, unmaps, least
        self.levels = ALL_LEVELS if unmaps else ("pte",)
        self.started = []
        self.environment = {**os.environ, **EAGER}
        if align or not (shared or unmaps):
            self.environment["LD_PRELOAD"] = f"{preload} {os.path.dirname(folder)}/give_back.so"
        if align:
            self.environment["GIVE_BACK_ALIGN"] = "1"

    def start(self, *words):
        process = subprocess.Popen(
            words,
            env=self.environment,
            cwd=self.folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.started.append(process)
        return process

    def pids(self):
        return [process.pid for process in self.started]

    @staticmethod
    def tell(process, line):
        """Send a line to the program. Return: the line that it answers."""
        process.stdin.write(line + "\n")
        process.stdin.flush()
        said = process.stdout.readline()
        assert said, "it ended"
        return said.strip()

    def stop(self):
        for process in reversed(self.started):
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def answer(self):
        raise NotImplementedError


# The process evaluates each line as an expression and answers with its value.
PYTHON = """
import ctypes, gc, hashlib, mmap, sys
kept = {}
for line in sys.stdin:
    print(eval(line), flush=True)
"""


class Blocks(Program):
    """python3 with the allocator of a library. Of blocks of 100 kB, every fortieth stays. The
    others are freed in four steps: freeing them all at once would free the tables as well."""

    nr, stays, size = 2000, 40, 100_000

    def begin(self):
        self.process = self.start("/usr/bin/python3", "-c", PYTHON)
        self.tell(
            self.process,
            f"kept.update((i, bytes([i % 251]) * {self.size}) for i in range({self.nr})) or len(kept)",
        )
        for step in range(4):
            self.tell(
                self.process,
                f"[kept.pop(i) and 0 for i in range({step}, {self.nr}, 4) if i % {self.stays}] and gc.collect()",
            )

    def answer(self):
        return self.tell(self.process, "hashlib.sha256(b''.join(kept[i] for i in sorted(kept))).hexdigest()")


class Mapping(Program):
    """A mapping that python3 makes: 256 MiB are written, 192 of them are freed, 1 MiB at a time."""

    def begin(self):
        self.process = self.start("/usr/bin/python3", "-c", PYTHON)
        for line in (
            f"kept.update(m=mmap.mmap(-1, {256 * MIB}, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS))",
            "kept['m'].madvise(mmap.MADV_NOHUGEPAGE)",
            f"[kept['m'].write(bytes([i]) * {MIB}) for i in range(256)] and 0",
            f"[kept['m'].madvise(mmap.MADV_DONTNEED, i * {MIB}, {MIB}) for i in range(192)] and 0",
        ):
            self.tell(self.process, line)

    def answer(self):
        return self.tell(self.process, f"hashlib.sha256(kept['m'][{192 * MIB}:]).hexdigest()")


class Perl(Program):
    """perl with strings of 100 kB; every fortieth stays."""

    script = """
    $| = 1; my @kept;
    while (<STDIN>) { print eval($_), "\\n"; }
    """

    def begin(self):
        self.process = self.start("/usr/bin/perl", "-e", self.script)
        self.tell(self.process, "@kept = map { chr(65 + $_ % 26) x 100000 } 0..1999; 0")
        for step in range(4):
            self.tell(self.process, f"for (0..1999) {{ undef $kept[$_] if $_ % 40 && $_ % 4 == {step} }} 0")

    def answer(self):
        return self.tell(
            self.process, "my $sum = 0; for (@kept) { $sum = ($sum * 31 + unpack('%32C*', $_)) % 1000003 if $_ } $sum"
        )


class Redis(Program):
    """300,000 keys, of which one in 20,000 is kept."""

    def begin(self):
        self.socket = os.path.join(self.folder, "redis")
        self.start(
            "/usr/bin/redis-server", "--port", "0", "--unixsocket", self.socket, "--save", "", "--appendonly", "no",
            "--hz", "1", "--activedefrag", "no",
        )  # fmt: skip
        for _ in range(300):
            if os.path.exists(self.socket):
                break
            time.sleep(0.1)
        self.ask("EVAL", "for i = 1, 300000 do redis.call('SET', 'k' .. i, string.rep('v', 300 + i % 200)) end", "0")
        for step in range(4):
            self.ask(
                "EVAL",
                f"for i = {step}, 300000, 4 do if i % 20000 ~= 0 then redis.call('DEL', 'k' .. i) end end",
                "0",
            )
            self.ask("MEMORY", "PURGE")

    def ask(self, *words):
        return subprocess.run(
            ["/usr/bin/redis-cli", "-s", self.socket, *words], capture_output=True, text=True, check=True
        ).stdout.strip()

    def answer(self):
        return self.ask("DEBUG", "DIGEST") if self.ask("DBSIZE") == "15" else None


class Node(Program):
    """node with buffers of 100 kB; every fortieth stays."""

    script = """
    const kept = [];
    const hash = () => { const h = require('crypto').createHash('sha256');
        for (const b of kept) if (b) h.update(b); return h.digest('hex'); };
    require('readline').createInterface({input: process.stdin}).on('line', line => console.log(String(eval(line))));
    """

    def begin(self):
        self.process = self.start("/usr/bin/node", "--expose-gc", "-e", self.script)
        self.tell(self.process, "for (let i = 0; i < 2000; i++) kept[i] = Buffer.alloc(100000, i % 251 + 1); 0")
        for step in range(4):
            self.tell(
                self.process,
                f"for (let i = {step}; i < 2000; i += 4) if (i % 40) kept[i] = undefined; gc(); gc(); 0",
            )

    def answer(self):
        return self.tell(self.process, "hash()")


class Java(Program):
    """The heap of ZGC is a memfd, and all of it is touched. The RMI registry keeps Java running."""

    def begin(self):
        self.start(
            "/usr/bin/java", "-XX:+UseZGC", "-Xms256m", "-Xmx256m", "-XX:+AlwaysPreTouch", "-XX:-UsePerfData",
            "-XX:-ZUncommit", "sun.rmi.registry.RegistryImpl", "0",
        )  # fmt: skip
        time.sleep(3)

    def answer(self):
        return self.started[0].poll()


class Sqlite(Program):
    """Five shells that map the same database in a tmpfs."""

    def begin(self):
        self.path = os.path.join(os.path.dirname(self.folder), "tmpfs", os.path.basename(self.folder))
        subprocess.run(
            ["/usr/bin/sqlite3", self.path, "CREATE TABLE t(n, b); INSERT INTO t SELECT value, "
             "zeroblob(4000) || value FROM generate_series(1, 10000)"], check=True,
        )  # fmt: skip
        for _ in range(5):
            shell = self.start("/usr/bin/sqlite3", self.path)
            self.tell(shell, f"PRAGMA mmap_size = {256 * MIB};")
        self.answer()

    def unmap(self):
        for shell in self.started:
            self.tell(shell, "PRAGMA mmap_size = 0;")

    def answer(self):
        return [self.tell(shell, "SELECT count(*), sum(n + length(b)) FROM t;") for shell in self.started]


class Lmdb(Program):
    """Five processes that read the same database in a tmpfs."""

    def begin(self):
        path = os.path.join(os.path.dirname(self.folder), "tmpfs", "lmdb")
        for _ in range(5):
            python = self.start("/usr/bin/python3", "-c", PYTHON)
            self.tell(python, f"kept.update(e=__import__('lmdb').open({path!r}, map_size={64 * MIB}))")
            if python == self.started[0]:
                self.tell(python, "kept.update(t=kept['e'].begin(write=True))")
                self.tell(python, "[kept['t'].put(b'%d' % i, b'%d' % i * 500) for i in range(10000)] and 0")
                self.tell(python, "kept.pop('t').commit()")
        self.answer()

    def answer(self):
        return [
            self.tell(
                python,
                "hashlib.sha256(b''.join(v for k, v in kept['e'].begin().cursor())).hexdigest()",
            )
            for python in self.started
        ]


class Postgres(Program):
    """A server with 30 sessions that have read the same table."""

    sessions, huge_pages, chance = 30, "off", ()

    @staticmethod
    def as_postgres(*words):
        return ["/usr/bin/setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", *words]

    def begin(self):
        self.programs = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1]
        self.data = os.path.join(self.folder, "postgres")
        os.mkdir(self.data)
        shutil.chown(self.data, "postgres", "postgres")
        subprocess.run(
            self.as_postgres(self.programs + "/initdb", "-D", self.data, "-A", "trust", "--no-sync"),
            check=True,
            capture_output=True,
            cwd=self.data,
        )
        self.serve()
        self.ask("CREATE TABLE t AS SELECT n, repeat(md5(n::text), 30) AS s FROM generate_series(1, 80000) n;")
        self.ask("CHECKPOINT;")
        self.connect()

    def serve(self):
        self.server = self.start(
            *self.chance,
            *self.as_postgres(
                self.programs + "/postgres", "-D", self.data, "-k", self.data, "-c", "listen_addresses=", "-c",
                "shared_buffers=128MB", "-c", "huge_pages=" + self.huge_pages, "-c", "autovacuum=off", "-c", "fsync=off",
            )
        )  # fmt: skip
        for _ in range(300):
            if os.path.exists(self.data + "/.s.PGSQL.5432"):
                break
            time.sleep(0.1)

    def connect(self):
        self.clients = []
        for _ in range(self.sessions):
            client = subprocess.Popen(
                ["/usr/bin/psql", "-h", self.data, "-U", "postgres", "-qAt"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
            )  # fmt: skip
            self.clients.append(client)
        self.answer()

    def ask(self, text):
        subprocess.run(["/usr/bin/psql", "-h", self.data, "-U", "postgres", "-qAt", "-c", text], check=True)

    def pids(self):
        done = subprocess.run(["pgrep", "-P", str(self.server.pid)], capture_output=True, text=True, check=True)
        return [self.server.pid, *map(int, done.stdout.split())]

    def answer(self):
        return [self.tell(client, "SELECT count(*), sum(hashtext(s)) FROM t;") for client in self.clients]

    def stop(self):
        for client in getattr(self, "clients", []):
            client.stdin.close()
            client.wait()
        super().stop()
        self.started = []


JEMALLOC = LIBRARIES + "/libjemalloc.so.2"
MIMALLOC = LIBRARIES + "/libmimalloc.so.2"
ASAN = LIBRARIES + "/libasan.so.8"
EAGER = {
    "PYTHONMALLOC": "malloc",
    "MALLOC_CONF": "dirty_decay_ms:0,muzzy_decay_ms:0,narenas:1",
    "MIMALLOC_RESET_DELAY": "0",
    "MIMALLOC_DECOMMIT_DELAY": "0",
    "ASAN_OPTIONS": "detect_leaks=0",
}

# Name, constructor, its arguments, and whether it belongs to the quick set.
PROGRAMS = (
    ("python3", Mapping, {}, True),
    ("python3, jemalloc", Blocks, {"preload": JEMALLOC}, True),
    ("python3, mimalloc", Blocks, {"preload": MIMALLOC}, False),
    ("python3, AddressSanitizer", Mapping, {"preload": ASAN}, False),
    ("perl, jemalloc", Perl, {"preload": JEMALLOC}, True),
    ("redis-server", Redis, {}, True),
    ("node, jemalloc", Node, {"preload": JEMALLOC}, False),
    ("java, ZGC", Java, {"shared": True}, False),
    ("sqlite3, 5 processes", Sqlite, {"shared": True, "align": True}, True),
    ("sqlite3, PRAGMA mmap_size = 0", Sqlite, {"unmaps": True, "least": 95}, True),
    ("LMDB, 5 processes", Lmdb, {"shared": True, "align": True}, False),
    ("postgres, 30 sessions", Postgres, {"shared": True, "align": True}, False),
    ("postgres, addresses that do not fit", Postgres, {"shared": True, "least": 0}, False),
    ("postgres, again with huge_pages=on", Postgres, {"shared": True}, False),
)


def give_back(pid, ranges):
    """Make the thread of give_back.c in the program call madvise() for @ranges."""
    with socket.socket(socket.AF_UNIX) as there:
        there.connect(f"\0give-back-{pid}")
        lines = there.makefile("rw")
        for start, end in ranges:
            lines.write(f"{start} {end}\n")
            lines.flush()
            assert lines.readline() == "0\n", (start, end)


def empties(program):
    """Return: PIDs, the empty tables that whatif predicts, and a function that frees them."""
    (pid, *_) = program.pids()
    root, done = tool("whatif", "--json", str(pid))
    assert root and not done.returncode, done.stderr
    rows = [row for row in root["empty"] if row["call"] == "madvise"]
    return (
        [pid],
        sum(row["tables"] for row in rows),
        lambda: give_back(pid, [(row["start"], row["end"]) for row in rows]),
    )


def shared(program):
    """Return the same as empties(), for the tables of shared memory of all processes that map it."""
    pid = str(program.pids()[0])
    root, done = tool("whatif", "--json", pid)
    assert root and not done.returncode, done.stderr
    return (
        [space["pid"] for space in root["address_spaces"]],
        root["shared_tables"],
        lambda: tool("reclaim", "--do", "--json", "--max-fill", "1G", pid),
    )


def unmapped(program):
    """Return the same as empties(), for a file that all processes unmap, with upper tables."""
    root, done = tool("whatif", "--json", *map(str, program.pids()))
    assert root and not done.returncode, done.stderr
    (row,) = [row for row in root["unmap"] if row["path"] == program.path]
    return program.pids(), row["tables"] + row["upper_tables"], program.unmap


def prove(name, program):
    program.begin()
    before = program.answer()
    settle(program.pids())
    if not (program.shared or program.unmaps):
        give_back(program.pids()[0], [("0", "0")])  # the empty range makes the thread touch the pages that it needs
    looked_at = program.pids() if program.shared else []
    # a background process could map another table between the prediction and the call
    for pid in looked_at:
        os.kill(pid, signal.SIGSTOP)
    try:
        look = shared if program.shared else unmapped if program.unmaps else empties
        pids, predicted, do = look(program)
        tables, by_bpf = vmpte(pids), walked(pids, program.levels)
        do()
        returned, of_bpf = tables - vmpte(pids), by_bpf - walked(pids, program.levels)
    finally:
        for pid in looked_at:
            os.kill(pid, signal.SIGCONT)
    same = program.answer() == before
    print(
        f"# {name:36} {len(pids):9} {tables:6} {predicted:9} {returned:8} {of_bpf:6} "
        f"{'same' if same else 'CHANGED'}"
    )
    result(
        predicted >= program.least and predicted == returned == of_bpf and same,
        name,
        f"predicted {predicted}, returned {returned} by VmPTE, {of_bpf} by BPF; contents same: {same}",
    )


def prove_hugetlb(name, program):
    """Restart the server with huge_pages=on, with the same sessions and queries. The shared memory
    moves to other addresses, so the tables that it shared with its neighbours may be freed, too.
    The kernel's address randomization is off, as it would change the other tables."""
    program.chance = ("/usr/bin/setarch", "-R")
    program.begin()
    before = program.answer()
    settle(program.pids())
    pids = program.pids()
    root, done = tool("whatif", "--json", str(pids[0]))
    (main_memory,) = [row for row in root["shared"] if row["path"] == "/dev/zero (deleted)"]
    predicted, processes = main_memory["hugetlb_tables"], main_memory["processes"]
    most = main_memory["tables"] + sum(row["tables"] for row in main_memory["stays"])
    tables, by_bpf, all_by_bpf = vmpte(pids), walked(pids), walked(pids, ALL_LEVELS)
    program.stop()
    with open(POOL, encoding="ascii") as file:
        pool = int(file.read())
    try:
        set_pool(pool + main_memory["hugetlb_pages"])
        program.huge_pages = "on"
        program.serve()
        program.connect()
        same = program.answer() == before
        settle(program.pids())
        pids = program.pids()
        returned, of_bpf = tables - vmpte(pids), by_bpf - walked(pids)
        all_of_bpf = all_by_bpf - walked(pids, ALL_LEVELS)
        program.stop()
    finally:
        set_pool(pool)
    print(f"# {name:36} {processes:9} {tables:6} {predicted:4}-{most:4} {returned:8} {of_bpf:6} {'same' if same else 'CHANGED'}")
    result(
        0 < predicted <= of_bpf <= most and returned == all_of_bpf and len(pids) == processes and same,
        name,
        f"predicted {predicted} to {most}, returned {returned} by VmPTE, {of_bpf} by BPF; contents same: {same}",
    )


def set_pool(pages):
    with open(POOL, "w", encoding="ascii") as file:
        file.write(str(pages))
    with open(POOL, encoding="ascii") as file:
        assert int(file.read()) == pages, f"cannot get {pages} huge pages"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="also run the slow programs")
    parser.add_argument("name", nargs="*", help="run the programs whose name contains this word")
    asked = parser.parse_args()
    root, done = tool("whatif", "--json", str(os.getpid()))
    bpf = tool("check", "--truth", "bpf", "--json", str(os.getpid()))[1]
    if os.geteuid() or not root or not root["madvise_frees"] or bpf.returncode == 2:
        print("1..0 # SKIP needs root, BPF, and Linux 6.14, where madvise() returns tables", done.stderr + bpf.stderr)
        sys.exit(4)
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        os.mkdir(folder + "/tmpfs")
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1g", "none", folder + "/tmpfs"], check=True)
        try:
            subprocess.run(
                ["cc", "-O2", "-Wall", "-Wextra", "-shared", "-fPIC", "-pthread", "-o", folder + "/give_back.so",
                 os.path.join(HERE, "give_back.c")], check=True,
            )  # fmt: skip
            print(f"# {'program':36} processes VmPTE predicted returned by BPF contents")
            for name, kind, how, quick in PROGRAMS:
                if not any(word in name for word in asked.name) if asked.name else not (quick or asked.all):
                    continue
                own = tempfile.mkdtemp(dir=folder)
                os.chmod(own, 0o755)
                program = kind(own, **how)
                try:
                    (prove_hugetlb if name.endswith("huge_pages=on") else prove)(name, program)
                except (AssertionError, OSError, TimeoutError, subprocess.SubprocessError) as why:
                    result(False, name, repr(why))
                finally:
                    program.stop()
        finally:
            subprocess.run(["umount", folder + "/tmpfs"], check=True)
    print(f"1..{results.nr}")
    results.end_with_total()


main()
