// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tables that change after their pages were mapped: guarded, collapsed, or released in
 * units of whole tables.
 */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "fixtures/layout.h"

#ifndef MADV_DONTNEED_LOCKED
#define MADV_DONTNEED_LOCKED 24
#endif

/* Touch one page per .stride, or none.  Then turn the first .nr pages into guards. */
static pid_t build_guard(const struct shape *s)
{
	live_map_small(s->start, s->bytes);
	if (s->stride)
		live_touch_each(s->start, s->start + s->bytes, s->stride);
	live_must(madvise((void *)s->start, s->nr * PAGE, MADV_GUARD_INSTALL));
	return 0;
}

static void expect_guard(struct expect *e, const struct shape *s)
{
	uint64_t end = s->start + s->bytes, page = s->start;

	expect_entries(e, s->start, s->start + s->nr * PAGE,
		       offsetof(struct ptaudit_table, guard));
	for (; s->stride && page < end; page += s->stride)
		if (page >= s->start + s->nr * PAGE)
			expect_pages(e, page, page + PAGE);
}

LAYOUT(guard_alone, build_guard, expect_guard,
       SHAPE(.start = FAR + HUGE, .bytes = 8 * HUGE, .nr = 64),
       .missing = missing_guard);

LAYOUT(guard_whole_tables, build_guard, expect_guard,
       SHAPE(.start = FAR + GIB - HUGE, .bytes = 8 * HUGE, .nr = 1600),
       .missing = missing_guard);

LAYOUT(guard_beside_pages, build_guard, expect_guard,
       SHAPE(.start = FAR + 5 * PAGE, .bytes = 3 * HUGE, .stride = 8 * PAGE,
	     .nr = 20),
       .missing = missing_guard);

static pid_t build_guard_removed(const struct shape *s)
{
	build_guard(s);
	live_must(madvise((void *)s->start, s->bytes, MADV_GUARD_REMOVE));
	return 0;
}

static void expect_guard_removed(struct expect *e, const struct shape *s)
{
	expect_empty(e, s->start, s->start + s->nr * PAGE);
	expect_all_hollow(e);
}

LAYOUT(guard_removed, build_guard_removed, expect_guard_removed,
       SHAPE(.start = FAR + HUGE, .bytes = 8 * HUGE, .nr = 1024),
       .missing = missing_guard);

/*
 * Touch one page per .stride, then collapse the first .nr slots.  MADV_COLLAPSE obeys
 * NOHUGEPAGE, so the THP setting keeps the pages small until then.  The PTE table leaves
 * the tree and becomes the deposit: VmPTE does not change.
 */
static pid_t build_collapsed(const struct shape *s)
{
	uint64_t end = s->start + s->bytes, vmpte_bytes;

	live_must(live_set(THP "enabled", "madvise"));
	live_map(s->start, s->bytes, 0);
	live_touch_each(s->start, end, s->stride);
	live_must_be(!live_smaps_kib(getpid(), "AnonHugePages", s->start, end),
		     "small pages");
	vmpte_bytes = live_vmpte_bytes(getpid());
	live_collapse(s->start, s->nr * HUGE);
	live_must_be(live_smaps_kib(getpid(), "AnonHugePages", s->start, end) ==
			     s->nr * (HUGE / KIB),
		     "AnonHugePages");
	live_must_be(live_vmpte_bytes(getpid()) == vmpte_bytes, "VmPTE");
	return 0;
}

/* A call without a range only tells whether the kernel knows the advice. */
static const char *missing_collapse(const struct shape *s)
{
	return madvise(NULL, 0, MADV_COLLAPSE) ? "MADV_COLLAPSE" : NULL;
}

LAYOUT(collapsed_one, build_collapsed, expect_leaves_and_pages,
       SHAPE(.start = FAR, .bytes = HUGE, .stride = PAGE, .nr = 1),
       .missing = missing_collapse);

LAYOUT(collapsed_beside_small_pages, build_collapsed, expect_leaves_and_pages,
       SHAPE(.start = FAR + GIB - HUGE, .bytes = 5 * HUGE, .stride = PAGE,
	     .nr = 3),
       .missing = missing_collapse);

LAYOUT(collapsed_from_a_page_each, build_collapsed, expect_leaves_and_pages,
       SHAPE(.start = FAR, .bytes = 6 * HUGE, .stride = HUGE, .nr = 4),
       .missing = missing_collapse);

/*
 * Does MADV_DONTNEED of a complete slot free its PTE table?  Source: mm/Kconfig,
 * PT_RECLAIM, 6.14; on for x86-64.
 */
static bool frees_tables(void)
{
	return live_system()->version >= 6014;
}

static uint64_t whole_slots(const struct shape *s)
{
	uint64_t first = (s->start + HUGE - 1) / HUGE;

	return (s->start + s->bytes) / HUGE - first;
}

/* VmPTE shows, independently of ptaudit, whether the kernel did what the test expects. */
static pid_t build_given_back(const struct shape *s)
{
	uint64_t before, after;

	live_map_small(s->start, s->bytes);
	live_touch(s->start, s->start + s->bytes);
	before = live_vmpte_bytes(getpid());
	live_must(madvise((void *)s->start, s->bytes, MADV_DONTNEED));
	after = live_vmpte_bytes(getpid());
	live_must_be(before - after ==
			     (frees_tables() ? whole_slots(s) * PAGE : 0),
		     "VmPTE");
	return 0;
}

/* A slot that is only partly released keeps its table, empty. */
static void expect_given_back(struct expect *e, const struct shape *s)
{
	uint64_t end = s->start + s->bytes;

	for (uint64_t at = s->start / HUGE * HUGE; at < end; at += HUGE)
		if (frees_tables() && at >= s->start && at + HUGE <= end)
			expect_table(e, PTAUDIT_PMD, at);
		else
			expect_empty(e, at, at + HUGE);
	expect_all_hollow(e);
}

LAYOUT(given_back_one_table, build_given_back, expect_given_back,
       SHAPE(.start = FAR + 6 * GIB, .bytes = HUGE));

LAYOUT(given_back_across_1g_edge, build_given_back, expect_given_back,
       SHAPE(.start = FAR + GIB - 20 * HUGE, .bytes = 40 * HUGE));

LAYOUT(given_back_with_parts_of_tables, build_given_back, expect_given_back,
       SHAPE(.start = FAR + MIB, .bytes = 6 * HUGE + MIB - PAGE));

/* MADV_DONTNEED works without access to the pages. */
static pid_t build_prot_none_given_back(const struct shape *s)
{
	live_map_small(s->start, s->bytes);
	live_touch(s->start, s->start + s->bytes);
	live_must(mprotect((void *)s->start, s->bytes, PROT_NONE));
	live_must(madvise((void *)s->start, s->bytes, MADV_DONTNEED));
	return 0;
}

LAYOUT(given_back_prot_none, build_prot_none_given_back, expect_given_back,
       SHAPE(.start = FAR + HUGE - PAGE, .bytes = 3 * HUGE));

static void map_shmem(const struct shape *s)
{
	live_no_huge(live_map_fd(s->start, s->bytes, PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1),
		     s->bytes);
	live_touch(s->start, s->start + s->bytes);
}

static pid_t build_shmem_given_back(const struct shape *s)
{
	map_shmem(s);
	live_must(madvise((void *)s->start, s->bytes, MADV_DONTNEED));
	return 0;
}

LAYOUT(given_back_shmem, build_shmem_given_back, expect_given_back,
       SHAPE(.start = FAR + HUGE - PAGE, .bytes = 3 * HUGE));

static const char *missing_locked(const struct shape *s)
{
	return madvise(NULL, 0, MADV_DONTNEED_LOCKED) ? "MADV_DONTNEED_LOCKED" :
							NULL;
}

static pid_t build_locked_given_back(const struct shape *s)
{
	live_map_small(s->start, s->bytes);
	live_must(mlock((void *)s->start, s->bytes));
	live_must(madvise((void *)s->start, s->bytes, MADV_DONTNEED_LOCKED));
	return 0;
}

LAYOUT(given_back_locked, build_locked_given_back, expect_given_back,
       SHAPE(.start = FAR + HUGE - PAGE, .bytes = 3 * HUGE),
       .missing = missing_locked);

/* Each slot has two mappings.  Neither of them covers the slot, so its table stays. */
static pid_t build_shared_slots_given_back(const struct shape *s)
{
	live_map_small(s->start, s->bytes);
	live_touch(s->start, s->start + s->bytes);
	for (uint64_t at = s->start; at < s->start + s->bytes; at += HUGE)
		live_must(mprotect((void *)at, s->nr * PAGE, PROT_READ));
	live_must(madvise((void *)s->start, s->bytes, MADV_DONTNEED));
	return 0;
}

LAYOUT(given_back_two_vmas_a_slot, build_shared_slots_given_back,
       expect_all_empty,
       SHAPE(.start = FAR + GIB - 2 * HUGE, .bytes = 4 * HUGE, .nr = 1));

/* Tables emptied by other means than MADV_DONTNEED stay. */
static pid_t build_punched(const struct shape *s)
{
	map_shmem(s);
	live_must(madvise((void *)s->start, s->bytes, MADV_REMOVE));
	return 0;
}

LAYOUT(removed_whole_tables, build_punched, expect_all_empty,
       SHAPE(.start = FAR + GIB - 2 * HUGE, .bytes = 4 * HUGE));

TEST_HARNESS_MAIN
