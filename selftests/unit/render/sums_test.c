// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rows that are sums of others: each column with a number is the sum, also one that was
 * added later.  All members of the parts have the same bytes, so that none has to be named.
 */
#include "render/process_columns.h"
#include "render/top_columns.h"
#include "support/rows.h"
#include "support/sample.h"
#include "support/unit.h"

/* Each number in @whole is @nr times that in @part, in the columns with these flags. */
static void check_sums(const struct ptu_grid_column *column, unsigned int flags,
		       const void *part, const void *whole, unsigned int nr)
{
	static struct ptu_grid_cell one, all;

	for (; column->name; column++) {
		if ((column->flags & flags) != flags)
			continue;
		ptu_grid_fill(&one, column, part);
		ptu_grid_fill(&all, column, whole);
		if (one.kind == PTU_CELL_NUMBER &&
		    (all.kind != one.kind || all.number != nr * one.number))
			UNIT_FAIL("%s is %llu, not %u times %llu", column->name,
				  (unsigned long long)all.number, nr,
				  (unsigned long long)one.number);
	}
}

UNIT_TEST(a_process_is_the_sum_of_its_levels)
{
	const struct ptu_report report = { .is_check = true, .has_bpf = true };
	struct ptu_process process = { .sees_empty = true };
	struct ptu_process_line level, all;

	memset(process.levels, 1, sizeof(process.levels));
	memset(process.leaves, 1, sizeof(process.leaves));
	memset(process.empty, 1, sizeof(process.empty));
	level = ptu_process_line(&report, &process, PTAUDIT_PMD);
	all = ptu_process_line(&report, &process, PTU_NO_LEVEL);
	CHECK(level.sum.kernel > 1);
	check_sums(ptu_process_columns, PTU_COL_LEVELS | PTU_COL_PROCESSES,
		   &level, &all, PTAUDIT_NR_LEVELS);
}

UNIT_TEST(a_group_of_top_is_the_sum_of_its_processes)
{
	struct ptu_top_row row, group = { 0 };

	memset(&row, 1, sizeof(row));
	row.pid = 0;
	row.source = PTU_TOP_BPF;
	row.why[sizeof(row.why) - 1] = '\0';
	ptu_top_merge(&group, &row);
	ptu_top_merge(&group, &row);
	CHECK(row.total_bytes > 1);
	check_sums(ptu_top_columns,
		   PTU_OWN << PTU_TOP_PROCESSES | PTU_OWN << PTU_TOP_GROUPS,
		   &row, &group, 2);
}

/* A group of two processes; each member of the second has another value. */
static struct sample both;

static int render_group(const struct ptu_render_options *options, FILE *out,
			struct ptu_err *err)
{
	return ptu_render_text(&both.report, options, out, err);
}

static void make_group(bool is_check)
{
	struct ptu_process *p;

	if (is_check)
		sample_init(&both);
	else
		sample_estimate(&both);
	both.report.is_all = true;
	both.report.nr_processes = 2;
	both.processes[1] = both.processes[0];
	for (size_t i = 0; i < 2; i++) {
		p = &both.processes[i];
		p->status = PTU_STATUS_OK;
		p->orphans.done = true;
		p->orphans.tables[PTAUDIT_PTE] = 1000 + 20000 * i;
		p->orphans.in_flux = 10 + 200 * i;
		p->orphans.nr_unexplained = 3 + 40 * i;
	}
}

UNIT_TEST(tables_of_the_second_walk_are_added_up)
{
	make_group(true);
	both.report.has_orphans = true;
	CHECK_HAS(text_of(render_group, TEXT),
		  "do NOT see the same tables: 46 different, 22000 equal; 220 came or went\n");
	both.processes[0].orphans.nr_unexplained = 0;
	both.processes[1].orphans.nr_unexplained = 0;
	CHECK_HAS(text_of(render_group, TEXT),
		  "see the same 22000 tables; 220 came or went\n");
}

UNIT_TEST(processes_that_changed_are_counted)
{
	make_group(false);
	both.processes[0].vmpte_before_bytes = both.processes[0].vmpte_bytes;
	both.processes[1].vmpte_before_bytes = both.processes[1].vmpte_bytes;
	CHECK(!strstr(text_of(render_group, TEXT),
		      "changed while they were read"));
	both.processes[1].vmpte_before_bytes += 4096;
	CHECK_HAS(text_of(render_group, TEXT),
		  "1 changed while they were read");
	both.processes[0].faulted = true;
	CHECK_HAS(text_of(render_group, TEXT),
		  "2 changed while they were read");
}

UNIT_MAIN
