// SPDX-License-Identifier: GPL-2.0-only
/* Totals of several processes: a table that they share counts once. */
#include "compare/set.h"

#include <stdlib.h>
#include <time.h>

#include "support/levels.h"
#include "support/unit.h"

#define PAGE 4096

#define NR_SHARED 4

static struct ptu_report report;
static struct ptu_process p[4];
static struct ptu_shared shared[4][NR_SHARED];

/*
 * Each process has 10 PTE, 5 PMD and 2 PUD tables, a PGD of two pages, and 3 deposited
 * tables.
 */
static void group_init(size_t nr)
{
	report = (struct ptu_report){ .is_check = true,
				      .page_bytes = PAGE,
				      .processes = p,
				      .nr_processes = nr };
	for (size_t i = 0; i < nr; i++) {
		p[i] = (struct ptu_process){ .pid = 100 + (int)i,
					     .mm = 7000 + i,
					     .tree_bytes = 17 * PAGE,
					     .deposited_tables = 3,
					     .vmpte_bytes = 20 * PAGE,
					     .shared = shared[i] };
		p[i].levels[PTE] = (struct ptu_level_row){ .kernel = 10,
							   .bytes = 40960 };
		p[i].levels[PMD] = (struct ptu_level_row){ .kernel = 5,
							   .bytes = 20480 };
		p[i].levels[PUD] = (struct ptu_level_row){ .kernel = 2,
							   .bytes = 8192 };
		p[i].levels[PGD] = (struct ptu_level_row){ .kernel = 1,
							   .bytes = 8192 };
	}
}

static void share(size_t process, uint64_t pfn, uint32_t sharers)
{
	shared[process][p[process].nr_shared++] = (struct ptu_shared){
		.start = (pfn + process) << 30,
		.pfn = pfn,
		.sharers = sharers,
		.pages = 1,
		.level = PMD,
	};
}

UNIT_TEST(processes_without_shared_tables_just_add_up)
{
	group_init(3);
	CHECK_EQ(ptu_set_add_up(&report), 0);
	CHECK_EQ(report.set.nr_spaces, 3);
	CHECK_EQ(report.set.tables[PTE], 30);
	CHECK_EQ(report.set.tables[PMD], 15);
	CHECK_EQ(report.set.tables[PUD], 6);
	CHECK_EQ(report.set.tables[PGD], 3);
	CHECK_EQ(report.set.bytes[PTE], 30 * PAGE);
	CHECK_EQ(report.set.bytes[PGD], 6 * PAGE);
	CHECK_EQ(report.set.tree_bytes, 51 * PAGE);
	CHECK_EQ(report.set.deposited_tables, 9);
	CHECK_EQ(report.set.vmpte_bytes, 60 * PAGE);
	CHECK_EQ(report.set.shared_tables, 0);
	CHECK_EQ(report.set.counted_again, 0);
	CHECK_EQ(report.set.residual_bytes, 0);
}

/* One table is shared by all three processes, another by the first two. */
UNIT_TEST(without_the_kernel_the_estimates_add_up)
{
	group_init(2);
	report.is_check = false;
	p[0].levels[PTE].estimate = 9;
	p[1].levels[PTE].estimate = 8;
	CHECK_EQ(ptu_set_add_up(&report), 0);
	CHECK_EQ(report.set.tables[PTE], 17);
}

UNIT_TEST(a_shared_table_is_counted_once)
{
	group_init(3);
	share(0, 55, 2);
	share(0, 44, 1);
	share(1, 44, 1);
	share(1, 55, 2);
	share(2, 55, 2);
	CHECK_EQ(ptu_set_add_up(&report), 0);
	CHECK_EQ(report.set.shared_tables, 2);
	CHECK_EQ(report.set.shared_outside, 0);
	CHECK_EQ(report.set.counted_again, 2 + 1);
	CHECK_EQ(report.set.again_bytes, 3 * PAGE);
	CHECK_EQ(report.set.tables[PMD], 15 - 3);
	CHECK_EQ(report.set.bytes[PMD], 12 * PAGE);
	CHECK_EQ(report.set.tables[PTE], 30);
	CHECK_EQ(report.set.tree_bytes, 48 * PAGE);
	CHECK_EQ(report.set.vmpte_bytes, 60 * PAGE);
	CHECK_EQ(report.set.residual_bytes, 0);
}

UNIT_TEST(sharers_outside_the_set_do_not_reduce_its_tables)
{
	group_init(2);
	share(0, 55, 9);
	share(0, 44, 2);
	share(1, 44, 2);
	share(1, 33, 1);
	CHECK_EQ(ptu_set_add_up(&report), 0);
	CHECK_EQ(report.set.shared_tables, 3);
	CHECK_EQ(report.set.shared_outside, 3);
	CHECK_EQ(report.set.counted_again, 1);
	CHECK_EQ(report.set.tables[PMD], 9);
	CHECK_EQ(report.set.residual_bytes, 0);
}

UNIT_TEST(a_process_can_share_with_itself)
{
	group_init(1);
	share(0, 55, 2);
	share(0, 55, 2);
	share(0, 55, 2);
	CHECK_EQ(ptu_set_add_up(&report), 0);
	CHECK_EQ(report.set.shared_tables, 1);
	CHECK_EQ(report.set.shared_outside, 0);
	CHECK_EQ(report.set.counted_again, 2);
	CHECK_EQ(report.set.tables[PMD], 3);
}

/*
 * After vfork(), or if one PID is named twice, the tables are the same ones and not
 * shared.
 */
UNIT_TEST(an_address_space_counts_once)
{
	group_init(3);
	share(0, 55, 1);
	share(1, 55, 1);
	share(2, 55, 1);
	p[2].mm = p[0].mm;
	/* without effect, because the mm is known */
	p[2].first = 102;
	CHECK_EQ(ptu_set_add_up(&report), 0);
	CHECK_EQ(report.set.nr_spaces, 2);
	CHECK_EQ(report.set.tables[PTE], 20);
	CHECK_EQ(report.set.counted_again, 1);
	CHECK_EQ(report.set.vmpte_bytes, 40 * PAGE);
	CHECK_EQ(report.set.residual_bytes, 0);
	/* unknown identities do not count as equal */
	p[2].mm = p[0].mm = 0;
	p[2].first = 0;
	CHECK_EQ(ptu_set_add_up(&report), 0);
	CHECK_EQ(report.set.nr_spaces, 3);
}

/* It was missing in one of the walks. */
UNIT_TEST(a_shared_table_that_was_counted_once_stays)
{
	group_init(2);
	p[0].levels[PMD].kernel = 1;
	p[1].levels[PMD].kernel = 0;
	share(0, 55, 1);
	share(1, 55, 1);
	CHECK_EQ(ptu_set_add_up(&report), 0);
	CHECK_EQ(report.set.tables[PMD], 1);
}

/* In CPU time, which other processes do not affect. */
UNIT_TEST(many_processes_are_added_up_in_less_than_half_a_second)
{
	const size_t nr = 20000;
	struct ptu_process *many = calloc(nr, sizeof(*many));
	clock_t took;

	CHECK(many != NULL);
	/* each two have one mm; half of the processes come from an estimate */
	for (size_t i = 0; i < nr; i++) {
		many[i].vmpte_bytes = PAGE;
		if (i % 4 < 2)
			many[i].mm = 1 + i / 4;
		else
			many[i].first = (pid_t)(1 + i / 4);
	}
	group_init(1);
	report.processes = many;
	report.nr_processes = nr;
	took = clock();
	CHECK_EQ(ptu_set_add_up(&report), 0);
	took = clock() - took;
	CHECK_EQ(report.set.nr_spaces, nr / 2);
	CHECK_EQ(report.set.vmpte_bytes, nr / 2 * PAGE);
	CHECK(took < CLOCKS_PER_SEC / 2);
	free(many);
}

UNIT_TEST(unmeasured_process_is_not_in_the_set)
{
	group_init(4);
	share(0, 55, 3);
	share(1, 55, 3);
	share(2, 55, 3);
	share(3, 55, 3);
	p[0].status = PTU_STATUS_UNSTABLE;
	p[1].mm = p[0].mm;
	p[2].status = PTU_STATUS_GONE;
	p[3].status = PTU_STATUS_FAILED;
	CHECK_EQ(ptu_set_add_up(&report), 0);
	CHECK_EQ(report.set.nr_spaces, 1);
	CHECK_EQ(report.set.tables[PMD], 5);
	CHECK_EQ(report.set.shared_tables, 1);
	CHECK_EQ(report.set.shared_outside, 1);
	CHECK_EQ(report.set.counted_again, 0);
}

UNIT_TEST(a_sum_that_differs_from_vmpte_leaves_a_residual)
{
	group_init(2);
	p[0].vmpte_bytes += PAGE;
	CHECK_EQ(ptu_set_add_up(&report), 0);
	CHECK_EQ(report.set.residual_bytes, PAGE);
	p[0].vmpte_bytes -= 3 * PAGE;
	CHECK_EQ(ptu_set_add_up(&report), 0);
	CHECK_EQ(report.set.residual_bytes, -2 * (int64_t)PAGE);
}

UNIT_MAIN
