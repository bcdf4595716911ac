#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""usage: mutants.py

Do the tests notice when a line of the tool is wrong? Plants one fault at a time in a copy
of the tree: those of user.faults, and as many as DRAWN says from a seed. Runs the test
programs that link the changed file until one fails, crashes or hangs; that fault is
found. Last come the parts of `make check` that run the whole tool, the recordings at the end.

MUTANTS_SEED   a number or word to draw from (default 1)
MUTANTS_DRAWN  how many are drawn (default 100)
MUTANTS_FILES  only faults in files of these names, such as "maps.c pagemap*.c"

What comes out as survived is printed in the form of user.faults. The last line is
`N passed, N failed`. Passed: faults that were found. Failed: survivors beyond one in ten,
faults of the list that stand in no line or in several or do not compile, and faults
called equivalent that a test found. One that is called equivalent, with its argument in
the list, and one that the compiler makes the same code of are counted nowhere.
"""
import collections
import filecmp
import fnmatch
import itertools
import os
import pathlib
import queue
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time

import faults
import module

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORK = ROOT / "build/mutants"
HERE = pathlib.Path(__file__).parent
WORKERS = 2
PATTERNS = os.environ.get("MUTANTS_FILES", "").split()
# Parts of `make check` with test programs of their own: directory, and build directory.
SUITES = [("selftests/unit", "build/unit")]
# Parts of it that run the tool itself, the quick ones first.
TOOL = "user/ptaudit"
WHOLE = {"export": ["selftests/export_test.py", TOOL], "map": ["selftests/map_test.py", TOOL],
         "schema": ["selftests/schema_test.py", TOOL], "tui": ["selftests/tui_test.py", TOOL],
         "examples": ["make", "-s", "check-examples"],
         **{part: ["make", "-s", "-C", "selftests/replay", part]
            for part in ("programs", "replay", "hostile", "record")}}
# One of this many faults may survive.
TOLERATED = 10
# Only hangs reach this limit: the machine may be busy with other work.
LEAST_SECONDS, TIMES_LONGER = 60, 20
# Limits for faults that make output, a file or memory use endless.
MOST_OUTPUT, MOST_FILE, MOST_MEMORY_MB = 64 << 20, 256 << 20, 2048

# Root runs the tests as root, and a faulty tool may signal any PID. In this namespace there is
# only one user. Its root cannot read page frames, so tests that run the tool run as another
# user.
CONFINED = ["unshare", "--user", "--pid", "--mount", "--mount-proc", "--fork", "--kill-child"]
AS_ROOT, AS_USER = ["--map-root-user"], ["--map-user=1000", "--map-group=1000"]

Program = collections.namedtuple("Program", "suite path")
Outcome = collections.namedtuple("Outcome", "verdict by seconds")
FOUND, SURVIVED, SAME, BROKEN = "found", "survived", "same code", "does not compile"


class Copy:
    """A copy of the tree with its own builds, and one fault in it at most."""

    def __init__(self, directory):
        self.root = directory
        # The programs in the order of execution, and their times without a fault.
        self.programs, self.seconds = [], {}
        self.found = collections.Counter()

    def make(self, directory, *arguments):
        return subprocess.run(["make", "-s", "-C", directory, *arguments], cwd=self.root,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)

    def must_make(self, directory, *arguments):
        done = self.make(directory, *arguments)
        if done.returncode:
            raise faults.Error(f"make -C {directory} fails without a fault:\n"
                               + done.stdout.decode(errors="replace")[-2000:])

    def build(self, program):
        if program.path == TOOL:
            return self.make(".", "user").returncode == 0
        path = os.path.relpath(program.path, program.suite)
        return self.make(program.suite, path).returncode == 0

    def passes(self, program):
        """Whether all tests pass; stops at the first that does not."""
        if program.path == TOOL:
            command, cwd = WHOLE[program.suite], self.root
        else:
            command, cwd = [self.root / program.path], self.root / program.suite
        limit = max(LEAST_SECONDS, TIMES_LONGER * self.seconds.get(program, LEAST_SECONDS))
        return run_test(command, cwd, limit, program.path != TOOL)

    def write(self, path, text):
        """A file with a new time, so that make sees the change and its end."""
        (self.root / path).write_text(text)

    def code(self, path):
        """What the compiler makes of a file, without what it says of lines."""
        target = "build/" + path[:-2] + ".o"
        if self.make(".", target).returncode:
            return None
        subprocess.run(["objcopy", "-g", target, "build/code.o"], cwd=self.root, check=True)
        return (self.root / "build/code.o").read_bytes()


def name_of(program):
    return program.suite if program.path == TOOL else os.path.basename(program.path)


def limits(is_sanitized):
    # The shadow memory of a sanitizer exceeds any limit.
    if not is_sanitized:
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY_MB << 20, MOST_MEMORY_MB << 20))
    # A test that makes a large sparse file raises this limit itself.
    resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_FILE, resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # Background jobs have these signals ignored, but tests send them.
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)


def run_test(command, cwd, limit, is_sanitized):
    """Runs it confined until it ends, says `not ok`, says too much or takes too long."""
    environment = dict(os.environ, ASAN_OPTIONS=f"hard_rss_limit_mb={MOST_MEMORY_MB}")
    if os.access("/dev/shm", os.W_OK):
        environment["TMPDIR"] = "/dev/shm"
    environment.pop("MAKEFLAGS", None)
    user = AS_ROOT if is_sanitized else AS_USER
    with subprocess.Popen(CONFINED + user + command, cwd=cwd, env=environment,
                          preexec_fn=lambda: limits(is_sanitized),
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, start_new_session=True) as process:
        timer = threading.Timer(limit, process.kill)
        timer.start()
        size, last, failed = 0, b"\n", False
        while not failed and (some := os.read(process.stdout.fileno(), 65536)):
            size += len(some)
            failed = b"\nnot ok" in last + some or size > MOST_OUTPUT
            last = (last + some)[-8:]
        if failed:
            process.kill()
        timer.cancel()
        return process.wait() == 0 and not failed


def sources_in(copy, program):
    """Base names of the C files of user/ in a test program, by its symbols and by what the
    compiler noted of the test itself, which may include one."""
    symbols = subprocess.run(["readelf", "-sW", copy.root / program.path], check=True,
                             stdout=subprocess.PIPE, text=True).stdout
    names = set(re.findall(r" FILE .* (\S+\.c)$", symbols, re.MULTILINE))
    for noted in (copy.root / program.path).parent.glob(pathlib.Path(program.path).name + "*.d"):
        names |= {os.path.basename(name) for name in re.findall(r"\S+\.c\b", noted.read_text())}
    return names


def tree(root):
    """The files of the project below it, by their paths; not what was built there."""
    top = ("Kbuild", "Makefile", "module", "scripts", "selftests", "user")
    return {path.relative_to(root) for name in top
            for path in [root / name, *(root / name).rglob("*")]
            if path.is_file() and path.suffix not in (".o", ".ko", ".pyc")
            and path.name != "ptaudit"}


def refresh(copy):
    """Makes the copy like the tree, and touches only what differs: it may have been built."""
    wanted = tree(ROOT)
    for path in tree(copy) - wanted:
        (copy / path).unlink()
    for path in wanted:
        if not (copy / path).exists() or not filecmp.cmp(ROOT / path, copy / path, shallow=False):
            (copy / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / path, copy / path)
            shutil.copymode(ROOT / path, copy / path)


def prepare(first):
    """Builds everything in the first copy and sees that it passes; the programs that link
    each file, by its base name."""
    refresh(first.root)
    first.must_make(".", "-j2", "user")
    programs = [Program(name, TOOL) for name in WHOLE]
    for suite, built in SUITES:
        if not (first.root / suite).exists():
            continue
        first.must_make(suite, "-j2", "all")
        programs += [Program(suite, path.relative_to(first.root).as_posix())
                     for path in sorted((first.root / built).rglob("*_test"))]
    if len(programs) == len(WHOLE):
        raise faults.Error("no test programs were built")
    linked = collections.defaultdict(list)
    for program in programs:
        began = time.monotonic()
        if not first.passes(program):
            raise faults.Error(f"{name_of(program)} fails without a fault")
        first.seconds[program] = time.monotonic() - began
        for name in sources_in(first, program):
            linked[name].append(program)
    return linked


class Worker(threading.Thread):
    """Tries the faults of one file after the other in a copy of its own."""

    def __init__(self, run, copy):
        super().__init__(daemon=True)
        self.run_state, self.copy, self.error = run, copy, None

    def run(self):
        try:
            while True:
                path, some = self.run_state.files.get_nowait()
                self.of_file(path, some)
        except queue.Empty:
            pass
        except Exception as error:  # pylint: disable=broad-except
            self.error = error

    def order(self, path):
        """Most likely to fail first: what found another fault of the file, is named like
        it, is quick. What runs the tool itself comes last."""
        stem, copy = pathlib.Path(path).stem, self.copy
        return sorted(self.run_state.linked[os.path.basename(path)], key=lambda program: (
            program.path == TOOL, -copy.found[path, program],
            not os.path.basename(program.path).startswith(stem), copy.seconds[program]))

    def of_file(self, path, some):
        lines, sound = self.run_state.sources[path], self.copy.code(path)
        for fault in some:
            began = time.monotonic()
            verdict, by = SURVIVED, ""
            self.copy.write(path, fault.text(lines))
            for program in self.order(path):
                # Checked late, because most faults are found earlier: does the compiled code
                # differ at all?
                if program.path == TOOL and self.copy.code(path) == sound:
                    verdict = SAME
                    break
                if not self.copy.build(program):
                    verdict = BROKEN
                    break
                if not self.copy.passes(program):
                    verdict, by = FOUND, name_of(program)
                    self.copy.found[path, program] += 1
                    break
            self.run_state.note(fault, verdict, by, time.monotonic() - began)
        self.copy.write(path, "\n".join(lines))


class Run:
    """A part of the project, what is tried in it, and what has come out."""

    def __init__(self, part, sources):
        self.part, self.sources, self.began = part, sources, time.monotonic()
        self.outcomes, self.wanted = {}, 0
        self.lock = threading.Lock()
        listed, self.wrong = faults.read_list(HERE / f"{part}.faults", sources)
        self.listed_keys = {fault.key() for fault in listed}
        self.listed = [fault for fault in listed if chosen(fault.path)]

    def note(self, fault, verdict, by, seconds):
        with self.lock:
            self.outcomes[fault] = Outcome(verdict, by, seconds)
            print(f"# {self.part} {len(self.outcomes)}/{self.wanted}"
                  f" {time.monotonic() - self.began:.0f} s: {verdict}{' by ' * bool(by)}{by}"
                  f" {fault.path}:{fault.line + 1} ({seconds:.1f} s)", flush=True)

    def with_verdict(self, verdict, argued=False):
        return [fault for fault, outcome in self.outcomes.items()
                if outcome.verdict == verdict and bool(fault.argument) == argued]


class UserRun(Run):
    """Faults of the tool, in copies of the tree."""

    def __init__(self):
        self.copies = [Copy(WORK / str(i)) for i in range(WORKERS)]
        first, *others = self.copies
        self.linked = prepare(first)
        for other in others:
            # keep the times, so that nothing is rebuilt
            shutil.rmtree(other.root, ignore_errors=True)
            shutil.copytree(first.root, other.root, symlinks=True)
            other.seconds = first.seconds
        self.files = queue.SimpleQueue()
        # Without the files that this machine lacks the tools to build.
        super().__init__("user", {path: lines for path, lines
                                  in faults.read_sources(first.root, "user").items()
                                  if os.path.basename(path) in self.linked})

    def try_some(self, some):
        self.wanted += len(some)
        by_file = collections.defaultdict(list)
        for fault in some:
            by_file[fault.path].append(fault)
        for item in sorted(by_file.items(), key=lambda item: -len(item[1])):
            self.files.put(item)
        workers = [Worker(self, copy) for copy in self.copies]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
            if worker.error:
                raise worker.error

    def try_all(self, seed, number):
        drawn = (fault for fault in faults.draw(self.sources, seed)
                 if chosen(fault.path) and fault.key() not in self.listed_keys)
        some = self.listed + list(itertools.islice(drawn, number))
        while some:
            self.try_some(some)
            # replace unusable faults by drawing others
            usable = sum(fault.drawn and outcome.verdict in (FOUND, SURVIVED)
                         for fault, outcome in self.outcomes.items())
            some = list(itertools.islice(drawn, number - usable))


class ModuleRun(Run):
    """Faults of the module, in a VM."""

    def __init__(self):
        super().__init__("module", faults.read_sources(ROOT, "module"))
        self.wanted = len(self.listed)

    def try_all(self):
        if self.listed:
            module.Module(ROOT, WORK / "module", self.sources, self.note).try_all(self.listed)


def print_blocks(run, title, some):
    for fault in sorted(some, key=lambda fault: (fault.path, fault.line)):
        print(f"\n# {title} {fault.path}:{fault.line + 1}")
        print(fault.block(run.sources))
        if fault.argument:
            print(f"equivalent: {fault.argument}")


def summary(run):
    """Prints what has come out; the number of passed and of failed."""
    found, survived = run.with_verdict(FOUND), run.with_verdict(SURVIVED)
    refuted = run.with_verdict(FOUND, argued=True)
    broken = [fault for fault in run.with_verdict(BROKEN) + run.with_verdict(BROKEN, argued=True)
              if not fault.drawn]
    print_blocks(run, "survived", survived)
    print_blocks(run, "called equivalent, but found:", refuted)
    print_blocks(run, "does not compile:", broken)
    for block, reason in run.wrong:
        print(f"\n# does not apply: {reason}\n{block}")
    print(f"\n# {run.part}/: found of planted")
    files = collections.Counter(fault.path for fault in found + survived)
    found_in = collections.Counter(fault.path for fault in found)
    for path, number in sorted(files.items()):
        print(f"# {path}: {found_in[path]} of {number}")
    planted = len(found) + len(survived)
    for kind, drawn in (("of the list", False), ("drawn", True)):
        of_kind = [sum(fault.drawn == drawn for fault in some) for some in (found, survived)]
        print(f"# {kind}: {of_kind[0]} found, {of_kind[1]} survived")
    argued = len(run.with_verdict(SURVIVED, argued=True) + run.with_verdict(SAME, argued=True))
    share = 100 * len(found) / max(planted, 1)
    print(f"# {run.part}/: {len(found)} of {planted} found ({share:.1f} %), "
          f"{len(survived)} survived, {argued} called equivalent, "
          f"{len(run.with_verdict(SAME))} of the same code, {time.monotonic() - run.began:.0f} s")
    return len(found), (max(0, len(survived) - planted // TOLERATED) + len(refuted) + len(broken)
                        + len(run.wrong))


def chosen(path):
    return not PATTERNS or any(fnmatch.fnmatch(path, pattern) for pattern in PATTERNS)


def main():
    passed = failed = 0
    if any(not pattern.startswith("module/") for pattern in PATTERNS or ["*"]):
        seed = os.environ.get("MUTANTS_SEED") or "1"
        print(f"# seed {seed}", flush=True)
        run = UserRun()
        run.try_all(seed, int(os.environ.get("MUTANTS_DRAWN") or 100))
        passed, failed = summary(run)
    run = ModuleRun()
    run.try_all()
    totals = summary(run)
    passed, failed = passed + totals[0], failed + totals[1]
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        sys.exit(main())
    except faults.Error as fatal:
        print(f"not ok - {fatal}\n0 passed, 1 failed")
        sys.exit(1)
