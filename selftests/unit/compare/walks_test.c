// SPDX-License-Identifier: GPL-2.0-only
/* Two walks of one process: each table that only one of them reports is found. */
#include "compare/walks.h"

#include <errno.h>
#include <stdlib.h>

#include "support/build.h"
#include "support/levels.h"
#include "support/unit.h"

#define A UINT64_C(0x7f0000000000)

/* The walks in the order of their execution. */
static struct build before;
static struct build orphans;
static struct build after;
static struct ptu_walk_diffs diffs;

/* Add a table with the same page frame to all three walks. */
static void in_all(unsigned int level, uint64_t addr)
{
	static uint64_t pfn = 0x100000;

	pfn++;
	build_table(&before, level, addr)->pfn = pfn;
	build_table(&orphans, level, addr)->pfn = pfn;
	build_table(&after, level, addr)->pfn = pfn;
}

/* A PGD, a PUD and a PMD table, and PTE tables at A and A + 2 MiB. */
static void set_up(void)
{
	build_init(&before, 4, false);
	build_init(&orphans, 4, false);
	build_init(&after, 4, false);
	orphans.header.flags |= PTAUDIT_H_ORPHANS;
	in_all(PGD, 0);
	in_all(PUD, A);
	in_all(PMD, A);
	in_all(PTE, A);
	in_all(PTE, A + 2 * MIB);
}

static struct ptu_snapshot parse_orphans(const struct build *b)
{
	struct ptu_snapshot snapshot;
	size_t nr_bytes;
	void *bytes = build_image(b, &nr_bytes);

	if (ptu_snapshot_parse_orphans(bytes, nr_bytes, &b->geo, &snapshot,
				       NULL))
		abort();
	free(bytes);
	return snapshot;
}

/* Compare the walks; @other is the middle one. */
static void compare_with(struct ptu_snapshot other, uint64_t start,
			 uint64_t end)
{
	struct ptu_snapshot first = build_snapshot(&before);
	struct ptu_snapshot last = build_snapshot(&after);

	ptu_walks_deinit(&diffs);
	if (ptu_walks_compare(&first, &other, &last, &after.geo, start, end,
			      &diffs, NULL))
		abort();
	ptu_snapshot_deinit(&first);
	ptu_snapshot_deinit(&other);
	ptu_snapshot_deinit(&last);
}

static void compare_range(uint64_t start, uint64_t end)
{
	compare_with(parse_orphans(&orphans), start, end);
}

static void compare(void)
{
	compare_range(0, UINT64_MAX);
}

static void tear_down(void)
{
	build_deinit(&before);
	build_deinit(&orphans);
	build_deinit(&after);
	ptu_walks_deinit(&diffs);
}

static bool is(const struct ptu_walk_diff *diff, unsigned int level,
	       uint64_t start, bool in_tables, bool in_other, bool stable)
{
	return diff->level == level && diff->start == start &&
	       diff->in_tables == in_tables && diff->in_other == in_other &&
	       diff->stable == stable;
}

UNIT_TEST(walks_that_agree_have_no_difference)
{
	compare();
	CHECK_EQ(diffs.nr_diffs, 0);
	CHECK_EQ(diffs.matched[PTE], 2);
	CHECK_EQ(diffs.matched[PMD], 1);
	CHECK_EQ(diffs.matched[PUD], 1);
	CHECK_EQ(diffs.matched[PGD], 1);
}

UNIT_TEST(table_missing_in_the_walk_by_mappings_is_a_difference)
{
	struct ptaudit_table *orphan;

	orphan = build_pte(&orphans, A + 8 * MIB, 7);
	orphan->pfn = 0x55;
	orphan->flags |= PTAUDIT_T_OUTSIDE;
	/* both other walks saw an entry here that they did not follow */
	build_entries(&before, PMD, A + 8 * MIB, 1, PTAUDIT_K_UNWALKED, 0);
	build_entries(&after, PMD, A + 8 * MIB, 1, PTAUDIT_K_UNWALKED, 0);
	compare();
	CHECK_EQ(diffs.nr_diffs, 1);
	CHECK(is(&diffs.diffs[0], PTE, A + 8 * MIB, false, true, true));
	CHECK(diffs.diffs[0].outside);
	CHECK_EQ(diffs.diffs[0].entries, 7);
	CHECK_EQ(diffs.matched[PTE], 2);
}

UNIT_TEST(table_missing_in_the_walk_of_all_entries_is_a_difference)
{
	build_forget(&orphans, PTE, A);
	compare();
	CHECK_EQ(diffs.nr_diffs, 1);
	CHECK(is(&diffs.diffs[0], PTE, A, true, false, true));
	CHECK(!diffs.diffs[0].outside);
	CHECK_EQ(diffs.matched[PTE], 1);
}

UNIT_TEST(missed_and_invented_table_are_two_differences)
{
	build_forget(&orphans, PTE, A + 2 * MIB);
	build_pte(&orphans, A + 4 * MIB, 0)->pfn = 0x55;
	compare();
	CHECK_EQ(diffs.nr_diffs, 2);
	CHECK(is(&diffs.diffs[0], PTE, A + 2 * MIB, true, false, true));
	CHECK(is(&diffs.diffs[1], PTE, A + 4 * MIB, false, true, true));
}

UNIT_TEST(tables_at_one_address_with_other_frames_are_one_difference)
{
	build_table(&orphans, PTE, A)->pfn = 0x55;
	compare();
	CHECK_EQ(diffs.nr_diffs, 1);
	CHECK(is(&diffs.diffs[0], PTE, A, true, true, true));
}

UNIT_TEST(upper_tables_are_compared)
{
	build_table(&orphans, PMD, A)->pfn = 0x55;
	build_table(&orphans, PUD, A)->pfn = 0x56;
	compare();
	CHECK_EQ(diffs.nr_diffs, 2);
	CHECK(is(&diffs.diffs[0], PUD, A, true, true, true));
	CHECK(is(&diffs.diffs[1], PMD, A, true, true, true));
}

UNIT_TEST(table_that_came_or_went_between_walks_is_not_stable)
{
	/* removed after the second walk, added after it, replaced */
	build_forget(&after, PTE, A);
	build_pte(&after, A + 4 * MIB, 1)->pfn = 0x55;
	build_table(&after, PTE, A + 2 * MIB)->pfn = 0x56;
	compare();
	CHECK_EQ(diffs.nr_diffs, 3);
	CHECK(is(&diffs.diffs[0], PTE, A, false, true, false));
	CHECK(is(&diffs.diffs[1], PTE, A + 2 * MIB, true, true, false));
	CHECK(is(&diffs.diffs[2], PTE, A + 4 * MIB, true, false, false));
}

UNIT_TEST(first_walk_does_not_matter_if_the_others_agree)
{
	build_forget(&before, PTE, A);
	build_pte(&before, A + 6 * MIB, 1);
	build_table(&before, PTE, A + 2 * MIB)->pfn = 0x55;
	compare();
	CHECK_EQ(diffs.nr_diffs, 0);
	CHECK_EQ(diffs.matched[PTE], 2);
}

UNIT_TEST(tables_partly_outside_the_range_are_not_compared)
{
	build_forget(&orphans, PTE, A);
	build_forget(&orphans, PTE, A + 2 * MIB);
	build_table(&orphans, PMD, A)->pfn = 0x55;
	compare_range(A + 2 * MIB, A + 4 * MIB);
	CHECK_EQ(diffs.nr_diffs, 1);
	CHECK(is(&diffs.diffs[0], PTE, A + 2 * MIB, true, false, true));
	CHECK_EQ(diffs.matched[PGD], 0);
	CHECK(ptu_walks_find(&diffs, A + 2 * MIB, PTE));
	CHECK(!ptu_walks_find(&diffs, A + 2 * MIB, PMD));
	CHECK(!ptu_walks_find(&diffs, A, PTE));
}

UNIT_TEST(changed_difference_is_another_difference)
{
	const struct ptu_walk_diff first = {
		.start = A, .level = PTE, .in_other = true, .stable = true
	};
	struct ptu_walk_diff again = first;

	CHECK(ptu_walk_diff_same(&first, &again));
	again.in_tables = true;
	CHECK(!ptu_walk_diff_same(&first, &again));
	again = first;
	again.in_other = false;
	CHECK(!ptu_walk_diff_same(&first, &again));
	again = first;
	again.stable = false;
	CHECK(!ptu_walk_diff_same(&first, &again));
	CHECK(!ptu_walk_diff_same(&again, &first));
	for (int i = 0; i < 2; i++) {
		struct ptu_walk_diff contents = first;

		contents.contents = true;
		again = contents;
		CHECK(ptu_walk_diff_same(&contents, &again));
		again.entries += !i;
		again.entries_other += i;
		CHECK(!ptu_walk_diff_same(&contents, &again));
	}
}

/* The BPF walk is the middle one; the arguments are the entries of the table at A. */
static void compare_bpf(unsigned int first, unsigned int other,
			unsigned int last)
{
	build_pte(&before, A, first);
	build_pte(&orphans, A, other);
	build_pte(&after, A, last);
	orphans.header.flags = PTAUDIT_H_BPF;
	orphans.header.lock_windows = 0;
	compare_with(build_snapshot(&orphans), 0, UINT64_MAX);
}

UNIT_TEST(bpf_has_to_see_the_same_contents)
{
	compare_bpf(3, 3, 3);
	CHECK_EQ(diffs.nr_diffs, 0);
	compare_bpf(3, 4, 3);
	CHECK_EQ(diffs.nr_diffs, 1);
	CHECK(is(&diffs.diffs[0], PTE, A, true, true, true));
	CHECK(diffs.diffs[0].contents);
	CHECK_EQ(diffs.diffs[0].entries, 3);
	CHECK_EQ(diffs.diffs[0].entries_other, 4);
	CHECK_EQ(diffs.matched[PTE], 2);
	/* the table changed between the walks, so nothing is known */
	compare_bpf(2, 4, 3);
	CHECK_EQ(diffs.nr_diffs, 0);
	/* it came after the first walk */
	build_pte(&orphans, A + 4 * MIB, 1)->pfn = 0x55;
	build_pte(&after, A + 4 * MIB, 2)->pfn = 0x55;
	compare_bpf(3, 3, 3);
	CHECK_EQ(diffs.nr_diffs, 0);
	CHECK_EQ(diffs.matched[PTE], 3);
}

UNIT_TEST(bpf_has_to_see_the_same_deposits)
{
	build_entries(&before, PMD, A + 8 * MIB, 2, PTAUDIT_K_LEAF, 0)
		->deposited = 2;
	build_entries(&orphans, PMD, A + 8 * MIB, 2, PTAUDIT_K_LEAF, 0)
		->deposited = 1;
	build_entries(&after, PMD, A + 8 * MIB, 2, PTAUDIT_K_LEAF, 0)
		->deposited = 2;
	compare_bpf(1, 1, 1);
	CHECK_EQ(diffs.nr_diffs, 1);
	CHECK(is(&diffs.diffs[0], PMD, A, true, true, true));
	CHECK(diffs.diffs[0].contents);
}

static int parse_and_drop(const struct build *b, bool all_entries)
{
	struct ptu_snapshot snapshot = { 0 };
	size_t nr_bytes;
	void *bytes = build_image(b, &nr_bytes);
	int error = all_entries ?
			    ptu_snapshot_parse_orphans(bytes, nr_bytes, &b->geo,
						       &snapshot, NULL) :
			    ptu_snapshot_parse(bytes, nr_bytes, &b->geo,
					       &snapshot, NULL);

	free(bytes);
	ptu_snapshot_deinit(&snapshot);
	return error;
}

UNIT_TEST(answers_of_the_wrong_walk_are_refused)
{
	struct build b;

	build_init(&b, 4, false);
	build_pte(&b, A, 1);
	CHECK_EQ(parse_and_drop(&b, true), -EBADMSG);
	b.header.flags |= PTAUDIT_H_ORPHANS;
	CHECK_EQ(parse_and_drop(&b, false), -EBADMSG);
	build_deinit(&b);
}

UNIT_TEST(only_the_walk_of_all_entries_marks_what_is_outside)
{
	struct build b;

	build_init(&b, 4, false);
	build_pte(&b, A, 1)->flags |= PTAUDIT_T_OUTSIDE;
	CHECK_EQ(parse_and_drop(&b, false), -EBADMSG);
	b.header.flags |= PTAUDIT_H_ORPHANS;
	CHECK_EQ(parse_and_drop(&b, true), 0);
	build_table(&b, PGD, 0)->flags |= PTAUDIT_T_OUTSIDE;
	CHECK_EQ(parse_and_drop(&b, true), -EBADMSG);
	build_deinit(&b);
}

UNIT_TEST(the_walk_of_all_entries_leaves_none_unwalked)
{
	struct build b;

	build_init(&b, 4, false);
	build_entries(&b, PMD, A, 1, PTAUDIT_K_UNWALKED, 0);
	CHECK_EQ(parse_and_drop(&b, false), 0);
	b.header.flags |= PTAUDIT_H_ORPHANS;
	CHECK_EQ(parse_and_drop(&b, true), -EBADMSG);
	build_deinit(&b);
}

UNIT_MAIN_WITH(set_up, tear_down)
