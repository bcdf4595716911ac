# SPDX-License-Identifier: GPL-2.0-only
"""Compares the walk of the guest's memory with the answers of the module and the tool.

Each compare_*() returns a list of differences, one sentence each.  plant() yields copies
of the answers with one fault each; the comparison must find every fault.
"""
import copy
import json
import struct
from collections import Counter, namedtuple

import physwalk

# The structs of module/ptaudit_abi.h, defined independently.
HEADER = struct.Struct("<QIHHQQQQQQQQQQIIii16sQiiii")
RECORD = struct.Struct("<QQIBBBB12HhH12x")
MAGIC = 0x3174696475617470
TABLE, RUN = 1, 2
RUN_KINDS = {1: "children", 2: "leaves", 3: "swap", 4: "migration", 5: "uffd_wp", 6: "guard",
             7: "other"}
HUGE_KB = 2048

Record = namedtuple("Record", "start pfn sharers level type kind flags used children leaves "
                    "present swap migration uffd_wp guard other unwalked pfnmap deposited "
                    "node pages")
Answer = namedtuple("Answer", "records runs counts vmpte_kb anon_huge_kb checks")
# One run of ptaudit check --json.
Check = namedtuple("Check", "estimator status report errors")


def parse_tables(data):
    """The records in an answer of the module: those of tables, and those of runs."""
    magic, abi, header_size, record_size, nr_records, *_ = HEADER.unpack_from(data)
    if (magic, abi, header_size, record_size) != (MAGIC, 1, HEADER.size, RECORD.size):
        raise ValueError("not an answer of this ABI")
    if len(data) != header_size + nr_records * record_size:
        raise ValueError("the answer is incomplete")
    records = [Record(*fields) for fields in RECORD.iter_unpack(data[header_size:])]
    return ([record for record in records if record.type == TABLE],
            [record for record in records if record.type == RUN])


def parse_check(check):
    try:
        report = json.loads(check["output"])
    except ValueError:
        report = None
    return Check(check["estimator"], check["status"], report, check["errors"].strip())


def parse_answer(tables, rest):
    return Answer(*parse_tables(tables), {key: int(value, 0) for key, value in rest["counts"].items()},
                  rest["vmpte_kb"], rest["anon_huge_kb"],
                  [parse_check(check) for check in rest["checks"]])


def level_sums(walk):
    counts = Counter(name for name, _, _ in walk.tables)
    return {name: counts[name] for name in reversed(physwalk.NAMES)}


def compare_tables(walk, answer):
    """Compare the sets of tables, and for each table the entries by kind."""
    wrong = []
    seen = {}
    for record in answer.records:
        key = (physwalk.NAMES[record.level], record.start, record.pfn)
        if key in seen:
            wrong.append(f"{key[0]} {key[1]:#x}: has two records")
        seen[key] = physwalk.Table(record.used, *(getattr(record, kind) for kind in physwalk.KINDS))
        if record.unwalked:
            wrong.append(f"{key[0]} {key[1]:#x}: {record.unwalked} entries were not walked")
    for name, start, pfn in sorted(walk.tables.keys() | seen.keys()):
        key = (name, start, pfn)
        where = f"{name} {start:#x} pfn {pfn:#x}"
        if key not in seen:
            wrong.append(f"{where}: is in memory, but has no record")
        elif key not in walk.tables:
            wrong.append(f"{where}: has a record, but is not in memory")
        elif seen[key] != walk.tables[key]:
            wrong.append(f"{where}: in memory {walk.tables[key]}, in the record {seen[key]}")
    return wrong


def compare_runs(walk, answer):
    """Compare the kind of each entry of upper tables."""
    said = set()
    for run in answer.runs:
        level = physwalk.NAMES[run.level]
        # the reach of a PGD entry depends on the number of levels in use
        reach = 1 << physwalk.shift_of(min(run.level, walk.levels - 1))
        kind = RUN_KINDS.get(run.kind, f"number {run.kind}")
        said |= {(level, run.pfn, run.start + index * reach, kind) for index in range(run.used)}
    wrong = [f"{name} entry {start:#x}: is {kind} in memory, but is in no run"
             for name, _, start, kind in sorted(walk.entries - said)]
    return wrong + [f"{name} entry {start:#x}: is in a run of kind {kind}, but not in memory"
                    for name, _, start, kind in sorted(said - walk.entries)]


def compare_rest(answer, by_bpf):
    """Compare the fields that only the module and BPF have."""
    module = {(record.level, record.start): record for record in answer.records}
    wrong = []
    for record in by_bpf.records:
        other = module.get((record.level, record.start), record)
        wrong += [f"{physwalk.NAMES[record.level]} {record.start:#x}: {key} {getattr(record, key)}, "
                  f"{getattr(other, key)} by the module"
                  for key in ("deposited", "sharers", "pfnmap", "pages")
                  if getattr(record, key) != getattr(other, key)]
    return wrong


def compare_counts(walk, answer):
    """Compare the counts. No entry points to deposited tables: their number is VmPTE minus the tables found."""
    wrong = []
    want = level_sums(walk)
    pages = want["pte"] + want["pmd"] + want["pud"]
    want["leaf_pmd"], want["leaf_pud"] = walk.leaves["pmd"], walk.leaves["pud"]
    want["deposited"] = answer.vmpte_kb // 4 - pages
    want["pgtables_bytes"] = answer.vmpte_kb * 1024
    for key, value in want.items():
        if answer.counts.get(key) != value:
            wrong.append(f"{key}: {value} by the witness, {answer.counts.get(key)} by the module")
    records = sum(record.deposited for record in answer.records)
    if records != want["deposited"]:
        wrong.append(f"deposited: {want['deposited']} by the witness, {records} in the records")
    return wrong


def compare_smaps(answer, expect):
    """Compare the deposited tables with smaps: one for each anonymous huge page."""
    want = answer.anon_huge_kb // HUGE_KB + expect.get("not_in_smaps", 0)
    said = answer.counts["deposited"]
    return [] if said == want else [f"deposited: {want} by smaps, {said} by the module"]


def compare_check(walk, check):
    """Compare the walk with one run of ptaudit check --json."""
    wrong = []
    if check.status != 0:
        wrong.append(f"exit status {check.status}: {check.errors}")
    if check.report is None:
        return wrong + ["the output is not JSON"]
    processes = check.report["processes"]
    if len(processes) != 1 or processes[0]["status"] != "ok":
        return wrong + [f"not exactly one process with status ok: {processes}"]
    if check.report["ptaudit"]["estimator"] != check.estimator:
        wrong.append(f"the report is by the estimator {check.report['ptaudit']['estimator']}")
    levels = {row["level"]: row for row in processes[0].get("levels", [])}
    for name, count in level_sums(walk).items():
        kernel = levels.get(name, {"kernel": 0})["kernel"]
        if kernel != count:
            wrong.append(f"{name}: {count} in memory, {kernel} in the report")
    sums = [check.report["unexplained"], processes[0]["unexplained"],
            processes[0]["vmpte"]["unexplained_bytes"]]
    sums += [row["unexplained"] for row in levels.values()]
    if any(sums):
        wrong.append(f"unexplained: {processes[0].get('unexplained_tables')}, "
                     f"VmPTE {processes[0]['vmpte']}")
    return wrong


def compare_reports(walk, answer):
    """Compare the walk with the runs of ptaudit check, one for each estimator."""
    return [f"{check.estimator}: {line}" for check in answer.checks
            for line in compare_check(walk, check)] + ["ptaudit check was not run"] * (not answer.checks)


def places_of(walks):
    return Counter((level, pfn) for walk in walks for level, _, pfn in walk.tables)


def shared_tables(walks):
    return [key for key, count in places_of(walks).items() if count > 1]


def compare_group(walks, answers):
    """Compare the tables that are in several places, of several processes or of one."""
    places = places_of(walks)
    wrong = [f"{level} table {pfn:#x} is in several places"
             for level, pfn in shared_tables(walks) if level != "pmd"]
    for number, answer in enumerate(answers):
        for record in answer.records:
            level = physwalk.NAMES[record.level]
            others = places[level, record.pfn] - 1
            if record.sharers != others:
                wrong.append(f"process {number}, {level} {record.start:#x}: "
                             f"is in {others} other places, but the record has {record.sharers} sharers")
    return wrong


def what_is_seen(walks):
    """Count the entries and tables of each kind."""
    seen = Counter({"shared tables": len(shared_tables(walks))})
    for walk in walks:
        for (level, start, _), table in walk.tables.items():
            for kind in physwalk.KINDS:
                seen[f"{level} {kind}"] += getattr(table, kind)
            seen[f"empty {level}"] += not table.used
            seen["tables above 47 bits"] += 1 << 47 <= start < 1 << 56
            seen["tables of the LDT"] += start >= 1 << 63
    return seen


def to_be_seen(boot):
    """The kinds that a boot with all random layouts must have."""
    needed = ["pmd children", "pmd leaves", "pte present", "pte swap", "empty pte", "shared tables"]
    needed += ["pud leaves"] * boot.has_1g
    needed += ["tables above 47 bits"] * (boot.levels == 5)
    needed += ["tables of the LDT"] * boot.pti
    needed += ["pte uffd_wp"] * (boot.kernel != "5.10")
    needed += ["pte guard", "empty pmd"] * (boot.kernel not in ("5.10", "6.1", "6.12"))
    return needed


def compare_expected(walk, answer, expect):
    """Check that the layout has the tables for which it was built."""
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
            wrong.append(f"not exactly one shared PMD table: {shared}")
    return wrong


def plant(answer):
    """Yield (description of a fault, answer with that fault)."""
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
                           ("present", record.present + 1), ("swap", record.swap + 1),
                           ("migration", record.migration + 1), ("uffd_wp", record.uffd_wp + 1),
                           ("guard", record.guard + 1), ("other", record.other + 1),
                           ("unwalked", record.unwalked + 1), ("sharers", record.sharers + 1),
                           ("deposited", record.deposited + 1)):
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
    yield "no report at all", answer._replace(checks=[])
    for number, check in enumerate(answer.checks):
        def with_check(number=number, check=check, **kwargs):
            changed = check._replace(**kwargs)
            return answer._replace(checks=answer.checks[:number] + [changed] + answer.checks[number + 1:])

        for status in {0, 1, 2, None} - {check.status}:
            yield f"exit status {status}", with_check(status=status)
        yield "no report", with_check(report=None)
        if check.report is None:
            continue
        yield "another estimator", with_check(estimator="none")
        for index, row in enumerate(check.report["processes"][0].get("levels", [])):
            for key in ("kernel", "unexplained"):
                report = copy.deepcopy(check.report)
                report["processes"][0]["levels"][index][key] += 1
                yield f"{row['level']} {key} + 1 in the report", with_check(report=report)
