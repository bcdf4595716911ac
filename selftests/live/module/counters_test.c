// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compares the kernel's counters of page tables with the tree, one level at a time.  The
 * test makes and frees a known number of tables of a level.  Each counter must change by
 * that number.  If VmPTE is wrong at one level, that error is not reported again for the
 * levels above, because their tables need tables below them.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "lib/lib.h"

/* Time limit for a counter to fall; longer on slow kernels. */
#define SETTLE_SECONDS 6

/*
 * Number of additional tables per level.  Each is made by touching one page per stride;
 * the first stride is touched beforehand.
 */
static const struct {
	const char *name;
	uint64_t stride;
	int64_t nr;
} made_by[NR_COUNTED] = {
	[PTAUDIT_PTE] = { "pte", HUGE, 511 },
	[PTAUDIT_PMD] = { "pmd", GIB, 511 },
	[PTAUDIT_PUD] = { "pud", 512 * GIB, 31 },
};

/* The number of new tables up to @level that PageTables counts, by arithmetic. */
static int64_t nr_in_pagetables(unsigned int level)
{
	int64_t nr = 0;

	for (unsigned int of = 0; of <= level; of++)
		if (live_has_page_type(of))
			nr += made_by[level].nr;
	return nr;
}

/*
 * Wait: tables are freed after an RCU grace period, and other processes allocate tables
 * meanwhile.
 */
static bool is_back(const struct counters *before, unsigned int level)
{
	const uint64_t deadline = live_deadline_ns(SETTLE_SECONDS);

	while (live_pagetables() - before->pagetables >=
	       made_by[level].nr / 2) {
		if (live_now_ns() > deadline)
			return false;
		usleep(10000);
	}
	return true;
}

FIXTURE(counters)
{
	struct counters made[NR_COUNTED], freed[NR_COUNTED];
	bool is_back; /* PageTables has fallen again after each level so far */
};

FIXTURE_VARIANT(counters)
{
	unsigned int level;
};

FIXTURE_VARIANT_ADD(counters, pte){ .level = PTAUDIT_PTE };
FIXTURE_VARIANT_ADD(counters, pmd){ .level = PTAUDIT_PMD };
FIXTURE_VARIANT_ADD(counters, pud){ .level = PTAUDIT_PUD };

FIXTURE_SETUP(counters)
{
	struct counters before, full, after;

	ASSERT_EQ(0, live_check_environment());
	/* allocate the tables that the measurement itself needs */
	ASSERT_EQ(0, live_counters(getpid(), &before));
	self->is_back = true;
	for (unsigned int level = 0; level <= variant->level; level++) {
		const uint64_t stride = made_by[level].stride;
		const uint64_t end = FAR + (made_by[level].nr + 1) * stride;

		live_map_small(FAR, end - FAR);
		live_touch(FAR, FAR + PAGE);
		ASSERT_EQ(0, live_counters(getpid(), &before));
		live_touch_each(FAR + stride, end, stride);
		ASSERT_EQ(0, live_counters(getpid(), &full));
		ASSERT_EQ(0,
			  munmap((void *)(FAR + stride), end - FAR - stride));
		if (self->is_back)
			self->is_back = is_back(&before, level);
		ASSERT_EQ(0, live_counters(getpid(), &after));
		ASSERT_EQ(0, munmap((void *)FAR, stride));
		self->made[level] = live_counters_between(&before, &full);
		self->freed[level] = live_counters_between(&after, &full);
		live_note("process %d (counters_test), level %s: made %lld tables of each level up to it: tree %+lld, VmPTE %+lld, PageTables %+lld; freed them: tree %+lld, VmPTE %+lld, PageTables %+lld",
			  getpid(), made_by[level].name,
			  (long long)made_by[level].nr,
			  (long long)self->made[level].tree[level],
			  (long long)self->made[level].vmpte,
			  (long long)self->made[level].pagetables,
			  -(long long)self->freed[level].tree[level],
			  -(long long)self->freed[level].vmpte,
			  -(long long)self->freed[level].pagetables);
	}
}

FIXTURE_TEARDOWN(counters)
{
}

/* Change of VmPTE beyond the tables of @level and of the levels below. */
static int64_t excess(const struct counters *moved, unsigned int level)
{
	return moved[level].vmpte - (level + 1) * made_by[level].nr;
}

/* The excess that the error per table of the level below does not explain. */
static int64_t own_excess(const struct counters *moved, unsigned int level)
{
	if (!level)
		return excess(moved, level);
	return excess(moved, level) * made_by[level - 1].nr -
	       excess(moved, level - 1) * made_by[level].nr;
}

TEST_F(counters, each_made_table_is_counted_once)
{
	const struct counters *made = &self->made[variant->level];
	const int64_t nr = made_by[variant->level].nr;
	const int64_t expected = nr_in_pagetables(variant->level);

	for (unsigned int of = 0; of < NR_COUNTED; of++)
		EXPECT_EQ(of <= variant->level ? nr : 0, made->tree[of]);
	EXPECT_EQ(0, own_excess(self->made, variant->level));
	/* if each table were counted twice, the change would be 2 * expected */
	EXPECT_LT(expected - nr / 2, made->pagetables);
	EXPECT_GT(expected + nr / 2, made->pagetables);
}

TEST_F(counters, each_freed_table_is_given_back)
{
	const struct counters *freed = &self->freed[variant->level];
	const int64_t nr = made_by[variant->level].nr;

	for (unsigned int of = 0; of < NR_COUNTED; of++)
		EXPECT_EQ(of <= variant->level ? nr : 0, freed->tree[of]);
	EXPECT_EQ(0, own_excess(self->freed, variant->level));
	EXPECT_TRUE(self->is_back);
}

TEST_HARNESS_MAIN
