// SPDX-License-Identifier: GPL-2.0-only
/* Scores of estimators that are wrong by known numbers of tables. */
#include "compare/score.h"

#include <stdlib.h>

#include "compare/table_rows.h"
#include "support/build.h"
#include "support/levels.h"
#include "support/unit.h"

#define NR 8

static struct ptu_process p[NR];
static struct ptu_score_report score;
static struct ptu_score_row row;

/*
 * @nr processes, each with 10 PTE, 3 PMD, 2 PUD tables and a PGD; the estimator finds all.
 */
static void court_init(size_t nr)
{
	static const uint64_t tables[] = {
		[PTE] = 10, [PMD] = 3, [PUD] = 2, [PGD] = 1
	};
	unsigned int level;

	score = (struct ptu_score_report){ .levels = ~0u };
	row = (struct ptu_score_row){
		.base = { .processes = p, .nr_processes = nr },
	};
	for (level = 0; level < PTAUDIT_NR_LEVELS; level++)
		row.base.level_unfolded[level] = tables[level];
	for (size_t i = 0; i < nr; i++) {
		p[i] = (struct ptu_process){ .pid = 100 + (int)i };
		for (level = 0; level < PTAUDIT_NR_LEVELS; level++)
			p[i].levels[level] = (struct ptu_level_row){
				.kernel = tables[level],
				.estimate = tables[level],
			};
	}
}

/* Let the estimator miss @missed tables of a level, of which @explained are explained. */
static void miss(size_t i, unsigned int level, uint64_t missed,
		 uint64_t explained)
{
	struct ptu_level_row *at = &p[i].levels[level];

	at->estimate -= missed;
	at->kernel_only = missed;
	at->explained = explained;
	at->unexplained = missed - explained;
}

UNIT_TEST(errors_add_up_by_level)
{
	court_init(4);
	miss(1, PTE, 7, 0);
	miss(2, PTE, 2, 0);
	miss(2, PMD, 1, 0);
	CHECK_EQ(ptu_score_add_up(&score, &row), 0);
	CHECK_EQ(row.processes, 4);
	CHECK_EQ(row.exact, 2);
	CHECK_EQ(row.accounted, 0);
	CHECK_EQ(row.levels[PTE].kernel, 40);
	CHECK_EQ(row.levels[PTE].estimate, 31);
	CHECK_EQ(row.levels[PTE].missed, 9);
	CHECK_EQ(row.levels[PTE].invented, 0);
	CHECK_EQ(row.levels[PTE].errors, 9);
	CHECK_EQ(row.levels[PTE].exact, 2);
	CHECK_EQ(row.levels[PTE].worst.errors, 7);
	CHECK_EQ(row.levels[PTE].worst.pid, 101);
	CHECK_EQ(row.levels[PMD].errors, 1);
	CHECK_EQ(row.levels[PMD].exact, 3);
	CHECK_EQ(row.levels[PMD].worst.pid, 102);
	CHECK_EQ(row.levels[PUD].errors, 0);
	CHECK_EQ(row.levels[PUD].worst.pid, 0);
	CHECK_EQ(row.nr_worst, 2);
	CHECK_EQ(row.worst[0].who.pid, 101);
	CHECK_EQ(row.worst[1].who.pid, 102);
	CHECK_EQ(row.worst[1].who.errors, 3);
}

UNIT_TEST(a_table_missed_and_one_invented_are_two_errors)
{
	court_init(1);
	p[0].levels[PTE].kernel_only = 1;
	p[0].levels[PTE].estimate_only = 1;
	p[0].levels[PTE].unexplained = 2;
	CHECK_EQ(ptu_score_add_up(&score, &row), 0);
	CHECK_EQ(row.levels[PTE].kernel, row.levels[PTE].estimate);
	CHECK_EQ(row.levels[PTE].errors, 2);
	CHECK_EQ(row.exact, 0);
}

UNIT_TEST(explained_differences_are_errors_with_exact_only)
{
	court_init(3);
	miss(0, PTE, 6, 6);
	miss(1, PTE, 5, 4);
	CHECK_EQ(ptu_score_add_up(&score, &row), 0);
	CHECK_EQ(row.exact, 1);
	CHECK_EQ(row.accounted, 1);
	CHECK_EQ(row.levels[PTE].errors, 1);
	CHECK_EQ(row.levels[PTE].explained, 10);
	CHECK_EQ(row.levels[PTE].exact, 1);
	/* an unexplained error ranks above any number of explained ones */
	CHECK_EQ(row.worst[0].who.pid, 101);
	CHECK_EQ(row.worst[1].who.pid, 100);
	CHECK_EQ(row.worst[1].who.explained, 6);

	court_init(3);
	score.exact_only = true;
	miss(0, PTE, 6, 6);
	miss(1, PTE, 5, 4);
	CHECK_EQ(ptu_score_add_up(&score, &row), 0);
	CHECK_EQ(row.exact, 1);
	CHECK_EQ(row.accounted, 0);
	CHECK_EQ(row.levels[PTE].errors, 11);
	CHECK_EQ(row.levels[PTE].explained, 0);
	CHECK_EQ(row.worst[0].who.pid, 100);
}

UNIT_TEST(tables_in_flux_are_no_errors)
{
	court_init(1);
	p[0].levels[PTE].kernel_only = 4;
	p[0].levels[PTE].in_flux = 4;
	score.exact_only = true;
	CHECK_EQ(ptu_score_add_up(&score, &row), 0);
	CHECK_EQ(row.levels[PTE].errors, 0);
	CHECK_EQ(row.nr_worst, 0);
}

UNIT_TEST(levels_can_be_chosen)
{
	court_init(2);
	score.levels = 1u << PTE;
	miss(0, PMD, 2, 0);
	miss(1, PTE, 3, 0);
	CHECK_EQ(ptu_score_add_up(&score, &row), 0);
	CHECK_EQ(row.exact, 1);
	CHECK_EQ(row.levels[PMD].processes, 0);
	CHECK_EQ(row.levels[PTE].processes, 2);
	CHECK_EQ(row.worst[0].who.errors, 3);
}

UNIT_TEST(a_folded_level_has_no_score)
{
	court_init(1);
	CHECK_EQ(ptu_score_add_up(&score, &row), 0);
	CHECK_EQ(row.levels[P4D].processes, 0);
	CHECK_EQ(row.levels[PUD].processes, 1);
}

UNIT_TEST(a_formula_for_one_level_is_not_scored_at_the_others)
{
	court_init(2);
	p[0].stated = p[1].stated = 1u << PTE;
	miss(0, PTE, 4, 0);
	p[0].levels[PUD].estimate = 0;
	CHECK_EQ(ptu_score_add_up(&score, &row), 0);
	CHECK(row.is_counts);
	CHECK_EQ(row.levels[PUD].processes, 0);
	CHECK_EQ(row.levels[PTE].errors, 4);

	/* it states no count of the last process */
	court_init(2);
	p[0].stated = 1u << PTE;
	CHECK_EQ(ptu_score_add_up(&score, &row), 0);
	CHECK(row.is_counts);

	court_init(1);
	p[0].stated = 1u << PTE;
	score.levels = 1u << PMD;
	CHECK_EQ(ptu_score_add_up(&score, &row), 0);
	CHECK_EQ(row.processes, 0);
	CHECK_EQ(row.exact, 0);
}

UNIT_TEST(five_are_the_worst_and_the_first_of_equals_comes_first)
{
	static const uint64_t errors[NR] = { 2, 9, 1, 5, 5, 0, 3, 4 };
	static const int order[] = { 101, 103, 104, 107, 106 };

	court_init(NR);
	for (size_t i = 0; i < NR; i++)
		miss(i, PTE, errors[i], 0);
	CHECK_EQ(ptu_score_add_up(&score, &row), 0);
	CHECK_EQ(row.nr_worst, 5);
	for (size_t i = 0; i < 5; i++)
		CHECK_EQ(row.worst[i].who.pid, order[i]);
	CHECK(row.worst[0].process == &p[1]);
}

/* A PID that is given twice, or a vfork() child. */
UNIT_TEST(an_address_space_that_several_pids_have_is_scored_once)
{
	court_init(5);
	p[0].mm = p[1].mm = p[2].mm = 7;
	p[3].mm = 8;
	p[0].status = PTU_STATUS_FAILED;
	for (size_t i = 1; i < 5; i++)
		miss(i, PTE, 2, 0);
	CHECK_EQ(ptu_score_add_up(&score, &row), 0);
	/* p[1], p[3], and p[4], whose address space is not known */
	CHECK_EQ(row.processes, 3);
	CHECK_EQ(row.levels[PTE].kernel, 30);
	CHECK_EQ(row.levels[PTE].errors, 6);
	CHECK_EQ(row.nr_worst, 3);
	CHECK_EQ(row.worst[1].who.pid, 103);
}

UNIT_TEST(unmeasured_process_is_no_agreement)
{
	struct ptu_score_row rows[1];
	struct ptu_score_report all = { .rows = rows, .nr_rows = 1 };

	court_init(4);
	row.base.is_all = true;
	p[0].status = PTU_STATUS_GONE;
	p[1].status = PTU_STATUS_DENIED;
	CHECK_EQ(ptu_score_add_up(&score, &row), 0);
	CHECK_EQ(row.processes, 2);
	CHECK_EQ(row.not_measured, 0);
	rows[0] = row;
	CHECK_EQ(ptu_score_status(&all), 0);
	rows[0].base.require_all = true;
	CHECK_EQ(ptu_score_status(&all), 2);

	court_init(2);
	row.base.is_all = true;
	p[0].status = PTU_STATUS_FAILED;
	CHECK_EQ(ptu_score_add_up(&score, &row), 0);
	rows[0] = row;
	CHECK_EQ(ptu_score_status(&all), 2);

	/* a process that the user named */
	court_init(2);
	p[0].status = PTU_STATUS_GONE;
	CHECK_EQ(ptu_score_add_up(&score, &row), 0);
	CHECK_EQ(row.not_measured, 1);

	court_init(1);
	row.base.is_all = true;
	p[0].status = PTU_STATUS_GONE;
	CHECK_EQ(ptu_score_add_up(&score, &row), 0);
	rows[0] = row;
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

	court_init(1);
	p[0].causes = causes;
	p[0].nr_causes = 3;
	miss(0, PTE, 8, 6);
	CHECK(!strcmp(ptu_score_why(&score, &p[0], why),
		      "1 pmd hollow, 6 pte empty, 2 pte unexplained"));
	score.levels = 1u << PMD;
	CHECK(!strcmp(ptu_score_why(&score, &p[0], why), "1 pmd hollow"));

	court_init(1);
	p[0].stated = 1u << PTE | 1u << PMD;
	miss(0, PTE, 8, 0);
	CHECK(!strcmp(ptu_score_why(&score, &p[0], why), "pte 2 for 10"));
}

/* The kernel has 5 PTE tables before the formula runs and 7 afterwards. */
static void count(uint64_t stated, struct ptu_process *ret)
{
	struct ptu_stated counts = { .stated = 1u << PTE,
				     .tables[PTE] = stated };
	struct ptu_snapshot before, after;
	struct build b;

	/* from ptu_tally_vmpte() */
	*ret = (struct ptu_process){ .deposited_tables = 3 };
	build_init(&b, 4, false);
	for (unsigned int i = 0; i < 5; i++)
		build_pte(&b, i * 2 * MIB, 1);
	before = build_snapshot(&b);
	build_pte(&b, 5 * 2 * MIB, 1);
	build_pte(&b, 6 * 2 * MIB, 1);
	build_table(&b, PMD, 0)->deposited = 3;
	after = build_snapshot(&b);
	CHECK_EQ(ptu_tally_counts(&before, &after, &counts, &b.geo, ret), 0);
	ptu_snapshot_deinit(&before);
	ptu_snapshot_deinit(&after);
	build_deinit(&b);
}

UNIT_TEST(a_count_is_judged_by_both_walks)
{
	struct ptu_process counted;

	count(4, &counted);
	CHECK_EQ(counted.levels[PTE].kernel, 7);
	CHECK_EQ(counted.levels[PTE].estimate, 4);
	CHECK_EQ(counted.levels[PTE].kernel_only, 3);
	CHECK_EQ(counted.levels[PTE].unexplained, 1);
	CHECK_EQ(counted.levels[PTE].in_flux, 2);
	CHECK_EQ(counted.levels[PMD].unexplained, 0);
	CHECK_EQ(counted.stated, 1u << PTE);
	CHECK_EQ(counted.deposited_tables, 3);
	count(6, &counted);
	CHECK_EQ(counted.levels[PTE].unexplained, 0);
	CHECK_EQ(counted.levels[PTE].in_flux, 1);
	count(10, &counted);
	CHECK_EQ(counted.levels[PTE].estimate_only, 3);
	CHECK_EQ(counted.levels[PTE].kernel_only, 0);
	CHECK_EQ(counted.levels[PTE].unexplained, 3);
	CHECK_EQ(counted.levels[PTE].in_flux, 0);
}

UNIT_MAIN
