// SPDX-License-Identifier: GPL-2.0-only
/*
 * Transparent huge pages, each with a deposited PTE table, and what remains when they
 * are split.
 */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "fixtures/layout.h"

static void map_huge(const struct shape *s)
{
	live_must(live_set(THP "enabled", "madvise"));
	live_must(live_set(THP "use_zero_page", "1"));
	live_must(madvise(live_map(s->start, s->bytes, 0), s->bytes,
			  MADV_HUGEPAGE));
}

/* MADV_NOHUGEPAGE: khugepaged must not collapse again what the builder has split. */
static void leave_alone(uint64_t start, uint64_t bytes)
{
	madvise((void *)start, bytes, MADV_NOHUGEPAGE);
}

static pid_t build_thp(const struct shape *s)
{
	map_huge(s);
	live_touch(s->start, s->start + s->bytes);
	live_must_be(live_smaps_kib(getpid(), "AnonHugePages", s->start,
				    s->start + s->bytes) ==
			     s->bytes / HUGE * (HUGE / KIB),
		     "AnonHugePages");
	leave_alone(s->start, s->bytes);
	return 0;
}

static void expect_thp(struct expect *e, const struct shape *s)
{
	uint64_t huge_end = s->start + s->bytes / HUGE * HUGE;

	expect_leaves(e, s->start, huge_end, true);
	expect_pages(e, huge_end, s->start + s->bytes);
}

LAYOUT(thp_one, build_thp, expect_thp,
       SHAPE(.start = FAR + 4 * MIB, .bytes = HUGE));

LAYOUT(thp_sixty, build_thp, expect_thp,
       SHAPE(.start = FAR, .bytes = 60 * HUGE));

LAYOUT(thp_and_small_pages_behind, build_thp, expect_thp,
       SHAPE(.start = FAR, .bytes = 5 * MIB));

/* Deposits belong to the PMD table: two to the lower one, three to the upper one. */
LAYOUT(thp_across_1g_edge, build_thp, expect_thp,
       SHAPE(.start = FAR + GIB - 2 * HUGE, .bytes = 5 * HUGE));

static pid_t build_zero(const struct shape *s)
{
	map_huge(s);
	for (uint64_t at = s->start; at < s->start + s->bytes; at += HUGE)
		live_must_be(!*(volatile char *)at, "zeroes");
	leave_alone(s->start, s->bytes);
	return 0;
}

LAYOUT(huge_zero_page, build_zero, expect_thp,
       SHAPE(.start = FAR + 2 * GIB, .bytes = 7 * HUGE));

/* Unmap one page in the middle of the second huge page, which splits it. */
static pid_t build_unmapped_page(const struct shape *s)
{
	build_thp(s);
	live_must(munmap((void *)(s->start + HUGE + s->nr * PAGE), PAGE));
	return 0;
}

static pid_t build_dontneed_page(const struct shape *s)
{
	build_thp(s);
	live_must(madvise((void *)(s->start + HUGE + s->nr * PAGE), PAGE,
			  MADV_DONTNEED));
	return 0;
}

static pid_t build_zero_dontneed_page(const struct shape *s)
{
	build_zero(s);
	live_must(madvise((void *)(s->start + HUGE + s->nr * PAGE), PAGE,
			  MADV_DONTNEED));
	return 0;
}

static void expect_page_gone(struct expect *e, const struct shape *s)
{
	uint64_t page = s->start + HUGE + s->nr * PAGE;

	expect_leaves(e, s->start, s->start + HUGE, true);
	expect_pages(e, s->start + HUGE, page);
	expect_pages(e, page + PAGE, s->start + 2 * HUGE);
	expect_leaves(e, s->start + 2 * HUGE, s->start + s->bytes, true);
}

LAYOUT(thp_partly_unmapped, build_unmapped_page, expect_page_gone,
       SHAPE(.start = FAR, .bytes = 4 * HUGE, .nr = 100));

LAYOUT(thp_partly_given_back, build_dontneed_page, expect_page_gone,
       SHAPE(.start = FAR, .bytes = 4 * HUGE, .nr = 511));

LAYOUT(huge_zero_page_partly_given_back, build_zero_dontneed_page,
       expect_page_gone, SHAPE(.start = FAR, .bytes = 4 * HUGE, .nr = 0));

/* Release all memory below the PMD table, but not the table itself. */
static pid_t build_dontneed_all(const struct shape *s)
{
	build_thp(s);
	live_must(madvise((void *)s->start, s->bytes, MADV_DONTNEED));
	return 0;
}

LAYOUT(thp_all_given_back, build_dontneed_all, expect_hollow,
       SHAPE(.start = FAR + 6 * GIB, .bytes = 4 * HUGE));

static pid_t build_prot_none(const struct shape *s)
{
	build_thp(s);
	live_must(mprotect((void *)s->start, s->bytes, PROT_NONE));
	return 0;
}

LAYOUT(thp_prot_none, build_prot_none, expect_thp,
       SHAPE(.start = FAR, .bytes = 3 * HUGE));

/*
 * Take away write access to the first half of the second huge page.  This splits the page
 * and removes none of its base pages.
 */
static pid_t build_mprotect_part(const struct shape *s)
{
	build_thp(s);
	live_must(mprotect((void *)(s->start + HUGE), MIB, PROT_READ));
	return 0;
}

static void expect_mprotect_part(struct expect *e, const struct shape *s)
{
	expect_leaves(e, s->start, s->start + HUGE, true);
	expect_pages(e, s->start + HUGE, s->start + 2 * HUGE);
	expect_leaves(e, s->start + 2 * HUGE, s->start + s->bytes, true);
}

LAYOUT(thp_split_by_mprotect, build_mprotect_part, expect_mprotect_part,
       SHAPE(.start = FAR, .bytes = 3 * HUGE));

/*
 * Move by .stride.  If that is a multiple of 2 MiB, the leaves and deposits move.
 * Otherwise the leaves are split.
 */
static pid_t build_mremap(const struct shape *s)
{
	void *to = (void *)(s->start + s->stride);

	build_thp(s);
	live_must_be(mremap((void *)s->start, s->bytes, s->bytes,
			    MREMAP_MAYMOVE | MREMAP_FIXED, to) == to,
		     "mremap");
	return 0;
}

static void expect_mremap(struct expect *e, const struct shape *s)
{
	uint64_t to = s->start + s->stride;

	if (s->stride % HUGE)
		expect_pages(e, to, to + s->bytes);
	else
		expect_leaves(e, to, to + s->bytes, true);
}

LAYOUT(thp_mremap_aligned, build_mremap, expect_mremap,
       SHAPE(.start = FAR, .bytes = 3 * HUGE, .stride = 5 * GIB + HUGE));

LAYOUT(thp_mremap_unaligned, build_mremap, expect_mremap,
       SHAPE(.start = FAR, .bytes = 3 * HUGE, .stride = 5 * GIB + PAGE));

/* The child's copies have leaves and deposits of their own. */
static pid_t build_fork(const struct shape *s)
{
	build_thp(s);
	return live_fork(0, 0);
}

LAYOUT(thp_of_a_forked_child, build_fork, expect_thp,
       SHAPE(.start = FAR, .bytes = 3 * HUGE));

/* Huge pages of a file have no deposit. */
static pid_t build_shmem(const struct shape *s)
{
	live_must(live_set(THP "shmem_enabled", "advise"));
	live_map_memfd(s->start, s->bytes, MAP_SHARED);
	live_must(madvise((void *)s->start, s->bytes, MADV_HUGEPAGE));
	live_touch(s->start, s->start + s->bytes);
	live_must_be(live_smaps_kib(getpid(), "ShmemPmdMapped", s->start,
				    s->start + s->bytes) == s->bytes / KIB,
		     "ShmemPmdMapped");
	return 0;
}

static void expect_shmem(struct expect *e, const struct shape *s)
{
	expect_leaves(e, s->start, s->start + s->bytes, false);
}

LAYOUT(shmem_thp, build_shmem, expect_shmem,
       SHAPE(.start = FAR, .bytes = 3 * HUGE));

TEST_HARNESS_MAIN
