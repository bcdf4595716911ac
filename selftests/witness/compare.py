# SPDX-License-Identifier: GPL-2.0-only
"""Compares the walk of the guest's memory with what the module and the tool said.

Each compare_*() returns a list of sentences, empty where all agree.  plant()
yields the same answers with one fault each, every one of which must be found.
"""
import copy
import json
import struct
from collections import Counter, namedtuple

import physwalk

# module/ptaudit_abi.h, written down here a second time on purpose.
HEADER = struct.Struct("<QIHHQQQQQQQQQQIIii16s")
RECORD = struct.Struct("<QQIBBBB12HhH12x")
MAGIC = 0x3174696475617470
TABLE, RUN = 1, 2
RUN_KINDS = {1: "child", 2: "leaf"}
HUGE_KB = 2048

Record = namedtuple("Record", "start pfn sharers level type kind flags used children leaves "
                    "present swap migration uffd_wp guard other unwalked pfnmap deposited "
                    "node pages")
Answer = namedtuple("Answer", "records runs counts vmpte_kb anon_huge_kb status report errors")


def parse_tables(data):
    """The records in an answer of the module's: of tables, and of runs."""
    magic, abi, header_size, record_size, nr_records, *_ = HEADER.unpack_from(data)
    if (magic, abi, header_size, record_size) != (MAGIC, 1, HEADER.size, RECORD.size):
        raise ValueError("not an answer of this ABI")
    if len(data) != header_size + nr_records * record_size:
        raise ValueError("the answer is not whole")
    records = [Record(*fields) for fields in RECORD.iter_unpack(data[header_size:])]
    return ([record for record in records if record.type == TABLE],
            [record for record in records if record.type == RUN])


def parse_answer(tables, rest):
    try:
        report = json.loads(rest["check"]["output"])
    except ValueError:
        report = None
    return Answer(*parse_tables(tables), {key: int(value, 0) for key, value in rest["counts"].items()},
                  rest["vmpte_kb"], rest["anon_huge_kb"], rest["check"]["status"], report,
                  rest["check"]["errors"].strip())


def level_sums(walk):
    counts = Counter(name for name, _, _ in walk.tables)
    return {name: counts[name] for name in reversed(physwalk.NAMES)}


def compare_tables(walk, answer):
    """The set of tables, and in each table its entries by kind."""
    wrong = []
    seen = {}
    for record in answer.records:
        key = (physwalk.NAMES[record.level], record.start, record.pfn)
        if key in seen:
            wrong.append(f"{key[0]} {key[1]:#x}: two records")
        seen[key] = physwalk.Table(record.used, record.children, record.leaves, record.present)
    for name, start, pfn in sorted(walk.tables.keys() | seen.keys()):
        key = (name, start, pfn)
        where = f"{name} {start:#x} pfn {pfn:#x}"
        if key not in seen:
            wrong.append(f"{where}: in memory, but it has no record")
        elif key not in walk.tables:
            wrong.append(f"{where}: has a record, but is not in memory")
        elif seen[key] != walk.tables[key]:
            wrong.append(f"{where}: memory {walk.tables[key]}, record {seen[key]}")
    return wrong


def compare_runs(walk, answer):
    """Which entries of upper tables point to a table, and which map a huge page."""
    said = set()
    for run in answer.runs:
        if run.kind in RUN_KINDS:
            level = physwalk.NAMES[run.level]
            # an entry of the PGD maps what the highest level in use makes it
            reach = 1 << physwalk.shift_of(min(run.level, walk.levels - 1))
            said |= {(level, run.pfn, run.start + index * reach, RUN_KINDS[run.kind])
                     for index in range(run.used)}
    wrong = [f"{name} entry {start:#x}: {kind} in memory, in no run"
             for name, _, start, kind in sorted(walk.entries - said)]
    return wrong + [f"{name} entry {start:#x}: in a run of kind {kind}, not in memory"
                    for name, _, start, kind in sorted(said - walk.entries)]


def compare_counts(walk, answer, expect):
    """The level counts, and VmPTE from the walk and from smaps."""
    wrong = []
    want = level_sums(walk)
    want["leaf_pmd"], want["leaf_pud"] = walk.leaves["pmd"], walk.leaves["pud"]
    want["deposited"] = answer.anon_huge_kb // HUGE_KB + expect.get("not_in_smaps", 0)
    want["pgtables_bytes"] = answer.vmpte_kb * 1024
    for key, value in want.items():
        if answer.counts.get(key) != value:
            wrong.append(f"{key}: {value} by the witness, {answer.counts.get(key)} by the module")
    closes = 4 * (want["pte"] + want["pmd"] + want["pud"] + want["deposited"])
    if closes != answer.vmpte_kb:
        wrong.append(f"VmPTE is {answer.vmpte_kb} kB, the tables in memory take {closes} kB")
    return wrong


def compare_report(walk, answer):
    """ptaudit check --json."""
    wrong = []
    if answer.status != 0:
        wrong.append(f"exit status {answer.status}: {answer.errors}")
    if answer.report is None:
        return wrong + ["no JSON"]
    processes = answer.report["processes"]
    if len(processes) != 1 or processes[0]["status"] != "ok":
        return wrong + [f"processes: {processes}"]
    levels = {row["level"]: row for row in processes[0].get("levels", [])}
    for name, count in level_sums(walk).items():
        kernel = levels.get(name, {"kernel": 0})["kernel"]
        if kernel != count:
            wrong.append(f"{name}: {count} in memory, {kernel} in the report")
    sums = [answer.report["unexplained"], processes[0]["unexplained"],
            processes[0]["vmpte"]["unexplained_bytes"]]
    sums += [row["unexplained"] for row in levels.values()]
    if any(sums):
        wrong.append(f"unexplained: {processes[0].get('unexplained_tables')}, "
                     f"VmPTE {processes[0]['vmpte']}")
    return wrong


def compare_expected(walk, answer, expect):
    """Does the layout have what it is there for?"""
    tables = list(walk.tables.items())
    sums = level_sums(walk)
    found = {**sums,
             "empty_pte": sum(key[0] == "pte" and not table.used for key, table in tables),
             "leaf_pmd": walk.leaves["pmd"], "leaf_pud": walk.leaves["pud"]}
    wrong = [f"{key}: {found[key]}, expected at least {least}"
             for key, least in expect.items() if key in found and found[key] < least]
    if "ldt" in expect:
        high = sum(start >= 2**63 and name == "pte" for name, start, _ in walk.tables)
        if high != expect["ldt"]:
            wrong.append(f"PTE tables of the LDT: {high}, expected {expect['ldt']}")
    if "shared_pmd" in expect:
        shared = [record for record in answer.records
                  if record.level == 1 and record.start == expect["shared_pmd"]]
        if len(shared) != 1 or shared[0].sharers != 1:
            wrong.append(f"shared PMD table: {shared}")
    return wrong


def plant(answer):
    """Yields (what was done, the answer with that fault)."""
    def with_records(records):
        return answer._replace(records=records)

    for level in sorted({record.level for record in answer.records}):
        index = next(i for i, record in enumerate(answer.records) if record.level == level)
        record = answer.records[index]
        before, after = answer.records[:index], answer.records[index + 1:]
        name = physwalk.NAMES[level]
        yield f"a {name} record is lost", with_records(before + after)
        yield f"a {name} record is doubled", with_records(before + [record, record] + after)
        for key, value in (("pfn", record.pfn + 1), ("start", record.start + 4096),
                           ("level", (record.level + 1) % 5), ("used", record.used + 1),
                           ("children", record.children + 1), ("leaves", record.leaves + 1),
                           ("present", record.present + 1)):
            changed = record._replace(**{key: value})
            yield f"a {name} record has another {key}", with_records(before + [changed] + after)
    for index in sorted({0, len(answer.runs) // 2, len(answer.runs) - 1}):
        run = answer.runs[index]
        before, after = answer.runs[:index], answer.runs[index + 1:]
        yield "a run is lost", answer._replace(runs=before + after)
        for key, value in (("used", run.used + 1), ("start", run.start + 4096),
                           ("pfn", run.pfn + 1), ("kind", 3 - run.kind)):
            changed = run._replace(**{key: value})
            yield f"a run has another {key}", answer._replace(runs=before + [changed] + after)
    for key in (*physwalk.NAMES, "leaf_pmd", "leaf_pud", "deposited", "pgtables_bytes"):
        for change in (-1, 1):
            counts = {**answer.counts, key: answer.counts[key] + change}
            yield f"{key} {change:+}", answer._replace(counts=counts)
    yield "VmPTE + 4 kB", answer._replace(vmpte_kb=answer.vmpte_kb + 4)
    if answer.report:
        for status in {0, 1, 2, None} - {answer.status}:
            yield f"exit status {status}", answer._replace(status=status)
        for index, row in enumerate(answer.report["processes"][0].get("levels", [])):
            for key in ("kernel", "unexplained"):
                report = copy.deepcopy(answer.report)
                report["processes"][0]["levels"][index][key] += 1
                yield f"{row['level']} {key} + 1 in the report", answer._replace(report=report)
        yield "no report", answer._replace(report=None)
