// SPDX-License-Identifier: GPL-2.0-only
/*
 * `pages` and `check --pages` while pages migrate to another NUMA node.  The module hold
 * stops the migrations half way, as in migrate_test.
 */
#define _GNU_SOURCE
#include "fixtures/pages.h"

#define NR_HUGE "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages"

static void undo(void)
{
	live_migrate_on();
	live_set(NR_HUGE, "0");
}

static pid_t build_small(const struct shape *s)
{
	map_small(s->start, 16);
	live_touch(s->start, s->start + 16 * PAGE);
	live_migrate(s->start + PAGE, 2 * PAGE, 3);
	return 0;
}

static pid_t build_leaf(const struct shape *s)
{
	map_huge(s->start, 2);
	live_touch(s->start, s->start + 2 * HUGE);
	must_be_huge(s->start, 2);
	live_migrate(s->start + HUGE, HUGE, 1);
	return 0;
}

static pid_t build_hugetlb(const struct shape *s)
{
	live_must(live_set(NR_HUGE, "32"));
	live_map(s->start, 2 * HUGE, MAP_HUGETLB);
	live_touch(s->start, s->start + 2 * HUGE);
	live_migrate(s->start + HUGE, HUGE, 1);
	return 0;
}

PAGES(migrating, build_small, NR(SMALL_ANON(13), KEY(MIGRATION) = 3),
      .missing = live_migrate_missing, .undo = undo);

FIXTURE_VARIANT_ADD(pages, migrating_leaf){
	.build = build_leaf,
	.nr = { KEY(PRESENT) = PTES, KEY(ANON) = PTES, KEY(PMD_PAGES) = PTES,
		KEY(MAPPED_ONCE) = PTES, KEY(ANON_ONCE) = PTES,
		KEY(EXCLUSIVE) = PTES, KEY(EXCLUSIVE_PMD) = PTES,
		KEY(MIGRATION) = PTES, KEY(ABSENT_PMD) = PTES },
	.missing = live_migrate_missing,
	.undo = undo,
	/* smaps counts two leaves together, which shows neither of them */
	.large_folio = PTES,
};

PAGES(migrating_hugetlb, build_hugetlb,
      NR(KEY(HUGETLB) = PTES, KEY(HUGETLB_PMD) = PTES, KEY(HUGETLB_ANON) = PTES,
	 KEY(HUGETLB_ONCE) = PTES, KEY(HUGETLB_ANON_ONCE) = PTES,
	 KEY(HUGETLB_EXCLUSIVE) = PTES, KEY(HUGETLB_OTHER) = PTES),
      .missing = live_migrate_missing, .undo = undo);

/* A migrating leaf at shape.start + HUGE, and a request for a part of it. */
FIXTURE(part)
{
	struct target target;
	bool skipped;
};

FIXTURE_VARIANT(part)
{
	live_build build;
	uint64_t nr[PTAUDIT_NR_PAGES_KEYS];
};

FIXTURE_VARIANT_ADD(part, of_a_leaf){
	.build = build_leaf,
	.nr = { KEY(MIGRATION) = 3, KEY(ABSENT_PMD) = 3 },
};

FIXTURE_VARIANT_ADD(part, of_a_hugetlb_page){
	.build = build_hugetlb,
	.nr = { KEY(HUGETLB_OTHER) = 3 },
};

FIXTURE_SETUP(part)
{
	SKIP_WITHOUT(live_migrate_missing());
	ASSERT_EQ(0, live_check_environment());
	START_TARGET(variant->build, &shape);
}

FIXTURE_TEARDOWN(part)
{
	target_stop(&self->target);
	undo();
}

TEST_F(part, only_requested_pages_are_counted)
{
	const uint64_t start = shape.start + HUGE + 100 * PAGE;
	struct pages_answer answer;

	if (self->skipped)
		return;
	ASSERT_EQ(0, live_pages(self->target.pid, start, start + 3 * PAGE,
				&answer));
	EXPECT_EQ(0, pages_compare(&answer, variant->nr));
}

TEST_HARNESS_MAIN
