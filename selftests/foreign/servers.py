#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""usage: servers.py [--seconds N] [--truth WHICH] [LOAD...]

Runs third-party programs under load, and compares each of their processes repeatedly
meanwhile, every second time with --freeze. Prints a table: the number of completed
comparisons, and how many of all tables matched, were explained, in flux, or unexplained. A
load fails if no comparison was completed, if a table is unexplained, or if a frozen process
could not be measured. Needs root, and the module or BPF; changes no setting of the machine.
The last line is `N passed, N failed`.
"""
import argparse
import functools
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from compare import Load, print_table  # noqa: E402
from programs import find, start, start_postgres, wait_for, write  # noqa: E402
from results import end_with_plan, end_with_total, has_pagemap_scan  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
# The memory that mutator.c does not change: one table per slot.
FIXED, FIXED_SLOTS = 0x200000000000, 64
EXPECTED_FIXED = [{"level": level, "low": nr, "high": nr} for level, nr in (("pud", 1), ("pmd", 1), ("pte", FIXED_SLOTS))]

JAVA = """class Load { public static void main(String[] a) {
    for (int t = 0; t < 3; t++) new Thread(() -> {
        byte[][] kept = new byte[4096][];
        for (int i = 0;; i++) kept[(i * 31) % 4096] = new byte[1 << (i % 18)];
    }).start(); } }
"""
NODE = """const kept = [];
setInterval(() => { for (let i = 0; i < 200; i++) {
    kept[(i * 31 + Date.now()) % 4096] = i % 2 ? Buffer.alloc(1 << (i % 18), 1) : Array.from({length: 999}, (_, n) => ({n}));
} }, 1);
"""
PAGE = """<!DOCTYPE html><canvas width=1200 height=900></canvas><div></div><script>
const canvas = document.querySelector("canvas").getContext("2d"), div = document.querySelector("div");
let n = 0;
function draw() {
    n++;
    canvas.fillStyle = `hsl(${n % 360} 80% 50%)`;
    canvas.fillRect(n * 7 % 1200, n * 5 % 900, 90, 90);
    div.innerHTML = Array.from({length: 300}, (_, i) => `<p style="transform: rotate(${n + i}deg)">${n * i}</p>`).join("");
    window.kept = new Float64Array(1 << (n % 20));
    requestAnimationFrame(draw);
}
draw();
</script>
"""
LMDB = """import lmdb, os, random
env = lmdb.open("lmdb", map_size=16 << 30, writemap=True, sync=False)
while True:
    with env.begin(write=True) as txn:
        for _ in range(200):
            key = b"%d" % random.randrange(40000)
            txn.put(key, os.urandom(4000)) if random.random() < 0.7 else txn.delete(key)
    with env.begin() as txn:
        for _ in range(2000):
            txn.get(b"%d" % random.randrange(40000))
"""
SQLITE = """import sqlite3
db = sqlite3.connect("sqlite", isolation_level=None)
db.execute("PRAGMA mmap_size = 2147483648")
db.execute("PRAGMA synchronous = OFF")
db.execute("CREATE TABLE t (a INTEGER PRIMARY KEY, b BLOB)")
while True:
    for _ in range(20):
        db.execute("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) INSERT INTO t (b) SELECT randomblob(2000) FROM n")
        db.execute("SELECT sum(length(b)) FROM t").fetchall()
    db.execute("DELETE FROM t WHERE a % 7")
    db.execute("VACUUM")
"""


def shell(script):
    """Start a client that is started again each time it ends."""
    start("sh", "-c", f"while :; do {script}; done")


def postgres(huge_pages):
    folder, data, pid = start_postgres("shared_buffers=256MB", "fsync=off", f"huge_pages={huge_pages}")
    pgbench = ["runuser", "-u", "postgres", "--", folder + "/pgbench", "-h", data]
    subprocess.run([*pgbench, "-i", "-q", "-s", "5", "postgres"], check=True, capture_output=True)
    start(*pgbench, "-c", "50", "-j", "2", "-T", "100000", "postgres")
    return pid


def redis():
    pid = start(find("redis-server"), "--port", "0", "--unixsocket", os.path.abspath("redis.sock"), "--save", "", "--enable-debug-command", "local")
    wait_for(os.path.exists, "redis.sock")
    subprocess.run(["redis-cli", "-s", "redis.sock", "debug", "populate", "300000"], check=True, capture_output=True)
    shell("redis-benchmark -q -s redis.sock -n 200000 -r 300000 -d 300 -t set,get,lpush,lpop")
    shell("redis-cli -s redis.sock bgsave; sleep 0.2")
    return pid


def java(*flags):
    write("Load.java", JAVA)
    return start(find("java"), "-Xmx2g", *flags, "Load.java")


def node():
    return start(find("node"), "-e", NODE)


def chromium():
    write("page.html", PAGE)
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=22723"]
    return start(find("chromium"), *flags, "--user-data-dir=" + os.path.abspath("chromium"), "file://" + os.path.abspath("page.html"))


def build(name, *flags):
    subprocess.run(["gcc", "-O1", "-pthread", *flags, "-o", name, os.path.join(HERE, name + ".c")], check=True)
    return "./" + name


def asan():
    return start(build("load", "-fsanitize=address"))


def allocator(library, **more):
    return start(build("load"), env={**os.environ, "LD_PRELOAD": find(f"/usr/lib/*/{library}"), **more})


def python(program):
    return start("/usr/bin/python3", "-c", program)


def mutator():
    return start(build("mutator"), str(FIXED_SLOTS))


LOADS = {
    "postgres": lambda: postgres("off"),
    "postgres-huge": lambda: postgres("on"),
    "redis": redis,
    "java-g1": lambda: java("-XX:+UseG1GC"),
    "java-g1-thp": lambda: java("-XX:+UseG1GC", "-XX:+UseTransparentHugePages"),
    "java-zgc": lambda: java("-XX:+UseZGC"),
    "java-zgc-thp": lambda: java("-XX:+UseZGC", "-XX:+UseTransparentHugePages"),
    "node": node,
    "asan": asan,
    "jemalloc": lambda: allocator("libjemalloc.so.2", MALLOC_CONF="background_thread:true,dirty_decay_ms:100"),
    "mimalloc": lambda: allocator("libmimalloc.so.2*"),
    "chromium": chromium,
    "lmdb": lambda: python(LMDB),
    "sqlite": lambda: python(SQLITE),
    "mutator": mutator,
}
# This server does not start without free huge pages.
NEEDS_HUGE_PAGES = {"postgres-huge": 160}
# These programs reserve terabytes. Without PAGEMAP_SCAN, reading the pagemap of this memory takes
# longer than the time limit of the tool in an emulated machine.
NEEDS_SCAN = ("asan",)


def free_huge_pages():
    with open("/proc/meminfo", encoding="ascii") as file:
        return next((int(line.split()[1]) for line in file if line.startswith("HugePages_Free")), 0)


def hold_fixed(process):
    """The part of the memory that mutator.c does not change must have all its tables."""
    rows = [row for row in process["mappings"] if int(row["start"], 16) <= FIXED < int(row["end"], 16)]
    return [f"fixed part: {row}" for row in rows if row["levels"] != EXPECTED_FIXED]


def serve(begin, seconds, load):
    begin()
    load.compare_family(seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=30, help="time for each load (default 30)")
    parser.add_argument("--truth", default="auto", help="the kernel's side, as for ptaudit check")
    parser.add_argument("loads", metavar="LOAD", nargs="*", help=", ".join(LOADS))
    parser.add_argument("--plan", action="store_true", help="print the plan of KTAP at the end instead of the table")
    options = parser.parse_args()
    loads = []
    for name in options.loads or LOADS:
        if not options.loads and free_huge_pages() < NEEDS_HUGE_PAGES.get(name, 0):
            print(f"skip {name} # needs {NEEDS_HUGE_PAGES[name]} free huge pages of 2 MiB")
            continue
        if not options.loads and name in NEEDS_SCAN and not has_pagemap_scan():
            print(f"skip {name} # needs PAGEMAP_SCAN, to read the pagemap of terabytes in time")
            continue
        load = Load(name, options.truth, hold_fixed if name == "mutator" else None)
        load.run(functools.partial(serve, LOADS[name], options.seconds))
        loads.append(load)
    if options.plan:
        end_with_plan()
    print_table(loads)
    end_with_total()


main()
