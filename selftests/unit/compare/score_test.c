// SPDX-License-Identifier: GPL-2.0-only
/* Scores of estimators that are wrong by known numbers of tables. */
#include "compare/score.h"

#include <stdlib.h>

#include "compare/table_rows.h"
#include "support/build.h"
#include "support/unit.h"

#define PTE PTAUDIT_PTE
#define PMD PTAUDIT_PMD
#define PUD PTAUDIT_PUD
#define PGD PTAUDIT_PGD
#define NR 8

struct court {
	struct ptu_process p[NR];
	struct ptu_score_report score;
	struct ptu_score_row row;
};

/*
 * @nr processes, each with 10 PTE, 3 PMD, 2 PUD tables and a PGD; the estimator finds all.
 */
static void court_init(struct court *c, size_t nr)
{
	static const uint64_t tables[] = {
		[PTE] = 10, [PMD] = 3, [PUD] = 2, [PGD] = 1
	};
	unsigned int level;
	size_t i;

	memset(c, 0, sizeof(*c));
	c->score.levels = ~0u;
	c->row.base.processes = c->p;
	c->row.base.nr_processes = nr;
	for (level = 0; level < PTAUDIT_NR_LEVELS; level++)
		c->row.base.level_unfolded[level] = tables[level];
	for (i = 0; i < nr; i++) {
		c->p[i].pid = 100 + (int)i;
		for (level = 0; level < PTAUDIT_NR_LEVELS; level++)
			c->p[i].levels[level] = (struct ptu_level_row){
				.kernel = tables[level],
				.estimate = tables[level],
			};
	}
}

/* Let the estimator miss @missed tables of a level, of which @explained are explained. */
static void miss(struct court *c, size_t i, unsigned int level, uint64_t missed,
		 uint64_t explained)
{
	struct ptu_level_row *row = &c->p[i].levels[level];

	row->estimate -= missed;
	row->kernel_only = missed;
	row->explained = explained;
	row->unexplained = missed - explained;
}

UNIT_TEST(errors_add_up_by_level)
{
	struct court c;

	court_init(&c, 4);
	miss(&c, 1, PTE, 7, 0);
	miss(&c, 2, PTE, 2, 0);
	miss(&c, 2, PMD, 1, 0);
	ptu_score_add_up(&c.score, &c.row);
	CHECK_EQ(c.row.processes, 4);
	CHECK_EQ(c.row.exact, 2);
	CHECK_EQ(c.row.accounted, 0);
	CHECK_EQ(c.row.levels[PTE].kernel, 40);
	CHECK_EQ(c.row.levels[PTE].estimate, 31);
	CHECK_EQ(c.row.levels[PTE].missed, 9);
	CHECK_EQ(c.row.levels[PTE].invented, 0);
	CHECK_EQ(c.row.levels[PTE].errors, 9);
	CHECK_EQ(c.row.levels[PTE].exact, 2);
	CHECK_EQ(c.row.levels[PTE].worst.errors, 7);
	CHECK_EQ(c.row.levels[PTE].worst.pid, 101);
	CHECK_EQ(c.row.levels[PMD].errors, 1);
	CHECK_EQ(c.row.levels[PMD].exact, 3);
	CHECK_EQ(c.row.levels[PMD].worst.pid, 102);
	CHECK_EQ(c.row.levels[PUD].errors, 0);
	CHECK_EQ(c.row.levels[PUD].worst.pid, 0);
	CHECK_EQ(c.row.nr_worst, 2);
	CHECK_EQ(c.row.worst[0].who.pid, 101);
	CHECK_EQ(c.row.worst[1].who.pid, 102);
	CHECK_EQ(c.row.worst[1].who.errors, 3);
}

UNIT_TEST(a_table_missed_and_one_invented_are_two_errors)
{
	struct court c;

	court_init(&c, 1);
	c.p[0].levels[PTE].kernel_only = 1;
	c.p[0].levels[PTE].estimate_only = 1;
	c.p[0].levels[PTE].unexplained = 2;
	ptu_score_add_up(&c.score, &c.row);
	CHECK_EQ(c.row.levels[PTE].kernel, c.row.levels[PTE].estimate);
	CHECK_EQ(c.row.levels[PTE].errors, 2);
	CHECK_EQ(c.row.exact, 0);
}

UNIT_TEST(explained_differences_are_errors_with_exact_only)
{
	struct court c;

	court_init(&c, 3);
	miss(&c, 0, PTE, 6, 6);
	miss(&c, 1, PTE, 5, 4);
	ptu_score_add_up(&c.score, &c.row);
	CHECK_EQ(c.row.exact, 1);
	CHECK_EQ(c.row.accounted, 1);
	CHECK_EQ(c.row.levels[PTE].errors, 1);
	CHECK_EQ(c.row.levels[PTE].explained, 10);
	CHECK_EQ(c.row.levels[PTE].exact, 1);
	/* an unexplained error ranks above any number of explained ones */
	CHECK_EQ(c.row.worst[0].who.pid, 101);
	CHECK_EQ(c.row.worst[1].who.pid, 100);
	CHECK_EQ(c.row.worst[1].who.explained, 6);

	court_init(&c, 3);
	c.score.exact_only = true;
	miss(&c, 0, PTE, 6, 6);
	miss(&c, 1, PTE, 5, 4);
	ptu_score_add_up(&c.score, &c.row);
	CHECK_EQ(c.row.exact, 1);
	CHECK_EQ(c.row.accounted, 0);
	CHECK_EQ(c.row.levels[PTE].errors, 11);
	CHECK_EQ(c.row.levels[PTE].explained, 0);
	CHECK_EQ(c.row.worst[0].who.pid, 100);
}

UNIT_TEST(tables_in_flux_are_no_errors)
{
	struct court c;

	court_init(&c, 1);
	c.p[0].levels[PTE].kernel_only = 4;
	c.p[0].levels[PTE].in_flux = 4;
	c.score.exact_only = true;
	ptu_score_add_up(&c.score, &c.row);
	CHECK_EQ(c.row.levels[PTE].errors, 0);
	CHECK_EQ(c.row.nr_worst, 0);
}

UNIT_TEST(levels_can_be_chosen)
{
	struct court c;

	court_init(&c, 2);
	c.score.levels = 1u << PTE;
	miss(&c, 0, PMD, 2, 0);
	miss(&c, 1, PTE, 3, 0);
	ptu_score_add_up(&c.score, &c.row);
	CHECK_EQ(c.row.exact, 1);
	CHECK_EQ(c.row.levels[PMD].processes, 0);
	CHECK_EQ(c.row.levels[PTE].processes, 2);
	CHECK_EQ(c.row.worst[0].who.errors, 3);
}

UNIT_TEST(a_formula_of_one_level_is_not_asked_about_the_others)
{
	struct court c;

	court_init(&c, 2);
	c.p[0].stated = c.p[1].stated = 1u << PTE;
	miss(&c, 0, PTE, 4, 0);
	c.p[0].levels[PUD].estimate = 0;
	ptu_score_add_up(&c.score, &c.row);
	CHECK(c.row.is_counts);
	CHECK_EQ(c.row.levels[PUD].processes, 0);
	CHECK_EQ(c.row.levels[PTE].errors, 4);

	court_init(&c, 1);
	c.p[0].stated = 1u << PTE;
	c.score.levels = 1u << PMD;
	ptu_score_add_up(&c.score, &c.row);
	CHECK_EQ(c.row.processes, 0);
	CHECK_EQ(c.row.exact, 0);
}

UNIT_TEST(five_are_the_worst_and_the_first_of_equals_comes_first)
{
	static const uint64_t errors[NR] = { 2, 9, 1, 5, 5, 0, 3, 4 };
	static const int order[] = { 101, 103, 104, 107, 106 };
	struct court c;

	court_init(&c, NR);
	for (size_t i = 0; i < NR; i++)
		miss(&c, i, PTE, errors[i], 0);
	ptu_score_add_up(&c.score, &c.row);
	CHECK_EQ(c.row.nr_worst, 5);
	for (size_t i = 0; i < 5; i++)
		CHECK_EQ(c.row.worst[i].who.pid, order[i]);
	CHECK(c.row.worst[0].process == &c.p[1]);
}

UNIT_TEST(unmeasured_process_is_no_agreement)
{
	struct ptu_score_row rows[1];
	struct ptu_score_report all = { .rows = rows, .nr_rows = 1 };
	struct court c;

	court_init(&c, 4);
	c.row.base.is_all = true;
	c.p[0].status = PTU_STATUS_GONE;
	c.p[1].status = PTU_STATUS_DENIED;
	ptu_score_add_up(&c.score, &c.row);
	CHECK_EQ(c.row.processes, 2);
	CHECK_EQ(c.row.not_measured, 0);
	rows[0] = c.row;
	CHECK_EQ(ptu_score_status(&all), 0);
	rows[0].base.require_all = true;
	CHECK_EQ(ptu_score_status(&all), 2);

	court_init(&c, 2);
	c.row.base.is_all = true;
	c.p[0].status = PTU_STATUS_FAILED;
	ptu_score_add_up(&c.score, &c.row);
	rows[0] = c.row;
	CHECK_EQ(ptu_score_status(&all), 2);

	/* a process that the user named */
	court_init(&c, 2);
	c.p[0].status = PTU_STATUS_GONE;
	ptu_score_add_up(&c.score, &c.row);
	CHECK_EQ(c.row.not_measured, 1);

	court_init(&c, 1);
	c.row.base.is_all = true;
	c.p[0].status = PTU_STATUS_GONE;
	ptu_score_add_up(&c.score, &c.row);
	rows[0] = c.row;
	CHECK_EQ(ptu_score_status(&all), 2);
}

UNIT_TEST(score_lists_reasons_by_level)
{
	struct ptu_cause_row causes[] = {
		{ .why = PTU_WHY_EMPTY, .level = PTE, .tables = 6 },
		{ .why = PTU_WHY_HOLLOW, .level = PMD, .tables = 1 },
		{ .why = PTU_WHY_IN_FLUX, .level = PTE, .tables = 3 },
	};
	char why[PTU_SCORE_WHY];
	struct court c;

	court_init(&c, 1);
	c.p[0].causes = causes;
	c.p[0].nr_causes = 3;
	miss(&c, 0, PTE, 8, 6);
	CHECK(!strcmp(ptu_score_why(&c.score, &c.p[0], why),
		      "1 pmd hollow, 6 pte empty, 2 pte unexplained"));
	c.score.levels = 1u << PMD;
	CHECK(!strcmp(ptu_score_why(&c.score, &c.p[0], why), "1 pmd hollow"));

	court_init(&c, 1);
	c.p[0].stated = 1u << PTE | 1u << PMD;
	miss(&c, 0, PTE, 8, 0);
	CHECK(!strcmp(ptu_score_why(&c.score, &c.p[0], why), "pte 2 for 10"));
}

/* The kernel has 5 PTE tables before the formula runs and 7 afterwards. */
static void count(uint64_t stated, struct ptu_process *ret)
{
	struct ptu_stated counts = { .stated = 1u << PTE,
				     .tables[PTE] = stated };
	struct ptu_snapshot before, after;
	struct build b;

	memset(ret, 0, sizeof(*ret));
	build_init(&b, 4, false);
	for (unsigned int i = 0; i < 5; i++)
		build_pte(&b, i * 2 * MIB, 1);
	before = build_snapshot(&b);
	build_pte(&b, 5 * 2 * MIB, 1);
	build_pte(&b, 6 * 2 * MIB, 1);
	after = build_snapshot(&b);
	CHECK_EQ(ptu_tally_counts(&before, &after, &counts, &b.geo, ret), 0);
	ptu_snapshot_deinit(&before);
	ptu_snapshot_deinit(&after);
	build_deinit(&b);
}

UNIT_TEST(a_count_is_judged_by_both_walks)
{
	struct ptu_process p;

	count(4, &p);
	CHECK_EQ(p.levels[PTE].kernel, 7);
	CHECK_EQ(p.levels[PTE].estimate, 4);
	CHECK_EQ(p.levels[PTE].kernel_only, 3);
	CHECK_EQ(p.levels[PTE].unexplained, 1);
	CHECK_EQ(p.levels[PTE].in_flux, 2);
	CHECK_EQ(p.levels[PMD].unexplained, 0);
	CHECK_EQ(p.stated, 1u << PTE);
	count(6, &p);
	CHECK_EQ(p.levels[PTE].unexplained, 0);
	CHECK_EQ(p.levels[PTE].in_flux, 1);
	count(10, &p);
	CHECK_EQ(p.levels[PTE].estimate_only, 3);
	CHECK_EQ(p.levels[PTE].kernel_only, 0);
	CHECK_EQ(p.levels[PTE].unexplained, 3);
	CHECK_EQ(p.levels[PTE].in_flux, 0);
}

UNIT_MAIN
