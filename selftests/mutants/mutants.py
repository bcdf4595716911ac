#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""usage: mutants.py

Measures whether the tests find wrong lines. Plants one fault at a time in a copy of the
tree: the faults of user.faults, and a number of random ones. Runs the test programs that
link the changed file until one fails, crashes or hangs; then the fault is found. The parts
of `make check` that run the whole tool or the library come last. Faults of the module
(module.faults) are tried in a VM. No faults are drawn in the BPF programs, which need root.

MUTANTS_SEED   seed of the random faults: a number or a word (default 1)
MUTANTS_DRAWN  number of random faults (default 100); 0: only those of the lists
MUTANTS_FILES  only faults in files with these paths, such as "user/model/maps.c module/*"

Survivors, the faults that no test finds, are printed in the form of user.faults. The last
line is `N passed, N failed`. A fault passes if it was found. These count as failed: survivors
beyond one in ten, faults of the list that do not apply or do not compile, and faults that
the list calls equivalent although a test found them. Equivalent faults, and faults for
which the compiler makes the same code, count as neither.
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

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "selftests"))

# pylint: disable=wrong-import-position # sys.path must be set first
import boots
import faults
import module

WORK = ROOT / "build/mutants"
HERE = pathlib.Path(__file__).parent
WORKERS = 2
PATTERNS = os.environ.get("MUTANTS_FILES", "").split()
# Parts of `make check` with test programs of their own: directory, and build directory.
SUITES = [("selftests/unit", "build/unit")]
# Parts of `make check` that run the whole tool; the part `lib` runs the library.
TOOL, LIBRARY = "user/ptaudit", "build/lib/libptaudit.so"
WHOLE = {**{part: [f"selftests/{part}_test.py", TOOL]
            for part in ("columns", "export", "map", "schema", "tui")},
         "examples": ["make", "-s", "check-examples"], "lib": ["make", "-s", "-C", "selftests/lib", "run"],
         # PID 1, here the shell, must be in another user namespace than the test.
         "refusals": ["sh", "-c", f"selftests/refusals.sh {TOOL}; exit $?"],
         **{part: ["make", "-s", "-C", "selftests/replay", part]
            for part in ("faulty", "replay", "pages", "hostile", "programs", "record")}}
# One of this many faults may survive.
TOLERATED = 10
# The limit is long because the machine may be busy: only a program that hangs reaches it.
LEAST_SECONDS, TIMES_LONGER = 60, 20
# Limits for faults that make output, a file or memory use endless.
MOST_OUTPUT, MOST_FILE, MOST_MEMORY_MB = 64 << 20, 256 << 20, 2048

# A faulty tool that runs as root could signal any process. So the tests run in a user namespace
# with one user. Its root cannot read page frames; therefore tests that run the tool or the library
# run as another user.
CONFINED = ["unshare", "--user", "--pid", "--mount", "--mount-proc", "--fork", "--kill-child"]
AS_ROOT, AS_USER = ["--map-root-user"], ["--map-user=1000", "--map-group=1000"]

Program = collections.namedtuple("Program", "suite path")
Outcome = collections.namedtuple("Outcome", "verdict by seconds")
FOUND, SURVIVED, SAME, BROKEN = "found", "survived", "same code", "does not compile"


class Copy:
    """A copy of the tree with its own builds. It has one fault at most."""

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
        if program.suite in WHOLE:
            return self.make(".", program.path).returncode == 0
        path = os.path.relpath(program.path, program.suite)
        return self.make(program.suite, path).returncode == 0

    def failure(self, program):
        """Run the tests of a program until one fails. Return: None, or the end of its output."""
        if program.suite in WHOLE:
            command, cwd = WHOLE[program.suite], self.root
        else:
            command, cwd = [self.root / program.path], self.root / program.suite
        limit = max(LEAST_SECONDS, TIMES_LONGER * self.seconds.get(program, LEAST_SECONDS))
        return run_test(command, cwd, limit, AS_USER if program.suite in WHOLE else AS_ROOT,
                        program.path != TOOL)

    def write(self, path, text):
        """Write a file with a new time, so that make sees the fault come and go."""
        (self.root / path).write_text(text)

    def code(self, path):
        """The object code of a file without debug information, or None if it does not compile."""
        target = "build/" + path[:-2] + ".o"
        if self.make(".", target, "CPPFLAGS=-Iuser/lib").returncode:
            return None
        subprocess.run(["objcopy", "-g", target, "build/code.o"], cwd=self.root, check=True)
        return (self.root / "build/code.o").read_bytes()


def name_of(program):
    return program.suite if program.suite in WHOLE else os.path.basename(program.path)


def limits(is_sanitized):
    # The shadow memory of a sanitizer would exceed any limit.
    if not is_sanitized:
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY_MB << 20, resource.RLIM_INFINITY))
    # A test that needs a large sparse file or mapping raises these limits itself.
    resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_FILE, resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # Background jobs have these signals ignored, but tests send them.
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)


def run_test(command, cwd, limit, user, is_sanitized):
    """Run a command in its namespace until it ends, prints `not ok`, prints too much or takes too
    long. Return: None if it passed, otherwise the end of its output."""
    environment = dict(os.environ, ASAN_OPTIONS=f"hard_rss_limit_mb={MOST_MEMORY_MB}")
    if os.access("/dev/shm", os.W_OK):
        environment["TMPDIR"] = "/dev/shm"
    environment.pop("MAKEFLAGS", None)
    with subprocess.Popen(CONFINED + user + command, cwd=cwd, env=environment,
                          preexec_fn=lambda: limits(is_sanitized),
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, start_new_session=True) as process:
        timer = threading.Timer(limit, process.kill)
        timer.start()
        size, last, failed = 0, b"\n", False
        while not failed and (some := os.read(process.stdout.fileno(), 65536)):
            size += len(some)
            failed = b"\nnot ok" in last[-8:] + some or size > MOST_OUTPUT
            last = (last + some)[-2000:]
        if failed:
            process.kill()
        timer.cancel()
        return last.decode(errors="replace") if process.wait() or failed else None


def sources_in(copy, program):
    """Base names of the C files of user/ in a test program: those in its symbols, and those that
    the test itself includes, from the compiler's list of dependencies."""
    symbols = subprocess.run(["readelf", "-sW", copy.root / program.path], check=True,
                             stdout=subprocess.PIPE, text=True).stdout
    names = set(re.findall(r" FILE .* (\S+\.c)$", symbols, re.MULTILINE))
    for noted in (copy.root / program.path).parent.glob(pathlib.Path(program.path).name + "*.d"):
        names |= {os.path.basename(name) for name in re.findall(r"\S+\.c\b", noted.read_text())}
    return names


def tree(root):
    """The paths of the source files of the project below @root."""
    top = ("Kbuild", "Makefile", "module", "scripts", "selftests", "user")
    return {path.relative_to(root) for name in top
            for path in [root / name, *(root / name).rglob("*")]
            if path.is_file() and path.suffix not in (".o", ".ko", ".pyc")
            and path.name != "ptaudit"}


def refresh(copy):
    """Update the copy from the tree. Equal files are not touched, so that builds stay valid."""
    wanted = tree(ROOT)
    for path in tree(copy) - wanted:
        (copy / path).unlink()
    for path in wanted:
        if not (copy / path).exists() or not filecmp.cmp(ROOT / path, copy / path, shallow=False):
            (copy / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / path, copy / path)
            shutil.copymode(ROOT / path, copy / path)


def prepare(first):
    """Build everything in the first copy, and check that all tests pass there. Return: the
    programs that link a file, by the base name of the file."""
    refresh(first.root)
    first.must_make(".", "-j2", "user")
    first.must_make("selftests/lib", "-j2", "all")
    programs = [Program(name, LIBRARY if name == "lib" else TOOL) for name in WHOLE]
    for suite, built in SUITES:
        if not (first.root / suite).exists():
            continue
        first.must_make(suite, "-j2", "all")
        programs += [Program(suite, path.relative_to(first.root).as_posix())
                     for path in sorted((first.root / built).rglob("*_test"))]
    if len(programs) == len(WHOLE):
        raise faults.Error("there are no test programs")
    linked = collections.defaultdict(list)
    for program in programs:
        began = time.monotonic()
        failure = first.failure(program)
        if failure is not None:
            raise faults.Error(f"{name_of(program)} fails without a fault:\n{failure}")
        first.seconds[program] = time.monotonic() - began
        for name in sources_in(first, program):
            linked[name].append(program)
    return linked


class Worker(threading.Thread):
    """Tries the faults of one file at a time in a copy of its own."""

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
        """The programs to run for a file, those that are most likely to fail first: those that found
        another fault of the file, those with a similar name, quick ones. Those that run the
        tool itself come last."""
        stem, copy = pathlib.Path(path).stem, self.copy
        # An example has the name of a file of the tool, which does not link it.
        programs = [program for program in self.run_state.linked[os.path.basename(path)]
                    if program.suite == "lib" or not path.startswith("user/examples/")]
        return sorted(programs, key=lambda program: (
            program.suite in WHOLE, -copy.found[path, program],
            not os.path.basename(program.path).startswith(stem), copy.seconds[program]))

    def of_file(self, path, some):
        lines, sound = self.run_state.sources[path], self.copy.code(path)
        if sound is None:
            raise faults.Error(f"{path} does not compile")
        for fault in some:
            began = time.monotonic()
            verdict, by = SURVIVED, ""
            self.copy.write(path, fault.text(lines))
            for program in self.order(path):
                # Check only now whether the compiled code differs at all, because most faults
                # are found earlier.
                if program.suite in WHOLE and self.copy.code(path) == sound:
                    verdict = SAME
                    break
                if not self.copy.build(program):
                    verdict = BROKEN
                    break
                if self.copy.failure(program) is not None:
                    verdict, by = FOUND, name_of(program)
                    self.copy.found[path, program] += 1
                    break
            self.run_state.note(fault, verdict, by, time.monotonic() - began)
        self.copy.write(path, "\n".join(lines))


class Run:
    """The faults of one part of the project, and their verdicts."""

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
    """Tries faults of the tool in copies of the tree."""

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
        # Files that this machine cannot build are left out.
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
    """Tries faults of the module in a VM."""

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
    """Print the results. Return: the numbers of passed and of failed faults."""
    found, survived = run.with_verdict(FOUND), run.with_verdict(SURVIVED)
    refuted = run.with_verdict(FOUND, argued=True)
    broken = [fault for fault in run.with_verdict(BROKEN) + run.with_verdict(BROKEN, argued=True)
              if not fault.drawn]
    print_blocks(run, "survived", survived)
    print_blocks(run, "listed as equivalent, but found:", refuted)
    print_blocks(run, "does not compile:", broken)
    for block, reason in run.wrong:
        print(f"\n# does not apply: {reason}\n{block}")
    print(f"\n# {run.part}/: number of found faults, of all planted ones")
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
          f"{len(survived)} survived, {argued} equivalent according to the list, "
          f"{len(run.with_verdict(SAME))} with the same code, {time.monotonic() - run.began:.0f} s")
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
    except (faults.Error, boots.Error) as fatal:
        print(f"not ok - {fatal}\n0 passed, 1 failed")
        sys.exit(1)
