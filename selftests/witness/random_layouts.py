#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Runs in the guest: builds a random layout of memory and keeps it.

usage: random_layouts.py SEED INDEX LEVELS LOG

SEED and INDEX determine everything: the number of processes, what each of them maps and
where, and its operations on these mappings.  The last operation of a process is a fixed
one that depends on INDEX, so that every kind occurs.  An operation that the kernel refuses
is no error; the log LOG.ROLE names it.
"""
import os
import random
import sys

import syscalls
from areas import Area, Areas
from syscalls import (ANONYMOUS, COLD, COLLAPSE, DONTNEED, FREE, GIB, GUARD_INSTALL, GUARD_REMOVE,
                      HUGE, HUGE_1G, HUGEPAGE, HUGETLB, MFD_HUGETLB, MIB, NOHUGEPAGE, NONE,
                      NORESERVE, PAGE, PAGEOUT, PRIVATE, READ, REMAP_DONTUNMAP, REMAP_FIXED,
                      REMAP_MAYMOVE, REMOVE, SHARED, WIPEONFORK, WRITE, aligned, announce, madvise,
                      mmap, mprotect, mremap, munmap)


class Layout(Areas):
    """The operations on the areas of one process. Each returns a description for the log."""

    def __init__(self, rng, levels):
        super().__init__(rng, levels)
        self.log = []

    def map_anonymous(self):
        area = self.add(self.size(), prot=self.rng.choice((READ | WRITE, READ | WRITE, READ, NONE)))
        return f"{area.start:#x}-{area.end:#x}"

    def map_huge_pages(self):
        self.spend(4 * HUGE)
        area = self.add(self.rng.randint(1, 4) * HUGE, unit=HUGE)
        area.unit, area.huge = PAGE, True
        if self.rng.random() < 0.3:
            syscalls.populate(area.start, PAGE, syscalls.POPULATE_READ)  # maps no huge page
        madvise(area.start, area.end - area.start, HUGEPAGE)
        self.write(area.start, area.end - area.start, HUGE)
        return f"{area.start:#x}-{area.end:#x}"

    def map_huge_zero(self):
        area = self.add(self.rng.randint(1, 3) * HUGE, unit=HUGE)
        area.unit, area.huge = PAGE, True
        madvise(area.start, area.end - area.start, HUGEPAGE)
        for page in range(area.start, area.end, HUGE):
            os.pread(self.memory, 1, page)
        return f"{area.start:#x}-{area.end:#x}"

    def map_shared(self):
        """Shared memory, or private copies of it; small or huge pages."""
        rng = self.rng
        huge = rng.random() < 0.4
        size = rng.randint(1, 4) * HUGE if huge else min(self.size(), 64 * MIB)
        fd = os.memfd_create("shared")
        os.ftruncate(fd, size + 16 * PAGE)
        offset = 0 if huge else rng.choice((0, 1, 7)) * PAGE
        area = self.add(size, HUGE if huge else PAGE, flags=rng.choice((SHARED, SHARED, PRIVATE)),
                        fd=fd, offset=offset)
        area.unit, area.huge = PAGE, huge
        if huge:
            madvise(area.start, area.end - area.start, HUGEPAGE)
            self.spend(size)
            self.write(area.start, size, HUGE)
        return f"{area.start:#x}-{area.end:#x}"

    def map_file(self):
        fd = os.open("/usr/bin/python3", os.O_RDONLY)
        size = os.fstat(fd).st_size // PAGE * PAGE
        area = self.add(size, flags=PRIVATE, fd=fd)
        area.fd = -1  # so that no operation truncates the file
        start, size = self.range(area, 4 * MIB)
        syscalls.populate(start, size, syscalls.POPULATE_READ)
        for page in range(start, start + size, PAGE * self.rng.randint(1, 90)):
            os.pwrite(self.memory, b"x", page)
        return f"{area.start:#x}-{area.end:#x}"

    def map_hugetlb(self):
        area = self.add(self.rng.randint(1, 4) * HUGE, unit=HUGE,
                        flags=PRIVATE | ANONYMOUS | HUGETLB | NORESERVE)
        self.write(area.start, area.end - area.start, HUGE * self.rng.randint(1, 2))
        return f"{area.start:#x}-{area.end:#x}"

    def map_shared_hugetlb(self):
        """Two mappings of 1 GiB of one file, which share a PMD table, at least with each other."""
        fd = os.memfd_create("hugetlb", MFD_HUGETLB)
        os.ftruncate(fd, GIB)
        text = ""
        for _ in range(2):
            start = aligned(GIB, GIB, flags=SHARED | NORESERVE, fd=fd)
            self.areas.append(Area(start, GIB, HUGE, fd))
            for index in range(3):
                os.pwrite(self.memory, b"x", start + index * 50 * HUGE)
            text += f"{start:#x} "
        return text

    def map_1g(self):
        start = mmap(GIB, flags=PRIVATE | ANONYMOUS | HUGETLB | HUGE_1G)
        os.pwrite(self.memory, b"x", start + self.rng.randrange(GIB))
        if self.rng.random() < 0.3:
            mprotect(start, GIB, NONE)
        return f"{start:#x}"

    def map_kernel_memory(self):
        """Memory that the kernel supplies: a device, rings, secret memory."""
        kind = self.rng.choice(("hpet", "io_uring", "perf", "secret"))
        if kind == "hpet":
            mmap(PAGE, prot=READ, flags=SHARED, fd=os.open("/dev/hpet", os.O_RDONLY))
        elif kind == "io_uring":
            syscalls.io_uring()
        elif kind == "perf":
            syscalls.perf_ring(1 << self.rng.randint(0, 5))
        else:
            syscalls.secret(self.rng.randint(1, 30))
        return kind

    def grow_heap(self):
        size = self.rng.randint(1, 600) * PAGE
        self.spend(size)
        start = syscalls.check(syscalls.libc.sbrk(size))
        self.write(start, size, PAGE * self.rng.randint(1, 20))
        return f"{start:#x}"

    # ---- operations on areas ----

    def touch_some(self):
        area = self.area(lambda area: not area.protected)
        count = self.rng.randint(1, 40)
        for _ in range(count):
            self.spend(HUGE if area.huge else PAGE)
            page = area.start + self.rng.randrange(area.end - area.start) // PAGE * PAGE
            if self.rng.random() < 0.7:
                os.pwrite(self.memory, b"x", page)
            else:
                os.pread(self.memory, 1, page)
        return f"{count} of {area.start:#x}"

    def touch_stride(self):
        area = self.area(lambda area: not area.protected)
        step = self.rng.choice((PAGE, 7 * PAGE, HUGE, HUGE + PAGE, GIB + 3 * PAGE))
        start, size = self.range(area, 300 * step)
        self.spend(size // step * (HUGE if area.huge else PAGE))
        self.write(start, size, step)
        return f"{start:#x} {size:#x} {step:#x}"

    def read_pages(self):
        area = self.area()
        start, size = self.range(area, 16 * MIB)
        if not area.huge:
            self.spend(size)
        for page in range(start, start + size, PAGE * self.rng.randint(1, 60)):
            os.pread(self.memory, 1, page)
        return f"{start:#x} {size:#x}"

    def protect(self):
        start, size = self.range(self.area(), GIB)
        mprotect(start, size, self.rng.choice((NONE, NONE, READ, READ | WRITE)))
        return f"{start:#x} {size:#x}"

    def unmap(self):
        area = self.area()
        start, size = self.range(area, GIB)
        munmap(start, size)
        self.forget(area, start, size)
        return f"{start:#x} {size:#x}"

    def move(self):
        """Move a part of an area; some moves keep the place in the tables, some keep the old mapping."""
        area = self.area(lambda area: area.unit == PAGE)
        start, size = self.range(area, 16 * MIB)
        offset = self.rng.choice((0, 0, self.rng.randrange(512) * PAGE))
        # this mapping reserves the range that the moved part replaces
        target = aligned(size + 2 * HUGE, HUGE, prot=NONE) + (offset + start) % HUGE
        flags = REMAP_MAYMOVE | REMAP_FIXED
        if self.rng.random() < 0.3:
            flags |= REMAP_DONTUNMAP
        mremap(start, size, size, flags, target)
        if not flags & REMAP_DONTUNMAP:
            self.forget(area, start, size)
        self.areas.append(area.part(target, target + size))
        return f"{start:#x} {size:#x} to {target:#x} flags {flags}"

    def resize(self):
        area = self.area(lambda area: area.unit == PAGE and area.fd < 0)
        size = max(PAGE, area.end - area.start + self.rng.randint(-700, 700) * PAGE)
        start = mremap(area.start, area.end - area.start, size, REMAP_MAYMOVE)
        self.areas.remove(area)
        self.areas.append(area.part(start, start + size))
        return f"{area.start:#x} {size:#x} to {start:#x}"

    def advise(self, *advices, most=GIB, wanted=lambda area: True):
        advice = self.rng.choice(advices or (DONTNEED, FREE, REMOVE, COLD, HUGEPAGE, NOHUGEPAGE,
                                             DONTNEED, COLLAPSE, PAGEOUT, GUARD_REMOVE, WIPEONFORK))
        area = self.area(wanted)
        start, size = self.range(area, most)
        if advice == HUGEPAGE:
            area.huge = True
        madvise(start, size, advice)
        return f"{advice} {start:#x} {size:#x}"

    def truncate(self):
        area = self.area(lambda area: area.fd >= 0 and area.unit == PAGE)
        size = self.rng.randrange((area.end - area.start) // PAGE) * PAGE
        os.ftruncate(area.fd, size)
        return f"file of {area.start:#x} to {size:#x}"

    def lock(self):
        area = self.area(lambda area: not area.protected and area.unit == PAGE)
        start, size = self.range(area, 4 * MIB)
        self.spend(size + 2 * HUGE)
        syscalls.check(syscalls.libc.mlock(start, size))
        if self.rng.random() < 0.5:
            syscalls.check(syscalls.libc.munlock(start, size))
        return f"{start:#x} {size:#x}"

    def protect_by_userfaultfd(self):
        area = self.area(lambda area: not area.protected)
        area.protected = True
        start, size = self.range(area, 64 * MIB)
        if self.rng.random() < 0.4 and syscalls.protect_from_all(start, size):
            return f"{start:#x} {size:#x} from all accesses"
        syscalls.write_protect(start, size)
        return f"{start:#x} {size:#x} from writes"

    # ---- fixed operations: each uses pages of its own, so that it has its intended effect ----

    def own_pages(self, size, **kwargs):
        area = self.add(size, HUGE, **kwargs)
        self.areas.remove(area)
        madvise(area.start, size, NOHUGEPAGE)
        self.write(area.start, size, PAGE)
        return area.start

    def swap_out(self):
        start = self.own_pages(2 * HUGE)
        for _ in range(20):
            madvise(start, HUGE + HUGE // 2, PAGEOUT)
        return f"{start:#x}"

    def empty_tables(self):
        start = self.own_pages(4 * HUGE)
        for half in range(8):
            madvise(start + half * MIB, MIB, DONTNEED)
        return f"{start:#x}"

    def empty_upper_tables(self):
        """Upper tables that stay when the kernel frees the empty tables below them."""
        for _ in range(3):
            area = self.add(GIB, GIB)
            self.write(area.start, GIB, 64 * MIB)
            madvise(area.start, GIB, DONTNEED)
        return f"{area.start:#x}"

    def markers_of_userfaultfd(self):
        """Markers of shared memory that was freed again. Before 6.4 anonymous memory has no markers."""
        fd = os.memfd_create("protected")
        os.ftruncate(fd, 2 * HUGE)
        start = self.own_pages(2 * HUGE, flags=SHARED, fd=fd)
        syscalls.write_protect(start, HUGE + HUGE // 2)
        madvise(start, 2 * HUGE, DONTNEED)
        return f"{start:#x}"

    def unpopulated_markers(self):
        area = self.add(3 * HUGE)
        area.protected = True
        syscalls.write_protect(area.start, 2 * HUGE)
        return f"{area.start:#x}"

    def guard(self):
        start = self.own_pages(2 * HUGE)
        madvise(start + HUGE // 2, HUGE + 5 * PAGE, GUARD_INSTALL)
        return f"{start:#x}"

    def set_ldt(self):
        syscalls.set_ldt()
        return ""

    MUST = (swap_out, map_huge_pages, empty_tables, markers_of_userfaultfd, map_shared_hugetlb,
            guard, map_1g, set_ldt, map_huge_zero, unpopulated_markers, map_kernel_memory,
            empty_upper_tables)
    ANY = (map_anonymous,) * 6 + (map_huge_pages, map_huge_zero, map_shared, map_shared, map_file,
           map_hugetlb, map_shared_hugetlb, map_kernel_memory, grow_heap) + \
          (touch_some, touch_stride) * 4 + (read_pages, protect, protect, unmap, unmap, move, move,
           resize, advise, advise, advise, advise, advise, truncate, lock, protect_by_userfaultfd)

    def do(self, operation):
        try:
            said = operation(self)
        except OSError as error:
            said = f"refused: {error}"
        self.log.append(f"{operation.__name__} {said}")


def main():
    seed, index, levels, log = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    # Use one CPU: pages in the batches of another CPU could not be reclaimed.
    os.sched_setaffinity(0, {1})
    rng = random.Random(f"{seed}.{index}")
    layout = Layout(rng, levels)
    processes = rng.choice((1, 1, 1, 2, 3))
    forks = sorted(rng.randint(5, 20) for _ in range(processes - 1))
    role = 0
    layout.do(Layout.map_anonymous)
    for step in range(rng.randint(20, 45)):
        if role == 0 and step in forks:
            for child in range(forks.count(step)):
                number = forks.index(step) + child + 1
                if os.fork() == 0:
                    role = number
                    layout.rng = rng = random.Random(f"{seed}.{index}.{role}")
                    layout.log.append(f"this is process {role}")
                    layout.open_memory()
                    break
        layout.do(rng.choice(Layout.ANY))
    layout.do(Layout.MUST[index % len(Layout.MUST)])
    with open(f"{log}.{role}", "w", encoding="ascii") as file:
        file.write("\n".join(layout.log))
    announce(str(role), {}, processes=processes)


if __name__ == "__main__":
    main()
