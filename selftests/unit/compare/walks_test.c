// SPDX-License-Identifier: GPL-2.0-only
/* Two walks of one process: each table that only one of them reports is found. */
#include "compare/walks.h"

#include <errno.h>
#include <stdlib.h>

#include "support/build.h"
#include "support/unit.h"

#define A UINT64_C(0x7f0000000000)
#define PTE PTAUDIT_PTE
#define PMD PTAUDIT_PMD
#define PUD PTAUDIT_PUD
#define PGD PTAUDIT_PGD

/* The walks in the order of their execution. */
struct walks {
	struct build before;
	struct build orphans;
	struct build after;
	struct ptu_walk_diffs diffs;
};

static void walks_init(struct walks *w)
{
	memset(w, 0, sizeof(*w));
	build_init(&w->before, 4, false);
	build_init(&w->orphans, 4, false);
	build_init(&w->after, 4, false);
	w->orphans.header.flags |= PTAUDIT_H_ORPHANS;
}

/* Add a table with the same page frame to all three walks. */
static void in_all(struct walks *w, unsigned int level, uint64_t addr)
{
	static uint64_t pfn = 0x100000;

	pfn++;
	build_table(&w->before, level, addr)->pfn = pfn;
	build_table(&w->orphans, level, addr)->pfn = pfn;
	build_table(&w->after, level, addr)->pfn = pfn;
}

/* A PGD, a PUD and a PMD table, and PTE tables at A and A + 2 MiB. */
static void walks_init_same(struct walks *w)
{
	walks_init(w);
	in_all(w, PGD, 0);
	in_all(w, PUD, A);
	in_all(w, PMD, A);
	in_all(w, PTE, A);
	in_all(w, PTE, A + 2 * MIB);
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

static void compare_range(struct walks *w, uint64_t start, uint64_t end)
{
	struct ptu_snapshot before = build_snapshot(&w->before);
	struct ptu_snapshot orphans = parse_orphans(&w->orphans);
	struct ptu_snapshot after = build_snapshot(&w->after);

	if (ptu_walks_compare(&before, &orphans, &after, &w->after.geo, start,
			      end, &w->diffs, NULL))
		abort();
	ptu_snapshot_deinit(&before);
	ptu_snapshot_deinit(&orphans);
	ptu_snapshot_deinit(&after);
}

static void compare(struct walks *w)
{
	compare_range(w, 0, UINT64_MAX);
}

static void walks_deinit(struct walks *w)
{
	build_deinit(&w->before);
	build_deinit(&w->orphans);
	build_deinit(&w->after);
	ptu_walks_deinit(&w->diffs);
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
	struct walks w;

	walks_init_same(&w);
	compare(&w);
	CHECK_EQ(w.diffs.nr_diffs, 0);
	CHECK_EQ(w.diffs.matched[PTE], 2);
	CHECK_EQ(w.diffs.matched[PMD], 1);
	CHECK_EQ(w.diffs.matched[PUD], 1);
	CHECK_EQ(w.diffs.matched[PGD], 1);
	walks_deinit(&w);
}

UNIT_TEST(table_missing_in_the_walk_by_mappings_is_a_difference)
{
	struct walks w;
	struct ptaudit_table *orphan;

	walks_init_same(&w);
	orphan = build_pte(&w.orphans, A + 8 * MIB, 7);
	orphan->pfn = 0x55;
	orphan->flags |= PTAUDIT_T_OUTSIDE;
	/* both other walks saw an entry here that they did not follow */
	build_entries(&w.before, PMD, A + 8 * MIB, 1, PTAUDIT_K_UNWALKED, 0);
	build_entries(&w.after, PMD, A + 8 * MIB, 1, PTAUDIT_K_UNWALKED, 0);
	compare(&w);
	CHECK_EQ(w.diffs.nr_diffs, 1);
	CHECK(is(&w.diffs.diffs[0], PTE, A + 8 * MIB, false, true, true));
	CHECK(w.diffs.diffs[0].outside);
	CHECK_EQ(w.diffs.diffs[0].entries, 7);
	CHECK_EQ(w.diffs.matched[PTE], 2);
	walks_deinit(&w);
}

UNIT_TEST(table_missing_in_the_walk_of_all_entries_is_a_difference)
{
	struct walks w;

	walks_init_same(&w);
	build_forget(&w.orphans, PTE, A);
	compare(&w);
	CHECK_EQ(w.diffs.nr_diffs, 1);
	CHECK(is(&w.diffs.diffs[0], PTE, A, true, false, true));
	CHECK(!w.diffs.diffs[0].outside);
	CHECK_EQ(w.diffs.matched[PTE], 1);
	walks_deinit(&w);
}

UNIT_TEST(missed_and_invented_table_are_two_differences)
{
	struct walks w;

	walks_init_same(&w);
	build_forget(&w.orphans, PTE, A + 2 * MIB);
	build_pte(&w.orphans, A + 4 * MIB, 0)->pfn = 0x55;
	compare(&w);
	CHECK_EQ(w.diffs.nr_diffs, 2);
	CHECK(is(&w.diffs.diffs[0], PTE, A + 2 * MIB, true, false, true));
	CHECK(is(&w.diffs.diffs[1], PTE, A + 4 * MIB, false, true, true));
	walks_deinit(&w);
}

UNIT_TEST(tables_at_one_address_with_other_frames_are_one_difference)
{
	struct walks w;

	walks_init_same(&w);
	build_table(&w.orphans, PTE, A)->pfn = 0x55;
	compare(&w);
	CHECK_EQ(w.diffs.nr_diffs, 1);
	CHECK(is(&w.diffs.diffs[0], PTE, A, true, true, true));
	walks_deinit(&w);
}

UNIT_TEST(upper_tables_are_compared_too)
{
	struct walks w;

	walks_init_same(&w);
	build_table(&w.orphans, PMD, A)->pfn = 0x55;
	build_table(&w.orphans, PUD, A)->pfn = 0x56;
	compare(&w);
	CHECK_EQ(w.diffs.nr_diffs, 2);
	CHECK(is(&w.diffs.diffs[0], PUD, A, true, true, true));
	CHECK(is(&w.diffs.diffs[1], PMD, A, true, true, true));
	walks_deinit(&w);
}

UNIT_TEST(table_that_came_or_went_between_walks_is_not_stable)
{
	struct walks w;

	walks_init_same(&w);
	/* removed after the second walk, added after it, replaced */
	build_forget(&w.after, PTE, A);
	build_pte(&w.after, A + 4 * MIB, 1)->pfn = 0x55;
	build_table(&w.after, PTE, A + 2 * MIB)->pfn = 0x56;
	compare(&w);
	CHECK_EQ(w.diffs.nr_diffs, 3);
	CHECK(is(&w.diffs.diffs[0], PTE, A, false, true, false));
	CHECK(is(&w.diffs.diffs[1], PTE, A + 2 * MIB, true, true, false));
	CHECK(is(&w.diffs.diffs[2], PTE, A + 4 * MIB, true, false, false));
	walks_deinit(&w);
}

UNIT_TEST(first_walk_does_not_matter_if_the_others_agree)
{
	struct walks w;

	walks_init_same(&w);
	build_forget(&w.before, PTE, A);
	build_pte(&w.before, A + 6 * MIB, 1);
	build_table(&w.before, PTE, A + 2 * MIB)->pfn = 0x55;
	compare(&w);
	CHECK_EQ(w.diffs.nr_diffs, 0);
	CHECK_EQ(w.diffs.matched[PTE], 2);
	walks_deinit(&w);
}

UNIT_TEST(tables_partly_outside_the_range_are_not_compared)
{
	struct walks w;

	walks_init_same(&w);
	build_forget(&w.orphans, PTE, A);
	build_forget(&w.orphans, PTE, A + 2 * MIB);
	build_table(&w.orphans, PMD, A)->pfn = 0x55;
	compare_range(&w, A + 2 * MIB, A + 4 * MIB);
	CHECK_EQ(w.diffs.nr_diffs, 1);
	CHECK(is(&w.diffs.diffs[0], PTE, A + 2 * MIB, true, false, true));
	CHECK_EQ(w.diffs.matched[PGD], 0);
	CHECK(ptu_walks_find(&w.diffs, A + 2 * MIB, PTE));
	CHECK(!ptu_walks_find(&w.diffs, A + 2 * MIB, PMD));
	CHECK(!ptu_walks_find(&w.diffs, A, PTE));
	walks_deinit(&w);
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
}

/* The BPF walk is the middle one; the arguments are the entries of the table at A. */
static struct ptu_walk_diffs compare_bpf(struct walks *w, unsigned int before,
					 unsigned int other, unsigned int after)
{
	struct ptu_snapshot b, o, a;
	struct ptu_walk_diffs diffs;

	build_pte(&w->before, A, before);
	build_pte(&w->orphans, A, other);
	build_pte(&w->after, A, after);
	w->orphans.header.flags = PTAUDIT_H_BPF;
	w->orphans.header.lock_windows = 0;
	b = build_snapshot(&w->before);
	o = build_snapshot(&w->orphans);
	a = build_snapshot(&w->after);
	if (ptu_walks_compare(&b, &o, &a, &w->after.geo, 0, UINT64_MAX, &diffs,
			      NULL))
		abort();
	ptu_snapshot_deinit(&b);
	ptu_snapshot_deinit(&o);
	ptu_snapshot_deinit(&a);
	return diffs;
}

UNIT_TEST(bpf_has_to_see_the_same_contents)
{
	struct ptu_walk_diffs diffs;
	struct walks w;

	walks_init_same(&w);
	diffs = compare_bpf(&w, 3, 3, 3);
	CHECK_EQ(diffs.nr_diffs, 0);
	ptu_walks_deinit(&diffs);
	diffs = compare_bpf(&w, 3, 4, 3);
	CHECK_EQ(diffs.nr_diffs, 1);
	CHECK(is(&diffs.diffs[0], PTE, A, true, true, true));
	CHECK(diffs.diffs[0].contents);
	CHECK_EQ(diffs.diffs[0].entries, 3);
	CHECK_EQ(diffs.diffs[0].entries_other, 4);
	CHECK_EQ(diffs.matched[PTE], 2);
	ptu_walks_deinit(&diffs);
	/* the table changed between the walks, so nothing is known */
	diffs = compare_bpf(&w, 2, 4, 3);
	CHECK_EQ(diffs.nr_diffs, 0);
	ptu_walks_deinit(&diffs);
	build_deinit(&w.before);
	build_deinit(&w.orphans);
	build_deinit(&w.after);
}

UNIT_TEST(bpf_has_to_see_the_same_deposits)
{
	struct ptu_walk_diffs diffs;
	struct walks w;

	walks_init_same(&w);
	build_entries(&w.before, PMD, A + 8 * MIB, 2, PTAUDIT_K_LEAF, 0)
		->deposited = 2;
	build_entries(&w.orphans, PMD, A + 8 * MIB, 2, PTAUDIT_K_LEAF, 0)
		->deposited = 1;
	build_entries(&w.after, PMD, A + 8 * MIB, 2, PTAUDIT_K_LEAF, 0)
		->deposited = 2;
	diffs = compare_bpf(&w, 1, 1, 1);
	CHECK_EQ(diffs.nr_diffs, 1);
	CHECK(is(&diffs.diffs[0], PMD, A, true, true, true));
	CHECK(diffs.diffs[0].contents);
	ptu_walks_deinit(&diffs);
	build_deinit(&w.before);
	build_deinit(&w.orphans);
	build_deinit(&w.after);
}

/* An answer of the wrong walk is refused. */
UNIT_TEST(answers_of_the_wrong_walk_are_refused)
{
	struct ptu_snapshot snapshot;
	size_t nr_bytes;
	struct build b;
	void *bytes;

	build_init(&b, 4, false);
	build_pte(&b, A, 1);
	bytes = build_image(&b, &nr_bytes);
	CHECK_EQ(ptu_snapshot_parse_orphans(bytes, nr_bytes, &b.geo, &snapshot,
					    NULL),
		 -EBADMSG);
	free(bytes);
	b.header.flags |= PTAUDIT_H_ORPHANS;
	bytes = build_image(&b, &nr_bytes);
	CHECK_EQ(ptu_snapshot_parse(bytes, nr_bytes, &b.geo, &snapshot, NULL),
		 -EBADMSG);
	free(bytes);
	build_deinit(&b);
}

static int parse_and_drop(const struct build *b, bool orphans)
{
	struct ptu_snapshot snapshot = { 0 };
	size_t nr_bytes;
	void *bytes = build_image(b, &nr_bytes);
	int error = orphans ?
			    ptu_snapshot_parse_orphans(bytes, nr_bytes, &b->geo,
						       &snapshot, NULL) :
			    ptu_snapshot_parse(bytes, nr_bytes, &b->geo,
					       &snapshot, NULL);

	free(bytes);
	ptu_snapshot_deinit(&snapshot);
	return error;
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

UNIT_MAIN
