// SPDX-License-Identifier: GPL-2.0-only
/* The order of the rows of top, and the sums of its groups. */
#include "compare/top_why.h"

#include "support/build.h"
#include "support/unit.h"

UNIT_TEST(rows_are_sorted_the_worst_first)
{
	struct ptu_top_row rows[] = {
		{ .pid = 1,
		  .source = PTU_TOP_BPF,
		  .total_bytes = 10,
		  .has_empty = true,
		  .empty_tables = 3,
		  .has_deposited = true,
		  .deposited_tables = 1 },
		{ .pid = 2, .source = PTU_TOP_VMPTE, .total_bytes = 30 },
		{ .pid = 3,
		  .source = PTU_TOP_BPF,
		  .total_bytes = 20,
		  .has_empty = true,
		  .empty_tables = 3,
		  .has_deposited = true },
		{ .pid = 4,
		  .source = PTU_TOP_BPF,
		  .total_bytes = 29,
		  .has_empty = true,
		  .has_deposited = true },
	};

	ptu_fill_add(&rows[0].fill, 512, 512);
	ptu_fill_add(&rows[2].fill, 5, 512);
	CHECK(ptu_top_order(PTU_TOP_PROCESSES, rows, 4, "total"));
	CHECK_EQ(rows[0].pid, 2);
	CHECK_EQ(rows[1].pid, 4);
	CHECK_EQ(rows[2].pid, 3);
	CHECK_EQ(rows[3].pid, 1);
	CHECK(ptu_top_order(PTU_TOP_PROCESSES, rows, 4, "EMPTY"));
	CHECK_EQ(rows[0].pid, 3);
	CHECK_EQ(rows[1].pid, 1);
	/* unknown values come last, behind 0 */
	CHECK_EQ(rows[2].pid, 4);
	CHECK(ptu_top_order(PTU_TOP_PROCESSES, rows, 4, "DEPOSITED"));
	CHECK_EQ(rows[0].pid, 1);
	CHECK_EQ(rows[3].pid, 2);
	CHECK(ptu_top_order(PTU_TOP_PROCESSES, rows, 4, "FILL"));
	CHECK_EQ(rows[0].pid, 3);
	CHECK_EQ(rows[1].pid, 1);
	CHECK_EQ(rows[2].pid, 2);
	CHECK(!ptu_top_order(PTU_TOP_PROCESSES, rows, 4, "WHY"));
}

UNIT_TEST(equal_rows_are_sorted_by_total_and_then_by_pid)
{
	struct ptu_top_row rows[] = {
		{ .pid = 3, .total_bytes = 10, .vmpte_bytes = 7 },
		{ .pid = 1, .total_bytes = 5, .vmpte_bytes = 7 },
		{ .pid = 2, .total_bytes = 10, .vmpte_bytes = 7 },
		{ .pid = 4, .total_bytes = 20, .vmpte_bytes = 7 },
	};

	CHECK(ptu_top_order(PTU_TOP_PROCESSES, rows, 4, "VMPTE"));
	CHECK_EQ(rows[0].pid, 4);
	CHECK_EQ(rows[1].pid, 2);
	CHECK_EQ(rows[2].pid, 3);
	CHECK_EQ(rows[3].pid, 1);
}

/* Mappings have no PID; qsort_r() of some C libraries does not keep the order of equal rows. */
UNIT_TEST(equal_mappings_are_sorted_by_address)
{
	struct ptu_top_row rows[] = {
		{ .start = 0x3000, .total_bytes = 10 },
		{ .start = 0x1000, .total_bytes = 10 },
		{ .start = 0x2000, .total_bytes = 10 },
	};

	CHECK(ptu_top_order(PTU_TOP_MAPPINGS, rows, 3, "TOTAL"));
	CHECK_EQ(rows[0].start, 0x1000);
	CHECK_EQ(rows[1].start, 0x2000);
	CHECK_EQ(rows[2].start, 0x3000);
}

/* Is the first of two rows another one if they are exchanged? */
static bool tells_apart(const char *column, const struct ptu_top_row *one,
			const struct ptu_top_row *other)
{
	struct ptu_top_row rows[] = { *one, *other }, back[] = { *other, *one };

	ptu_top_order(PTU_TOP_PROCESSES, rows, 2, column);
	ptu_top_order(PTU_TOP_PROCESSES, back, 2, column);
	return rows[0].nr_processes == back[0].nr_processes;
}

/* Two rows that are equal in what /proc/PID/status and VmPTE say, and in nothing else. */
UNIT_TEST(sorting_by_a_counted_column_needs_all_tables)
{
	struct ptu_top_row one = { 0 }, other;
	const char *column;

	memset(&other, 1, sizeof(other));
	other.pid = one.pid;
	other.uid = one.uid;
	memcpy(other.comm, one.comm, sizeof(one.comm));
	other.vmpte_bytes = one.vmpte_bytes;
	other.total_bytes = one.total_bytes;
	other.rss_bytes = one.rss_bytes;
	/* only mappings have it */
	other.start = one.start;
	for (size_t i = 0; (column = ptu_top_order_name(PTU_TOP_PROCESSES, i));
	     i++) {
		if (ptu_top_order_counts(column) !=
		    tells_apart(column, &one, &other))
			UNIT_FAIL("ptu_top_order_counts(%s) is %d", column,
				  ptu_top_order_counts(column));
	}
	CHECK(ptu_top_order_counts("fill"));
}

UNIT_TEST(rows_are_sorted_by_what_their_kind_has)
{
	struct ptu_top_row rows[] = { { .start = 0x3000, .name = "a" },
				      { .start = 0x1000, .name = "c" },
				      { .start = 0x2000, .name = "b" } };

	CHECK(!ptu_top_order(PTU_TOP_MAPPINGS, rows, 3, "RSS"));
	CHECK(!ptu_top_order(PTU_TOP_PROCESSES, rows, 3, "START"));
	CHECK(ptu_top_order(PTU_TOP_MAPPINGS, rows, 3, "start"));
	CHECK_EQ(rows[0].start, 0x1000);
	CHECK_EQ(rows[2].start, 0x3000);
	CHECK(ptu_top_order(PTU_TOP_GROUPS, rows, 3, "NAME"));
	CHECK_EQ(rows[0].name[0], 'a');
	CHECK_EQ(rows[2].name[0], 'c');
}

UNIT_TEST(groups_add_up)
{
	struct ptu_top_row a = { .pid = 7,
				 .total_bytes = 10,
				 .vmpte_bytes = 8,
				 .has_empty = true,
				 .empty_tables = 2,
				 .has_deposited = true,
				 .deposited_tables = 5,
				 .source = PTU_TOP_BPF };
	struct ptu_top_row group = { 0 };

	ptu_top_merge(&group, &a);
	CHECK_EQ(group.source, PTU_TOP_BPF);
	a.pid = 8;
	a.source = PTU_TOP_VMPTE;
	a.has_empty = false;
	a.empty_tables = 0;
	a.has_deposited = false;
	a.deposited_tables = 0;
	ptu_top_merge(&group, &a);
	CHECK_EQ(group.pid, 7);
	CHECK_EQ(group.nr_processes, 2);
	CHECK_EQ(group.total_bytes, 20);
	CHECK_EQ(group.vmpte_bytes, 16);
	CHECK_EQ(group.empty_tables, 2);
	CHECK(group.has_deposited);
	CHECK_EQ(group.deposited_tables, 5);
	CHECK_EQ(group.source, PTU_TOP_MIXED);
	/* they are unknown for the other process */
	CHECK(group.is_part);
}

/* The estimator `pagemap` shows empty tables of no process: then the group lacks none. */
UNIT_TEST(a_figure_that_some_processes_lack_makes_the_group_incomplete)
{
	static const struct {
		bool empty[2], deposited[2], part[2], is_part;
	} cases[] = {
		{ { true, true }, { true, true }, { false, false }, false },
		{ { false, false }, { true, true }, { false, false }, false },
		{ { false, false }, { false, false }, { false, false }, false },
		{ { true, false }, { true, true }, { false, false }, true },
		{ { false, true }, { true, true }, { false, false }, true },
		{ { false, false }, { true, false }, { false, false }, true },
		{ { false, false }, { false, true }, { false, false }, true },
		{ { true, true }, { true, true }, { true, false }, true },
		{ { true, true }, { true, true }, { false, true }, true },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ptu_top_row group = { 0 };

		for (size_t k = 0; k < 2; k++)
			ptu_top_merge(&group,
				      &(struct ptu_top_row){
					      .has_empty = cases[i].empty[k],
					      .has_deposited =
						      cases[i].deposited[k],
					      .is_part = cases[i].part[k] });
		CHECK_EQ(group.is_part, cases[i].is_part);
	}
}

UNIT_MAIN
