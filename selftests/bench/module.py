#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compares the times of the module's files, of the walk by BPF and of files in /proc, and
measures how much they slow down the measured process.

Runs in the VM, as root, with the module loaded. The time of a file is that of one complete
read, without the start of the program. The slow-down is measured in operations a second: with
RATE reads a second, and with none. Rounds alternate; a ratio is the median over the rounds.
"""
import argparse
import os
import statistics
import subprocess
import sys

sys.dont_write_bytecode = True
import bench  # noqa: E402


# Linux 5.10 has no BPF walk.
HAS_BPF = tuple(map(int, os.uname().release.split('.')[:2])) >= (5, 17)


def took_us(out, how, pid):
    argv = [os.path.join(out, 'bpf'), pid] if how == 'bpf' else [os.path.join(out, 'floor'), how, pid]
    return bench.pairs(subprocess.run(argv, check=True, stdout=subprocess.PIPE, text=True).stdout)


def files(options, has_scan, words):
    """Measure one workload: each round reads every file once."""
    hows = ['counts', 'tables', *(['bpf'] if HAS_BPF else []), 'rollup', 'smaps', 'pagemap', *(['scan', 'written'] if has_scan else [])]
    if 'sparse' in words:
        hows.remove('pagemap')
    with bench.Workload(options.out, words) as workload:
        got = {how: [] for how in hows}
        for _ in range(options.rounds):
            for how in hows:
                got[how].append(took_us(options.out, how, workload.pid))
        last = {how: got[how][-1] for how in hows}
        pte = last['counts']['tables']
        bench.same('PTE tables', 'counts', pte, 'tables', last['tables']['tables'])
        if HAS_BPF:
            bench.same('PTE tables', 'the module', pte, 'BPF', last['bpf']['tables'])
            bench.same('PTE tables', 'the module', pte, 'BPF without contents', last['bpf']['alone_tables'])
            hows.insert(hows.index('bpf') + 1, 'bpf-alone')
            got['bpf-alone'] = [{'took_us': row['alone_us']} for row in got['bpf']]
        if has_scan:
            bench.same('PTE tables', 'the module', pte, 'written less leaves',
                       last['written']['tables'] - last['scan']['huge'])
        elif 'pagemap' in last:
            # The other tables are empty, and no interface of this kernel shows empty tables.
            with open(f'/proc/{workload.pid}/status', encoding='ascii') as file:
                vmpte = next(int(line.split()[1]) for line in file if line.startswith('VmPTE:'))
            if not last['pagemap']['tables'] <= pte <= vmpte // bench.PAGE_KIB:
                bench.same('PTE tables', 'the module', pte, 'pagemap', last['pagemap']['tables'])
        for how in ('rollup', 'smaps', 'pagemap', 'scan'):
            if how in last:
                bench.same('pages', how, last[how]['pages'], 'rollup', last['rollup']['pages'])
        print(f'\nworkload {" ".join(words)}: {pte} PTE tables, {last["rollup"]["pages"]} pages')
        print(f'{"READ":<10}{"us":>12}{"rollup x":>12}{"smaps x":>12}{"of counts":>12}{"of tables":>12}')
        for how in hows:
            times = [row['took_us'] for row in got[how]]
            ratios = [statistics.median(other['took_us'] / max(mine, 1) for other, mine in zip(got[name], times))
                      for name in ('rollup', 'smaps')]
            ratios += [statistics.median(mine / max(other['took_us'], 1) for other, mine in zip(got[name], times))
                       for name in ('counts', 'tables')]
            print(f'{how:<10}{statistics.median(times):>12.0f}' + ''.join(f'{ratio:>12.1f}' for ratio in ratios))
        if HAS_BPF:
            loads = statistics.median(row['load_us'] for row in got['bpf'])
            longest = max(row['run_us'] for row in got['bpf'])
            print(f'loading the BPF programs {loads:.0f} us, longest run of one {longest:.0f} us')


def slowdown(options, operation):
    looks = ['none', 'counts', 'tables', 'rollup', 'smaps']
    got = {how: [] for how in looks}
    seen = {}
    for _ in range(options.slowdown_rounds):
        for how in looks:
            argv = [os.path.join(options.out, 'slowdown'), operation, str(options.mib), str(options.seconds),
                    str(options.rate), how]
            facts = bench.pairs(subprocess.run(argv, check=True, stdout=subprocess.PIPE, text=True).stdout)
            got[how].append(facts['operations'])
            seen[how] = facts['looks']
    print(f'\n{operation} a second of a process of {options.mib} MiB that is read {options.rate} times a second')
    print(f'{"LOOK":<10}{"a second":>12}{"of none":>10}{"looks":>8}')
    for how in looks:
        share = statistics.median(mine / none for mine, none in zip(got[how], got['none']))
        print(f'{how:<10}{statistics.median(got[how]):>12.0f}{100 * share:>9.1f}%{seen[how]:>8}')


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('--out', required=True)
    parser.add_argument('--tool', required=True)
    parser.add_argument('--mib', type=int, default=1024)
    parser.add_argument('--rounds', type=int, default=7)
    parser.add_argument('--slowdown-rounds', type=int, default=3)
    parser.add_argument('--seconds', type=float, default=2)
    parser.add_argument('--rate', type=int, default=10)
    parser.add_argument('--icount', action='store_true', help='print a note that the clock counts instructions')
    options = parser.parse_args()
    options.page_types, options.peer, options.plot = None, [], None
    timed = bench.Bench(options)
    print(f'# Linux {os.uname().release}, {len(os.sched_getaffinity(0))} emulated CPUs, {options.rounds} rounds; '
          + ('with' if timed.has_scan else 'without') + ' PAGEMAP_SCAN')
    if options.icount:
        print('# The figures are not times: 1 us stands for 1000 instructions of the guest.')
    try:
        files(options, timed.has_scan, ['dense', str(options.mib)])
        files(options, timed.has_scan, ['sparse', '16384', '512'])
        slowdown(options, 'faults')
        slowdown(options, 'maps')
        # Times the tool beside the floor of its kernel, on complete processes.
        timed.run(['dense', str(options.mib)], ['none', 'scan', 'written', 'pagemap', 'rollup'])
    except bench.Disagreement as why:
        print(f'bench: the counts disagree: {why}', file=sys.stderr)
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
