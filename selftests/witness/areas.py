# SPDX-License-Identifier: GPL-2.0-only
"""The parts of the address space that a random layout may change.

Runs in the guest.  All random choices use the generator that is passed in.
"""
import errno
import os

from syscalls import (ANONYMOUS, FIXED_NOREPLACE, GIB, HUGE, KIB, MIB, NORESERVE, PAGE, PRIVATE,
                      aligned, mmap)

# Limits per process: bytes to touch, and bytes to map (the tool reads pagemap of all of them).
TOUCHED, MAPPED = 96 * MIB, 6 * GIB


class Refused(OSError):
    """The layout refuses an operation: it has no such area, or would exceed a limit."""

    def __str__(self):
        return "not possible here"


class Area:
    """A part of the address space that belongs to the layout."""

    def __init__(self, start, size, unit=PAGE, fd=-1):
        self.start, self.end, self.unit, self.fd = start, start + size, unit, fd
        self.protected = False  # protected by userfaultfd, so that a write would never return
        self.huge = False

    def part(self, start, end):
        other = Area(start, end - start, self.unit, self.fd)
        other.protected, other.huge = self.protected, self.huge
        return other


class Areas:
    """All areas of one process; chooses the places of new ones."""

    def __init__(self, rng, levels):
        self.rng, self.bits = rng, 12 + 9 * levels - 1
        self.areas = []
        self.touched = self.mapped = 0
        self.open_memory()

    def open_memory(self):
        # Access memory through this file: a failed access is an error then, not a signal.
        self.memory = os.open("/proc/self/mem", os.O_RDWR)

    def size(self):
        rng = self.rng
        kind = rng.random()
        if kind < 0.3:
            pages = rng.randint(1, 40)
        elif kind < 0.7:
            pages = 512 * rng.randint(1, 6) + rng.choice((0, 0, -1, 1, rng.randint(-300, 300)))
        else:
            pages = int(2 ** rng.uniform(0, 20))
        return pages * PAGE

    def place(self, size):
        """An address for a mapping, or 0 if the kernel shall choose it."""
        rng = self.rng
        kind = rng.random()
        if kind < 0.25:
            return 0
        if kind < 0.4 and self.areas:
            # directly after another area, or up to 600 pages after it
            return rng.choice(self.areas).end + PAGE * rng.choice((0, 1, rng.randint(0, 600)))
        if kind < 0.5:
            top = rng.choice((47, self.bits))
            return (1 << top) - PAGE * rng.choice((1, 1, rng.randint(1, 600))) - size
        bit = rng.randrange(16, self.bits)
        address = rng.randrange(1 << bit, 2 << bit)
        unit = rng.choice((PAGE, PAGE, HUGE, GIB, 512 * GIB))
        return max(address // unit * unit + PAGE * rng.choice((0, 0, -1, 1)), 64 * KIB)

    def area(self, wanted=lambda area: True):
        found = [area for area in self.areas if wanted(area)]
        if not found:
            raise Refused
        return self.rng.choice(found)

    def range(self, area, most):
        """A part of an area: sometimes complete tables, often some pages, else all of it."""
        rng, unit = self.rng, area.unit
        start, end = area.start, area.end
        kind = rng.random()
        if kind < 0.3 and end - start > 4 * HUGE:
            start = rng.randrange(start // HUGE + 1, end // HUGE) * HUGE
            end = min(area.end, start + rng.randint(1, 4) * HUGE)
        elif kind < 0.8:
            start += rng.randrange((end - start) // unit) * unit
            end = min(end, start + rng.randint(1, 700) * unit)
        if (end - start) > most:
            start += rng.randrange((end - start - most) // unit + 1) * unit
            end = start + most // unit * unit
        if start >= end:
            raise Refused
        return start, end - start

    def spend(self, size):
        if self.touched + size > TOUCHED:
            raise Refused
        self.touched += size

    def add(self, size, unit=PAGE, fd=-1, flags=PRIVATE | ANONYMOUS | NORESERVE, **kwargs):
        """Add a new area at a free place."""
        size = -(-size // unit) * unit
        if self.mapped + size > MAPPED:
            raise Refused
        for at in [self.place(size) // unit * unit for _ in range(5)] + [0]:
            try:
                if at:
                    start = mmap(size, at=at, flags=flags | FIXED_NOREPLACE, fd=fd, **kwargs)
                else:
                    start = aligned(size, unit, flags=flags, fd=fd, **kwargs)
                break
            except OSError as error:
                if error.errno not in (errno.EEXIST, errno.ENOMEM) or not at:
                    raise
        self.mapped += size
        self.areas.append(Area(start, size, unit, fd))
        return self.areas[-1]

    def forget(self, area, start, size):
        self.areas.remove(area)
        if start > area.start:
            self.areas.append(area.part(area.start, start))
        if start + size < area.end:
            self.areas.append(area.part(start + size, area.end))

    def write(self, start, size, step):
        for page in range(start, start + size, step):
            os.pwrite(self.memory, b"x", page)
