#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Runs in the guest: builds one layout of memory and keeps it.

usage: layouts.py LAYOUT KERNEL LEVELS PTI

When the layout is built, each of its processes prints one line with a JSON object: its
pid, a token, the address of the token in its memory, and the minimum number of tables by
kind.  Then it spins on CPU 1 in user mode and touches no new page, so that CR3 of the CPU
is the address of its PGD.
"""
import os
import sys

from syscalls import (ANONYMOUS, DONTNEED, FIXED_NOREPLACE, GIB, HUGE, HUGEPAGE, HUGETLB,
                      HUGE_1G, KIB, MIB, NONE, NORESERVE, PAGE, POPULATE_READ, PRIVATE, READ,
                      REMAP_FIXED, REMAP_MAYMOVE, SHARED, TIB, WRITE, aligned, announce,
                      huge_pages, madvise, mmap, mprotect, mremap, munmap, NOHUGEPAGE, populate,
                      set_ldt, small_pages, touch)

# pagemap has 8 bytes per page: reading that of more memory takes too long on an emulated CPU.
RESERVED = TIB


def dense():
    """Small pages, of which some are freed (parts of tables, complete tables) and some unmapped."""
    size = 192 * MIB
    base = aligned(size, HUGE) + 3 * PAGE
    small_pages(base, size - 3 * PAGE)
    for start in range(0, 96, 3):
        madvise(base + start * MIB, MIB, DONTNEED)
    # free complete tables, which PT_RECLAIM frees, and halves of tables, which no kernel frees
    madvise(base + 100 * MIB, 32 * MIB, DONTNEED)
    for start in range(160, 191):
        madvise(base + start * MIB, MIB, DONTNEED)
    munmap(base + 140 * MIB + 5 * PAGE, 9 * MIB)
    return {"pte": 90, "empty_pte": 14}


def thp(kernel):
    """Huge pages: complete, split, partly unmapped, moved, PROT_NONE, and zero pages."""
    base = aligned(32 * HUGE, HUGE)
    huge_pages(base, 32 * HUGE)
    munmap(base + 1 * HUGE + 5 * PAGE, PAGE)
    madvise(base + 3 * HUGE + 64 * KIB, 64 * KIB, DONTNEED)
    munmap(base + 5 * HUGE, HUGE)
    madvise(base + 7 * HUGE, HUGE, DONTNEED)
    mprotect(base + 9 * HUGE, HUGE, NONE)
    mprotect(base + 11 * HUGE, HUGE // 2, NONE)
    munmap(base + 13 * HUGE + HUGE // 2, HUGE)
    target = aligned(HUGE, HUGE)
    mremap(base + 17 * HUGE, HUGE, HUGE, REMAP_MAYMOVE | REMAP_FIXED, target)
    target = aligned(2 * HUGE, HUGE) + 16 * PAGE
    mremap(base + 19 * HUGE, HUGE, HUGE, REMAP_MAYMOVE | REMAP_FIXED, target)
    zero = aligned(2 * HUGE, HUGE)
    madvise(zero, 2 * HUGE, HUGEPAGE)
    populate(zero, 2 * HUGE, POPULATE_READ)
    # smaps of 6.1 does not count a PROT_NONE huge page: smaps_pmd_entry() calls
    # follow_trans_huge_pmd(), which takes it for a NUMA hint. 5.10, 6.12 and 7.2 count it.
    return {"leaf_pmd": 20, "not_in_smaps": 2 + (kernel == "6.1")}


def empty():
    """Thousands of tables that hold no page."""
    tables = 5000
    base = aligned(tables * HUGE, HUGE)
    madvise(base, tables * HUGE, NOHUGEPAGE)
    for index in range(tables):
        touch(base + index * HUGE + index % 512 * PAGE)
    for index in range(tables):
        madvise(base + index * HUGE + index % 512 * PAGE, PAGE, DONTNEED)
    return {"empty_pte": tables}


def sparse(levels):
    """Single pages, as far apart as possible, and a large reservation."""
    bits = 12 + 9 * levels - 1
    places = [64 * KIB, (1 << bits) - 2 * PAGE] + [1 << bit for bit in range(24, bits)]
    mapped = 0
    for place in places:
        try:
            touch(mmap(PAGE, flags=PRIVATE | ANONYMOUS | FIXED_NOREPLACE, at=place))
            mapped += 1
        except FileExistsError:
            pass  # the program itself uses this place
    reserved = mmap(RESERVED, prot=NONE)
    for index in range(5):
        page = reserved + index * RESERVED // 8 + index * GIB + index * PAGE
        mprotect(page, PAGE, READ | WRITE)
        touch(page)
    if mapped < len(places) - 3:
        sys.exit(f"only {mapped} of {len(places)} pages could be placed")
    return {"pud": 6 if levels == 4 else 12, "pmd": 18, "p4d": 0 if levels == 4 else 8}


def files():
    """Shared memory with freed parts, huge pages of shared memory, and private copies of file pages."""
    fd = os.memfd_create("shared")
    os.ftruncate(fd, 64 * MIB)
    base = mmap(63 * MIB, flags=SHARED, fd=fd, offset=3 * PAGE)
    madvise(base, 63 * MIB, NOHUGEPAGE)
    populate(base, 63 * MIB)
    os.ftruncate(fd, 40 * MIB)
    fd = os.memfd_create("huge")
    os.ftruncate(fd, 8 * HUGE)
    base = aligned(8 * HUGE, HUGE, flags=SHARED, fd=fd)
    huge_pages(base, 8 * HUGE)
    munmap(base + 3 * HUGE + 7 * PAGE, PAGE)
    fd = os.open("/usr/bin/python3", os.O_RDONLY)
    size = os.fstat(fd).st_size // PAGE * PAGE
    base = mmap(size, flags=PRIVATE, fd=fd)
    populate(base, size, POPULATE_READ)
    for page in range(0, size, 64 * PAGE):
        touch(base + page)
    return {"leaf_pmd": 4, "empty_pte": 8}


def ldt(pti):
    set_ldt()
    return {"ldt": int(pti)}


def huge1g():
    """A huge page of 1 GiB."""
    base = mmap(GIB, flags=PRIVATE | ANONYMOUS | HUGETLB | HUGE_1G)
    touch(base)
    return {"leaf_pud": 1}


def fork_before():
    base = aligned(64 * MIB, HUGE)
    small_pages(base, 48 * MIB)
    huge_pages(base + 48 * MIB, 16 * MIB)

    def after(child):
        for page in range(0, 12 * MIB, 7 * PAGE):
            touch(base + page + (24 * MIB if child else 0))
        if child:
            touch(base + 48 * MIB)
            madvise(base + 2 * MIB, 4 * MIB, DONTNEED)
            munmap(base + 51 * MIB, MIB)
        return {"pte": 20, "leaf_pmd": 6}
    return after


def hugetlb_before():
    base = mmap(12 * HUGE, flags=PRIVATE | ANONYMOUS | HUGETLB)
    for index in range(0, 12, 2):
        touch(base + index * HUGE)
    munmap(base + 4 * HUGE, HUGE)
    fd = os.memfd_create("hugetlb", 4)
    os.ftruncate(fd, GIB)
    shared = aligned(GIB, GIB, flags=SHARED | NORESERVE, fd=fd)
    for index in range(3):
        touch(shared + index * 100 * HUGE)

    def after(child):
        for index in range(3):
            touch(shared + index * 100 * HUGE)
        if child:
            touch(base + HUGE)
        return {"leaf_pmd": 8, "shared_pmd": shared}
    return after


LAYOUTS = {"dense": dense, "thp": thp, "empty": empty, "sparse": sparse, "files": files,
           "ldt": ldt, "huge1g": huge1g}
FORKING = {"fork": fork_before, "hugetlb": hugetlb_before}


def main():
    name, kernel, levels, pti = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4] == "on"
    if name in FORKING:
        after = FORKING[name]()
        child = os.fork() == 0
        announce("child" if child else "parent", after(child), processes=2)
    arguments = {"sparse": (levels,), "ldt": (pti,), "thp": (kernel,)}.get(name, ())
    announce("only", LAYOUTS[name](*arguments), processes=1)


if __name__ == "__main__":
    main()
