// SPDX-License-Identifier: GPL-2.0-only
/*
 * Huge pages of files: leaves without a deposited PTE table, next to anonymous leaves
 * that have one.  The kernel does not split such a leaf into base pages: it removes the
 * leaf, and the next access maps the memory again.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fixtures/layout.h"

/* bits of shape.flags: the file system, and whether removed memory is touched again */
enum { MEMFD = 0, TMPFS = 1, XFS = 2, PLACE = 3, TOUCHED = 4 };

static uint64_t huge_kib(const struct shape *s, const char *field)
{
	return live_smaps_kib(getpid(), field, s->start, s->start + s->bytes);
}

/* Open an unnamed file and detach its file system, which then ends with the file. */
static int open_alone(const char *dir)
{
	int fd = open(dir, O_TMPFILE | O_RDWR, 0600);

	live_must(fd);
	live_must(umount2(dir, MNT_DETACH));
	return fd;
}

static int open_on_tmpfs(void)
{
	char dir[] = "/tmp/layout.XXXXXX";

	live_must_be(mkdtemp(dir), "a directory");
	live_must(mount("layout", dir, "tmpfs", 0, "huge=always"));
	return open_alone(dir);
}

#define IMAGE "/tmp/layout.xfs"

/* mkfs.xfs refuses sizes below 300 MiB.  The image is sparse. */
static int open_on_xfs(void)
{
	char dir[] = "/tmp/layout.XXXXXX";
	int fd = open(IMAGE, O_CREAT | O_TRUNC | O_RDWR, 0600);

	live_must(fd);
	live_must(ftruncate(fd, 320 * MIB));
	live_must_be(mkdtemp(dir), "a directory");
	live_must_run((char *[]){ "modprobe", "-a", "loop", "xfs", NULL });
	live_must_run((char *[]){ "mkfs.xfs", "-q", IMAGE, NULL });
	live_must_run((char *[]){ "mount", "-o", "loop", IMAGE, dir, NULL });
	live_must(unlink(IMAGE));
	return open_alone(dir);
}

static int open_file(const struct shape *s)
{
	switch (s->flags & PLACE) {
	case TMPFS:
		return open_on_tmpfs();
	case XFS:
		return open_on_xfs();
	default:
		live_must(live_set(THP "shmem_enabled", "advise"));
		return memfd_create("layout", 0);
	}
}

static void read_pages(uint64_t start, uint64_t end)
{
	for (uint64_t addr = start; addr < end; addr += PAGE)
		(void)*(volatile char *)addr;
}

/*
 * Map the file writable and touch it.  A file on XFS is only read, so that it keeps its
 * huge pages.
 */
static void map_file(const struct shape *s, int flags)
{
	const char *field = "ShmemPmdMapped";
	uint64_t end = s->start + s->bytes;
	int fd = open_file(s);

	live_must(fd);
	live_must(ftruncate(fd, (off_t)s->bytes));
	live_map_fd(s->start, s->bytes, PROT_READ | PROT_WRITE, flags, fd);
	if ((s->flags & PLACE) != TMPFS)
		live_must(madvise((void *)s->start, s->bytes, MADV_HUGEPAGE));
	if ((s->flags & PLACE) == XFS) {
		field = "FilePmdMapped";
		read_pages(s->start, end);
	} else {
		live_touch(s->start, end);
	}
	live_must_be(huge_kib(s, field) == s->bytes / KIB, field);
}

/* Every second slot is anonymous, except among the first .nr. */
static bool is_anon(const struct shape *s, uint64_t addr)
{
	return addr >= s->start + s->nr * HUGE &&
	       (addr - s->start) / HUGE % 2 == 1;
}

static pid_t build_beside_anon(const struct shape *s)
{
	uint64_t anon_bytes = 0;

	live_must(live_set(THP "enabled", "madvise"));
	map_file(s, MAP_SHARED);
	for (uint64_t at = s->start; at < s->start + s->bytes; at += HUGE) {
		if (!is_anon(s, at))
			continue;
		live_must(munmap((void *)at, HUGE));
		live_must(madvise(live_map(at, HUGE, 0), HUGE, MADV_HUGEPAGE));
		live_touch(at, at + HUGE);
		anon_bytes += HUGE;
	}
	live_must_be(huge_kib(s, "AnonHugePages") == anon_bytes / KIB,
		     "AnonHugePages");
	return 0;
}

static void expect_beside_anon(struct expect *e, const struct shape *s)
{
	for (uint64_t at = s->start; at < s->start + s->bytes; at += HUGE)
		expect_leaves(e, at, at + HUGE, is_anon(s, at));
}

LAYOUT(tmpfs_huge_always, build_beside_anon, expect_beside_anon,
       SHAPE(.start = FAR, .bytes = 4 * HUGE, .nr = 4, .flags = TMPFS));

LAYOUT(tmpfs_beside_anon, build_beside_anon, expect_beside_anon,
       SHAPE(.start = FAR + GIB - 3 * HUGE, .bytes = 8 * HUGE, .nr = 1,
	     .flags = TMPFS));

/*
 * Since 5.18, XFS allows large folios, and readahead reads complete huge pages after
 * MADV_HUGEPAGE.  Source: fs/xfs/xfs_icache.c, mapping_set_large_folios(); mm/filemap.c,
 * do_sync_mmap_readahead().
 */
static const char *missing_large_folios(const struct shape *s)
{
	return live_system()->version < 5018 ? "large folios of XFS" : NULL;
}

LAYOUT(xfs, build_beside_anon, expect_beside_anon,
       SHAPE(.start = FAR, .bytes = 4 * HUGE, .nr = 4, .flags = XFS),
       .missing = missing_large_folios);

LAYOUT(xfs_beside_anon, build_beside_anon, expect_beside_anon,
       SHAPE(.start = FAR + GIB - 2 * HUGE, .bytes = 5 * HUGE, .flags = XFS),
       .missing = missing_large_folios);

/* Write to page .nr of the second slot of a private mapping: only the copy stays mapped. */
static pid_t build_copied(const struct shape *s)
{
	uint64_t page = s->start + HUGE + s->nr * PAGE;

	map_file(s, MAP_PRIVATE);
	live_touch(page, page + PAGE);
	return 0;
}

static void expect_copied(struct expect *e, const struct shape *s)
{
	uint64_t page = s->start + HUGE + s->nr * PAGE;

	expect_leaves(e, s->start, s->start + HUGE, false);
	expect_pages(e, page, page + PAGE);
	expect_leaves(e, s->start + 2 * HUGE, s->start + s->bytes, false);
}

LAYOUT(xfs_page_copied, build_copied, expect_copied,
       SHAPE(.start = FAR, .bytes = 3 * HUGE, .nr = 77, .flags = XFS),
       .missing = missing_large_folios);

/*
 * Source: file_thp_enabled(): in include/linux/huge_mm.h (6.12) it requires
 * READ_ONLY_THP_FOR_FS, in mm/huge_memory.c (7.2) large folios.
 */
static const char *missing_file_collapse(const struct shape *s)
{
	return live_system()->version < 7002 ? "MADV_COLLAPSE of files" : NULL;
}

/* Read the file page by page, then collapse the first .nr slots. */
static pid_t build_collapsed(const struct shape *s)
{
	uint64_t end = s->start + s->bytes, vmpte_bytes;
	int fd = open_file(s);

	live_must(ftruncate(fd, (off_t)s->bytes));
	live_map_fd(s->start, s->bytes, PROT_READ, MAP_SHARED, fd);
	/* MADV_RANDOM: without readahead the folios stay small */
	live_must(madvise((void *)s->start, s->bytes, MADV_RANDOM));
	read_pages(s->start, end);
	live_must_be(!huge_kib(s, "FilePmdMapped"), "small pages");
	vmpte_bytes = live_vmpte_bytes(getpid());
	live_collapse(s->start, s->nr * HUGE);
	live_must_be(huge_kib(s, "FilePmdMapped") == s->nr * (HUGE / KIB),
		     "FilePmdMapped");
	live_must_be(live_vmpte_bytes(getpid()) == vmpte_bytes - s->nr * PAGE,
		     "VmPTE");
	return 0;
}

static void expect_collapsed(struct expect *e, const struct shape *s)
{
	uint64_t behind = s->start + s->nr * HUGE;

	expect_leaves(e, s->start, behind, false);
	expect_pages(e, behind, s->start + s->bytes);
}

LAYOUT(xfs_collapsed, build_collapsed, expect_collapsed,
       SHAPE(.start = FAR + GIB - HUGE, .bytes = 4 * HUGE, .nr = 3,
	     .flags = XFS),
       .missing = missing_file_collapse);

/* MADV_NOHUGEPAGE: khugepaged must not collapse the slots again. */
static void leave_alone(const struct shape *s)
{
	madvise((void *)s->start, s->bytes, MADV_NOHUGEPAGE);
}

/* Take away write access to the first half of the second slot.  This removes the leaf. */
static pid_t build_mprotect_part(const struct shape *s)
{
	map_file(s, MAP_SHARED);
	live_must(mprotect((void *)(s->start + HUGE), MIB, PROT_READ));
	if (s->flags & TOUCHED)
		read_pages(s->start + HUGE, s->start + 2 * HUGE);
	leave_alone(s);
	return 0;
}

static void expect_mprotect_part(struct expect *e, const struct shape *s)
{
	expect_leaves(e, s->start, s->start + HUGE, false);
	if (s->flags & TOUCHED)
		expect_pages(e, s->start + HUGE, s->start + 2 * HUGE);
	expect_leaves(e, s->start + 2 * HUGE, s->start + s->bytes, false);
}

LAYOUT(shmem_split_by_mprotect, build_mprotect_part, expect_mprotect_part,
       SHAPE(.start = FAR, .bytes = 3 * HUGE, .flags = MEMFD));

LAYOUT(shmem_split_by_mprotect_touched, build_mprotect_part,
       expect_mprotect_part,
       SHAPE(.start = FAR, .bytes = 3 * HUGE, .flags = MEMFD | TOUCHED));

LAYOUT(xfs_split_by_mprotect, build_mprotect_part, expect_mprotect_part,
       SHAPE(.start = FAR, .bytes = 3 * HUGE, .flags = XFS),
       .missing = missing_large_folios);

/* Unmap page .nr of the second slot. */
static pid_t build_unmapped_page(const struct shape *s)
{
	uint64_t slot = s->start + HUGE, page = slot + s->nr * PAGE;

	map_file(s, MAP_SHARED);
	live_must(munmap((void *)page, PAGE));
	if (s->flags & TOUCHED) {
		read_pages(slot, page);
		read_pages(page + PAGE, slot + HUGE);
	}
	leave_alone(s);
	return 0;
}

static void expect_page_gone(struct expect *e, const struct shape *s)
{
	uint64_t slot = s->start + HUGE, page = slot + s->nr * PAGE;

	expect_leaves(e, s->start, slot, false);
	if (s->flags & TOUCHED) {
		expect_pages(e, slot, page);
		expect_pages(e, page + PAGE, slot + HUGE);
	}
	expect_leaves(e, slot + HUGE, s->start + s->bytes, false);
}

LAYOUT(shmem_partly_unmapped, build_unmapped_page, expect_page_gone,
       SHAPE(.start = FAR, .bytes = 3 * HUGE, .nr = 100, .flags = MEMFD));

LAYOUT(shmem_partly_unmapped_touched, build_unmapped_page, expect_page_gone,
       SHAPE(.start = FAR, .bytes = 3 * HUGE, .nr = 100,
	     .flags = MEMFD | TOUCHED));

/* MADV_DONTNEED leaves the mapping complete: one access makes the leaf again. */
static pid_t build_dontneed_page(const struct shape *s)
{
	uint64_t page = s->start + HUGE + s->nr * PAGE;

	map_file(s, MAP_SHARED);
	live_must(madvise((void *)page, PAGE, MADV_DONTNEED));
	if (s->flags & TOUCHED)
		live_touch(page, page + PAGE);
	return 0;
}

static void expect_dontneed_page(struct expect *e, const struct shape *s)
{
	for (uint64_t at = s->start; at < s->start + s->bytes; at += HUGE)
		if (s->flags & TOUCHED || at != s->start + HUGE)
			expect_leaves(e, at, at + HUGE, false);
}

LAYOUT(shmem_partly_given_back, build_dontneed_page, expect_dontneed_page,
       SHAPE(.start = FAR, .bytes = 3 * HUGE, .nr = 511, .flags = MEMFD));

LAYOUT(shmem_partly_given_back_touched, build_dontneed_page,
       expect_dontneed_page,
       SHAPE(.start = FAR, .bytes = 3 * HUGE, .nr = 511,
	     .flags = MEMFD | TOUCHED));

TEST_HARNESS_MAIN
