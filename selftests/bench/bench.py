#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Measures the time of ptaudit estimate and of floors, the shortest programs that read the
same interfaces.

Every row is a complete process, from its start to its end. The commands of a workload run
in turn, so that other work of the machine affects all of them. A ratio is the median of the
ratios of all rounds. A time counts only if the counts are right: those of all commands are
compared with each other and with the known contents of the workload. A difference fails the
run.
"""
import argparse
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PAGE_KIB = 4


class Disagreement(Exception):
    """Two commands count differently, or a count differs from the contents of the workload."""


class Workload:
    """A process with one kind of memory, and the facts that it prints about it."""

    def __init__(self, out, words):
        self.words = words
        self.process = subprocess.Popen([os.path.join(out, 'workload'), *words], stdout=subprocess.PIPE, text=True)
        self.pid = str(self.process.pid)
        self.facts = {}
        for line in self.process.stdout:
            if line == 'ready\n':
                self.wait_for_rest()
                return
            key, value = line.split()
            self.facts[key] = value
        raise RuntimeError(f'the workload {" ".join(words)} did not start')

    def wait_for_rest(self):
        """Wait until the process sleeps: it touches its last pages before pause(2) blocks."""
        state = ''
        while state != 'S':
            with open(f'/proc/{self.pid}/stat', encoding='utf-8', errors='replace') as file:
                state = file.read().rpartition(')')[2].split()[0]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


def pairs(text):
    """{key: value} of the `key value` lines that a floor prints."""
    return {line.split()[0]: int(line.split()[1]) for line in text.splitlines() if len(line.split()) == 2}


# Each function takes the output of a command and returns its counts, such as `tables` and `pages`.

def count_ptaudit(text, _pid):
    row = re.search(r'^pte\s+(\d+)', text, re.M)
    return {'tables': int(row.group(1)) if row else -1}


def count_floor(text, _pid):
    return pairs(text)


def count_nothing(_text, _pid):
    return {}


def count_rollup(text, _pid):
    return {'pages': pairs(text)['pages']}


def count_page_types(text, _pid):
    row = re.search(r'^\s*total\s+(\d+)', text, re.M)
    return {'pages': int(row.group(1)) if row else -1}


def count_pmap(text, _pid):
    # The last line has the sums, in the order of the headings.
    lines = text.splitlines()
    heading = next(line.split() for line in lines if ' Rss ' in line)
    sums = lines[-1].split()
    return {'pages': int(sums[heading.index('Rss') - heading.index('Size')]) // PAGE_KIB}


def count_smem(text, pid):
    row = re.search(rf'^\s*{pid}\s+(\d+)', text, re.M)
    return {'pages': int(row.group(1)) // PAGE_KIB if row else -1}


def count_processes(text, _pid):
    row = re.search(r'(\d+) process(?:es)? \(estimator', text)
    return {'processes': int(row.group(1)) if row else pairs(text)['processes']}


class Command:
    """A command, its times and its counts."""

    def __init__(self, name, argv, count, statuses=(0,)):
        self.name, self.argv, self.count, self.statuses = name, argv, count, statuses
        self.wall_ms, self.cpu_ms, self.rss_kib = [], [], 0
        self.counted = {}


def alternate(out, rounds, commands, pid):
    """Run the commands in turn, and store their times and counts."""
    argv = [os.path.join(out, 'alternate'), str(rounds)]
    with tempfile.TemporaryDirectory() as work:
        argv.append(work)
        for command in commands:
            argv += ['--', *command.argv]
        lines = subprocess.run(argv, check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True).stdout.splitlines()
        for line in lines:
            index, wall_ns, cpu_us, rss_kib, status = map(int, line.split())
            command = commands[index]
            if status not in command.statuses:
                raise RuntimeError(f'{" ".join(command.argv)} ended with status {status}')
            command.wall_ms.append(wall_ns / 1e6)
            command.cpu_ms.append(cpu_us / 1e3)
            command.rss_kib = max(command.rss_kib, rss_kib)
        for index, command in enumerate(commands):
            with open(os.path.join(work, str(index)), encoding='utf-8', errors='replace') as file:
                command.counted = command.count(file.read(), pid)


def same(what, a_name, a, b_name, b):
    if a != b:
        raise Disagreement(f'{what}: {a_name} counts {a}, {b_name} {b}')


def check_counts(commands, exact):
    """Check that the commands agree on what they count."""
    named = {command.name: command.counted for command in commands}
    scan, written = named.get('scan'), named.get('written')
    pagemap = named.get('pagemap')
    tool = next(iter(named))
    reference = ('scan', scan) if scan else ('pagemap', pagemap)
    for name, counted in named.items():
        if 'pages' in counted and name != 'written':
            same('pages', name, counted['pages'], reference[0], reference[1]['pages'])
    if scan and pagemap:
        same('slots in use', 'pagemap', pagemap['tables'], 'scan', scan['tables'] + scan['huge'])
    # `written` counts each slot with a table or a leaf; a leaf is not a table.
    if scan:
        same('PTE tables', tool, named[tool]['tables'], 'written less leaves', written['tables'] - scan['huge'])
    else:
        same('PTE tables', tool, named[tool]['tables'], 'pagemap', pagemap['tables'])
    for key, (got, wanted) in exact.items():
        same(f'{key} of the mapping', 'what was built', wanted, 'a floor', got)


def in_range(out, workload, how):
    """The counts of a floor for the memory that the workload has built."""
    argv = [os.path.join(out, 'floor'), how, workload.pid, workload.facts['start'], workload.facts['end']]
    return pairs(subprocess.run(argv, check=True, stdout=subprocess.PIPE, text=True).stdout)


def arithmetic(out, workload, has_scan):
    """{what: (count in the memory of the workload, expected count)}"""
    facts = {key: int(workload.facts[key]) for key in ('pages', 'tables', 'leaves')}
    exact = {}
    if has_scan:
        scan, written = in_range(out, workload, 'scan'), in_range(out, workload, 'written')
        exact['pages'] = (scan['pages'], facts['pages'])
        exact['slots'] = (written['tables'], facts['tables'] + facts['leaves'])
        if facts['pages']:
            exact['leaves'] = (scan['huge'], facts['leaves'])
    elif 'sparse' not in workload.words:
        exact['pages'] = (in_range(out, workload, 'pagemap')['pages'], facts['pages'])
    return exact


def ratio(command, tool, of):
    """The time of a command divided by that of the tool; the median over the rounds."""
    values = [a / b for a, b in zip(getattr(command, of), getattr(tool, of)) if b]
    return statistics.median(values) if values else float('nan')


def print_table(title, commands, file):
    tool = commands[0]
    print(f'\n{title}', file=file)
    print(f'{"COMMAND":<22}{"WALL ms":>10}{"BEST ms":>10}{"CPU ms":>10}{"WALL x":>9}{"CPU x":>8}{"RSS KiB":>9}  COUNTS',
          file=file)
    for command in commands:
        counts = ' '.join(f'{key}={value}' for key, value in command.counted.items()
                          if key == 'tables' or value and key != 'took_us')
        print(f'{command.name:<22}{statistics.median(command.wall_ms):>10.2f}{min(command.wall_ms):>10.2f}'
              f'{statistics.median(command.cpu_ms):>10.2f}{ratio(command, tool, "wall_ms"):>9.2f}'
              f'{ratio(command, tool, "cpu_ms"):>8.2f}{command.rss_kib:>9}  {counts}', file=file)


class Bench:
    def __init__(self, options):
        self.out, self.tool, self.rounds = options.out, options.tool, options.rounds
        self.options = options
        self.is_root = os.geteuid() == 0
        probe = subprocess.run([self.floor_path(), 'scan', str(os.getpid())], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, check=False)
        self.has_scan = probe.returncode == 0
        self.file = sys.stdout

    def floor_path(self):
        return os.path.join(self.out, 'floor')

    def floor(self, how, pid):
        count = {'rollup': count_rollup, 'smaps': count_rollup, 'none': count_nothing}.get(how, count_floor)
        return Command(how, [self.floor_path(), how, pid], count)

    def peers(self, pid):
        """The other tools that are installed. main() names those that are not."""
        found = []
        if self.is_root and self.options.page_types:
            found.append(Command('page-types', [self.options.page_types, '-p', pid], count_page_types))
        if shutil.which('pmap'):
            found.append(Command('pmap', ['pmap', '-X', pid], count_pmap))
        if shutil.which('smem'):
            found.append(Command('smem', ['smem', '-H', '-c', 'pid rss', '-P', '^' + self.out], count_smem))
        for peer in self.options.peer:
            name, _, line = peer.partition('=')
            found.append(Command(name, [word.replace('{pid}', pid) for word in line.split()], count_nothing))
        return found

    def run(self, words, hows, peers=False, slow=(), exact=True):
        """Measure one workload. @slow: floors that run in a fifth of the rounds."""
        with Workload(self.out, words) as workload:
            pid = workload.pid
            tool = Command('ptaudit estimate', [self.tool, 'estimate', pid], count_ptaudit)
            floors = [self.floor(how, pid) for how in hows if self.has_scan or how not in ('scan', 'written')]
            commands = [tool, *floors]
            alternate(self.out, self.rounds, commands, pid)
            # The slow ones run in separate rounds, because they evict the data of the others from
            # the caches.
            rare = [self.floor(how, pid) for how in slow] + (self.peers(pid) if peers else [])
            if rare:
                beside = Command(tool.name, tool.argv, tool.count)
                alternate(self.out, max(self.rounds // 5, 3), [beside, *rare], pid)
            wanted = arithmetic(self.out, workload, self.has_scan) if exact else {}
            check_counts(commands + rare, wanted)
            print_table('workload ' + ' '.join(words), commands, self.file)
            if rare:
                print_table('workload ' + ' '.join(words) + ', slower ones', [beside, *rare], self.file)
            return commands + rare

    def given(self, pid, hows):
        """Measure an existing process, which must not change. Only the numbers of tables are compared."""
        with open(f'/proc/{pid}/comm', encoding='utf-8', errors='replace') as file:
            name = file.read().strip()
        tool = Command('ptaudit estimate', [self.tool, 'estimate', pid], count_ptaudit)
        counters = ['scan', 'written'] if self.has_scan else ['pagemap']
        commands = [tool, *(self.floor(how, pid) for how in [*hows, *counters])]
        alternate(self.out, self.rounds, commands, pid)
        counted = {command.name: command.counted for command in commands}
        if self.has_scan:
            same('PTE tables', tool.name, tool.counted['tables'], 'written less leaves',
                 counted['written']['tables'] - counted['scan']['huge'])
        else:
            same('PTE tables', tool.name, tool.counted['tables'], 'pagemap', counted['pagemap']['tables'])
        print_table(f'process {pid} ({name})', commands, self.file)

    def many(self, nr, mib):
        """Measure all processes of the machine; @nr of them are started here."""
        with Workload(self.out, ['many', str(nr), str(mib)]) as workload:
            # Status 2: a sandbox may have a process that not even root can read.
            tool = Command('ptaudit estimate --all', [self.tool, 'estimate', '--all'], count_processes, (0, 2))
            rollup = Command('rollup-all', [self.floor_path(), 'rollup-all'], count_processes)
            alternate(self.out, max(self.rounds // 2, 3), [tool, rollup], workload.pid)
            text = subprocess.run([self.tool, 'estimate', '--all'], stdout=subprocess.PIPE, check=False,
                                  stderr=subprocess.DEVNULL, text=True).stdout
            rows = re.findall(r'^\s*\d+\s+workload\s.*\bok\s*$', text, re.M)
            same('processes of the workload', 'ptaudit', len(rows), 'what was built', nr + 1)
            # Other processes may start and end between the two commands.
            if abs(tool.counted['processes'] - rollup.counted['processes']) > max(nr // 50, 10):
                same('processes', tool.name, tool.counted['processes'], rollup.name, rollup.counted['processes'])
            print_table(f'{nr} processes of {mib} MiB, and all others here', [tool, rollup], self.file)
            return [tool, rollup]

    def memory(self):
        """Measure how the resident memory of the tool grows with the number of tables."""
        points = []
        for slots in (1024, 65536):
            with Workload(self.out, ['empty', str(slots)]) as workload:
                tool = Command('ptaudit estimate', [self.tool, 'estimate', workload.pid], count_ptaudit)
                alternate(self.out, 3, [tool], workload.pid)
                points.append((tool.counted['tables'], tool.rss_kib * 1024))
        (tables, rss), (more_tables, more_rss) = points
        slope = (more_rss - rss) / (more_tables - tables)
        print(f'\nmemory: {rss // 1024} KiB at {tables} PTE tables, {more_rss // 1024} KiB at {more_tables}: '
              f'{slope:.1f} bytes a table', file=self.file)
        if slope > 64:
            raise Disagreement(f'memory grows by {slope:.1f} bytes a table; 64 are allowed')

    def growth(self, path):
        """Plot the time against populated memory, and against reserved memory."""
        hows = [*(['none', 'scan', 'written'] if self.has_scan else ['none']), 'pagemap', 'rollup']
        names = ['ptaudit', *hows]
        with open(path + '.populated', 'w', encoding='ascii') as file:
            for mib in self.options.populated:
                got = self.run(['dense', str(mib)], hows)
                print(mib / 1024, *(f'{statistics.median(c.cpu_ms):.3f}' for c in got), file=file)
        # pagemap reads all reserved memory; above --bulk-gib that would take minutes.
        with open(path + '.reserved', 'w', encoding='ascii') as file:
            for gib in self.options.reserved:
                some = [how for how in hows if how != 'pagemap' or gib <= self.options.bulk_gib]
                got = {c.name: c for c in self.run(['sparse', str(gib), '512' if gib > 1 else '256'], some)}
                got['ptaudit'] = got.pop('ptaudit estimate')
                print(gib, *(f'{statistics.median(got[n].cpu_ms):.3f}' if n in got else 'nan' for n in names), file=file)
        script = f"set terminal svg size 900,420 background '#ffffff'\nset output '{path}'\nset multiplot layout 1,2\n" \
                 "set key top left\nset logscale xy 2\nset format y '%g'\nset ylabel 'CPU time of the whole process, ms'\n"
        for part, label in (('populated', 'GiB populated, in pages of 4 KiB'), ('reserved', 'GiB reserved, 512 pages in it')):
            curves = ', '.join(f"'{path}.{part}' using 1:{i + 2} with linespoints title '{name}'"
                               for i, name in enumerate(names))
            script += f"set xlabel '{label}'\nplot {curves}\n"
        if shutil.which('gnuplot'):
            subprocess.run(['gnuplot'], input=script, check=True, text=True)
            print(f'\ngrowth: {path}', file=self.file)
        else:
            print(f'\ngrowth: there is no plot: gnuplot is not installed (package gnuplot-nox); the data is in {path}.*', file=self.file)


def available_mib():
    with open('/proc/meminfo', encoding='ascii') as file:
        for line in file:
            if line.startswith('MemAvailable:'):
                return int(line.split()[1]) // 1024
    return 0


def say_what(bench):
    host = os.uname()
    print(f'Linux {host.release} {host.machine}, {len(os.sched_getaffinity(0))} CPUs; {bench.rounds} rounds; '
          f'load {os.getloadavg()[0]:.1f}')
    print('WALL x, CPU x: time divided by that of ptaudit, the median over the rounds')
    if not bench.has_scan:
        print('this kernel has no PAGEMAP_SCAN: scan and written are left out')
    for name, there in (('page-types', bench.is_root and bench.options.page_types), ('pmap', shutil.which('pmap')),
                        ('smem', shutil.which('smem'))):
        if not there:
            print(f'{name} is left out: ' + ('it needs root' if name == 'page-types' and not bench.is_root
                                             else 'it is not installed'))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('--out', required=True, help='directory of floor, workload and alternate')
    parser.add_argument('--tool', default=os.path.join(ROOT, 'user/ptaudit'))
    parser.add_argument('--page-types', help='path of page-types, from the kernel source')
    parser.add_argument('--peer', action='append', default=[], metavar='NAME=COMMAND', help='another command to measure; {pid} is replaced by the PID')
    parser.add_argument('--rounds', type=int, default=25)
    parser.add_argument('--mib', type=int, default=4096, help='size of dense memory')
    parser.add_argument('--gib', type=int, default=16384, help='size of reserved memory')
    parser.add_argument('--bulk-gib', type=int, default=64, help='read all of pagemap up to this size of reserved memory')
    parser.add_argument('--processes', type=int, default=300)
    parser.add_argument('--quick', action='store_true', help='measure only dense memory and many processes')
    parser.add_argument('--pid', action='append', default=[],
                        help='measure only this process, which must not change; may be given several times')
    parser.add_argument('--plot', help='SVG file for the plot of growth')
    options = parser.parse_args()
    room = available_mib() // 2
    if options.mib > room:
        print(f'dense memory has {room} MiB instead of {options.mib}: half of the available memory')
        options.mib = room
    options.populated = [mib for mib in (64, 256, 1024, 4096) if mib <= options.mib]
    options.reserved = [gib for gib in (1, 16, 256, 4096, 16384) if gib <= options.gib]
    resource.setrlimit(resource.RLIMIT_NOFILE, (1024, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    bench = Bench(options)
    say_what(bench)
    floors = ['none', 'scan', 'written', 'pagemap', 'rollup', 'smaps']
    try:
        for pid in options.pid:
            bench.given(pid, ['none', 'rollup', 'smaps'])
        if options.pid:
            return 0
        bench.run(['dense', str(options.mib)], floors, peers=True, slow=['classic'])
        if not options.quick:
            some = ['none', 'scan', 'written', 'rollup'] + (['pagemap'] if options.gib <= options.bulk_gib else [])
            bench.run(['sparse', str(options.gib), '512'], some)
            bench.run(['empty', '8192'], floors)
            bench.run(['vmas', '20000'], floors)
            bench.run(['huge', str(min(options.mib, 1024))], floors, exact=False)
        bench.many(options.processes, 4)
        if not options.quick:
            bench.memory()
        if options.plot:
            bench.growth(options.plot)
    except Disagreement as why:
        print(f'bench: the counts disagree: {why}', file=sys.stderr)
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
