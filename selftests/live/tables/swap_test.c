// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pages that the kernel removed or replaced: swapped out, swapped in again, merged by
 * KSM, lost to memory failure.
 */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "fixtures/layout.h"

/* Swap out all pages except the last .nr. */
static pid_t build_swapped(const struct shape *s)
{
	uint64_t end = s->start + s->bytes, vmpte_bytes;

	live_swap_on();
	live_map_small(s->start, s->bytes);
	live_touch(s->start, end);
	vmpte_bytes = live_vmpte_bytes(getpid());
	live_page_out(s->start, end - s->nr * PAGE);
	live_must_be(live_vmpte_bytes(getpid()) == vmpte_bytes, "VmPTE");
	return 0;
}

static void expect_swapped(struct expect *e, const struct shape *s)
{
	uint64_t end = s->start + s->bytes;

	expect_entries(e, s->start, end - s->nr * PAGE,
		       offsetof(struct ptaudit_table, swap));
	expect_pages(e, end - s->nr * PAGE, end);
}

LAYOUT(swapped_out, build_swapped, expect_swapped,
       SHAPE(.start = FAR, .bytes = 4 * HUGE), .undo = live_swap_off);

LAYOUT(swapped_out_but_some_pages, build_swapped, expect_swapped,
       SHAPE(.start = FAR + GIB - HUGE - 9 * PAGE, .bytes = 5 * MIB, .nr = 700),
       .undo = live_swap_off);

static pid_t build_swapped_in(const struct shape *s)
{
	uint64_t vmpte_bytes;

	build_swapped(s);
	vmpte_bytes = live_vmpte_bytes(getpid());
	live_touch(s->start, s->start + s->bytes);
	live_must_be(!live_smaps_kib(getpid(), "Swap", s->start,
				     s->start + s->bytes),
		     "Swap");
	live_must_be(live_vmpte_bytes(getpid()) == vmpte_bytes, "VmPTE");
	return 0;
}

LAYOUT(swapped_in_again, build_swapped_in, expect_dense,
       SHAPE(.start = FAR, .bytes = 4 * HUGE), .undo = live_swap_off);

/* A forked child gets the swap entries and swaps in the pages below .stride. */
static pid_t build_swapped_forked(const struct shape *s)
{
	build_swapped(s);
	return live_fork(s->start, s->start + s->stride);
}

static void expect_swapped_forked(struct expect *e, const struct shape *s)
{
	uint64_t end = s->start + s->bytes;

	expect_pages(e, s->start, s->start + s->stride);
	expect_entries(e, s->start + s->stride, end - s->nr * PAGE,
		       offsetof(struct ptaudit_table, swap));
	expect_pages(e, end - s->nr * PAGE, end);
}

LAYOUT(swapped_out_and_forked, build_swapped_forked, expect_swapped_forked,
       SHAPE(.start = FAR + HUGE - 5 * PAGE, .bytes = 3 * HUGE, .nr = 100),
       .undo = live_swap_off);

LAYOUT(swapped_in_by_a_forked_child, build_swapped_forked,
       expect_swapped_forked,
       SHAPE(.start = FAR + HUGE - 5 * PAGE, .bytes = 3 * HUGE,
	     .stride = 700 * PAGE, .nr = 100),
       .undo = live_swap_off);

/* The page cache has the swap entries of shmem, so the PTE table is empty. */
static pid_t build_swapped_shmem(const struct shape *s)
{
	uint64_t end = s->start + s->bytes;

	live_swap_on();
	live_no_huge(live_map_fd(s->start, s->bytes, PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1),
		     s->bytes);
	live_touch(s->start, end);
	live_page_out(s->start, end);
	if (s->nr)
		live_touch(end - s->nr * PAGE, end);
	return 0;
}

static void expect_swapped_shmem(struct expect *e, const struct shape *s)
{
	uint64_t end = s->start + s->bytes;

	expect_pages(e, end - s->nr * PAGE, end);
	expect_empty(e, s->start, end - s->nr * PAGE);
	if (!s->nr)
		expect_all_hollow(e);
}

LAYOUT(swapped_out_shmem, build_swapped_shmem, expect_swapped_shmem,
       SHAPE(.start = FAR, .bytes = 3 * HUGE), .undo = live_swap_off);

LAYOUT(swapped_in_shmem_in_part, build_swapped_shmem, expect_swapped_shmem,
       SHAPE(.start = FAR, .bytes = 3 * HUGE, .nr = 512),
       .undo = live_swap_off);

/* The huge page is split when it is swapped out: its deposited table is now in the tree. */
static pid_t build_swapped_huge(const struct shape *s)
{
	uint64_t end = s->start + s->bytes, vmpte_bytes;

	live_swap_on();
	live_must(live_set(THP "enabled", "madvise"));
	live_must(madvise(live_map(s->start, s->bytes, 0), s->bytes,
			  MADV_HUGEPAGE));
	live_touch(s->start, end);
	live_must_be(live_smaps_kib(getpid(), "AnonHugePages", s->start, end) ==
			     s->bytes / KIB,
		     "AnonHugePages");
	live_no_huge((void *)s->start, s->bytes);
	vmpte_bytes = live_vmpte_bytes(getpid());
	live_page_out(s->start, end - s->nr * PAGE);
	live_must_be(live_vmpte_bytes(getpid()) == vmpte_bytes, "VmPTE");
	return 0;
}

static void expect_swapped_huge(struct expect *e, const struct shape *s)
{
	uint64_t end = s->start + s->bytes;

	expect_entries(e, s->start, end - s->nr * PAGE,
		       offsetof(struct ptaudit_table, swap));
	expect_leaves(e, end - s->nr * PAGE, end, true);
}

LAYOUT(swapped_out_thp, build_swapped_huge, expect_swapped_huge,
       SHAPE(.start = FAR + GIB - HUGE, .bytes = 3 * HUGE, .nr = 512),
       .undo = live_swap_off);

/* All pages are equal and share a few frames, but each has its own entry. */
static pid_t build_merged(const struct shape *s)
{
	live_map_small(s->start, s->bytes);
	live_touch(s->start, s->start + s->bytes);
	live_merge(s->start, s->start + s->bytes, s->bytes / PAGE);
	return 0;
}

LAYOUT(merged_by_ksm, build_merged, expect_dense,
       SHAPE(.start = FAR + HUGE - 9 * PAGE, .bytes = 2 * HUGE),
       .undo = live_ksm_off);

/*
 * Memory failure hits the first two of the .nr pages of the first table, and the only
 * page of the next table.
 */
static pid_t build_failed_memory(const struct shape *s)
{
	uint64_t alone = s->start + s->stride;

	live_map_small(s->start, s->bytes);
	live_touch(s->start, s->start + s->nr * PAGE);
	live_touch(alone, alone + PAGE);
	live_fail_memory(s->start, s->start + 2 * PAGE);
	live_fail_memory(alone, alone + PAGE);
	return 0;
}

static void expect_failed_memory(struct expect *e, const struct shape *s)
{
	size_t other = offsetof(struct ptaudit_table, other);
	uint64_t alone = s->start + s->stride;

	expect_entries(e, s->start, s->start + 2 * PAGE, other);
	expect_pages(e, s->start + 2 * PAGE, s->start + s->nr * PAGE);
	expect_entries(e, alone, alone + PAGE, other);
}

static const char *missing_failure(const struct shape *s)
{
	return madvise((void *)FAR, 0, MADV_HWPOISON) ? "MADV_HWPOISON" : NULL;
}

LAYOUT(failed_memory, build_failed_memory, expect_failed_memory,
       SHAPE(.start = FAR + GIB - 5 * PAGE, .bytes = HUGE, .stride = 7 * PAGE,
	     .nr = 5),
       .missing = missing_failure);

TEST_HARNESS_MAIN
