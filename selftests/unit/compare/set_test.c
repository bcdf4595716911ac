// SPDX-License-Identifier: GPL-2.0-only
/* Totals of several processes: a table that they share counts once. */
#include "compare/set.h"

#include "support/unit.h"

#define PTE PTAUDIT_PTE
#define PMD PTAUDIT_PMD
#define PUD PTAUDIT_PUD
#define PGD PTAUDIT_PGD
#define PAGE 4096

#define NR_SHARED 4

struct group {
	struct ptu_report report;
	struct ptu_process p[4];
	struct ptu_shared shared[4][NR_SHARED];
};

/*
 * Each process has 10 PTE, 5 PMD and 2 PUD tables, a PGD of two pages, and 3 deposited
 * tables.
 */
static void group_init(struct group *g, size_t nr)
{
	size_t i;

	memset(g, 0, sizeof(*g));
	g->report.is_check = true;
	g->report.page_bytes = PAGE;
	g->report.processes = g->p;
	g->report.nr_processes = nr;
	for (i = 0; i < nr; i++) {
		struct ptu_process *p = &g->p[i];

		p->pid = 100 + (int)i;
		p->mm = 7000 + i;
		p->levels[PTE] = (struct ptu_level_row){ .kernel = 10,
							 .bytes = 40960 };
		p->levels[PMD] = (struct ptu_level_row){ .kernel = 5,
							 .bytes = 20480 };
		p->levels[PUD] = (struct ptu_level_row){ .kernel = 2,
							 .bytes = 8192 };
		p->levels[PGD] = (struct ptu_level_row){ .kernel = 1,
							 .bytes = 8192 };
		p->tree_bytes = 17 * PAGE;
		p->deposited_tables = 3;
		p->vmpte_bytes = 20 * PAGE;
		p->shared = g->shared[i];
	}
}

static void share(struct group *g, size_t process, uint64_t pfn,
		  uint32_t sharers)
{
	struct ptu_process *p = &g->p[process];

	p->shared[p->nr_shared++] = (struct ptu_shared){
		.start = (pfn + process) << 30,
		.pfn = pfn,
		.sharers = sharers,
		.pages = 1,
		.level = PMD,
	};
}

UNIT_TEST(processes_without_shared_tables_just_add_up)
{
	struct group g;

	group_init(&g, 3);
	CHECK_EQ(ptu_set_add_up(&g.report), 0);
	CHECK_EQ(g.report.set.nr_spaces, 3);
	CHECK_EQ(g.report.set.tables[PTE], 30);
	CHECK_EQ(g.report.set.tables[PMD], 15);
	CHECK_EQ(g.report.set.tables[PUD], 6);
	CHECK_EQ(g.report.set.tables[PGD], 3);
	CHECK_EQ(g.report.set.bytes[PTE], 30 * PAGE);
	CHECK_EQ(g.report.set.bytes[PGD], 6 * PAGE);
	CHECK_EQ(g.report.set.tree_bytes, 51 * PAGE);
	CHECK_EQ(g.report.set.deposited_tables, 9);
	CHECK_EQ(g.report.set.vmpte_bytes, 60 * PAGE);
	CHECK_EQ(g.report.set.shared_tables, 0);
	CHECK_EQ(g.report.set.counted_again, 0);
	CHECK_EQ(g.report.set.residual_bytes, 0);
}

/* One table is shared by all three processes, another by the first two. */
UNIT_TEST(a_shared_table_is_counted_once)
{
	struct group g;

	group_init(&g, 3);
	share(&g, 0, 55, 2);
	share(&g, 0, 44, 1);
	share(&g, 1, 44, 1);
	share(&g, 1, 55, 2);
	share(&g, 2, 55, 2);
	CHECK_EQ(ptu_set_add_up(&g.report), 0);
	CHECK_EQ(g.report.set.shared_tables, 2);
	CHECK_EQ(g.report.set.shared_outside, 0);
	CHECK_EQ(g.report.set.counted_again, 2 + 1);
	CHECK_EQ(g.report.set.again_bytes, 3 * PAGE);
	CHECK_EQ(g.report.set.tables[PMD], 15 - 3);
	CHECK_EQ(g.report.set.bytes[PMD], 12 * PAGE);
	CHECK_EQ(g.report.set.tables[PTE], 30);
	CHECK_EQ(g.report.set.tree_bytes, 48 * PAGE);
	CHECK_EQ(g.report.set.vmpte_bytes, 60 * PAGE);
	CHECK_EQ(g.report.set.residual_bytes, 0);
}

UNIT_TEST(sharers_outside_the_set_take_nothing_off_it)
{
	struct group g;

	group_init(&g, 2);
	share(&g, 0, 55, 9);
	share(&g, 0, 44, 2);
	share(&g, 1, 44, 2);
	share(&g, 1, 33, 1);
	CHECK_EQ(ptu_set_add_up(&g.report), 0);
	CHECK_EQ(g.report.set.shared_tables, 3);
	CHECK_EQ(g.report.set.shared_outside, 3);
	CHECK_EQ(g.report.set.counted_again, 1);
	CHECK_EQ(g.report.set.tables[PMD], 9);
	CHECK_EQ(g.report.set.residual_bytes, 0);
}

UNIT_TEST(a_process_can_share_with_itself)
{
	struct group g;

	group_init(&g, 1);
	share(&g, 0, 55, 2);
	share(&g, 0, 55, 2);
	share(&g, 0, 55, 2);
	CHECK_EQ(ptu_set_add_up(&g.report), 0);
	CHECK_EQ(g.report.set.shared_tables, 1);
	CHECK_EQ(g.report.set.shared_outside, 0);
	CHECK_EQ(g.report.set.counted_again, 2);
	CHECK_EQ(g.report.set.tables[PMD], 3);
}

/*
 * After vfork(), or if one PID is named twice, the tables are the same ones and not
 * shared.
 */
UNIT_TEST(an_address_space_counts_once)
{
	struct group g;

	group_init(&g, 3);
	share(&g, 0, 55, 1);
	share(&g, 1, 55, 1);
	share(&g, 2, 55, 1);
	g.p[2].mm = g.p[0].mm;
	CHECK_EQ(ptu_set_add_up(&g.report), 0);
	CHECK_EQ(g.report.set.nr_spaces, 2);
	CHECK_EQ(g.report.set.tables[PTE], 20);
	CHECK_EQ(g.report.set.counted_again, 1);
	CHECK_EQ(g.report.set.vmpte_bytes, 40 * PAGE);
	CHECK_EQ(g.report.set.residual_bytes, 0);
	/* unknown identities do not count as equal */
	g.p[2].mm = g.p[0].mm = 0;
	CHECK_EQ(ptu_set_add_up(&g.report), 0);
	CHECK_EQ(g.report.set.nr_spaces, 3);
}

UNIT_TEST(unmeasured_process_is_not_in_the_set)
{
	struct group g;

	group_init(&g, 4);
	share(&g, 0, 55, 3);
	share(&g, 1, 55, 3);
	share(&g, 2, 55, 3);
	share(&g, 3, 55, 3);
	g.p[0].status = PTU_STATUS_UNSTABLE;
	g.p[1].mm = g.p[0].mm;
	g.p[2].status = PTU_STATUS_GONE;
	g.p[3].status = PTU_STATUS_FAILED;
	CHECK_EQ(ptu_set_add_up(&g.report), 0);
	CHECK_EQ(g.report.set.nr_spaces, 1);
	CHECK_EQ(g.report.set.tables[PMD], 5);
	CHECK_EQ(g.report.set.shared_tables, 1);
	CHECK_EQ(g.report.set.shared_outside, 1);
	CHECK_EQ(g.report.set.counted_again, 0);
}

UNIT_TEST(a_sum_that_does_not_close_stays_open)
{
	struct group g;

	group_init(&g, 2);
	g.p[0].vmpte_bytes += PAGE;
	CHECK_EQ(ptu_set_add_up(&g.report), 0);
	CHECK_EQ(g.report.set.residual_bytes, PAGE);
	g.p[0].vmpte_bytes -= 3 * PAGE;
	CHECK_EQ(ptu_set_add_up(&g.report), 0);
	CHECK_EQ(g.report.set.residual_bytes, -2 * (int64_t)PAGE);
}

UNIT_MAIN
