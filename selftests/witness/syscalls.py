# SPDX-License-Identifier: GPL-2.0-only
"""The system calls that build a layout of memory.

Runs in the guest.  A call that fails raises OSError.
"""
import ctypes
import fcntl
import functools
import json
import os
import secrets
import struct

NONE, READ, WRITE = 0, 1, 2
SHARED, PRIVATE, FIXED, ANONYMOUS = 0x1, 0x2, 0x10, 0x20
NORESERVE, POPULATE, HUGETLB, FIXED_NOREPLACE = 0x4000, 0x8000, 0x40000, 0x100000
HUGE_1G, MFD_HUGETLB = 30 << 26, 4
REMAP_MAYMOVE, REMAP_FIXED, REMAP_DONTUNMAP = 1, 2, 4
DONTNEED, FREE, REMOVE, HUGEPAGE, NOHUGEPAGE = 4, 8, 9, 14, 15
WIPEONFORK, COLD, PAGEOUT, POPULATE_READ, POPULATE_WRITE, COLLAPSE = 18, 20, 21, 22, 23, 25
GUARD_INSTALL, GUARD_REMOVE = 102, 103
KIB, MIB, GIB, TIB = 1 << 10, 1 << 20, 1 << 30, 1 << 40
PAGE, HUGE = 4 * KIB, 2 * MIB
SYS_MODIFY_LDT, SYS_PERF_EVENT_OPEN, SYS_USERFAULTFD = 154, 298, 323
SYS_IO_URING_SETUP, SYS_MEMFD_SECRET = 425, 447
# include/uapi/linux/userfaultfd.h
UFFDIO_API, UFFDIO_REGISTER, UFFDIO_WRITEPROTECT = 0xc018aa3f, 0xc020aa00, 0xc018aa06
UFFDIO_RWPROTECT = 0xc018aa09
UFFD_API, REGISTER_WP, WRITEPROTECT_WP, REGISTER_RWP, RWPROTECT_RWP = 0xaa, 2, 1, 8, 1
FEATURE_WP, FEATURE_WP_HUGETLBFS_SHMEM, FEATURE_WP_UNPOPULATED = 1 << 0, 1 << 12, 1 << 13
FEATURE_RWP = 1 << 17

libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int,
                      ctypes.c_int, ctypes.c_long)
libc.mremap.restype = ctypes.c_void_p
libc.mremap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_int,
                        ctypes.c_void_p)
libc.sbrk.restype = ctypes.c_void_p
libc.sbrk.argtypes = (ctypes.c_long,)
for name in ("munmap", "mlock", "munlock"):
    getattr(libc, name).argtypes = (ctypes.c_void_p, ctypes.c_size_t)
for name in ("madvise", "mprotect"):
    getattr(libc, name).argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)


def check(result):
    if result in (-1, 2**64 - 1):
        errno = ctypes.get_errno()
        raise OSError(errno, os.strerror(errno))
    return result


def mmap(size, flags=PRIVATE | ANONYMOUS | NORESERVE, at=0, prot=READ | WRITE, fd=-1, offset=0):
    return check(libc.mmap(at, size, prot, flags, fd, offset))


def munmap(address, size):
    check(libc.munmap(address, size))


def madvise(address, size, advice):
    check(libc.madvise(address, size, advice))


def mprotect(address, size, prot):
    check(libc.mprotect(address, size, prot))


def mremap(address, old, new, flags=REMAP_MAYMOVE, target=None):
    return check(libc.mremap(address, old, new, flags, target))


def aligned(size, align, **kwargs):
    """A mapping that begins at a multiple of align."""
    base = mmap(size + align, prot=NONE)
    start = -(-base // align) * align
    munmap(base, size + align)
    flags = kwargs.pop("flags", PRIVATE | ANONYMOUS | NORESERVE)
    return mmap(size, flags=flags | FIXED_NOREPLACE, at=start, **kwargs)


def touch(address):
    ctypes.memset(address, 1, 1)


@functools.lru_cache
def has_populate():
    """Linux 5.14 and later have MADV_POPULATE_*."""
    page = mmap(PAGE)
    try:
        madvise(page, PAGE, POPULATE_READ)
        return True
    except OSError:
        return False
    finally:
        munmap(page, PAGE)


def populate(address, size, advice=POPULATE_WRITE):
    """Touch all pages. The range must be accessible."""
    if has_populate():
        madvise(address, size, advice)
        return
    for page in range(address, address + size, PAGE):
        if advice == POPULATE_WRITE:
            touch(page)
        else:
            ctypes.string_at(page, 1)


def small_pages(address, size):
    madvise(address, size, NOHUGEPAGE)
    populate(address, size)


def huge_pages(address, size):
    madvise(address, size, HUGEPAGE)
    populate(address, size)


def set_ldt():
    """Make an entry in the LDT. Under PTI the kernel maps it through tables of the process."""
    # entry 0: base 0, limit 0xfffff, 32 bits, limit in pages, usable
    descriptor = (ctypes.c_uint32 * 4)(0, 0, 0xfffff, 0b1010001)
    check(libc.syscall(SYS_MODIFY_LDT, 1, descriptor, 16))


def write_protect(start, size):
    """Write-protect a range by userfaultfd, with as many of the features as the kernel has.

    A write to the range would never return.
    """
    features = FEATURE_WP | FEATURE_WP_HUGETLBFS_SHMEM | FEATURE_WP_UNPOPULATED
    for lacking in (0, FEATURE_WP_UNPOPULATED, FEATURE_WP_HUGETLBFS_SHMEM | FEATURE_WP_UNPOPULATED):
        fd = check(libc.syscall(SYS_USERFAULTFD, 0))
        try:
            fcntl.ioctl(fd, UFFDIO_API, struct.pack("QQQ", UFFD_API, features & ~lacking, 0))
            break
        except OSError as error:
            os.close(fd)
            missing = error
    else:
        raise missing
    fcntl.ioctl(fd, UFFDIO_REGISTER, struct.pack("QQQQ", start, size, REGISTER_WP, 0))
    fcntl.ioctl(fd, UFFDIO_WRITEPROTECT, struct.pack("QQQ", start, size, WRITEPROTECT_WP))


def protect_from_all(start, size):
    """Protect a range from reads, too (7.3). Return: False if the kernel cannot."""
    fd = check(libc.syscall(SYS_USERFAULTFD, 0))
    try:
        fcntl.ioctl(fd, UFFDIO_API, struct.pack("QQQ", UFFD_API, FEATURE_RWP, 0))
    except OSError:
        os.close(fd)
        return False
    fcntl.ioctl(fd, UFFDIO_REGISTER, struct.pack("QQQQ", start, size, REGISTER_RWP, 0))
    fcntl.ioctl(fd, UFFDIO_RWPROTECT, struct.pack("QQQ", start, size, RWPROTECT_RWP))
    return True


def io_uring():
    """Map the two rings and the entries of an io_uring. mmap() populates them."""
    fd = check(libc.syscall(SYS_IO_URING_SETUP, 256, ctypes.create_string_buffer(120)))
    for offset, size in ((0, PAGE), (0x8000000, PAGE), (0x10000000, 4 * PAGE)):
        mmap(size, flags=SHARED | POPULATE, fd=fd, offset=offset)


def perf_ring(pages):
    """Map the ring of a software event: @pages, a power of two, and one more page.

    The event counts on a CPU. For an event of a task, the kernel would patch its scheduler
    at run time, and QEMU may execute code that is patched in part.
    """
    # struct perf_event_attr: PERF_TYPE_SOFTWARE, its size, PERF_COUNT_SW_DUMMY
    event = struct.pack("IIQ48x", 1, 64, 9)
    fd = check(libc.syscall(SYS_PERF_EVENT_OPEN, event, -1, 1, -1, 0))
    address = mmap((pages + 1) * PAGE, flags=SHARED, fd=fd)
    ctypes.string_at(address, 1)


def secret(pages):
    """Map memory that is not in the kernel's own mapping (memfd_secret)."""
    fd = check(libc.syscall(SYS_MEMFD_SECRET, 0))
    os.ftruncate(fd, pages * PAGE)
    address = mmap(pages * PAGE, flags=SHARED, fd=fd)
    for page in range(0, pages, 2):
        touch(address + page * PAGE)


def announce(role, expect, **more):
    """Announce that the process has built its memory; then keep it unchanged.

    The process spins on CPU 1 in user mode and touches no new page, so that CR3 of the CPU
    is the address of its PGD.  A random token of 16 bytes in its memory identifies it.
    """
    address = mmap(PAGE)
    madvise(address, PAGE, NOHUGEPAGE)
    token = secrets.token_bytes(16)
    ctypes.memmove(address, token, 16)
    os.sched_setaffinity(0, {1})
    print(json.dumps({"role": role, "pid": os.getpid(), "address": address,
                      "token": token.hex(), "expect": expect, **more}), flush=True)
    while True:
        pass
