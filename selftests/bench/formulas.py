#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""usage: formulas.py [PROGRAM...]

Starts real programs, waits until their tables no longer change, and prints the number of
their PTE tables according to the public formulas in user/examples and according to the
kernel. This is the table of user/doc/formulas.md. Needs root, and the module or BPF.
Programs that are not installed are named and left out.
"""
import json
import os
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from programs import MOST_S, children, end_all, find, start, start_postgres, wait_for, write  # noqa: E402

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
TOOL = os.path.join(ROOT, "user", "ptaudit")
FORMULAS = ("rss", "smaps", "redis", "postgres", "kubevirt", "question")
STILL_S = 3

ASAN = "#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\nint main(void) { memset(malloc(64 << 20), 1, 64 << 20); pause(); }\n"
JAVA = "class Load { public static void main(String[] a) throws Exception { byte[][] b = new byte[64][]; for (int i = 0; i < 64; i++) b[i] = new byte[1 << 20]; Thread.sleep(1000000); } }\n"
NGINX = "daemon off; pid nginx.pid; error_log stderr; events {} http { access_log off; server { listen unix:nginx.sock; } }\n"
LINES = "int f%d(int a) { return a + %d; }\n"


def status(pid, key):
    with open(f"/proc/{pid}/status", encoding="utf-8", errors="replace") as file:
        return next((int(line.split()[1]) for line in file if line.startswith(key + ":")), 0)


def largest(pid):
    """The process with most resident memory among @pid and its descendants."""
    family = [pid]
    for member in family:
        family += children(member)
    return max(family, key=lambda member: status(member, "VmRSS"))


def sleeper():
    return start("sleep", "100000")


def python3():
    return start("/usr/bin/python3", "-c", "a = bytearray(64 << 20); b = [object() for _ in range(500000)]; import signal; signal.pause()")


def redis():
    pid = start(find("redis-server"), "--port", "0", "--unixsocket", os.path.abspath("redis.sock"), "--save", "", "--enable-debug-command", "local")
    wait_for(os.path.exists, "redis.sock")
    subprocess.run(["redis-cli", "-s", "redis.sock", "debug", "populate", "500000"], check=True, stdout=subprocess.DEVNULL)
    return pid


def postgres():
    """A backend that has written and read a table of 200 MB; shared_buffers is 256 MB."""
    _, data, server = start_postgres("shared_buffers=256MB", "huge_pages=off")
    as_user = ["runuser", "-u", "postgres", "--"]
    sql = "CREATE TABLE t AS SELECT repeat('x', 1000) AS a FROM generate_series(1, 200000); SELECT sum(length(a)) FROM t; SELECT pg_sleep(100000);"
    start(*as_user, find("psql"), "-h", data, "-c", sql, "postgres")
    is_backend = lambda pid: b"SELECT" in open(f"/proc/{pid}/cmdline", "rb").read()
    wait_for(lambda _: any(is_backend(pid) for pid in children(children(server)[0])), "backend")
    return next(pid for pid in children(children(server)[0]) if is_backend(pid))


def java():
    write("Load.java", JAVA)
    return start(find("java"), "-Xmx512m", "Load.java")


def node():
    return start(find("node"), "-e", "const a = []; for (let i = 0; i < 500000; i++) a.push({i}); setInterval(() => {}, 1e9)")


def sshd():
    os.makedirs("/run/sshd", exist_ok=True)
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", "key"], check=True)
    return start(find("/usr/sbin/sshd"), "-D", "-f", "/dev/null", "-h", os.path.abspath("key"), "-o", "ListenAddress=127.0.0.1:22722")


def gcc():
    """The compiler. It waits for the rest of a long source."""
    source, rest = os.pipe()
    os.set_inheritable(rest, False)
    pid = start(find("gcc"), "-O2", "-x", "c", "-c", "-o", "/dev/null", "-", stdin=source)
    with open(rest, "w", encoding="ascii", closefd=False) as file:
        for i in range(200000):
            file.write(LINES % (i, i))
    return pid


def nginx():
    write("nginx.conf", NGINX)
    return start(find("/usr/sbin/nginx"), "-p", os.getcwd(), "-c", os.path.abspath("nginx.conf"))


def stress_ng():
    return start(find("stress-ng"), "--vm", "1", "--vm-bytes", "256M", "--vm-keep", "--vm-hang", "0", "--vm-populate")


def chromium():
    return start(find("chromium"), "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir=" + os.path.abspath("chromium"), "--remote-debugging-port=22723", "about:blank")


def asan():
    write("asan.c", ASAN)
    subprocess.run(["gcc", "-fsanitize=address", "-o", "asan", "asan.c"], check=True)
    return start("./asan")


def qemu():
    return start(find("qemu-system-x86_64"), "-accel", "tcg", "-m", "512", "-display", "none", "-nodefaults")


PROGRAMS = {
    "sleep": sleeper,
    "python3": python3,
    "redis-server": redis,
    "postgres": postgres,
    "java": java,
    "node": node,
    "sshd": sshd,
    "cc1": gcc,
    "nginx": nginx,
    "stress-ng": stress_ng,
    "chromium": chromium,
    "ASan program": asan,
    "qemu": qemu,
}


def come_to_rest(pid):
    """Wait until VmPTE is stable. Return: the process to measure."""
    last, since = None, time.monotonic()
    deadline = since + MOST_S
    while time.monotonic() < deadline:
        chosen = largest(pid)
        now = (chosen, status(chosen, "VmPTE"))
        if now != last:
            last, since = now, time.monotonic()
        elif time.monotonic() - since > STILL_S:
            return chosen
        time.sleep(0.2)
    return last[0]


# Values that the formulas need and /proc does not contain.
FACTS = {"postgres": {"SHARED_BUFFERS": str(256 << 20)}, "qemu": {"GUEST_MEMORY": str(512 << 20)}}


def cell(at):
    percent = 100 * (at["estimate"] - at["kernel"]) / at["kernel"]
    return f"{at['estimate']} ({percent:+.0f} %)" if abs(percent) < 1000 else f"{at['estimate']} ({at['estimate'] / at['kernel']:.0f}x)"


def row(name, pid):
    formulas = [os.path.join(ROOT, "user", "examples", f"formula-{formula}.sh") for formula in FORMULAS]
    done = subprocess.run(
        [TOOL, "score", "--json", "--freeze", "--levels", "pte", *formulas, "written", "--", str(pid)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **FACTS.get(name, {})},
    )
    if done.returncode:
        raise RuntimeError(done.stderr.strip())
    levels = [estimator["levels"][0] for estimator in json.loads(done.stdout)["estimators"]]
    cells = [name, f"{status(pid, 'VmRSS') // 1024} MiB", str(levels[0]["kernel"]), *(cell(at) for at in levels)]
    print("| " + " | ".join(cells) + " |", flush=True)


def main():
    wanted = sys.argv[1:] or list(PROGRAMS)
    head = ["program", "VmRSS", "kernel", "RSS/512", "smaps", "Redis", "PostgreSQL", "KubeVirt", "the question", "`written`"]
    print("| " + " | ".join(head) + " |\n" + "|---" * len(head) + "|")
    failed = 0
    for name in wanted:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            os.chdir(folder)
            os.chmod(folder, 0o755)
            try:
                row(name, come_to_rest(PROGRAMS[name]()))
            except (OSError, RuntimeError, StopIteration, subprocess.CalledProcessError) as error:
                print(f"formulas.py: {name}: {error}", file=sys.stderr)
                failed = 1
            finally:
                os.chdir("/")
                end_all()
    sys.exit(failed)


main()
