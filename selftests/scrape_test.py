#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""usage: scrape_test.py PTAUDIT [SECONDS]

Prometheus scrapes the output of export for SECONDS (default 600) while processes start and
end, each with a new name. No scrape may fail, and --limit must bound the number of series.
Needs root and the packages prometheus and prometheus-node-exporter."""
import contextlib
import json
import mmap
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

from results import end_with_total, result

LIMIT = 20
STEADY = 25  # number of permanent groups: more than the --limit of this test
TABLES = 1000  # per process; a short-lived process has a few dozen
SLOT = 2 << 20
EXPORT_SECONDS = 10
SCRAPE_SECONDS = 2


def child(name, tables):
    """Start a process with this name and @tables additional PTE tables."""
    parent = os.getpid()
    pid = os.fork()
    if pid:
        return pid
    try:
        with open("/proc/self/comm", "w", encoding="ascii") as comm:
            comm.write(name)
        if tables:
            area = mmap.mmap(-1, tables * SLOT, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
            area.madvise(mmap.MADV_NOHUGEPAGE)
            for at in range(0, tables * SLOT, SLOT):
                area[at] = 1
        while os.getppid() == parent:
            time.sleep(5)
    finally:
        os._exit(1)  # without running the parent's exit handlers


def end(pid):
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def free_address():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return "127.0.0.1:%d" % free.getsockname()[1]


class Server:
    def __init__(self, address, *command):
        self.address = address
        self.process = subprocess.Popen(command, stderr=subprocess.DEVNULL)

    def get(self, path):
        for _ in range(600):
            try:
                with urllib.request.urlopen(f"http://{self.address}{path}") as answer:
                    return answer.read().decode()
            except urllib.error.HTTPError as why:
                return why.read().decode()
            except OSError:
                time.sleep(0.1)
        raise TimeoutError(self.address)

    def close(self):
        self.process.terminate()
        self.process.wait()


def value(prometheus, expression, at=None):
    """The value of an expression that has at most one; NaN if it has none."""
    query = {"query": expression, **({"time": at} if at else {})}
    answer = json.loads(prometheus.get("/api/v1/query?" + urllib.parse.urlencode(query)))
    found = answer["data"]["result"] if answer["status"] == "success" else []
    return float(found[0]["value"][1]) if found else float("nan")


def come_and_go(seconds, export):
    """Return: the number of processes that were started, and of runs of export."""
    living, nr, runs, began = [], 0, 0, time.monotonic()
    while time.monotonic() - began < seconds:
        if time.monotonic() - began >= runs * EXPORT_SECONDS:
            subprocess.run(export, check=True)
            runs += 1
        living.append(child(f"come-{nr}", random.randrange(3)))
        nr += 1
        if len(living) > 40:
            end(living.pop(random.randrange(len(living))))
        time.sleep(0.1)
    for pid in living:
        end(pid)
    return nr, runs


def stamp(path):
    with open(path, encoding="ascii") as file:
        return float(next(line for line in file if line.startswith("ptaudit_last_run_timestamp_seconds ")).split()[1])


def judge(prometheus, path, names, runs, seconds):
    last = stamp(path)
    for _ in range(600):
        if value(prometheus, "ptaudit_last_run_timestamp_seconds") == last:
            break
        time.sleep(0.5)
    over = f"[{int(seconds) + 600}s]"
    scrapes = value(prometheus, f'count_over_time(up{{job="tables"}}{over})')
    # the exporter may have started after Prometheus
    failed = value(prometheus, f'sum_over_time((1 - up{{job="tables"}}){over[:-1]}:{SCRAPE_SECONDS}s])')
    errors = value(prometheus, f"max_over_time(node_textfile_scrape_error{over})")
    seen = value(prometheus, f"changes(ptaudit_last_run_timestamp_seconds{over})") + 1
    levels = value(prometheus, 'count(count by (level) (ptaudit_tables))')
    alone = value(prometheus, 'count({__name__=~"ptaudit_.*", comm="", other=""})')
    bound = (LIMIT + 1) * (2 * levels + 4) + alone
    most = value(prometheus, f'max_over_time(count({{__name__=~"ptaudit_.*"}}){over[:-1]}:{SCRAPE_SECONDS}s])')
    ever = value(prometheus, f'count(last_over_time({{__name__=~"ptaudit_.*"}}{over}))')
    came = value(prometheus, f'count(last_over_time({{__name__=~"ptaudit_.*", comm=~"come-.*"}}{over}))')
    print(f"# {seconds:.0f} s, {names} processes with a name of their own, {runs} files, of which Prometheus saw {seen:.0f}; "
          f"{scrapes:.0f} scrapes, {failed:.0f} failed; at most {most:.0f} series at a time, {ever:.0f} in all, {bound:.0f} allowed")
    result(scrapes > 0 and failed == 0, "no scrape failed", f"{failed} of {scrapes}")
    result(errors == 0, "node-exporter read each file without an error", errors)
    result(0 < most <= bound, "--limit bounds the number of series at any time", f"{most} above {bound}")
    result(came != came and names > LIMIT, "the names of short-lived processes make no series", f"{came} of {names} names")


def main():
    tool, seconds = os.path.abspath(sys.argv[1]), float(sys.argv[2]) if len(sys.argv) > 2 else 600
    steady = [child(f"stay-{i}", TABLES) for i in range(STEADY)]
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        for pid in steady:
            stack.callback(end, pid)
        path = os.path.join(folder, "ptaudit.prom")
        export = [tool, "export", "--by", "comm", "--limit", str(LIMIT), "--openmetrics", path]
        subprocess.run(export, check=True)
        address = free_address()
        exporter = Server(address, "prometheus-node-exporter", "--web.listen-address=" + address, "--collector.disable-defaults",
                          "--collector.textfile", "--collector.textfile.directory=" + folder)
        stack.callback(exporter.close)
        exporter.get("/metrics")
        config = {"global": {"scrape_interval": f"{SCRAPE_SECONDS}s", "scrape_timeout": f"{SCRAPE_SECONDS}s"},
                  "scrape_configs": [{"job_name": "tables", "static_configs": [{"targets": [address]}]}]}
        with open(os.path.join(folder, "prometheus.yml"), "w", encoding="ascii") as file:
            json.dump(config, file)  # valid YAML as well
        address = free_address()
        prometheus = Server(address, "prometheus", "--config.file=" + file.name, "--web.listen-address=" + address,
                            "--storage.tsdb.path=" + os.path.join(folder, "data"))
        stack.callback(prometheus.close)
        prometheus.get("/-/ready")
        names, runs = come_and_go(seconds, export)
        judge(prometheus, path, names, runs, seconds)
    end_with_total()


if __name__ == "__main__":
    main()
