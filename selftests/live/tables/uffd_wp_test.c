// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tables of memory that userfaultfd protects.  Protection from writes (uffd-wp) puts a
 * marker in place of a missing page.  The tests also remove markers.  Protection from all
 * accesses (uffd-rwp, 7.3) keeps the pages mapped, and uses no markers.
 */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "fixtures/layout.h"

static int uffd;

static const char *missing(const struct shape *s)
{
	return live_uffd_missing((unsigned int)s->flags);
}

/* Touch one page per .stride in the first .nr slots, then protect everything. */
static int protect(const struct shape *s)
{
	int fd = -1;

	if (s->flags & UFFD_FEATURE_WP_HUGETLBFS_SHMEM)
		fd = live_map_small_memfd(s->start, s->bytes, MAP_SHARED);
	else
		live_map_small(s->start, s->bytes);
	live_touch_each(s->start, s->start + s->nr * HUGE, s->stride);
	uffd = live_uffd_wp((unsigned int)s->flags, s->start, s->bytes);
	return fd;
}

static pid_t build_protected(const struct shape *s)
{
	protect(s);
	return 0;
}

/* Without a feature, present pages stay present and no markers are made. */
static void expect_protected(struct expect *e, const struct shape *s)
{
	uint64_t end = s->start + s->nr * HUGE;

	for (uint64_t page = s->start; page < end; page += s->stride)
		expect_pages(e, page, page + PAGE);
}

LAYOUT(uffd_wp_populated, build_protected, expect_protected,
       SHAPE(.start = FAR, .bytes = 4 * HUGE, .stride = PAGE, .nr = 4));

LAYOUT(uffd_wp_partly_populated, build_protected, expect_protected,
       SHAPE(.start = FAR + GIB - 2 * HUGE, .bytes = 36 * HUGE,
	     .stride = 4 * PAGE, .nr = 4));

LAYOUT(uffd_wp_never_populated, build_protected, expect_protected,
       SHAPE(.start = FAR, .bytes = 36 * HUGE, .stride = PAGE));

LAYOUT(uffd_wp_markers, build_protected, expect_uffd_markers,
       SHAPE(.start = FAR + GIB - 3 * HUGE - 7 * PAGE, .bytes = 9 * HUGE,
	     .stride = 4 * PAGE, .nr = 2, .flags = UFFD_FEATURE_WP_UNPOPULATED),
       .missing = missing);

LAYOUT(uffd_wp_markers_of_a_file, build_protected, expect_uffd_markers,
       SHAPE(.start = FAR + 3 * HUGE, .bytes = 9 * HUGE, .stride = 16 * PAGE,
	     .nr = 2, .flags = UFFD_FEATURE_WP_HUGETLBFS_SHMEM),
       .missing = missing);

LAYOUT(shmem_wp_populated, build_protected, expect_uffd_markers,
       SHAPE(.start = FAR, .bytes = 3 * HUGE, .nr = 3, .stride = PAGE,
	     .flags = UFFD_FEATURE_WP_HUGETLBFS_SHMEM),
       .missing = missing);

LAYOUT(shmem_wp_partly_populated, build_protected, expect_uffd_markers,
       SHAPE(.start = FAR + GIB - 3 * HUGE - 7 * PAGE, .bytes = 5 * HUGE,
	     .nr = 2, .stride = 3 * PAGE,
	     .flags = UFFD_FEATURE_WP_HUGETLBFS_SHMEM),
       .missing = missing);

LAYOUT(shmem_wp_never_populated, build_protected, expect_uffd_markers,
       SHAPE(.start = FAR + GIB - 3 * HUGE - 7 * PAGE, .bytes = 5 * HUGE,
	     .stride = PAGE, .flags = UFFD_FEATURE_WP_HUGETLBFS_SHMEM),
       .missing = missing);

/* WP_ASYNC sends no event on a write: a protected page counts as not written. */
LAYOUT(anon_wp_async, build_protected, expect_uffd_markers,
       SHAPE(.start = FAR + GIB - 3 * HUGE - 7 * PAGE, .bytes = 5 * HUGE,
	     .nr = 2, .stride = 3 * PAGE,
	     .flags = UFFD_FEATURE_WP_UNPOPULATED | UFFD_FEATURE_WP_ASYNC),
       .missing = missing);

/* Removing the protection removes the markers, but not their tables. */
static pid_t build_released(const struct shape *s)
{
	protect(s);
	live_uffd_protect(uffd, s->start, s->bytes, false);
	return 0;
}

static void expect_released(struct expect *e, const struct shape *s)
{
	uint64_t end = s->start + s->nr * HUGE;

	for (uint64_t page = s->start; page < end; page += s->stride)
		expect_pages(e, page, page + PAGE);
	expect_empty(e, end, s->start + s->bytes);
	if (!s->nr)
		expect_all_hollow(e);
}

LAYOUT(shmem_wp_released, build_released, expect_released,
       SHAPE(.start = FAR, .bytes = 5 * HUGE, .nr = 2, .stride = 3 * PAGE,
	     .flags = UFFD_FEATURE_WP_HUGETLBFS_SHMEM),
       .missing = missing);

LAYOUT(anon_wp_released, build_released, expect_released,
       SHAPE(.start = FAR, .bytes = 3 * HUGE, .stride = PAGE,
	     .flags = UFFD_FEATURE_WP_UNPOPULATED),
       .missing = missing);

/*
 * For files the protection outlives the page: a page that is released or truncated
 * leaves a marker.  Source: mm/memory.c, zap_install_uffd_wp_if_needed() (6.1 to 7.2).
 */
static pid_t build_given_back(const struct shape *s)
{
	protect(s);
	live_must(madvise((void *)s->start, s->bytes, MADV_DONTNEED));
	return 0;
}

static pid_t build_truncated(const struct shape *s)
{
	live_must(ftruncate(protect(s), 0));
	return 0;
}

static void expect_only_markers(struct expect *e, const struct shape *s)
{
	expect_entries(e, s->start, s->start + s->bytes,
		       offsetof(struct ptaudit_table, uffd_wp));
}

LAYOUT(shmem_wp_given_back, build_given_back, expect_only_markers,
       SHAPE(.start = FAR, .bytes = 4 * HUGE, .nr = 2, .stride = PAGE,
	     .flags = UFFD_FEATURE_WP_HUGETLBFS_SHMEM),
       .missing = missing);

LAYOUT(shmem_wp_truncated, build_truncated, expect_only_markers,
       SHAPE(.start = FAR, .bytes = 4 * HUGE, .nr = 2, .stride = PAGE,
	     .flags = UFFD_FEATURE_WP_HUGETLBFS_SHMEM),
       .missing = missing);

LAYOUT(rwp_populated, build_protected, expect_protected,
       SHAPE(.start = FAR, .bytes = 4 * HUGE, .stride = PAGE, .nr = 4,
	     .flags = UFFD_FEATURE_RWP),
       .missing = missing);

LAYOUT(rwp_partly_populated, build_protected, expect_protected,
       SHAPE(.start = FAR + GIB - 2 * HUGE, .bytes = 36 * HUGE,
	     .stride = 4 * PAGE, .nr = 4, .flags = UFFD_FEATURE_RWP),
       .missing = missing);

LAYOUT(rwp_never_populated, build_protected, expect_nothing,
       SHAPE(.start = FAR, .bytes = 36 * HUGE, .stride = PAGE,
	     .flags = UFFD_FEATURE_RWP | UFFD_FEATURE_WP_UNPOPULATED),
       .missing = missing);

LAYOUT(shmem_rwp_partly_populated, build_protected, expect_protected,
       SHAPE(.start = FAR + GIB - 3 * HUGE - 7 * PAGE, .bytes = 5 * HUGE,
	     .nr = 2, .stride = 3 * PAGE,
	     .flags = UFFD_FEATURE_RWP | UFFD_FEATURE_WP_HUGETLBFS_SHMEM),
       .missing = missing);

/* Without markers, PT_RECLAIM frees the tables. */
LAYOUT(shmem_rwp_given_back, build_given_back, expect_hollow,
       SHAPE(.start = FAR, .bytes = 4 * HUGE, .nr = 4, .stride = PAGE,
	     .flags = UFFD_FEATURE_RWP | UFFD_FEATURE_WP_HUGETLBFS_SHMEM),
       .missing = missing);

/*
 * A move clears the protection of each page, so it moves no table.  The old tables stay, and
 * are empty.  Source: mm/mremap.c, uffd_supports_page_table_move() (7.3).
 */
static pid_t build_moved(const struct shape *s)
{
	const int flags = MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP;
	void *to = (void *)(s->start + s->stride);

	live_map_small(s->start, s->bytes);
	live_touch(s->start, s->start + s->bytes);
	uffd = live_uffd_wp((unsigned int)s->flags, s->start, s->bytes);
	live_must_be(mremap((void *)s->start, s->bytes, s->bytes, flags, to) ==
			     to,
		     "mremap");
	return 0;
}

static void expect_moved(struct expect *e, const struct shape *s)
{
	expect_empty(e, s->start, s->start + s->bytes);
	e->empty[PTAUDIT_PMD] = 1;
	expect_pages(e, s->start + s->stride, s->start + s->stride + s->bytes);
}

LAYOUT(rwp_moved, build_moved, expect_moved,
       SHAPE(.start = FAR, .bytes = 4 * HUGE, .stride = 10 * GIB,
	     .flags = UFFD_FEATURE_RWP),
       .missing = missing);

/* Protect all huge pages but the last .nr pages of the last one. */
static pid_t build_huge(const struct shape *s)
{
	const bool file = s->flags & UFFD_FEATURE_WP_HUGETLBFS_SHMEM;

	live_must(live_set(file ? THP "shmem_enabled" : THP "enabled",
			   file ? "advise" : "madvise"));
	if (file)
		live_map_memfd(s->start, s->bytes, MAP_SHARED);
	else
		live_map(s->start, s->bytes, 0);
	live_must(madvise((void *)s->start, s->bytes, MADV_HUGEPAGE));
	live_touch(s->start, s->start + s->bytes);
	live_must_be(live_smaps_kib(getpid(),
				    file ? "ShmemPmdMapped" : "AnonHugePages",
				    s->start,
				    s->start + s->bytes) == s->bytes / KIB,
		     "huge pages");
	/* MADV_NOHUGEPAGE: khugepaged must not collapse a split page again */
	live_must(madvise((void *)s->start, s->bytes, MADV_NOHUGEPAGE));
	uffd = live_uffd_wp((unsigned int)s->flags, s->start,
			    s->bytes - s->nr * PAGE);
	return 0;
}

static void expect_leaves_and_split(struct expect *e, const struct shape *s)
{
	uint64_t end = s->start + s->bytes;
	uint64_t split = s->nr ? end - HUGE : end;

	expect_leaves(e, s->start, split, true);
	expect_pages(e, split, end);
}

LAYOUT(rwp_of_huge_pages, build_huge, expect_leaves_and_split,
       SHAPE(.start = FAR + GIB - 2 * HUGE, .bytes = 5 * HUGE,
	     .flags = UFFD_FEATURE_RWP),
       .missing = missing);

LAYOUT(rwp_of_a_part_of_a_huge_page, build_huge, expect_leaves_and_split,
       SHAPE(.start = FAR, .bytes = 4 * HUGE, .nr = 17,
	     .flags = UFFD_FEATURE_RWP),
       .missing = missing);

/*
 * The protection removes the leaves of a file and makes no PTE tables.  Source:
 * mm/mprotect.c, pgtable_split_needed() and pgtable_populate_needed() (7.3).
 */
LAYOUT(rwp_of_a_files_huge_pages, build_huge, expect_hollow,
       SHAPE(.start = FAR, .bytes = 4 * HUGE,
	     .flags = UFFD_FEATURE_RWP | UFFD_FEATURE_WP_HUGETLBFS_SHMEM),
       .missing = missing);

TEST_HARNESS_MAIN
