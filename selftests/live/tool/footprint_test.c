// SPDX-License-Identifier: GPL-2.0-only
/*
 * `ptaudit footprint` on processes that share memory in known ways.
 *
 * Each test builds memory in a range, runs the tool, unmaps the range, and runs the tool
 * again. The difference must be the memory of the range to the byte, whatever other
 * memory the processes have.  Members 0 and 1 are the set, member 2 is outside.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>

#include "fixtures/sets.h"

#define POOL "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages"

FIXTURE(shared)
{
	struct figures with[3], without[3];
	int file;
};

FIXTURE_SETUP(shared)
{
	self->file = -1;
	ASSERT_EQ(0, live_check_environment());
	if (!live_thp_missing())
		ASSERT_EQ(0, live_set(THP "enabled", "madvise"));
}

FIXTURE_TEARDOWN(shared)
{
	stop_all();
	if (self->file >= 0)
		close(self->file);
}

/* Unmap the range in all members, and measure the first @nr members again. */
static int take_away(struct figures *without, unsigned int nr, uint64_t bytes)
{
	for (unsigned int i = 0; i < NR_MEMBERS; i++) {
		if (members[i].pid > 0 && tell(i, UNMAP, START, bytes, 0))
			return -1;
	}
	return measure(set, nr, without);
}

#define FIGURE(key)                                 \
	{                                           \
#key, offsetof(struct figures, key) \
	}

static const struct {
	const char *key;
	size_t offset;
} all_figures[] = {
	FIGURE(rss),	FIGURE(pss),	 FIGURE(uss),	FIGURE(swap),
	FIGURE(anon),	FIGURE(file),	 FIGURE(shmem), FIGURE(hugetlb),
	FIGURE(large),	FIGURE(ksm),	 FIGURE(huge),	FIGURE(uss_hugetlb),
	FIGURE(inside), FIGURE(outside),
};

static int64_t figure(const struct figures *f, size_t offset)
{
	return *(const int64_t *)((const char *)f + offset);
}

/* Compare all figures except .tables, which has a test of its own. */
static int compare(const char *who, const struct figures *with,
		   const struct figures *without,
		   const struct figures *expected)
{
	int failures = 0;

	for (size_t i = 0; i < sizeof(all_figures) / sizeof(all_figures[0]);
	     i++) {
		size_t offset = all_figures[i].offset;

		failures += differs(who, all_figures[i].key,
				    figure(with, offset) -
					    figure(without, offset),
				    figure(expected, offset),
				    offset == offsetof(struct figures, pss) ?
					    PSS_BOUND :
					    0);
	}
	return failures;
}

/* Expected figures of two members and of the set. */
#define EXPECT_FIGURES(first, second, both)                                 \
	do {                                                                \
		const struct figures first_ = first, second_ = second,      \
				     both_ = both;                          \
		ASSERT_EQ(0, compare("first", &self->with[0],               \
				     &self->without[0], &first_) +          \
				     compare("second", &self->with[1],      \
					     &self->without[1], &second_) + \
				     compare("set", &self->with[2],         \
					     &self->without[2], &both_));   \
	} while (0)

#define F(...) ((struct figures){ __VA_ARGS__ })

/*
 * Pages 0-99 are not shared, 100-199 are shared in the set, 200-299 by all three
 * processes.
 */
TEST_F_TIMEOUT(shared, forked_pages_have_exact_figures, 120)
{
	const uint64_t bytes = 300 * PAGE;

	ASSERT_EQ(0, start_first());
	ASSERT_EQ(0, tell(0, SMALL, START, bytes, 0));
	ASSERT_EQ(0, tell(0, TOUCH, START, bytes, 0));
	ASSERT_EQ(0, start_next(1, FORK));
	ASSERT_EQ(0, start_next(2, FORK));
	ASSERT_EQ(0, tell(1, TOUCH, START, 100 * PAGE, 0));
	ASSERT_EQ(0, tell(2, TOUCH, START, 200 * PAGE, 0));
	ASSERT_EQ(0, measure(set, 2, self->with));
	ASSERT_EQ(0, take_away(self->without, 2, bytes));
	EXPECT_FIGURES(F(.rss = 300 * P, .anon = 300 * P, .uss = 100 * P,
			 .pss = 100 * P + 50 * P + 100 * P / 3),
		       F(.rss = 300 * P, .anon = 300 * P, .uss = 100 * P,
			 .pss = 100 * P + 50 * P + 100 * P / 3),
		       F(.rss = 400 * P, .anon = 400 * P, .uss = 300 * P,
			 .pss = 300 * P + 200 * P / 3));
}

/* The kernel counts these pages as shared, because they are mapped more than once. */
TEST_F_TIMEOUT(shared, pages_mapped_twice_have_exact_figures, 120)
{
	self->file = memfd_create("twice", 0);
	ASSERT_LE(0, self->file);
	ASSERT_EQ(0, ftruncate(self->file, 16 * PAGE));
	ASSERT_EQ(0, start_first());
	ASSERT_EQ(0, start_next(1, FORK));
	ASSERT_EQ(0, tell(0, MAP_FD, START, 16 * PAGE, self->file));
	ASSERT_EQ(0, tell(0, MAP_FD, START + HUGE, 16 * PAGE, self->file));
	ASSERT_EQ(0, tell(0, TOUCH, START, 16 * PAGE, 0));
	ASSERT_EQ(0, tell(0, TOUCH, START + HUGE, 16 * PAGE, 0));
	/* the other process maps the last four pages as well */
	ASSERT_EQ(0, tell(1, MAP_FD, START, 16 * PAGE, self->file));
	ASSERT_EQ(0, tell(1, TOUCH, START + 12 * PAGE, 4 * PAGE, 0));
	ASSERT_EQ(0, measure(set, 2, self->with));
	ASSERT_EQ(0, take_away(self->without, 2, 2 * HUGE));
	EXPECT_FIGURES(F(.rss = 32 * P, .shmem = 32 * P, .uss = 12 * P,
			 .pss = 12 * P + 8 * P / 3),
		       F(.rss = 4 * P, .shmem = 4 * P, .pss = 4 * P / 3),
		       F(.rss = 16 * P, .shmem = 16 * P, .uss = 16 * P,
			 .pss = 16 * P));
}

TEST_F_TIMEOUT(shared, shmem_has_exact_figures, 120)
{
	const uint64_t bytes = 64 * PAGE;

	ASSERT_EQ(0, start_first());
	ASSERT_EQ(0, tell(0, SHARED, START, bytes, 0));
	ASSERT_EQ(0, tell(0, TOUCH, START, bytes, 0));
	ASSERT_EQ(0, start_next(1, FORK));
	ASSERT_EQ(0, start_next(2, FORK));
	ASSERT_EQ(0, tell(1, READ, START, bytes, 0));
	ASSERT_EQ(0, tell(2, UNMAP, START + 16 * PAGE, bytes - 16 * PAGE, 0));
	ASSERT_EQ(0, tell(2, TOUCH, START, 16 * PAGE, 0));
	ASSERT_EQ(0, measure(set, 2, self->with));
	ASSERT_EQ(0, take_away(self->without, 2, bytes));
	EXPECT_FIGURES(F(.rss = 64 * P, .shmem = 64 * P,
			 .pss = 24 * P + 16 * P / 3),
		       F(.rss = 64 * P, .shmem = 64 * P,
			 .pss = 24 * P + 16 * P / 3),
		       F(.rss = 64 * P, .shmem = 64 * P, .uss = 48 * P,
			 .pss = 48 * P + 32 * P / 3));
}

/*
 * Members 1 and 2 map pages while other members are read.  So the map counts include mappings
 * that were not seen. All of the memory belongs to the set, because no other process maps it.
 */
TEST_F_TIMEOUT(shared, shmem_that_gets_mappings_belongs_to_the_set, 120)
{
	const unsigned int all[] = { 0, 1, 2 };
	const uint64_t bytes = 2048 * PAGE;
	struct figures figures[4];

	ASSERT_EQ(0, start_first());
	ASSERT_EQ(0, tell(0, SHARED, START, bytes, 0));
	ASSERT_EQ(0, tell(0, TOUCH, START, bytes, 0));
	ASSERT_EQ(0, start_next(1, FORK));
	ASSERT_EQ(0, start_next(2, FORK));
	ASSERT_EQ(0, start_churn(1, START, bytes));
	ASSERT_EQ(0, start_churn(2, START, bytes));
	ASSERT_EQ(0, measure(all, 3, figures));
	EXPECT_EQ(2048 * P, figures[3].shmem);
	EXPECT_EQ(2048 * P, figures[3].uss_shmem);
}

/* Memory that was only read maps the zero page, which belongs to no process. */
TEST_F_TIMEOUT(shared, zero_pages_belong_to_no_process, 120)
{
	if (live_thp_missing())
		SKIP(return, "needs %s", live_thp_missing());
	ASSERT_EQ(0, start_first());
	ASSERT_EQ(0, start_next(1, FORK));
	ASSERT_EQ(0, live_set(THP "use_zero_page", "1"));
	ASSERT_EQ(0, tell(0, SMALL, START, 64 * PAGE, 0));
	ASSERT_EQ(0, tell(0, READ, START, 64 * PAGE, 0));
	ASSERT_EQ(0, tell(0, MAP_HUGE, START + HUGE, HUGE, 0));
	ASSERT_EQ(0, tell(0, READ, START + HUGE, PAGE, 0));
	ASSERT_EQ(0, measure(set, 2, self->with));
	ASSERT_EQ(0, take_away(self->without, 2, 2 * HUGE));
	EXPECT_FIGURES(F(.rss = 0), F(.rss = 0), F(.rss = 0));
}

/* Two huge pages.  The other process has copied one base page of the first one. */
TEST_F_TIMEOUT(shared, huge_pages_have_exact_figures, 120)
{
	if (live_thp_missing())
		SKIP(return, "needs %s", live_thp_missing());
	ASSERT_EQ(0, start_first());
	ASSERT_EQ(0, tell(0, MAP_HUGE, START, 2 * HUGE, 0));
	ASSERT_EQ(0, tell(0, TOUCH, START, 2 * HUGE, 0));
	ASSERT_EQ(2 * HUGE / KIB,
		  live_smaps_kib(members[0].pid, "AnonHugePages", START,
				 START + 64 * HUGE));
	ASSERT_EQ(0, start_next(1, FORK));
	ASSERT_EQ(0, tell(1, TOUCH, START, PAGE, 0));
	ASSERT_EQ(HUGE / KIB, live_smaps_kib(members[1].pid, "AnonHugePages",
					     START, START + 64 * HUGE));
	ASSERT_EQ(0, measure(set, 2, self->with));
	ASSERT_EQ(0, take_away(self->without, 2, 2 * HUGE));
	EXPECT_FIGURES(F(.rss = 2 * H, .anon = 2 * H, .large = 2 * H,
			 .huge = 2 * H, .uss = P, .pss = P + (2 * H - P) / 2),
		       F(.rss = 2 * H, .anon = 2 * H, .large = 2 * H - P,
			 .huge = H, .uss = P, .pss = P + (2 * H - P) / 2),
		       F(.rss = 2 * H + P, .anon = 2 * H + P, .large = 2 * H,
			 .uss = 2 * H + P, .pss = 2 * H + P));
}

/* One process maps a whole huge page of shmem, the other one ten of its pages. */
TEST_F_TIMEOUT(shared, huge_shmem_has_exact_figures, 120)
{
	if (live_thp_missing())
		SKIP(return, "needs %s", live_thp_missing());
	ASSERT_EQ(0, live_set(THP "shmem_enabled", "advise"));
	self->file = memfd_create("huge", 0);
	ASSERT_LE(0, self->file);
	ASSERT_EQ(0, ftruncate(self->file, HUGE));
	ASSERT_EQ(0, start_first());
	ASSERT_EQ(0, start_next(1, FORK));
	ASSERT_EQ(0, tell(0, MAP_FD, START, HUGE, self->file));
	ASSERT_EQ(0, tell(0, ADVISE, START, HUGE, MADV_HUGEPAGE));
	ASSERT_EQ(0, tell(0, TOUCH, START, HUGE, 0));
	/* kernels mark only the head page as shmem, but the tool must recognize tail pages, too */
	ASSERT_EQ(HUGE / KIB, live_smaps_kib(members[0].pid, "ShmemPmdMapped",
					     START, START + 64 * HUGE));
	ASSERT_EQ(0, tell(1, MAP_FD, START, HUGE, self->file));
	ASSERT_EQ(0, tell(1, TOUCH, START, HUGE, 0));
	ASSERT_EQ(0, tell(1, UNMAP, START + 10 * PAGE, HUGE - 10 * PAGE, 0));
	/* unmapping a part has removed the leaf: a file's leaf is not split */
	ASSERT_EQ(0, tell(1, TOUCH, START, 10 * PAGE, 0));
	ASSERT_EQ(0, measure(set, 2, self->with));
	ASSERT_EQ(0, take_away(self->without, 2, HUGE));
	live_set(THP "shmem_enabled", "never");
	EXPECT_FIGURES(F(.rss = H, .shmem = H, .uss = H - 10 * P,
			 .pss = H - 5 * P, .large = H, .huge = H),
		       F(.rss = 10 * P, .shmem = 10 * P, .pss = 5 * P,
			 .large = 10 * P),
		       F(.rss = H, .shmem = H, .uss = H, .pss = H, .large = H));
}

static void set_pool(const char *pages)
{
	live_set(POOL, pages);
}

/* Both processes touch the first page.  The outsider shares the second one. */
TEST_F_TIMEOUT(shared, hugetlb_has_exact_figures, 120)
{
	set_pool("4");
	self->file = memfd_create("hugetlb", MFD_HUGETLB);
	ASSERT_LE(0, self->file);
	ASSERT_EQ(0, ftruncate(self->file, 2 * HUGE));
	ASSERT_EQ(0, start_first());
	ASSERT_EQ(0, start_next(1, FORK));
	ASSERT_EQ(0, start_next(2, FORK));
	for (unsigned int i = 0; i < 3; i++)
		ASSERT_EQ(0, tell(i, MAP_FD, START, 2 * HUGE, self->file));
	ASSERT_EQ(0, tell(0, TOUCH, START, 2 * HUGE, 0));
	ASSERT_EQ(0, tell(1, TOUCH, START, HUGE, 0));
	ASSERT_EQ(0, tell(2, TOUCH, START + HUGE, HUGE, 0));
	ASSERT_EQ(0, measure(set, 2, self->with));
	ASSERT_EQ(0, take_away(self->without, 2, 2 * HUGE));
	set_pool("0");
	EXPECT_FIGURES(F(.hugetlb = 2 * H), F(.hugetlb = H),
		       F(.hugetlb = 2 * H, .uss_hugetlb = H));
}

/* Processes that map the same complete GiB of a file share one PMD table. */
static int share_tables(FIXTURE_DATA(shared) * self, bool with_outsider)
{
	set_pool("4");
	self->file = memfd_create("hugetlb", MFD_HUGETLB);
	if (self->file < 0 || ftruncate(self->file, GIB) || start_first() ||
	    start_next(1, FORK) || start_next(2, FORK))
		return -1;
	for (unsigned int i = 0; i < 2u + with_outsider; i++) {
		if (tell(i, MAP_FD, START, GIB, self->file) ||
		    tell(i, TOUCH, START, HUGE, 0))
			return -1;
	}
	if (measure(set, 2, self->with) || take_away(self->without, 2, GIB))
		return -1;
	set_pool("0");
	return 0;
}

TEST_F_TIMEOUT(shared, hugetlb_table_of_the_set_alone_is_inside, 120)
{
	ASSERT_EQ(0, share_tables(self, false));
	EXPECT_FIGURES(F(.hugetlb = H, .inside = P),
		       F(.hugetlb = H, .inside = P),
		       F(.hugetlb = H, .uss_hugetlb = H, .inside = P));
	/* the set has the shared table once */
	EXPECT_EQ(self->with[0].tables + self->with[1].tables - P,
		  self->with[2].tables);
}

TEST_F_TIMEOUT(shared, hugetlb_table_with_other_users_is_outside, 120)
{
	ASSERT_EQ(0, share_tables(self, true));
	EXPECT_FIGURES(F(.hugetlb = H, .outside = P),
		       F(.hugetlb = H, .outside = P),
		       F(.hugetlb = H, .outside = P));
}

/* Touch a page in each of four slots, in a GiB that had no table. */
TEST_F_TIMEOUT(shared, new_tables_are_counted_once, 120)
{
	ASSERT_EQ(0, start_first());
	ASSERT_EQ(0, start_next(1, FORK));
	ASSERT_EQ(0, tell(0, SMALL, START, GIB, 0));
	ASSERT_EQ(0, measure(set, 2, self->without));
	for (unsigned int i = 0; i < 4; i++)
		ASSERT_EQ(0, tell(0, TOUCH, START + 5 * i * HUGE, PAGE, 0));
	ASSERT_EQ(0, measure(set, 2, self->with));
	/* four PTE tables, and the first PMD and PUD table there */
	EXPECT_EQ(6 * P, self->with[0].tables - self->without[0].tables);
	EXPECT_EQ(0, self->with[1].tables - self->without[1].tables);
	EXPECT_EQ(6 * P, self->with[2].tables - self->without[2].tables);
	EXPECT_EQ(4 * P, self->with[2].rss - self->without[2].rss);
	EXPECT_LE(self->with[0].tables,
		  (int64_t)live_vmpte_bytes(members[0].pid) + 4 * P);
	EXPECT_LT((int64_t)live_vmpte_bytes(members[0].pid),
		  self->with[0].tables);
}

TEST_F_TIMEOUT(shared, swapped_pages_have_exact_figures, 120)
{
	const uint64_t bytes = 64 * PAGE;

	live_swap_on();
	ASSERT_EQ(0, start_first());
	ASSERT_EQ(0, tell(0, SMALL, START, bytes, 0));
	ASSERT_EQ(0, tell(0, TOUCH, START, bytes, 0));
	ASSERT_EQ(0, tell(0, PAGEOUT, START, 40 * PAGE, 0));
	ASSERT_EQ(0, start_next(1, FORK));
	/* the write gives it a copy of a page that is in RAM */
	ASSERT_EQ(0, tell(1, TOUCH, START + 63 * PAGE, PAGE, 0));
	ASSERT_EQ(0, measure(set, 2, self->with));
	ASSERT_EQ(0, take_away(self->without, 2, bytes));
	live_swap_off();
	EXPECT_FIGURES(F(.swap = 40 * P, .rss = 24 * P, .anon = 24 * P,
			 .uss = P, .pss = P + 23 * P / 2),
		       F(.swap = 40 * P, .rss = 24 * P, .anon = 24 * P,
			 .uss = P, .pss = P + 23 * P / 2),
		       F(.swap = 40 * P, .rss = 25 * P, .anon = 25 * P,
			 .uss = 25 * P, .pss = 25 * P));
}

/* KSM merges 32 equal pages into one. */
TEST_F_TIMEOUT(shared, merged_pages_have_exact_figures, 120)
{
	int64_t ksm;

	ASSERT_EQ(0, start_first());
	ASSERT_EQ(0, start_next(1, FORK));
	ASSERT_EQ(0, tell(0, SMALL, START, 32 * PAGE, 0));
	/* merge all pages again before measuring */
	ASSERT_EQ(0, tell(0, MERGE, START, 32 * PAGE, 0));
	ASSERT_EQ(0, measure(set, 2, self->with));
	ASSERT_EQ(0, take_away(self->without, 2, 32 * PAGE));
	/* 6.12 does not show which pages are merged */
	ksm = self->with[2].ksm == LIVE_NO_NUMBER ? 0 : P;
	EXPECT_EQ(ksm == 0, live_system()->version == 6012);
	EXPECT_FIGURES(F(.rss = 32 * P, .anon = 32 * P, .ksm = 32 * ksm,
			 .uss = P, .pss = P),
		       F(.rss = 0),
		       F(.rss = P, .anon = P, .ksm = ksm, .uss = P, .pss = P));
}

TEST_HARNESS_MAIN
