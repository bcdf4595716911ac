// SPDX-License-Identifier: GPL-2.0-only
/*
 * Footprints of sets that are built page by page: how often each page is mapped, inside
 * the set and outside.
 */
#include "compare/footprint.h"

#include <errno.h>

#include "compare/page_flags.h"
#include "model/page_flags.h"
#include "model/pagemap.h"
#include "support/unit.h"

#define PAGE 4096ull
#define LRU (UINT64_C(1) << 5)

#define ANON PTU_FOOTPRINT_ANON
#define FILE_ PTU_FOOTPRINT_FILE
#define SHMEM PTU_FOOTPRINT_SHMEM
#define HUGETLB PTU_FOOTPRINT_HUGETLB

static struct ptu_footprint fp;

static void begin(void)
{
	ptu_footprint_deinit(&fp);
	ptu_footprint_init(&fp, PAGE, false);
}

static void add_how(uint64_t pfn, uint64_t flags, uint64_t count,
		    unsigned int how)
{
	const struct ptu_page page = {
		.word = PTU_PM_PRESENT | pfn,
		.flags = flags,
		.count = count,
	};

	if (ptu_footprint_add(&fp, &page, how))
		UNIT_FAIL("no memory");
}

static void add(uint64_t pfn, uint64_t flags, uint64_t count)
{
	add_how(pfn, flags, count, 0);
}

static void anon(uint64_t pfn, uint64_t count)
{
	add(pfn, LRU | PTU_KPF_ANON | PTU_KPF_SWAPBACKED, count);
}

static void swap(uint64_t type, uint64_t offset, uint64_t bits)
{
	const struct ptu_page page = { .word = PTU_PM_SWAP | bits |
					       offset << 5 | type };

	if (ptu_footprint_add(&fp, &page, 0))
		UNIT_FAIL("no memory");
}

static void next(void)
{
	if (ptu_footprint_begin(&fp))
		UNIT_FAIL("too many processes");
}

/* A set with one process that has no page yet. */
static void set_up(void)
{
	begin();
	next();
}

static void tear_down(void)
{
	ptu_footprint_deinit(&fp);
}

static struct ptu_footprint_sum all(void)
{
	struct ptu_footprint_sum sum;

	ptu_footprint_set(&fp, &sum);
	return sum;
}

#define CHECK_SUM(sum, rss, pss, uss)           \
	do {                                    \
		CHECK_EQ((sum).rss_bytes, rss); \
		CHECK_EQ((sum).pss_bytes, pss); \
		CHECK_EQ((sum).uss_bytes, uss); \
	} while (0)

UNIT_TEST(private_pages_count_in_rss_pss_and_uss)
{
	anon(100, 1);
	anon(101, 1);
	CHECK_SUM(fp.sum, 2 * PAGE, 2 * PAGE, 2 * PAGE);
	CHECK_EQ(fp.sum.kinds[ANON], 2 * PAGE);
	CHECK_EQ(fp.sum.uss_kinds[ANON], 2 * PAGE);
	CHECK_SUM(all(), 2 * PAGE, 2 * PAGE, 2 * PAGE);
}

/*
 * Two processes share a page; one of them shares another page with a process outside;
 * each has a page alone.
 */
UNIT_TEST(the_set_has_what_its_processes_share)
{
	struct ptu_footprint_sum first;

	anon(1, 2);
	anon(2, 2); /* the other mapping is outside the set */
	anon(3, 1);
	first = fp.sum;
	next();
	anon(1, 2);
	anon(4, 1);
	CHECK_SUM(first, 3 * PAGE, 2 * PAGE, PAGE);
	CHECK_SUM(fp.sum, 2 * PAGE, PAGE + PAGE / 2, PAGE);
	/* pages 1, 3 and 4 belong to the set; it has one of the two mappings of page 2 */
	CHECK_SUM(all(), 4 * PAGE, 3 * PAGE + PAGE / 2, 3 * PAGE);
	CHECK_EQ(all().over_bytes, 0);
}

UNIT_TEST(mappings_are_not_processes)
{
	anon(7, 2);
	CHECK_EQ(fp.sum.uss_bytes, 0);
	anon(7, 2);
	CHECK_EQ(fp.sum.rss_bytes, 2 * PAGE); /* VmRSS counts both, too */
	CHECK_EQ(fp.sum.pss_bytes, PAGE);
	CHECK_EQ(fp.sum.uss_bytes, PAGE);
	CHECK_SUM(all(), PAGE, PAGE, PAGE);
	/* mapped twice by another process of the set, and once outside */
	begin();
	next();
	anon(7, 5);
	anon(7, 5);
	next();
	anon(7, 5);
	anon(7, 5);
	CHECK_EQ(fp.sum.uss_bytes, 0);
	CHECK_EQ(all().uss_bytes, 0);
	CHECK_EQ(all().rss_bytes, PAGE);
	CHECK_EQ(all().pss_bytes, 4 * PAGE / 5); /* 3276.8 */
}

/* 3 * 4096/3 must be 4096 in any order of addition. */
UNIT_TEST(shares_lose_less_than_a_byte)
{
	for (unsigned int i = 0; i < 3000000; i++)
		anon(i, 3);
	/* 3,000,000 pages of 4096/3 bytes, each rounded down by less than 2^-32 */
	CHECK(fp.sum.pss_bytes == 1000000 * PAGE ||
	      fp.sum.pss_bytes == 1000000 * PAGE - 1);
	CHECK_EQ(fp.sum.uss_bytes, 0);
	begin();
	next();
	for (unsigned int i = 0; i < 7; i++)
		anon(i, 7);
	/* 4096/7 is 585.14 */
	CHECK(fp.sum.pss_bytes == PAGE || fp.sum.pss_bytes == PAGE - 1);
	CHECK(fp.sum.pss_rest <= UINT32_MAX);
}

UNIT_TEST(pages_outside_rss_do_not_count)
{
	const struct ptu_page seen = { .word = PTU_PM_PRESENT | 9,
				       .count = 1,
				       .zero = true };
	const struct ptu_page hole = { .word = PTU_PM_SOFT_DIRTY };
	const struct ptu_page marker = { .word = PTU_PM_GUARD };

	add(5, PTU_KPF_ZERO_PAGE | PTU_KPF_RESERVED, 0);
	add(6, PTU_KPF_ZERO_PAGE | PTU_KPF_THP, 3);
	add(7, PTU_KPF_NOPAGE, 0);
	add(8, 0, 0); /* a page of [vvar] */
	CHECK_EQ(ptu_footprint_add(&fp, &seen, 0), 0);
	CHECK_EQ(ptu_footprint_add(&fp, &hole, 0), 0);
	CHECK_EQ(ptu_footprint_add(&fp, &marker, 0), 0);
	CHECK_SUM(fp.sum, 0, 0, 0);
	CHECK_EQ(all().rss_bytes, 0);
	/* the kernel counts mappings of the vdso, although the page is its own */
	add(10, PTU_KPF_RESERVED, 1);
	CHECK_EQ(all().rss_bytes, PAGE);
}

UNIT_TEST(kinds_of_pages_are_those_of_the_kernel)
{
	anon(1, 1);
	add(2, LRU, 1);
	add(3, LRU | PTU_KPF_SWAPBACKED, 2);
	add(4, LRU | PTU_KPF_ANON | PTU_KPF_KSM, 4);
	add(5, LRU | PTU_KPF_ANON | PTU_KPF_THP | PTU_KPF_COMPOUND_HEAD, 1);
	add(6, LRU | PTU_KPF_ANON | PTU_KPF_THP | PTU_KPF_COMPOUND_TAIL, 1);
	CHECK_EQ(fp.sum.kinds[ANON], 4 * PAGE);
	CHECK_EQ(fp.sum.kinds[FILE_], PAGE);
	CHECK_EQ(fp.sum.kinds[SHMEM], PAGE);
	CHECK_EQ(fp.sum.rss_bytes, 6 * PAGE);
	CHECK_EQ(fp.sum.pss_kinds[ANON], 3 * PAGE + PAGE / 4);
	CHECK_EQ(fp.sum.pss_kinds[FILE_], PAGE);
	CHECK_EQ(fp.sum.pss_kinds[SHMEM], PAGE / 2);
	CHECK_EQ(fp.sum.pss_bytes, 4 * PAGE + 3 * (PAGE / 4));
	CHECK_EQ(fp.sum.uss_kinds[ANON], 3 * PAGE);
	CHECK_EQ(fp.sum.uss_kinds[FILE_], PAGE);
	CHECK_EQ(fp.sum.uss_kinds[SHMEM], 0);
	CHECK_EQ(fp.sum.ksm_bytes, PAGE);
	CHECK_EQ(fp.sum.large_bytes, 2 * PAGE);
	CHECK_EQ(fp.sum.rounded_bytes, 0);
}

/* The average mapcount is 1, but one page has 2 mappings and one has none. */
UNIT_TEST(rounded_counts_are_marked)
{
	const uint64_t large = LRU | PTU_KPF_ANON | PTU_KPF_THP;

	ptu_footprint_deinit(&fp);
	ptu_footprint_init(&fp, PAGE, true);
	next();
	add(512, large | PTU_KPF_COMPOUND_HEAD, 1);
	anon(2, 1);
	CHECK_EQ(fp.sum.rounded_bytes, PAGE);
	next();
	add(512, large | PTU_KPF_COMPOUND_HEAD, 1);
	CHECK_EQ(all().rounded_bytes, PAGE);
	CHECK_EQ(all().rss_bytes, 2 * PAGE);
	CHECK_EQ(all().over_bytes, 0); /* no sign that the page changed */
	CHECK_EQ(all().pss_bytes, 2 * PAGE);
}

UNIT_TEST(page_freed_by_one_process_and_used_by_the_next_counts_as_over)
{
	anon(1, 1);
	anon(2, 1);
	next();
	anon(1, 1); /* the first process has released it */
	anon(2, 1);
	CHECK_EQ(all().rss_bytes, 2 * PAGE);
	CHECK_EQ(all().over_bytes, 2 * PAGE);
	CHECK_EQ(all().pss_bytes, 2 * PAGE);
	CHECK_EQ(all().uss_bytes, 2 * PAGE);
	/* a child was forked between two reads: the later count is used */
	begin();
	next();
	anon(1, 1);
	next();
	anon(1, 3);
	CHECK_EQ(all().uss_bytes, 0);
	CHECK_EQ(all().pss_bytes, 2 * PAGE / 3);
	CHECK_EQ(all().over_bytes, 0);
	CHECK_EQ(all().grown_bytes, PAGE);
}

/* It is unknown whether the process that was read first has one of the new mappings. */
UNIT_TEST(a_page_that_got_mappings_meanwhile_is_perhaps_alone)
{
	anon(1, 2); /* the count stays: others map it */
	anon(2, 1); /* the second mapping is seen, too */
	anon(3, 3);
	next();
	anon(1, 2);
	anon(2, 2);
	anon(3, 4);
	anon(4, 2);
	CHECK_EQ(all().uss_bytes, 2 * PAGE);
	CHECK_EQ(all().grown_bytes, PAGE);
	next();
	/* the doubt stays, although the count no longer changes */
	anon(3, 4);
	CHECK_EQ(all().grown_bytes, PAGE);
	next();
	anon(3, 4);
	CHECK_EQ(all().uss_bytes, 3 * PAGE);
	CHECK_EQ(all().grown_bytes, 0);
}

static struct ptu_page recalled(uint64_t word)
{
	struct ptu_page page = { .word = PTU_PM_PRESENT | word };

	ptu_footprint_recall(&fp, &page);
	return page;
}

/* These flags suffice to count the page again. */
UNIT_TEST(flags_and_count_of_an_earlier_process_are_recalled)
{
	static const uint64_t kinds[] = { PTU_KPF_ANON, 0, PTU_KPF_SWAPBACKED,
					  PTU_KPF_HUGE,
					  PTU_KPF_ANON | PTU_KPF_KSM };
	uint64_t i;

	for (i = 0; i < 5; i++) {
		const uint64_t file = kinds[i] & PTU_KPF_ANON ? 0 : PTU_PM_FILE;

		add(i, LRU | kinds[i], 2 + i);
		CHECK_EQ(recalled(i | file).flags, kinds[i]);
		CHECK_EQ(recalled(i | file).count, 2 + i);
	}
	add(9, PTU_KPF_SWAPBACKED | PTU_KPF_COMPOUND_TAIL, 2);
	CHECK_EQ(recalled(9 | PTU_PM_FILE).flags,
		 PTU_KPF_SWAPBACKED | PTU_KPF_COMPOUND_HEAD);
}

UNIT_TEST(page_that_changed_is_not_recalled)
{
	const struct ptu_page swapped = { .word = PTU_PM_SWAP | 1 };
	struct ptu_page page = swapped;

	anon(1, 2);
	anon(2, 1);
	CHECK_EQ(recalled(1).count, 2);
	/* pages with one mapping left, with a mapping added, and now of a file */
	CHECK_EQ(recalled(1 | PTU_PM_EXCLUSIVE).count, 0);
	CHECK_EQ(recalled(2).count, 0);
	CHECK_EQ(recalled(1 | PTU_PM_FILE).count, 0);
	/* a frame that was never seen; one in a range without any; a page that is not present */
	CHECK_EQ(recalled(3).count, 0);
	CHECK_EQ(recalled(1 << 20).count, 0);
	CHECK_EQ(fp.frames.nr_chunks, 1);
	ptu_footprint_recall(&fp, &page);
	CHECK_EQ(page.count, 0);
	/* the process that had it is read again */
	ptu_footprint_forget(&fp);
	CHECK_EQ(recalled(1).count, 0);
	begin();
	CHECK_EQ(recalled(1).count, 0);
}

UNIT_TEST(map_counts_do_not_matter_if_only_the_set_maps_the_file)
{
	const unsigned int how = PTU_FOOTPRINT_INTERNAL;

	/* one mapping was not seen, one was seen twice, and one was made meanwhile */
	add_how(1, PTU_KPF_SWAPBACKED, 2, how);
	add_how(2, PTU_KPF_SWAPBACKED, 1, how);
	add_how(3, PTU_KPF_SWAPBACKED, 1, how);
	add_how(4, PTU_KPF_ANON | PTU_KPF_SWAPBACKED, 2, how);
	add_how(5, 0, 2, how);
	add_how(6, PTU_KPF_SWAPBACKED, 2, how);
	next();
	add_how(2, PTU_KPF_SWAPBACKED, 1, how);
	add_how(3, PTU_KPF_SWAPBACKED, 3, how);
	/* the page frame was freed; a file of another mount has it */
	add(6, PTU_KPF_SWAPBACKED, 3);
	CHECK_EQ(all().uss_kinds[SHMEM], PAGE);
	CHECK_EQ(all().pss_kinds[SHMEM], PAGE / 2 + PAGE + 4 * PAGE / 3);
	CHECK_EQ(all().over_bytes, PAGE);
	CHECK_EQ(all().grown_bytes, 2 * PAGE);
	fp.internal_is_inside = true;
	CHECK_EQ(all().uss_kinds[SHMEM], 3 * PAGE);
	CHECK_EQ(all().pss_kinds[SHMEM], 3 * PAGE + 2 * PAGE / 3);
	CHECK_EQ(all().over_bytes, 0);
	CHECK_EQ(all().grown_bytes, PAGE);
	/* private copies and other files have their counts */
	CHECK_EQ(all().uss_kinds[ANON] + all().uss_kinds[FILE_], 0);
	CHECK_EQ(all().pss_kinds[ANON] + all().pss_kinds[FILE_], PAGE);
	CHECK_EQ(all().kinds[SHMEM], 4 * PAGE);
}

static void recount(uint64_t pfn, uint64_t count)
{
	ptu_footprint_recount(ptu_frame_uses_find(&fp.frames, pfn), count);
}

UNIT_TEST(count_that_was_recalled_is_compared_with_the_last_one)
{
	struct ptu_frame_use equal = { .in_set = 2, .count = 2 };
	uint64_t i;

	for (i = 1; i <= 5; i++)
		anon(i, 2);
	anon(6, 3);
	next();
	for (i = 1; i <= 6; i++)
		anon(i, i < 6 ? 2 : 3);
	next();
	anon(4, 2); /* it gets mappings after it was counted */
	anon(5, 2);
	recount(1, 2);
	recount(2, 1); /* the count fell, because a process ended */
	recount(3, 4); /* the new mappings may be in the first two processes */
	recount(4, 3);
	recount(5, 1);
	recount(6, 9); /* others have mapped it from the beginning */
	CHECK_EQ(all().uss_bytes, 4 * PAGE);
	CHECK_EQ(all().grown_bytes, PAGE);
	CHECK_EQ(all().over_bytes, PAGE);
	CHECK_EQ(all().pss_bytes, 4 * PAGE + PAGE / 2 + 2 * PAGE / 3);
	recount(1, UINT64_MAX);
	CHECK_EQ(all().uss_bytes, 3 * PAGE);
	/* only one process maps it, so nothing was recalled */
	anon(7, 1);
	recount(7, 2);
	CHECK_EQ(all().uss_bytes, 4 * PAGE);
	ptu_footprint_recount(&equal, 2);
	CHECK_EQ(equal.flags, 0);
}

UNIT_TEST(swap_slots_count_once_in_the_set)
{
	swap(0, 10, 0);
	swap(0, 11, 0);
	swap(1, 10, 0); /* another swap area */
	next();
	swap(0, 10, 0);
	swap(0, 10, PTU_PM_UFFD_WP); /* mapped twice */
	CHECK_EQ(fp.sum.swap_bytes, 2 * PAGE);
	CHECK_EQ(all().swap_bytes, 3 * PAGE);
	CHECK_EQ(all().rss_bytes, 0);
}

UNIT_TEST(markers_and_migration_entries_are_not_swap)
{
	swap(31, 1, PTU_PM_UFFD_WP); /* a marker */
	swap(30, 1, PTU_PM_UFFD_WP); /* Debian's 6.1 */
	swap(31, 2, 0);		     /* poison marker */
	swap(31, 7, 0);		     /* each marker that there is */
	swap(0, 0, PTU_PM_GUARD);
	CHECK_EQ(fp.sum.migrating_bytes, 0);
	swap(28, 77, 0); /* a migration entry */
	swap(28, 78, PTU_PM_FILE);
	CHECK_EQ(fp.sum.swap_bytes, 0);
	CHECK_EQ(fp.sum.migrating_bytes, 2 * PAGE);
	next();
	swap(29, 77, 0);
	CHECK_EQ(fp.sum.migrating_bytes, PAGE);
	next();
	swap(23, 78, 0); /* the lowest type that is not swap */
	CHECK_EQ(all().migrating_bytes, 4 * PAGE);
	CHECK_EQ(all().swap_bytes, 0);
}

UNIT_TEST(hugetlb_is_counted_apart_from_rss)
{
	const uint64_t huge = PTU_KPF_HUGE | PTU_KPF_COMPOUND_HEAD;

	add(1024, huge, 1);
	add(1025, huge, 2);
	CHECK_EQ(fp.sum.rss_bytes, 0);
	CHECK_EQ(fp.sum.pss_bytes, 0);
	CHECK_EQ(fp.sum.large_bytes, 0);
	CHECK_EQ(fp.sum.kinds[HUGETLB], 2 * PAGE);
	CHECK_EQ(fp.sum.uss_kinds[HUGETLB], PAGE);
	CHECK_EQ(fp.sum.uss_bytes, 0);
	next();
	add(1025, huge, 2);
	CHECK_EQ(fp.sum.uss_kinds[HUGETLB], 0);
	CHECK_EQ(all().kinds[HUGETLB], 2 * PAGE);
	CHECK_EQ(all().uss_kinds[HUGETLB], 2 * PAGE);
	CHECK_EQ(all().rss_bytes, 0);
	CHECK_EQ(all().pss_bytes, 0);
	CHECK_EQ(all().pss_kinds[HUGETLB], 0);
}

/*
 * Two processes of the set share a table, which counts as one mapping; a third process
 * maps the page through its own table.
 */
UNIT_TEST(a_shared_hugetlb_table_is_one_mapping)
{
	const unsigned int again = PTU_FOOTPRINT_SHARED | PTU_FOOTPRINT_AGAIN;

	add_how(512, PTU_KPF_HUGE, 1, PTU_FOOTPRINT_SHARED);
	CHECK_EQ(fp.sum.uss_kinds[HUGETLB], 0);
	CHECK_EQ(fp.sum.kinds[HUGETLB], PAGE);
	next();
	add_how(512, PTU_KPF_HUGE, 1, again);
	CHECK_EQ(fp.sum.uss_kinds[HUGETLB], 0);
	CHECK_EQ(all().kinds[HUGETLB], PAGE);
	CHECK_EQ(all().uss_kinds[HUGETLB], PAGE);
	begin();
	next();
	add_how(512, PTU_KPF_HUGE, 2, PTU_FOOTPRINT_SHARED);
	next();
	add_how(512, PTU_KPF_HUGE, 2, again);
	CHECK_EQ(all().uss_kinds[HUGETLB], 0);
	next();
	add(512, PTU_KPF_HUGE, 2);
	CHECK_EQ(fp.sum.uss_kinds[HUGETLB], 0);
	CHECK_EQ(all().uss_kinds[HUGETLB], PAGE);
	CHECK_EQ(all().kinds[HUGETLB], PAGE);
}

/* How one process maps a page must not affect the next process. */
UNIT_TEST(shared_hugetlb_table_counts_for_the_process_that_still_maps_it)
{
	add_how(512, PTU_KPF_HUGE, 1, PTU_FOOTPRINT_SHARED);
	next();
	add(512, PTU_KPF_HUGE, 1); /* the first process has unmapped it */
	CHECK_EQ(fp.sum.uss_kinds[HUGETLB], PAGE);
}

UNIT_TEST(hugetlb_table_shared_outside_the_set_is_not_in_uss)
{
	add_how(512, PTU_KPF_HUGE, 1,
		PTU_FOOTPRINT_SHARED | PTU_FOOTPRINT_OUTSIDE);
	CHECK_EQ(all().kinds[HUGETLB], PAGE);
	CHECK_EQ(all().uss_kinds[HUGETLB], 0);
	CHECK_EQ(all().hugetlb_unknown_bytes, 0);
	begin();
	next();
	add_how(512, PTU_KPF_HUGE, 1, PTU_FOOTPRINT_UNKNOWN);
	CHECK_EQ(fp.sum.uss_kinds[HUGETLB], 0);
	CHECK_EQ(fp.sum.hugetlb_unknown_bytes, PAGE);
	CHECK_EQ(all().uss_kinds[HUGETLB], 0);
	CHECK_EQ(all().hugetlb_unknown_bytes, PAGE);
}

UNIT_TEST(a_process_that_is_forgotten_leaves_no_trace)
{
	anon(1, 2);
	swap(0, 5, 0);
	next();
	anon(1, 2);
	anon(2, 1);
	swap(0, 5, 0);
	swap(0, 6, 0);
	swap(28, 1, 0);
	add_how(512, PTU_KPF_HUGE, 1,
		PTU_FOOTPRINT_SHARED | PTU_FOOTPRINT_AGAIN);
	ptu_footprint_forget(&fp);
	CHECK_EQ(fp.sum.rss_bytes, 0);
	CHECK_SUM(all(), PAGE, PAGE / 2, 0);
	CHECK_EQ(all().swap_bytes, PAGE);
	CHECK_EQ(all().kinds[HUGETLB], 0);
	CHECK_EQ(all().migrating_bytes, 0);
	/* the page is read once more */
	next();
	anon(1, 2);
	anon(2, 1);
	CHECK_EQ(fp.sum.rss_bytes, 2 * PAGE);
	CHECK_EQ(all().uss_bytes, 2 * PAGE);
}

UNIT_TEST(too_many_processes_are_e2big)
{
	begin();
	fp.process = PTU_FRAME_USES_PROCESSES - 1;
	CHECK_EQ(ptu_footprint_begin(&fp), 0);
	anon(1, 1);
	CHECK_EQ(fp.sum.uss_bytes, PAGE);
	CHECK_EQ(ptu_footprint_begin(&fp), -E2BIG);
}

UNIT_MAIN_WITH(set_up, tear_down)
