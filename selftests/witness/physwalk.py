#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Walks x86-64 page tables in the RAM of a guest, from outside the VM.

The input is the file that holds the RAM, and the physical address of a PGD.  No answer of
the guest is used, and no code is shared with the module or the tool.  Sources: Intel SDM,
volume 3, chapter 4 (format of entries), Documentation/x86/x86_64/mm.rst (address map), and
the headers of the kernel (entries that are not present).

usage: physwalk.py RAM-FILE KERNEL PGD LEVELS
"""
import mmap
import sys
from collections import Counter, namedtuple

PAGE = 4096
# With less than 3 GiB, QEMU's `pc` machine has all RAM from address 0 on.
LINEAR_RAM = 3 << 30

NAMES = ("pte", "pmd", "pud", "p4d", "pgd")

# Format of an entry.
PRESENT = 1 << 0
PAGE_SIZE = 1 << 7
ADDRESS = 0x000ffffffffff000
NO_EXECUTE = 1 << 63
# For PROT_NONE pages Linux clears P and sets G. For a huge page that is being split or is
# PROT_NONE it clears P and sets PS. A swap entry has neither G nor PS.
GLOBAL = 1 << 8
# Other entries have the type in bits 59 to 63 and the inverted offset in bits 9 to 58
# (arch/x86/include/asm/pgtable_64.h). A type below the number of swap files is a swap entry
# (include/linux/swap.h). The other types depend on the configuration of the kernel; these are of
# Debian's kernels: the first type of migration entries, their number, and the type of markers.
# swapops.h defines the meaning of the offset in such entries.
TYPE_SHIFT, OFFSET_SHIFT = 59, 9
Types = namedtuple("Types", "swap_files migration nr_migration marker")
TYPES = {"5.10": Types(29, 30, 2, None), "6.1": Types(26, 27, 3, 30),
         "6.12": Types(27, 28, 3, 31), "7.2": Types(24, 25, 3, 31), "7.3": Types(24, 25, 3, 31)}
MARKER_UFFD_WP, MARKER_GUARD = 1, 4
# The CPU may set A and D in an entry that is otherwise empty.
ACCESSED_DIRTY = 0x60

# With page-table isolation, this PGD entry maps the LDT of the process, with 4 and with 5 levels.
# It is the only entry of the kernel half that belongs to one process.
LDT_ENTRY = 272

# The kinds of entries, with the names of the record's fields.
KINDS = ("children", "leaves", "present", "swap", "migration", "uffd_wp", "guard", "other")
Table = namedtuple("Table", ("used", *KINDS))
Walk = namedtuple("Walk", "levels tables leaves entries")


class Memory:
    """The guest's RAM, by physical address."""

    def __init__(self, path):
        # pylint: disable=consider-using-with # the map needs the open file
        self.file = open(path, "r+b")
        self.map = mmap.mmap(self.file.fileno(), 0)
        if len(self.map) >= LINEAR_RAM:
            raise ValueError("RAM of 3 GiB or more is not at its own offset in the file")
        self.words = memoryview(self.map).cast("Q")

    def table(self, address):
        """The 512 entries of a table."""
        if address % PAGE or address + PAGE > len(self.map):
            raise ValueError(f"no table can be at physical address {address:#x}")
        return self.words[address // 8:address // 8 + 512].tolist()

    def word(self, address):
        return self.words[address // 8]

    def set_word(self, address, value):
        """Only for planting a fault, while the VM is stopped."""
        self.words[address // 8] = value

    def read(self, address, size):
        return self.map[address:address + size]


def shift_of(level):
    """Bits of an address below the index into a table of the level."""
    return 12 + 9 * level


def canonical(address, levels):
    bits = 12 + 9 * levels
    return address | (2**64 - 2**bits) if address >> (bits - 1) else address


def absent_kind(entry, types):
    """The kind of an entry that is neither none nor present."""
    number = entry >> TYPE_SHIFT
    if number < types.swap_files:
        return "swap"
    if number in range(types.migration, types.migration + types.nr_migration):
        return "migration"
    if number == types.marker:
        offset = ~entry % (1 << TYPE_SHIFT) >> OFFSET_SHIFT
        if offset & MARKER_GUARD:
            return "guard"
        if offset & MARKER_UFFD_WP:
            return "uffd_wp"
    return "other"


def kind_of(entry, level, types):
    """The kind of an entry in a table of the level: none, or one of KINDS."""
    if not entry & ~ACCESSED_DIRTY:
        return "none"
    if level == 0 and entry & (PRESENT | GLOBAL):
        return "present"
    if level in (1, 2) and entry & PAGE_SIZE:
        return "leaves"
    if level and entry & PRESENT:
        return "children"
    return absent_kind(entry, types)


def walk(memory, kernel, pgd, levels):
    """All tables of the user half, and those of the LDT.

    Return: tables, {(level name, start, pfn): Table}; leaves, a Counter of huge pages by
    the level of the table that has the entry; and entries, the set of (level name, pfn of
    the table, first address, kind) of the entries of upper tables.
    """
    types = TYPES[kernel]
    tables = {}
    leaves = Counter()
    found = set()
    todo = [(levels - 1, 0, pgd)]
    while todo:
        level, start, address = todo.pop()
        entries = memory.table(address)
        # If fewer than five levels are in use, the top one is the PGD.
        name = "pgd" if level == levels - 1 else NAMES[level]
        kinds = Counter()
        for index, entry in enumerate(entries):
            if not entry:
                continue
            if name == "pgd" and index >= 256 and index != LDT_ENTRY:
                continue
            kind = kind_of(entry, level, types)
            if kind == "none":
                continue
            kinds[kind] += 1
            if not level:
                continue
            below = canonical(start + (index << shift_of(level)), levels)
            found.add((name, address // PAGE, below, kind))
            if kind == "children":
                todo.append((level - 1, below, entry & ADDRESS))
        key = (name, start, address // PAGE)
        if key in tables:
            raise ValueError(f"two entries point to the {name} table at {start:#x}")
        tables[key] = Table(sum(kinds.values()), *(kinds[kind] for kind in KINDS))
        if kinds["leaves"]:
            leaves[name] += kinds["leaves"]
    return Walk(levels, tables, leaves, found)


def entry_address(memory, pgd, levels, address, wanted):
    """Physical address of the entry for an address in the table of level @wanted (0: PTE)."""
    table = pgd
    for level in range(levels - 1, -1, -1):
        where = table + 8 * (address >> shift_of(level) & 511)
        if level == wanted:
            return where
        entry = memory.word(where)
        if not entry & PRESENT or level in (1, 2) and entry & PAGE_SIZE:
            return None
        table = entry & ADDRESS
    return None


def translate(memory, pgd, levels, address):
    """Physical address for a virtual address that a 4 KiB page maps, or None."""
    try:
        where = entry_address(memory, pgd, levels, address, 0)
        entry = memory.word(where) if where is not None else 0
    except IndexError:
        return None  # an address without RAM: @pgd is not a PGD
    return entry & ADDRESS | address & (PAGE - 1) if entry & PRESENT else None


def same_halves(memory, pgd):
    """Under page-table isolation the PGD has two pages, and user mode uses the second one.
    The user halves of both pages must have the same entries, except for NX and A."""
    ignored = NO_EXECUTE | ACCESSED_DIRTY
    kernel, user = memory.table(pgd), memory.table(pgd + PAGE)
    return all((a | ignored) == (b | ignored) for a, b in zip(kernel[:256], user[:256]))


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    result = walk(Memory(sys.argv[1]), sys.argv[2], int(sys.argv[3], 0), int(sys.argv[4]))
    counts = Counter(name for name, _, _ in result.tables)
    for name in reversed(NAMES):
        print(name, counts[name], "leaves", result.leaves[name])


if __name__ == "__main__":
    main()
