# SPDX-License-Identifier: GPL-2.0-only
"""Starts programs of third parties in the current directory, and ends them."""
import glob
import os
import shutil
import signal
import subprocess
import time

MOST_S = 60

started = []


def find(*names):
    """The first of these programs that is installed."""
    for name in names:
        found = sorted(glob.glob(name)) or [shutil.which(name)]
        if found[-1]:
            return found[-1]
    raise FileNotFoundError(f"{names[0]} is not installed")


def start(*words, **more):
    """Start a program in a session of its own; end_all() ends the whole session."""
    more.setdefault("stdin", subprocess.DEVNULL)
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True, **more)
    started.append(process)
    return process.pid


def write(name, text):
    with open(name, "w", encoding="ascii") as file:
        file.write(text)


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return [int(word) for word in file.read().split()]


def comm(pid):
    """The name of a process, or "" if it has ended."""
    try:
        with open(f"/proc/{pid}/comm", encoding="utf-8", errors="replace") as file:
            return file.read().strip()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def family():
    """The PIDs of all started processes and of their descendants."""
    pids = [process.pid for process in started]
    for pid in pids:
        try:
            pids += children(pid)
        except (FileNotFoundError, ProcessLookupError):
            pass
    return pids


def wait_for(what, path, most_s=MOST_S):
    deadline = time.monotonic() + most_s
    while not what(path):
        if time.monotonic() > deadline:
            raise TimeoutError(f"{path} was not ready in time")
        time.sleep(0.1)


def start_postgres(*settings):
    """Start a server in ./postgres. Return: the directory of its programs, its data directory, its PID."""
    folder = os.path.dirname(find("/usr/lib/postgresql/*/bin/initdb"))
    os.mkdir("postgres")
    shutil.chown("postgres", "postgres")
    as_user = ["runuser", "-u", "postgres", "--"]
    data = os.path.abspath("postgres/data")
    subprocess.run([*as_user, folder + "/initdb", "-D", data], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    more = [word for setting in ("listen_addresses=", *settings) for word in ("-c", setting)]
    pid = start(*as_user, folder + "/postgres", "-D", data, "-k", data, *more)
    wait_for(lambda _: not subprocess.call([folder + "/pg_isready", "-q", "-h", data]), "postgres")
    return folder, data, pid


def end_all():
    for pid in reversed(family()):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    for process in started:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
    started.clear()
