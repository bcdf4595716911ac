// SPDX-License-Identifier: GPL-2.0-only
/* A PTE table that both sides have must hold the entries that the estimator counted. */
#include "model/table_set.h"

#include "support/pipeline.h"
#include "support/levels.h"
#include "support/unit.h"

#define A UINT64_C(0x7f0000000000)

/* The estimator counts @entries in the table at A; the walks report @before and @after. */
static void judge(struct pipeline *p, unsigned int before, unsigned int after,
		  unsigned int entries)
{
	struct build b, a;
	struct ptu_tables claims;

	build_init(&b, 4, false);
	build_init(&a, 4, false);
	build_pte(&b, A, before);
	build_pte(&a, A, after);
	ptu_tables_init(&claims, &a.geo);
	if (ptu_tables_add(&claims, PTE, A + 4096, PTU_CERTAIN))
		abort();
	/* the entries lie in two mappings and must be added up */
	ptu_tables_count_entries(&claims, 1);
	ptu_tables_count_entries(&claims, entries - 1);
	pipeline_explain(p, &b, &a, &claims, 0);
	/* PTE, PMD and PUD table */
	pipeline_tally(p, &a.geo, 3 * 4096);
	ptu_tables_deinit(&claims);
	build_deinit(&b);
	build_deinit(&a);
}

UNIT_TEST(a_table_as_full_as_counted_agrees)
{
	struct pipeline p;

	judge(&p, 7, 7, 7);
	CHECK_EQ(p.diffs.nr_diffs, 0);
	CHECK_EQ(pipeline_status(&p), 0);
	pipeline_deinit(&p);
}

UNIT_TEST(entry_more_than_counted_is_unexplained)
{
	struct pipeline p;

	judge(&p, 8, 8, 7);
	CHECK_EQ(p.diffs.nr_diffs, 1);
	CHECK(p.diffs.diffs[0].contents);
	CHECK_EQ(p.diffs.diffs[0].entries, 7);
	CHECK_EQ(p.diffs.diffs[0].why, PTU_WHY_UNEXPLAINED);
	CHECK_EQ(pipeline_status(&p), 1);
	/* both sides have the table itself */
	CHECK_EQ(p.process.levels[PTE].kernel, 1);
	CHECK_EQ(p.process.levels[PTE].estimate, 1);
	CHECK_EQ(p.process.levels[PTE].unexplained, 0);
	pipeline_deinit(&p);
}

UNIT_TEST(entry_less_than_counted_is_unexplained)
{
	struct pipeline p;

	judge(&p, 6, 6, 7);
	CHECK_EQ(pipeline_status(&p), 1);
	pipeline_deinit(&p);
}

UNIT_TEST(a_table_that_was_filled_meanwhile_says_nothing)
{
	struct pipeline p;

	judge(&p, 6, 8, 7);
	CHECK_EQ(p.diffs.nr_diffs, 0);
	CHECK_EQ(pipeline_status(&p), 0);
	pipeline_deinit(&p);
}

/* The contents of @nr tables kept changing. */
static enum ptu_status in_flux(unsigned int nr)
{
	struct pipeline p;
	struct build b;
	struct ptu_tables claims;
	enum ptu_status status;

	build_init(&b, 4, false);
	ptu_tables_init(&claims, &b.geo);
	for (unsigned int i = 0; i < nr; i++) {
		build_pte(&b, A + i * 2 * MIB, 2);
		if (ptu_tables_add(&claims, PTE, A + i * 2 * MIB, PTU_CERTAIN))
			abort();
		ptu_tables_count_entries(&claims, 1);
	}
	pipeline_explain(&p, &b, &b, &claims, 0);
	for (unsigned int i = 0; i < p.diffs.nr_diffs; i++)
		p.diffs.diffs[i].why = PTU_WHY_IN_FLUX;
	pipeline_tally(&p, &b.geo, (nr + 2) * 4096);
	status = p.process.status;
	pipeline_deinit(&p);
	ptu_tables_deinit(&claims);
	build_deinit(&b);
	return status;
}

UNIT_TEST(contents_in_flux_count_towards_the_limit)
{
	CHECK_EQ(in_flux(8), PTU_STATUS_OK);
	CHECK_EQ(in_flux(9), PTU_STATUS_UNSTABLE);
}

UNIT_MAIN
