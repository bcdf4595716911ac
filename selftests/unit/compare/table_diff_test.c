// SPDX-License-Identifier: GPL-2.0-only
/*
 * Differences are differences of sets: each table that only one side has is reported by
 * itself.
 */
#include "compare/table_diff.h"

#include <stdlib.h>

#include "support/build.h"
#include "support/unit.h"

#define A UINT64_C(0x7f0000000000)
#define PTE PTAUDIT_PTE
#define PMD PTAUDIT_PMD
#define PUD PTAUDIT_PUD
#define PGD PTAUDIT_PGD

/* The walks before and after, and the estimator's claims. */
struct sides {
	struct build before;
	struct build after;
	struct ptu_tables claims;
	struct ptu_diffs diffs;
};

static void sides_init(struct sides *s)
{
	memset(s, 0, sizeof(*s));
	build_init(&s->before, 4, false);
	build_init(&s->after, 4, false);
}

/* The same PTE table in both walks. */
static void both(struct sides *s, uint64_t addr, unsigned int present)
{
	build_pte(&s->before, addr, present);
	build_pte(&s->after, addr, present);
}

static void both_leaves(struct sides *s, unsigned int level, uint64_t addr,
			unsigned int nr)
{
	build_entries(&s->before, level, addr, nr, PTAUDIT_K_LEAF, 0);
	build_entries(&s->after, level, addr, nr, PTAUDIT_K_LEAF, 0);
}

static void claim(struct sides *s, unsigned int level, uint64_t addr,
		  enum ptu_claim what)
{
	build_claim(&s->claims, &s->after.geo, level, addr, what);
}

static void compare_range(struct sides *s, uint64_t start, uint64_t end)
{
	struct ptu_snapshot before = build_snapshot(&s->before);
	struct ptu_snapshot after = build_snapshot(&s->after);

	if (ptu_compare(&before, &after, &s->claims, &s->after.geo, start, end,
			&s->diffs, NULL))
		abort();
	ptu_snapshot_deinit(&before);
	ptu_snapshot_deinit(&after);
}

static void compare(struct sides *s)
{
	compare_range(s, 0, UINT64_MAX);
}

static void sides_deinit(struct sides *s)
{
	build_deinit(&s->before);
	build_deinit(&s->after);
	ptu_tables_deinit(&s->claims);
	ptu_diffs_deinit(&s->diffs);
}

static bool is(const struct ptu_diff *diff, unsigned int level, uint64_t start,
	       bool leaf, bool kernel, unsigned int claimed, bool stable)
{
	return diff->level == level && diff->start == start &&
	       diff->leaf == leaf && diff->kernel == kernel &&
	       diff->claim == claimed && diff->stable == stable &&
	       diff->why == PTU_WHY_UNSET;
}

UNIT_TEST(sides_that_agree_have_no_difference)
{
	struct sides s;

	sides_init(&s);
	both(&s, A, 512);
	both(&s, A + 2 * MIB, 1);
	both(&s, A + GIB, 1);
	both_leaves(&s, PMD, A + 4 * MIB, 2);
	claim(&s, PTE, A, PTU_CERTAIN);
	claim(&s, PTE, A + 2 * MIB, PTU_CERTAIN);
	claim(&s, PMD, A + 4 * MIB, PTU_LEAF);
	claim(&s, PMD, A + 6 * MIB, PTU_LEAF);
	claim(&s, PTE, A + GIB, PTU_CERTAIN);
	compare(&s);
	CHECK_EQ(s.diffs.nr_diffs, 0);
	CHECK_EQ(s.diffs.matched[PTE], 3);
	CHECK_EQ(s.diffs.matched[PMD], 2);
	CHECK_EQ(s.diffs.matched[PUD], 1);
	CHECK_EQ(s.diffs.matched[PTAUDIT_P4D], 0);
	CHECK_EQ(s.diffs.matched[PGD], 1);
	sides_deinit(&s);
}

UNIT_TEST(a_missed_and_an_invented_table_are_two_differences)
{
	struct sides s;

	sides_init(&s);
	both(&s, A, 1);
	both(&s, A + 2 * MIB, 7);
	claim(&s, PTE, A, PTU_CERTAIN);
	claim(&s, PTE, A + 4 * MIB, PTU_CERTAIN);
	compare(&s);
	CHECK_EQ(s.diffs.nr_diffs, 2);
	CHECK(is(&s.diffs.diffs[0], PTE, A + 2 * MIB, false, true, 0, true));
	CHECK(is(&s.diffs.diffs[1], PTE, A + 4 * MIB, false, false, PTU_CERTAIN,
		 true));
	CHECK_EQ(s.diffs.diffs[0].record.present, 7);
	CHECK_EQ(s.diffs.diffs[1].record.used, 0);
	CHECK_EQ(s.diffs.matched[PTE], 1);
	CHECK(ptu_diff_differs(&s.diffs.diffs[0]));
	CHECK(ptu_diff_differs(&s.diffs.diffs[1]));
	sides_deinit(&s);
}

UNIT_TEST(equal_counts_of_tables_elsewhere_do_not_cancel)
{
	struct sides s;

	sides_init(&s);
	both(&s, A, 1);
	claim(&s, PTE, A + 3 * GIB, PTU_CERTAIN);
	compare(&s);
	/*
	 * each side has a PMD and a PTE table of its own; they share the PUD table and PGD
	 */
	CHECK_EQ(s.diffs.nr_diffs, 4);
	CHECK(is(&s.diffs.diffs[0], PMD, A, false, true, 0, true));
	CHECK(is(&s.diffs.diffs[1], PTE, A, false, true, 0, true));
	CHECK(is(&s.diffs.diffs[2], PMD, A + 3 * GIB, false, false, PTU_CERTAIN,
		 true));
	CHECK(is(&s.diffs.diffs[3], PTE, A + 3 * GIB, false, false, PTU_CERTAIN,
		 true));
	CHECK_EQ(s.diffs.matched[PMD] + s.diffs.matched[PTE], 0);
	sides_deinit(&s);
}

UNIT_TEST(an_estimate_of_nothing_leaves_every_table_to_the_kernel)
{
	struct sides s;

	sides_init(&s);
	both(&s, A, 1);
	compare(&s);
	CHECK_EQ(s.diffs.nr_diffs, 4);
	CHECK(is(&s.diffs.diffs[0], PGD, 0, false, true, 0, true));
	sides_deinit(&s);
}

UNIT_TEST(each_leaf_of_a_run_is_compared_alone)
{
	struct sides s;

	sides_init(&s);
	both_leaves(&s, PMD, A, 4);
	claim(&s, PMD, A, PTU_LEAF);
	claim(&s, PMD, A + 4 * MIB, PTU_LEAF);
	claim(&s, PMD, A + 10 * MIB, PTU_LEAF);
	compare(&s);
	CHECK_EQ(s.diffs.nr_diffs, 3);
	CHECK(is(&s.diffs.diffs[0], PMD, A + 2 * MIB, true, true, 0, true));
	CHECK(is(&s.diffs.diffs[1], PMD, A + 6 * MIB, true, true, 0, true));
	CHECK(is(&s.diffs.diffs[2], PMD, A + 10 * MIB, true, false, PTU_LEAF,
		 true));
	CHECK(ptu_diff_differs(&s.diffs.diffs[2]));
	/* both walks count as one run, whatever part of it each of them saw */
	CHECK_EQ(s.diffs.diffs[0].record.used, 1);
	CHECK_EQ(s.diffs.matched[PMD], 1);
	sides_deinit(&s);
}

UNIT_TEST(a_leaf_under_which_a_table_was_drawn_is_one_difference)
{
	struct sides s;

	sides_init(&s);
	both_leaves(&s, PMD, A, 1);
	both_leaves(&s, PUD, A + 2 * GIB, 1);
	claim(&s, PTE, A, PTU_CERTAIN);
	claim(&s, PTE, A + 2 * GIB + 6 * MIB, PTU_CERTAIN);
	compare(&s);
	CHECK_EQ(s.diffs.nr_diffs, 3);
	CHECK(is(&s.diffs.diffs[0], PTE, A, false, false, PTU_CERTAIN, true));
	CHECK(is(&s.diffs.diffs[1], PMD, A + 2 * GIB, false, false, PTU_CERTAIN,
		 true));
	CHECK(is(&s.diffs.diffs[2], PTE, A + 2 * GIB + 6 * MIB, false, false,
		 PTU_CERTAIN, true));
	sides_deinit(&s);
}

UNIT_TEST(a_table_drawn_one_slot_further_does_not_cover_a_leaf)
{
	struct sides s;

	sides_init(&s);
	both_leaves(&s, PMD, A, 1);
	claim(&s, PTE, A + 2 * MIB, PTU_CERTAIN);
	compare(&s);
	CHECK_EQ(s.diffs.nr_diffs, 2);
	CHECK(is(&s.diffs.diffs[0], PMD, A, true, true, 0, true));
	CHECK(is(&s.diffs.diffs[1], PTE, A + 2 * MIB, false, false, PTU_CERTAIN,
		 true));
	sides_deinit(&s);
}

UNIT_TEST(a_possible_table_is_kept_whatever_the_kernel_has)
{
	struct sides s;

	sides_init(&s);
	both(&s, A, 512);
	both_leaves(&s, PMD, A + 2 * MIB, 1);
	claim(&s, PTE, A, PTU_POSSIBLE);
	claim(&s, PTE, A + 2 * MIB, PTU_POSSIBLE);
	compare(&s);
	CHECK_EQ(s.diffs.nr_diffs, 2);
	CHECK(is(&s.diffs.diffs[0], PTE, A, false, true, PTU_POSSIBLE, true));
	CHECK(is(&s.diffs.diffs[1], PTE, A + 2 * MIB, false, false,
		 PTU_POSSIBLE, true));
	CHECK(ptu_diff_differs(&s.diffs.diffs[0]));
	CHECK(!ptu_diff_differs(&s.diffs.diffs[1]));
	CHECK_EQ(s.diffs.matched[PTE], 0);
	CHECK_EQ(s.diffs.matched[PMD], 1);
	sides_deinit(&s);
}

UNIT_TEST(tables_above_a_maybe_do_not_match)
{
	struct sides s;

	sides_init(&s);
	both(&s, A, 0);
	claim(&s, PTE, A, PTU_MAYBE);
	claim(&s, PTE, A + GIB, PTU_MAYBE);
	compare(&s);
	CHECK_EQ(s.diffs.nr_diffs, 5);
	CHECK(is(&s.diffs.diffs[0], PUD, A, false, true, PTU_MAYBE, true));
	CHECK(is(&s.diffs.diffs[1], PMD, A, false, true, PTU_MAYBE, true));
	CHECK(is(&s.diffs.diffs[2], PTE, A, false, true, PTU_MAYBE, true));
	CHECK(is(&s.diffs.diffs[3], PMD, A + GIB, false, false, PTU_MAYBE,
		 true));
	CHECK(is(&s.diffs.diffs[4], PTE, A + GIB, false, false, PTU_MAYBE,
		 true));
	CHECK_EQ(s.diffs.matched[PGD], 1);
	sides_deinit(&s);
}

UNIT_TEST(only_what_lies_within_a_range_is_compared)
{
	struct sides s;

	sides_init(&s);
	both(&s, A, 1);
	both(&s, A + 2 * MIB, 1);
	both(&s, A + 4 * MIB, 1);
	both_leaves(&s, PMD, A + 6 * MIB, 1);
	/* the PUD and the PMD table start there too, but extend beyond the range */
	compare_range(&s, A, A + 2 * MIB);
	CHECK_EQ(s.diffs.nr_diffs, 1);
	CHECK(is(&s.diffs.diffs[0], PTE, A, false, true, 0, true));
	ptu_diffs_deinit(&s.diffs);
	compare_range(&s, A + 2 * MIB, A + 4 * MIB);
	CHECK_EQ(s.diffs.nr_diffs, 1);
	CHECK(is(&s.diffs.diffs[0], PTE, A + 2 * MIB, false, true, 0, true));
	sides_deinit(&s);

	sides_init(&s);
	both(&s, A, 1);
	both_leaves(&s, PMD, A + 6 * MIB, 1);
	claim(&s, PTE, A + GIB, PTU_CERTAIN);
	compare_range(&s, A, A + GIB);
	CHECK_EQ(s.diffs.nr_diffs, 3);
	CHECK(is(&s.diffs.diffs[0], PMD, A, false, true, 0, true));
	CHECK(is(&s.diffs.diffs[1], PTE, A, false, true, 0, true));
	CHECK(is(&s.diffs.diffs[2], PMD, A + 6 * MIB, true, true, 0, true));
	sides_deinit(&s);
}

UNIT_TEST(a_table_that_came_between_the_walks_is_not_stable)
{
	struct sides s;

	sides_init(&s);
	both(&s, A, 1);
	build_pte(&s.after, A + 2 * MIB, 1);
	build_pte(&s.before, A + 4 * MIB, 1);
	claim(&s, PTE, A, PTU_CERTAIN);
	claim(&s, PTE, A + 4 * MIB, PTU_CERTAIN);
	compare(&s);
	CHECK_EQ(s.diffs.nr_diffs, 2);
	CHECK(is(&s.diffs.diffs[0], PTE, A + 2 * MIB, false, true, 0, false));
	CHECK(is(&s.diffs.diffs[1], PTE, A + 4 * MIB, false, false, PTU_CERTAIN,
		 false));
	sides_deinit(&s);
}

UNIT_TEST(a_record_that_changed_or_moved_is_not_stable)
{
	struct sides s;

	sides_init(&s);
	both(&s, A, 0);
	claim(&s, PMD, A, PTU_CERTAIN);
	build_pte(&s.before, A, 1);
	compare(&s);
	CHECK_EQ(s.diffs.nr_diffs, 1);
	CHECK(is(&s.diffs.diffs[0], PTE, A, false, true, 0, false));
	ptu_diffs_deinit(&s.diffs);

	build_pte(&s.before, A, 0)->flags = PTAUDIT_T_MOVED;
	build_pte(&s.after, A, 0)->flags = PTAUDIT_T_MOVED;
	compare(&s);
	CHECK_EQ(s.diffs.nr_diffs, 1);
	CHECK(is(&s.diffs.diffs[0], PTE, A, false, true, 0, false));
	sides_deinit(&s);
}

UNIT_TEST(sharers_and_deposits_move_without_the_table_changing)
{
	struct sides s;

	sides_init(&s);
	both_leaves(&s, PMD, A, 1);
	claim(&s, PUD, A, PTU_CERTAIN);
	build_table(&s.after, PMD, A)->flags = PTAUDIT_T_HUGETLB;
	build_table(&s.before, PMD, A)->flags = PTAUDIT_T_HUGETLB;
	build_table(&s.after, PMD, A)->sharers = 1;
	build_table(&s.after, PMD, A)->deposited = 1;
	compare(&s);
	CHECK_EQ(s.diffs.nr_diffs, 2);
	CHECK(is(&s.diffs.diffs[0], PMD, A, false, true, 0, true));
	sides_deinit(&s);
}

UNIT_TEST(the_earlier_walk_is_not_asked_where_estimate_and_later_one_agree)
{
	struct sides s;

	sides_init(&s);
	build_pte(&s.after, A, 1);
	claim(&s, PTE, A, PTU_CERTAIN);
	compare(&s);
	CHECK_EQ(s.diffs.nr_diffs, 0);
	CHECK_EQ(s.diffs.matched[PTE], 1);
	sides_deinit(&s);
}

UNIT_TEST(a_difference_is_found_by_level_and_start)
{
	struct sides s;

	sides_init(&s);
	both(&s, A, 1);
	both_leaves(&s, PMD, A + 2 * MIB, 2);
	compare(&s);
	CHECK(ptu_diffs_find(&s.diffs, A, PTE, false) == &s.diffs.diffs[3]);
	CHECK(ptu_diffs_find(&s.diffs, A, PUD, false) == &s.diffs.diffs[1]);
	CHECK(ptu_diffs_find(&s.diffs, A + 4 * MIB, PMD, true) ==
	      &s.diffs.diffs[5]);
	CHECK(!ptu_diffs_find(&s.diffs, A + 4 * MIB, PMD, false));
	CHECK(!ptu_diffs_find(&s.diffs, A + 2 * MIB, PTE, false));
	CHECK(!ptu_diffs_find(&s.diffs, A, PMD, true));
	sides_deinit(&s);
}

UNIT_MAIN
