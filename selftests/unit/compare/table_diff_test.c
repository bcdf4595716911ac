// SPDX-License-Identifier: GPL-2.0-only
/*
 * Differences are differences of sets: each table that only one side has is reported by
 * itself.
 */
#include "compare/table_diff.h"

#include <stdlib.h>

#include "support/build.h"
#include "support/levels.h"
#include "support/unit.h"

#define A UINT64_C(0x7f0000000000)

/* The walks before and after, and the estimator's claims. */
static struct build before;
static struct build after;
static struct ptu_tables claims;
static struct ptu_diffs diffs;

static void set_up(void)
{
	build_init(&before, 4, false);
	build_init(&after, 4, false);
}

/* The same PTE table in both walks. */
static void both(uint64_t addr, unsigned int present)
{
	build_pte(&before, addr, present);
	build_pte(&after, addr, present);
}

static void both_leaves(unsigned int level, uint64_t addr, unsigned int nr)
{
	build_entries(&before, level, addr, nr, PTAUDIT_K_LEAF, 0);
	build_entries(&after, level, addr, nr, PTAUDIT_K_LEAF, 0);
}

static void claim(unsigned int level, uint64_t addr, enum ptu_claim what)
{
	build_claim(&claims, &after.geo, level, addr, what);
}

static void compare_range(uint64_t start, uint64_t end)
{
	struct ptu_snapshot first = build_snapshot(&before);
	struct ptu_snapshot last = build_snapshot(&after);

	ptu_diffs_deinit(&diffs);
	if (ptu_compare(&first, &last, &claims, &after.geo, start, end, &diffs,
			NULL))
		abort();
	ptu_snapshot_deinit(&first);
	ptu_snapshot_deinit(&last);
}

static void compare(void)
{
	compare_range(0, UINT64_MAX);
}

static void tear_down(void)
{
	build_deinit(&before);
	build_deinit(&after);
	ptu_tables_deinit(&claims);
	ptu_diffs_deinit(&diffs);
}

/* A difference: only the kernel has it, or the estimate has this claim, or both. */
#define KERNEL true, 0
#define CLAIM(claim) false, claim
#define BOTH(claim) true, claim

struct expected {
	unsigned int level;
	uint64_t start;
	bool kernel;
	unsigned int claim;
	bool leaf, unstable;
};

static bool is(const struct ptu_diff *diff, const struct expected *e)
{
	return diff->level == e->level && diff->start == e->start &&
	       diff->leaf == e->leaf && diff->kernel == e->kernel &&
	       diff->claim == e->claim && diff->stable == !e->unstable &&
	       diff->why == PTU_WHY_UNSET;
}

/* The differences must begin with these. */
static void check_first(const struct expected *expected, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (i >= diffs.nr_diffs || !is(&diffs.diffs[i], &expected[i]))
			UNIT_FAIL("difference %zu is not that of level %u at 0x%llx",
				  i, expected[i].level,
				  (unsigned long long)expected[i].start);
}

/* Compare a range, or everything, and check the number and the first ones. */
#define CHECK_RANGE(start, end, nr, ...)                                 \
	do {                                                             \
		const struct expected diffs_[] = { __VA_ARGS__ };        \
                                                                         \
		compare_range(start, end);                               \
		CHECK_EQ(diffs.nr_diffs, nr);                            \
		check_first(diffs_, sizeof(diffs_) / sizeof(diffs_[0])); \
	} while (0)

#define CHECK_DIFFS(nr, ...) CHECK_RANGE(0, UINT64_MAX, nr, __VA_ARGS__)

UNIT_TEST(sides_that_agree_have_no_difference)
{
	both(A, 512);
	both(A + 2 * MIB, 1);
	both(A + GIB, 1);
	both_leaves(PMD, A + 4 * MIB, 2);
	claim(PTE, A, PTU_CERTAIN);
	claim(PTE, A + 2 * MIB, PTU_CERTAIN);
	claim(PMD, A + 4 * MIB, PTU_LEAF);
	claim(PMD, A + 6 * MIB, PTU_LEAF);
	claim(PTE, A + GIB, PTU_CERTAIN);
	compare();
	CHECK_EQ(diffs.nr_diffs, 0);
	CHECK_EQ(diffs.matched[PTE], 3);
	CHECK_EQ(diffs.matched[PMD], 2);
	CHECK_EQ(diffs.matched[PUD], 1);
	CHECK_EQ(diffs.matched[PTAUDIT_P4D], 0);
	CHECK_EQ(diffs.matched[PGD], 1);
}

UNIT_TEST(a_missed_and_an_invented_table_are_two_differences)
{
	both(A, 1);
	both(A + 2 * MIB, 7);
	claim(PTE, A, PTU_CERTAIN);
	claim(PTE, A + 4 * MIB, PTU_CERTAIN);
	CHECK_DIFFS(2, { PTE, A + 2 * MIB, KERNEL },
		    { PTE, A + 4 * MIB, CLAIM(PTU_CERTAIN) });
	CHECK_EQ(diffs.diffs[0].record.present, 7);
	CHECK_EQ(diffs.diffs[1].record.used, 0);
	CHECK_EQ(diffs.matched[PTE], 1);
	CHECK(ptu_diff_differs(&diffs.diffs[0]));
	CHECK(ptu_diff_differs(&diffs.diffs[1]));
}

UNIT_TEST(equal_counts_of_tables_elsewhere_do_not_cancel)
{
	both(A, 1);
	claim(PTE, A + 3 * GIB, PTU_CERTAIN);
	/*
	 * each side has a PMD and a PTE table of its own; they share the PUD table and PGD
	 */
	CHECK_DIFFS(4, { PMD, A, KERNEL }, { PTE, A, KERNEL },
		    { PMD, A + 3 * GIB, CLAIM(PTU_CERTAIN) },
		    { PTE, A + 3 * GIB, CLAIM(PTU_CERTAIN) });
	CHECK_EQ(diffs.matched[PMD] + diffs.matched[PTE], 0);
}

UNIT_TEST(an_estimate_of_nothing_leaves_every_table_to_the_kernel)
{
	both(A, 1);
	CHECK_DIFFS(4, { PGD, 0, KERNEL });
}

UNIT_TEST(each_leaf_of_a_run_is_compared_alone)
{
	both_leaves(PMD, A, 4);
	claim(PMD, A, PTU_LEAF);
	claim(PMD, A + 4 * MIB, PTU_LEAF);
	claim(PMD, A + 10 * MIB, PTU_LEAF);
	CHECK_DIFFS(3, { PMD, A + 2 * MIB, KERNEL, .leaf = true },
		    { PMD, A + 6 * MIB, KERNEL, .leaf = true },
		    { PMD, A + 10 * MIB, CLAIM(PTU_LEAF), .leaf = true });
	CHECK(ptu_diff_differs(&diffs.diffs[2]));
	/* both walks count as one run, whatever part of it each of them saw */
	CHECK_EQ(diffs.diffs[0].record.used, 1);
	CHECK_EQ(diffs.matched[PMD], 1);
}

UNIT_TEST(a_leaf_under_which_a_table_was_drawn_is_one_difference)
{
	both_leaves(PMD, A, 1);
	both_leaves(PUD, A + 2 * GIB, 1);
	claim(PTE, A, PTU_CERTAIN);
	claim(PTE, A + 2 * GIB + 6 * MIB, PTU_CERTAIN);
	CHECK_DIFFS(3, { PTE, A, CLAIM(PTU_CERTAIN) },
		    { PMD, A + 2 * GIB, CLAIM(PTU_CERTAIN) },
		    { PTE, A + 2 * GIB + 6 * MIB, CLAIM(PTU_CERTAIN) });
}

UNIT_TEST(a_table_drawn_one_slot_further_does_not_cover_a_leaf)
{
	both_leaves(PMD, A, 1);
	claim(PTE, A + 2 * MIB, PTU_CERTAIN);
	CHECK_DIFFS(2, { PMD, A, KERNEL, .leaf = true },
		    { PTE, A + 2 * MIB, CLAIM(PTU_CERTAIN) });
}

UNIT_TEST(a_possible_table_is_kept_whatever_the_kernel_has)
{
	both(A, 512);
	both_leaves(PMD, A + 2 * MIB, 1);
	claim(PTE, A, PTU_POSSIBLE);
	claim(PTE, A + 2 * MIB, PTU_POSSIBLE);
	CHECK_DIFFS(2, { PTE, A, BOTH(PTU_POSSIBLE) },
		    { PTE, A + 2 * MIB, CLAIM(PTU_POSSIBLE) });
	CHECK(ptu_diff_differs(&diffs.diffs[0]));
	CHECK(!ptu_diff_differs(&diffs.diffs[1]));
	CHECK_EQ(diffs.matched[PTE], 0);
	CHECK_EQ(diffs.matched[PMD], 1);
}

UNIT_TEST(tables_above_a_maybe_do_not_match)
{
	both(A, 0);
	claim(PTE, A, PTU_MAYBE);
	claim(PTE, A + GIB, PTU_MAYBE);
	CHECK_DIFFS(5, { PUD, A, BOTH(PTU_MAYBE) }, { PMD, A, BOTH(PTU_MAYBE) },
		    { PTE, A, BOTH(PTU_MAYBE) },
		    { PMD, A + GIB, CLAIM(PTU_MAYBE) },
		    { PTE, A + GIB, CLAIM(PTU_MAYBE) });
	CHECK_EQ(diffs.matched[PGD], 1);
}

UNIT_TEST(only_what_lies_within_a_range_is_compared)
{
	both(A, 1);
	both(A + 2 * MIB, 1);
	both(A + 4 * MIB, 1);
	both_leaves(PMD, A + 6 * MIB, 1);
	/* the PUD and the PMD table start there too, but extend beyond the range */
	CHECK_RANGE(A, A + 2 * MIB, 1, { PTE, A, KERNEL });
	CHECK_RANGE(A + 2 * MIB, A + 4 * MIB, 1, { PTE, A + 2 * MIB, KERNEL });
	tear_down();
	set_up();
	both(A, 1);
	both_leaves(PMD, A + 6 * MIB, 1);
	claim(PTE, A + GIB, PTU_CERTAIN);
	CHECK_RANGE(A, A + GIB, 3, { PMD, A, KERNEL }, { PTE, A, KERNEL },
		    { PMD, A + 6 * MIB, KERNEL, .leaf = true });
}

UNIT_TEST(a_table_that_came_between_the_walks_is_not_stable)
{
	both(A, 1);
	build_pte(&after, A + 2 * MIB, 1);
	build_pte(&before, A + 4 * MIB, 1);
	claim(PTE, A, PTU_CERTAIN);
	claim(PTE, A + 4 * MIB, PTU_CERTAIN);
	CHECK_DIFFS(2, { PTE, A + 2 * MIB, KERNEL, .unstable = true },
		    { PTE, A + 4 * MIB, CLAIM(PTU_CERTAIN), .unstable = true });
}

UNIT_TEST(a_record_that_changed_or_moved_is_not_stable)
{
	both(A, 0);
	claim(PMD, A, PTU_CERTAIN);
	build_pte(&before, A, 1);
	CHECK_DIFFS(1, { PTE, A, KERNEL, .unstable = true });
	build_pte(&before, A, 0)->flags = PTAUDIT_T_MOVED;
	build_pte(&after, A, 0)->flags = PTAUDIT_T_MOVED;
	CHECK_DIFFS(1, { PTE, A, KERNEL, .unstable = true });
}

UNIT_TEST(sharers_and_deposits_move_without_the_table_changing)
{
	both_leaves(PMD, A, 1);
	claim(PUD, A, PTU_CERTAIN);
	build_table(&after, PMD, A)->flags = PTAUDIT_T_HUGETLB;
	build_table(&before, PMD, A)->flags = PTAUDIT_T_HUGETLB;
	build_table(&after, PMD, A)->sharers = 1;
	build_table(&after, PMD, A)->deposited = 1;
	CHECK_DIFFS(2, { PMD, A, KERNEL });
}

UNIT_TEST(the_earlier_walk_is_not_asked_where_estimate_and_later_one_agree)
{
	build_pte(&after, A, 1);
	claim(PTE, A, PTU_CERTAIN);
	compare();
	CHECK_EQ(diffs.nr_diffs, 0);
	CHECK_EQ(diffs.matched[PTE], 1);
}

UNIT_TEST(a_difference_is_found_by_level_and_start)
{
	both(A, 1);
	both_leaves(PMD, A + 2 * MIB, 2);
	compare();
	CHECK(ptu_diffs_find(&diffs, A, PTE, false) == &diffs.diffs[3]);
	CHECK(ptu_diffs_find(&diffs, A, PUD, false) == &diffs.diffs[1]);
	CHECK(ptu_diffs_find(&diffs, A + 4 * MIB, PMD, true) ==
	      &diffs.diffs[5]);
	CHECK(!ptu_diffs_find(&diffs, A + 4 * MIB, PMD, false));
	CHECK(!ptu_diffs_find(&diffs, A + 2 * MIB, PTE, false));
	CHECK(!ptu_diffs_find(&diffs, A, PMD, true));
}

UNIT_MAIN_WITH(set_up, tear_down)
