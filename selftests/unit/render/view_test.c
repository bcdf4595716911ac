// SPDX-License-Identifier: GPL-2.0-only
/* The effect of keys on a live view, without a terminal. */
#include "render/tui/view.h"

#include <stdio.h>
#include <string.h>

#include "support/unit.h"

#define NR_ROWS 10u

static struct ptu_top_row rows[NR_ROWS];
static struct ptu_top_report report = { .rows = rows, .nr_rows = NR_ROWS };

/* @first_pid: PID of the first row; the others follow in sequence. */
static void begin(struct ptu_view *view, pid_t first_pid)
{
	const struct ptu_render_options options = { 0 };
	const struct ptu_tui_setup setup = { .column = "TOTAL",
					     .options = &options };
	struct ptu_err err;
	size_t i;

	for (i = 0; i < NR_ROWS; i++)
		rows[i].pid = first_pid + (pid_t)i;
	if (ptu_view_init(view, PTU_TOP_PROCESSES, &setup, &err))
		UNIT_FAIL("%s", err.text);
}

UNIT_TEST(a_chosen_process_stays_chosen_where_it_moves)
{
	struct ptu_view view;

	begin(&view, 100);
	ptu_view_settle(&view, &report, 4);
	ptu_view_move(&view, &report, 2, 4);
	CHECK_EQ(view.row.pid, 102);
	/* all rows move down by five */
	begin(&(struct ptu_view){ 0 }, 95);
	ptu_view_settle(&view, &report, 4);
	CHECK_EQ(view.at, 7);
	CHECK_EQ(view.row.pid, 102);
	/* the selected row is visible: rows 4 to 7 */
	CHECK_EQ(view.first, 4);
}

UNIT_TEST(the_first_row_stays_the_first_one)
{
	struct ptu_view view;

	begin(&view, 100);
	ptu_view_settle(&view, &report, 4);
	begin(&(struct ptu_view){ 0 }, 95);
	ptu_view_settle(&view, &report, 4);
	CHECK_EQ(view.at, 0);
	CHECK_EQ(view.row.pid, 95);
}

/* Six rows are left; the chosen one has gone. */
UNIT_TEST(the_screen_stays_full_when_rows_go)
{
	struct ptu_top_report less = report;
	struct ptu_view view;

	begin(&view, 100);
	ptu_view_settle(&view, &report, 4);
	ptu_view_move(&view, &report, NR_ROWS, 4);
	CHECK_EQ(view.at, 9);
	CHECK_EQ(view.first, 6);
	less.nr_rows = 6;
	ptu_view_settle(&view, &less, 4);
	CHECK_EQ(view.at, 5);
	CHECK_EQ(view.first, 2);
}

UNIT_TEST(moves_stop_at_the_first_and_last_row)
{
	struct ptu_view view;

	begin(&view, 100);
	ptu_view_settle(&view, &report, 4);
	ptu_view_move(&view, &report, 1000, 4);
	CHECK_EQ(view.at, NR_ROWS - 1);
	CHECK_EQ(view.first, NR_ROWS - 4);
	ptu_view_move(&view, &report, -1000, 4);
	CHECK_EQ(view.at, 0);
	CHECK_EQ(view.first, 0);
}

UNIT_TEST(columns_can_be_chosen_that_the_rows_have)
{
	/* a process has a user, a group a number of processes, mappings a start */
	static const char *const names[] = { "UID", "START", "PROCESSES" };
	static const enum ptu_top_kind kinds[] = { PTU_TOP_PROCESSES,
						   PTU_TOP_MAPPINGS,
						   PTU_TOP_GROUPS };
	const struct ptu_render_options options = { 0 };
	struct ptu_err err;
	size_t i, j, at;

	for (i = 0; i < 3; i++) {
		const struct ptu_tui_setup setup = { .kind = kinds[i],
						     .column = "TOTAL",
						     .options = &options };
		const struct ptu_grid_column *column;
		unsigned int found = 0;
		struct ptu_view view;

		if (ptu_view_init(&view, kinds[i], &setup, &err))
			UNIT_FAIL("%s", err.text);
		for (at = 0; (column = ptu_view_column(&view, at)); at++)
			for (j = 0; j < 3; j++)
				if (!strcmp(column->name, names[j]))
					found |= 1u << j;
		CHECK_EQ(found, 1u << i);
	}
}

UNIT_TEST(without_rows_nothing_is_chosen)
{
	const struct ptu_top_report none = { .rows = rows };
	struct ptu_view view;

	begin(&view, 100);
	ptu_view_move(&view, &report, 5, 4);
	ptu_view_settle(&view, &none, 4);
	CHECK_EQ(view.at, 0);
	ptu_view_move(&view, &none, 1, 4);
	CHECK_EQ(view.at, 0);
}

/* Of PID TOTAL EMPTY FILL SOURCE COMM WHY, SOURCE and WHY cannot be sorted by. */
UNIT_TEST(the_sort_moves_over_columns_that_can_be_sorted_by)
{
	struct ptu_view view;

	begin(&view, 100);
	ptu_view_sort_next(&view, -1);
	CHECK(!strcmp(view.column, "PID"));
	ptu_view_sort_next(&view, -1);
	CHECK(!strcmp(view.column, "PID"));
	CHECK(ptu_view_sort_by(&view, "FILL"));
	ptu_view_sort_next(&view, 1);
	CHECK(!strcmp(view.column, "COMM"));
	CHECK(!ptu_view_sort_by(&view, "WHY"));
}

UNIT_TEST(from_a_hidden_column_the_sort_moves_to_either_end)
{
	struct ptu_view view;

	begin(&view, 100);
	CHECK(ptu_view_sort_by(&view, "RSS"));
	ptu_view_sort_next(&view, 1);
	CHECK_STR(view.column, "PID");
	CHECK(ptu_view_sort_by(&view, "RSS"));
	ptu_view_sort_next(&view, -1);
	/* the last one, WHY, is no key */
	CHECK_STR(view.column, "COMM");
}

UNIT_TEST(with_other_columns_the_first_one_is_shown_again)
{
	struct ptu_view view;

	begin(&view, 100);
	view.left = 3;
	ptu_view_toggle(&view, ptu_view_column(&view, 0));
	CHECK_EQ(view.left, 0);
}

UNIT_TEST(the_last_column_cannot_be_taken_away)
{
	struct ptu_view view;
	unsigned int i;

	begin(&view, 100);
	for (i = 0; i < 20; i++)
		ptu_view_toggle(&view, view.choice.columns[0]);
	CHECK_EQ(view.choice.nr_columns, 1);
}

UNIT_MAIN
