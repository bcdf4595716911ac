#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""usage: export_test.py [--prometheus] PTAUDIT

Tests `ptaudit export`: the metrics of a process with known tables, the format (with the
parser of the Prometheus client library), the replacement of the output file, and the
files in user/examples/metrics. promtool and node-exporter check the output if they are
installed. With --prometheus both must be installed.
"""
import ctypes
import json
import mmap
import os
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

from prometheus_client.openmetrics.parser import text_string_to_metric_families

from results import end_with_total, result, sees_empty

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, "..", "user", "examples", "metrics")
SLOT = 2 << 20
EMPTY = 300  # PTE tables without entries
USED = 33000  # PTE tables with one; the tool reads no more than 32,768 tables at once
NAME = b'q"\\\n\xff%d' % os.getpid()  # characters that a label must escape, bytes that are not text, and no other run's name
SHOWN = f'q"\\\\x0a\\xff{os.getpid()}'  # the name as ptaudit prints it

def start():
    """A process with empty tables: it touches a page in each slot and frees it again. In other slots it reads a page."""
    ready, done = os.pipe()
    pid = os.fork()
    if not pid:
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
        most = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        area = mmap.mmap(-1, (EMPTY + 1) * SLOT, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        area.madvise(mmap.MADV_NOHUGEPAGE)
        at = -ctypes.addressof(ctypes.c_char.from_buffer(area)) % SLOT
        for i in range(EMPTY):
            area[at + i * SLOT] = 1
            area.madvise(mmap.MADV_DONTNEED, at + i * SLOT, mmap.PAGESIZE)
        used = mmap.mmap(-1, USED * SLOT, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000)  # MAP_NORESERVE
        used.madvise(mmap.MADV_NOHUGEPAGE)
        sum(used[::SLOT])
        ctypes.CDLL(None).prctl(15, NAME)  # PR_SET_NAME
        os.write(done, b"x")
        while True:
            signal.pause()
    os.close(done)
    if os.read(ready, 1) != b"x":
        sys.exit("export_test: the measured process did not start")
    os.close(ready)
    return pid


def run(tool, *words, **options):
    return subprocess.run([tool, "export", *words], capture_output=True, text=True, check=False, **options)


def samples(text):
    """{name: [(labels, value)]}. The parser raises an error if the text is not OpenMetrics."""
    ret = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            ret.setdefault(sample.name, []).append((sample.labels, sample.value))
    return ret


def value(found, name, **labels):
    values = [value for has, value in found.get(name, []) if has == labels]
    return values[0] if len(values) == 1 else None


def contents(tool):
    done = run(tool, "--openmetrics", "-", "-N", "100000")
    result(done.returncode == 0, "export ends with status 0", done.stderr)
    found = samples(done.stdout)
    result("ptaudit_processes" in found, "the output can be parsed as OpenMetrics")
    result(done.stdout.endswith("\n# EOF\n"), "the output ends with # EOF")
    result(value(found, "ptaudit_processes", comm=SHOWN) == 1, "a process name with special bytes is an escaped label", done.stdout[-2000:])
    empty = value(found, "ptaudit_empty_tables", comm=SHOWN) or 0
    seen = EMPTY if sees_empty(tool) else 0
    # the interpreter may have a few empty tables
    result(seen <= empty <= seen + 4, "ptaudit_empty_tables counts the empty tables", empty)
    tables = value(found, "ptaudit_tables", comm=SHOWN, level="pte") or 0
    result(seen + USED < tables < seen + USED + 200, "ptaudit_tables counts empty and used PTE tables, in several pieces", tables)
    result(value(found, "ptaudit_tables", comm=SHOWN, level="pgd") == 1, "the PGD, which is in each piece, counts once", done.stdout[-2000:])
    result(value(found, "ptaudit_uncounted_bytes", comm=SHOWN) == 0, "no table is uncounted", done.stdout[-2000:])
    result(value(found, "ptaudit_table_bytes", comm=SHOWN, level="pte") == tables * mmap.PAGESIZE, "ptaudit_table_bytes is a page for each PTE table")
    result(not any("other" in labels for labels, _ in found["ptaudit_processes"]), "with a limit above the number of groups, no group is named other")
    result("ptaudit_remainder_bytes" not in found and
           "ptaudit_remainder_bytes" in samples(run(tool, "--openmetrics", "-", "--remainder").stdout),
           "with --remainder, and only then, there is a remainder")
    age = time.time() - (value(found, "ptaudit_last_run_timestamp_seconds") or 0)
    result(-1 < age < 600, "ptaudit_last_run_timestamp_seconds is the current time", age)
    took = value(found, "ptaudit_last_run_duration_seconds") or 0
    result(0 < took < 600, "ptaudit_last_run_duration_seconds is a duration", took)
    for _ in range(20):  # other processes allocate and free tables between the two readings
        shown = value(samples(run(tool, "--openmetrics", "-").stdout), "ptaudit_pagetables_bytes")
        with open("/proc/meminfo", encoding="ascii") as file:
            kib = int(re.search(r"PageTables: *(\d+)", file.read()).group(1))
        if abs(shown - kib * 1024) <= kib * 512:
            break
    result(abs(shown - kib * 1024) <= kib * 512, "ptaudit_pagetables_bytes is PageTables of /proc/meminfo", (shown, kib))


def many(nr):
    """PIDs of @nr processes, each with a name of its own."""
    ready, done = os.pipe()
    pids = []
    for i in range(nr):
        pids.append(os.fork())
        if not pids[-1]:
            ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
            ctypes.CDLL(None).prctl(15, b"m%d" % i)  # PR_SET_NAME
            os.write(done, b"x")
            while True:
                signal.pause()
    for _ in pids:
        os.read(ready, 1)
    os.close(ready)
    os.close(done)
    return pids


def default_limit(tool):
    pids = many(101)
    found = samples(run(tool, "--openmetrics", "-").stdout)
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    named = [labels for labels, _ in found["ptaudit_processes"] if "comm" in labels]
    result(len(named) == 100 and value(found, "ptaudit_groups") > 100, "without -N there are 100 named groups", len(named))


def limits(tool):
    for by in ("comm", "user", "cgroup", "unit"):
        done = run(tool, "--openmetrics", "-", "--by", by, "-N", "1")
        found = samples(done.stdout)
        named = [labels for labels, _ in found["ptaudit_processes"] if labels.keys() == {by}]
        rest = [labels for labels, _ in found["ptaudit_processes"] if labels == {"other": "true"}]
        nr = value(found, "ptaudit_groups")
        result(len(named) == 1 and len(rest) == (nr > 1), f"--by {by} -N 1: one named group, and one group for all others", done.stdout)
    found = samples(run(tool, "--openmetrics", "-", "-N", "1").stdout)
    totals = {json.dumps(labels): 0 for labels, _ in found["ptaudit_processes"]}
    result(len(totals) == 2 and value(found, "ptaudit_processes", other="true") > 0, "-N 1: the group of all others has the sum of their processes", totals)

    done = subprocess.run(["unshare", "--user", "--map-user=1000", tool, "export", "--openmetrics", "-", "-N", "100000"],
                          capture_output=True, text=True, check=False)
    found = samples(done.stdout)
    unread = [labels for labels, bytes in found.get("ptaudit_uncounted_bytes", []) if bytes and value(found, "ptaudit_processes", **labels) == 1]
    known = [labels["comm"] for name in ("ptaudit_tables", "ptaudit_table_bytes", "ptaudit_empty_tables") for labels, _ in found.get(name, [])]
    result(unread and known and not any(labels["comm"] in known for labels in unread), "a group without a counted process has no numbers of tables", done)


def files(tool):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "ptaudit.prom")
        os.umask(0o77)
        result(run(tool, "--openmetrics", path).returncode == 0, "--openmetrics FILE creates the file")
        before = os.stat(path)
        result(before.st_mode & 0o777 == 0o644, "other users can read the file, whatever the umask is", oct(before.st_mode))
        with open(path, encoding="utf-8") as held:
            result(run(tool, "--openmetrics", path).returncode == 0, "--openmetrics FILE replaces an existing file")
            samples(held.read())
        result(os.stat(path).st_ino != before.st_ino, "the file is replaced by a new inode, so that a reader keeps the old one")
        with open(path, encoding="utf-8") as file:
            old = file.read()
        done = run(tool, "--openmetrics", path,
                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512)))
        with open(path, encoding="utf-8") as file:
            result(done.returncode == 2 and "File too large" in done.stderr and file.read() == old, "if the disk is full, the old file stays", done.stderr)
        result(os.listdir(folder) == ["ptaudit.prom"], "if the disk is full, no temporary file stays", os.listdir(folder))
        pipe = os.path.join(folder, "pipe")
        os.mkfifo(pipe)
        done = run(tool, "--openmetrics", pipe)
        result(done.returncode == 2 and "not a regular file" in done.stderr, "a FIFO is not replaced", done.stderr)
        done = run(tool, "--openmetrics", os.path.join(folder, "none", "x"))
        result(done.returncode == 2 and "No such file" in done.stderr, "a missing directory is an error", done.stderr)
        result(sorted(os.listdir(folder)) == ["pipe", "ptaudit.prom"], "no temporary file stays after any of these errors", os.listdir(folder))
    with open("/dev/full", "w", encoding="ascii") as full:
        status = subprocess.run([tool, "export", "--openmetrics", "-"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    result(status.returncode == 2 and "No space left on device" in status.stderr, "a failed write to standard output is exit status 2 with the reason", status)
    done = run(tool)
    result(done.returncode == 2 and "--openmetrics" in done.stderr, "export without --openmetrics is refused", done.stderr)


def dashboard_expressions():
    with open(os.path.join(EXAMPLES, "dashboard.json"), encoding="utf-8") as file:
        for panel in json.load(file)["panels"]:
            for target in panel.get("targets", []):
                yield target["expr"]


def shipped(tool):
    """The alerting rules and the dashboard may only use metrics that export prints."""
    known = set(samples(run(tool, "--openmetrics", "-").stdout)) | {"ptaudit_remainder_bytes", "ptaudit_deposited_tables"}
    if not sees_empty(tool):
        known.add("ptaudit_empty_tables")
    with open(os.path.join(EXAMPLES, "rules.yml"), encoding="utf-8") as file:
        text = "\n".join(line for line in file if "expr:" in line)
    asked = set(re.findall(r"\bptaudit_\w+", text + "\n".join(dashboard_expressions())))
    result(asked and asked <= known, "export prints every metric that the rules and the dashboard use", asked - known)
    with open(os.path.join(EXAMPLES, "ptaudit-export.service"), encoding="utf-8") as file:
        started = re.search(r"^ExecStart=(\S+) export ", file.read(), re.M)
    result(started and started[1] == "ptaudit", "the service finds ptaudit in /usr/sbin and in /usr/local/sbin", started)


def promtool(tool):
    text = run(tool, "--openmetrics", "-").stdout
    done = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True, check=False)
    result(done.returncode == 0, "promtool check metrics accepts the output", done.stdout + done.stderr)
    done = subprocess.run(["promtool", "check", "rules", "rules.yml"], cwd=EXAMPLES, capture_output=True, text=True, check=False)
    result(done.returncode == 0, "promtool check rules accepts rules.yml", done.stdout + done.stderr)
    done = subprocess.run(["promtool", "test", "rules", "rules_test.yml"], cwd=EXAMPLES, capture_output=True, text=True, check=False)
    result(done.returncode == 0, "promtool test rules passes", done.stdout + done.stderr)
    rules = [{"record": f"panel:{i}", "expr": expr.replace("$limit", "10")} for i, expr in enumerate(dashboard_expressions())]
    with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
        json.dump({"groups": [{"name": "dashboard", "rules": rules}]}, file)  # valid YAML as well
        file.flush()
        done = subprocess.run(["promtool", "check", "rules", file.name], capture_output=True, text=True, check=False)
    result(done.returncode == 0, "promtool check rules accepts the expressions of the dashboard", done.stdout + done.stderr)


def node_exporter(tool):
    """The textfile collector of node-exporter must accept the file."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = "127.0.0.1:%d" % free.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        run(tool, "--openmetrics", os.path.join(folder, "ptaudit.prom"))
        exporter = subprocess.Popen(["prometheus-node-exporter", "--web.listen-address=" + address,
                                     "--collector.disable-defaults", "--collector.textfile",
                                     "--collector.textfile.directory=" + folder], stderr=subprocess.DEVNULL)
        page = ""
        for _ in range(6000):  # only an exporter that hangs reaches it
            try:
                with urllib.request.urlopen(f"http://{address}/metrics") as answer:
                    page = answer.read().decode()
                break
            except OSError:
                if exporter.poll() is not None:
                    break
                time.sleep(0.1)
        exporter.terminate()
        exporter.wait()
    result("\nnode_textfile_scrape_error 0\n" in page and "\nptaudit_pagetables_bytes " in page, "node-exporter serves the metrics of the file", page)


def main():
    arguments = sys.argv[1:]
    required = "--prometheus" in arguments
    tool = os.path.abspath([word for word in arguments if not word.startswith("-")][0])
    pid = start()
    try:
        contents(tool)
        limits(tool)
        default_limit(tool)
        files(tool)
        shipped(tool)
        for program, package, test in (("promtool", "prometheus", promtool),
                                       ("prometheus-node-exporter", "prometheus-node-exporter", node_exporter)):
            if shutil.which(program):
                test(tool)
            elif required:
                result(False, f"{program} is installed (package {package})")
            else:
                print(f"# not run on this machine: {program} (package {package})")
    finally:
        os.kill(pid, signal.SIGKILL)
    end_with_total()


main()
