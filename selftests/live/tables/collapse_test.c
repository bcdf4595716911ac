// SPDX-License-Identifier: GPL-2.0-only
/*
 * Collapse of base pages by khugepaged and MADV_COLLAPSE.  An anonymous 2 MiB slot
 * becomes a leaf, and its PTE table becomes a deposit.  A slot of a file loses its table
 * in every process that maps it: the process that asked gets a leaf, the others have no
 * entry until they touch the slot again.
 */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "fixtures/layout.h"

/* values of shape.flags: the process whose tables are checked */
enum { MINE, OTHERS };

static void pace(const char *scan_ms, const char *alloc_ms, const char *pages)
{
	live_set(THP "khugepaged/scan_sleep_millisecs", scan_ms);
	live_set(THP "khugepaged/alloc_sleep_millisecs", alloc_ms);
	live_set(THP "khugepaged/pages_to_scan", pages);
}

/* The defaults of stock kernels. */
static void usual_pace(void)
{
	pace("10000", "60000", "4096");
}

static void settings(void)
{
	live_must(live_set(THP "enabled", "madvise"));
	live_must(live_set(THP "shmem_enabled", "advise"));
}

static void advise(uint64_t start, uint64_t bytes, int advice)
{
	live_must(madvise((void *)start, bytes, advice));
}

static uint64_t huge_kib(const struct shape *s, const char *field)
{
	return live_smaps_kib(getpid(), field, s->start, s->start + s->bytes);
}

/*
 * Make the range eligible for khugepaged.  The advice is given twice, because 6.1
 * registers a process with shmem only if the VMA already has it.  Source:
 * mm/khugepaged.c, hugepage_madvise(), and shmem_is_huge().
 */
static void want_huge(uint64_t start, uint64_t bytes)
{
	advise(start, bytes, MADV_HUGEPAGE);
	advise(start, bytes, MADV_HUGEPAGE);
}

/*
 * Wait until khugepaged has collapsed `anon` slots, and VmPTE of the process has fallen
 * by `retracted` tables.
 */
static void await(const struct shape *s, uint64_t anon, pid_t pid,
		  uint64_t vmpte_bytes, uint64_t retracted)
{
	pace("10", "10", "65536");
	live_must_be(live_until(live_vmpte_bytes(pid) ==
					vmpte_bytes - retracted * PAGE &&
				huge_kib(s, "AnonHugePages") ==
					anon * (HUGE / KIB)),
		     "khugepaged has finished its scans");
	usual_pace();
}

/* Touch one page per .stride, then have the first .nr slots collapsed. */
static pid_t build_anon(const struct shape *s)
{
	uint64_t end = s->start + s->bytes, vmpte_bytes;

	settings();
	live_map(s->start, s->bytes, 0);
	for (uint64_t at = s->start; at < end; at += s->stride)
		live_touch(at, at + PAGE);
	live_must_be(!huge_kib(s, "AnonHugePages"), "small pages");
	vmpte_bytes = live_vmpte_bytes(getpid());
	want_huge(s->start, s->nr * HUGE);
	await(s, s->nr, getpid(), vmpte_bytes, 0);
	advise(s->start, s->bytes, MADV_NOHUGEPAGE);
	return 0;
}

LAYOUT(khugepaged_anon, build_anon, expect_leaves_and_pages,
       SHAPE(.start = FAR + GIB - 2 * HUGE, .bytes = 5 * HUGE,
	     .stride = 3 * PAGE, .nr = 3),
       .undo = usual_pace);

/* Map all slots by base pages, in this process and in a second one. */
static pid_t map_twice(const struct shape *s)
{
	pid_t other;

	settings();
	live_map_memfd(s->start, s->bytes, MAP_SHARED);
	other = live_fork(s->start, s->start + s->bytes);
	live_touch(s->start, s->start + s->bytes);
	live_must_be(!huge_kib(s, "ShmemPmdMapped"), "small pages");
	return s->flags == OTHERS ? other : getpid();
}

static pid_t build_retracted(const struct shape *s)
{
	pid_t pid = map_twice(s);
	uint64_t vmpte_bytes = live_vmpte_bytes(pid);

	want_huge(s->start, s->nr * HUGE);
	await(s, 0, pid, vmpte_bytes, s->nr);
	return pid;
}

/* The first .nr slots have no entry.  Their PMD tables stay, even if empty. */
static void expect_retracted(struct expect *e, const struct shape *s)
{
	uint64_t end = s->start + s->bytes, behind = s->start + s->nr * HUGE;

	for (uint64_t at = s->start; at < behind; at += HUGE)
		expect_table(e, PTAUDIT_PMD, at);
	expect_pages(e, behind, end);
	for (uint64_t at = s->start / GIB * GIB; at < end; at += GIB)
		e->empty[PTAUDIT_PMD] += !expect_table(e, PTAUDIT_PMD, at)->used;
	if (e->empty[PTAUDIT_PMD] == e->nr[PTAUDIT_PMD])
		e->empty[PTAUDIT_PUD] = e->nr[PTAUDIT_PUD];
}

LAYOUT(khugepaged_shmem, build_retracted, expect_retracted,
       SHAPE(.start = FAR, .bytes = 5 * HUGE, .nr = 3, .flags = MINE),
       .undo = usual_pace);

LAYOUT(khugepaged_shmem_of_others, build_retracted, expect_retracted,
       SHAPE(.start = FAR + GIB - HUGE, .bytes = 4 * HUGE, .nr = 3,
	     .flags = OTHERS),
       .undo = usual_pace);

LAYOUT(khugepaged_all_shmem_of_others, build_retracted, expect_retracted,
       SHAPE(.start = FAR, .bytes = 2 * HUGE, .nr = 2, .flags = OTHERS),
       .undo = usual_pace);

/* .nr anonymous slots are followed by .nr slots of shmem, which are touched again. */
static pid_t build_both(const struct shape *s)
{
	uint64_t middle = s->start + s->nr * HUGE, end = s->start + s->bytes;
	uint64_t vmpte_bytes;

	settings();
	live_map(s->start, middle - s->start, 0);
	live_map_memfd(middle, end - middle, MAP_SHARED);
	live_touch(s->start, end);
	vmpte_bytes = live_vmpte_bytes(getpid());
	want_huge(s->start, s->bytes);
	await(s, s->nr, getpid(), vmpte_bytes, s->nr);
	live_touch(middle, end);
	live_must_be(huge_kib(s, "ShmemPmdMapped") == (end - middle) / KIB,
		     "ShmemPmdMapped");
	live_must_be(live_vmpte_bytes(getpid()) == vmpte_bytes - s->nr * PAGE,
		     "VmPTE");
	return 0;
}

static void expect_both(struct expect *e, const struct shape *s)
{
	uint64_t middle = s->start + s->nr * HUGE;

	expect_leaves(e, s->start, middle, true);
	expect_leaves(e, middle, s->start + s->bytes, false);
}

LAYOUT(khugepaged_anon_beside_shmem, build_both, expect_both,
       SHAPE(.start = FAR + 4 * HUGE, .bytes = 6 * HUGE, .nr = 3),
       .undo = usual_pace);

static const char *missing_collapse(const struct shape *s)
{
	return madvise((void *)s->start, 0, MADV_COLLAPSE) ? "MADV_COLLAPSE" :
							     NULL;
}

/*
 * Does MADV_COLLAPSE also retract the tables of other processes?  Up to 6.5 it retracts
 * only those of the caller, and khugepaged retracts the others later.  Source:
 * mm/khugepaged.c, retract_page_tables().
 */
static bool retracts_others(void)
{
	return live_system()->version >= 6006;
}

static pid_t build_collapsed(const struct shape *s)
{
	pid_t pid = map_twice(s);
	bool retracts = s->flags == MINE || retracts_others();
	uint64_t vmpte_bytes = live_vmpte_bytes(pid);

	advise(s->start, s->nr * HUGE, MADV_HUGEPAGE);
	live_collapse(s->start, s->nr * HUGE);
	live_must_be(huge_kib(s, "ShmemPmdMapped") == s->nr * (HUGE / KIB),
		     "ShmemPmdMapped");
	live_must_be(live_vmpte_bytes(pid) ==
			     vmpte_bytes - (retracts ? s->nr * PAGE : 0),
		     "VmPTE");
	return pid;
}

static void expect_collapsed(struct expect *e, const struct shape *s)
{
	uint64_t end = s->start + s->bytes, behind = s->start + s->nr * HUGE;

	if (s->flags == OTHERS && retracts_others()) {
		expect_retracted(e, s);
		return;
	}
	if (s->flags == OTHERS)
		expect_empty(e, s->start, behind);
	else
		expect_leaves(e, s->start, behind, false);
	expect_pages(e, behind, end);
}

LAYOUT(collapsed_shmem, build_collapsed, expect_collapsed,
       SHAPE(.start = FAR + GIB - 2 * HUGE, .bytes = 5 * HUGE, .nr = 4,
	     .flags = MINE),
       .missing = missing_collapse);

LAYOUT(collapsed_shmem_of_others, build_collapsed, expect_collapsed,
       SHAPE(.start = FAR, .bytes = 5 * HUGE, .nr = 4, .flags = OTHERS),
       .missing = missing_collapse);

TEST_HARNESS_MAIN
