// SPDX-License-Identifier: GPL-2.0-only
/* The effect of keys on a live view, without a terminal. */
#include "render/tui/view.h"

#include <stdio.h>
#include <string.h>

#include "support/unit.h"
#include "support/view.h"

#define NR_ROWS 10u

static struct ptu_top_row rows[NR_ROWS];
static struct ptu_top_report report = { .rows = rows, .nr_rows = NR_ROWS };
static struct ptu_view view;

/* @first_pid: PID of the first row; the others follow in sequence. */
static void number_rows(pid_t first_pid)
{
	for (size_t i = 0; i < NR_ROWS; i++)
		rows[i].pid = first_pid + (pid_t)i;
}

/* A view of one kind, with these columns. */
static void begin_with(enum ptu_top_kind kind, const char *columns)
{
	const struct ptu_render_options options = { .columns = columns };
	const struct ptu_tui_setup setup = { .kind = kind,
					     .column = "TOTAL",
					     .options = &options };
	struct ptu_err err;

	memset(rows, 0, sizeof(rows));
	if (ptu_view_init(&view, kind, &setup, &err))
		UNIT_FAIL("%s", err.text);
}

/* A view of processes 100 to 109. */
static void set_up(void)
{
	begin_with(PTU_TOP_PROCESSES, NULL);
	number_rows(100);
}

/* Select the row @by rows farther down, on a screen of four rows. */
static void move(long by)
{
	ptu_view_move(&view, &report, by, 4);
}

static void settle(void)
{
	ptu_view_settle(&view, &report, 4);
}

UNIT_TEST(a_chosen_process_stays_chosen_where_it_moves)
{
	settle();
	move(2);
	CHECK_EQ(view.row.pid, 102);
	/* all rows move down by five */
	number_rows(95);
	settle();
	CHECK_EQ(view.at, 7);
	CHECK_EQ(view.row.pid, 102);
	/* the selected row is visible: rows 4 to 7 */
	CHECK_EQ(view.first, 4);
}

UNIT_TEST(the_first_row_stays_the_first_one)
{
	settle();
	number_rows(95);
	settle();
	CHECK_EQ(view.at, 0);
	CHECK_EQ(view.row.pid, 95);
}

/* Six rows are left; the chosen one has gone. */
UNIT_TEST(the_screen_stays_full_when_rows_go)
{
	struct ptu_top_report less = report;

	settle();
	move(NR_ROWS);
	CHECK_EQ(view.at, 9);
	CHECK_EQ(view.first, 6);
	less.nr_rows = 6;
	ptu_view_settle(&view, &less, 4);
	CHECK_EQ(view.at, 5);
	CHECK_EQ(view.first, 2);
}

UNIT_TEST(moves_stop_at_the_first_and_last_row)
{
	settle();
	move(1000);
	CHECK_EQ(view.at, NR_ROWS - 1);
	CHECK_EQ(view.first, NR_ROWS - 4);
	move(-1000);
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

	move(5);
	ptu_view_settle(&view, &none, 4);
	CHECK_EQ(view.at, 0);
	ptu_view_move(&view, &none, 1, 4);
	CHECK_EQ(view.at, 0);
}

/* Of PID TOTAL EMPTY FILL SOURCE COMM WHY, SOURCE and WHY cannot be sorted by. */
UNIT_TEST(the_sort_moves_over_columns_that_can_be_sorted_by)
{
	ptu_view_sort_next(&view, -1);
	CHECK(!strcmp(view.column, "PID"));
	ptu_view_sort_next(&view, -1);
	CHECK(!strcmp(view.column, "PID"));
	CHECK(ptu_view_sort_by(&view, "FILL"));
	ptu_view_sort_next(&view, 1);
	CHECK(!strcmp(view.column, "COMM"));
	CHECK(!ptu_view_sort_by(&view, "WHY"));
	/* like --sort, whose word is in any case */
	CHECK(ptu_view_sort_by(&view, "total"));
	CHECK_STR(view.column, "TOTAL");
	ptu_view_sort_next(&view, 1);
	CHECK_STR(view.column, "EMPTY");
}

UNIT_TEST(from_a_hidden_column_the_sort_moves_to_either_end)
{
	CHECK(ptu_view_sort_by(&view, "RSS"));
	ptu_view_sort_next(&view, 1);
	CHECK_STR(view.column, "PID");
	CHECK(ptu_view_sort_by(&view, "RSS"));
	ptu_view_sort_next(&view, -1);
	/* rows cannot be sorted by WHY, the last column */
	CHECK_STR(view.column, "COMM");
}

UNIT_TEST(with_other_columns_the_first_one_is_shown_again)
{
	view.left = 3;
	ptu_view_toggle(&view, ptu_view_column(&view, 0));
	CHECK_EQ(view.left, 0);
}

UNIT_TEST(the_last_column_cannot_be_taken_away)
{
	for (unsigned int i = 0; i < 20; i++)
		ptu_view_toggle(&view, view.choice.columns[0]);
	CHECK_EQ(view.choice.nr_columns, 1);
}

/* The names of the visible columns. */
static const char *names(void)
{
	static char text[200];

	text[0] = '\0';
	for (size_t i = 0; i < view.choice.nr_columns; i++)
		ptu_grid_name(text, sizeof(text), view.choice.columns[i]->name);
	return text;
}

UNIT_TEST(options_are_for_the_first_report)
{
	struct ptu_render_options options = { .columns = "PID,RSS" };
	struct ptu_tui_setup setup = { .kind = PTU_TOP_PROCESSES,
				       .column = "RSS",
				       .options = &options };
	struct ptu_err err;

	CHECK(!ptu_view_init(&view, PTU_TOP_PROCESSES, &setup, &err));
	CHECK_STR(names(), "PID,RSS");
	CHECK_STR(view.column, "RSS");
	CHECK(!ptu_view_init(&view, PTU_TOP_MAPPINGS, &setup, &err));
	CHECK_STR(names(), "TOTAL,EMPTY,DEPOSITED,FILL,START,END,MAPPED,NAME");
	CHECK_STR(view.column, "TOTAL");
	options = (struct ptu_render_options){ .all_columns = true };
	CHECK(!ptu_view_init(&view, PTU_TOP_PROCESSES, &setup, &err));
	CHECK_EQ(view.choice.nr_columns, column_at(&view, "WHY") + 1);
	CHECK(!ptu_view_init(&view, PTU_TOP_MAPPINGS, &setup, &err));
	CHECK_EQ(view.choice.nr_columns, 8);
}

/* The selected row moves from the second to the fourth place. */
UNIT_TEST(rows_are_known_by_what_their_kind_has)
{
	static const enum ptu_top_kind kinds[] = { PTU_TOP_PROCESSES,
						   PTU_TOP_MAPPINGS,
						   PTU_TOP_GROUPS };
	struct ptu_top_row moved;
	size_t i, k;

	for (k = 0; k < 3; k++) {
		begin_with(kinds[k], NULL);
		/* other members are the same for all */
		for (i = 0; i < NR_ROWS; i++) {
			if (kinds[k] == PTU_TOP_PROCESSES)
				rows[i].pid = 1 + (pid_t)i;
			else if (kinds[k] == PTU_TOP_MAPPINGS)
				rows[i].start = i << 12;
			else
				snprintf(rows[i].name, sizeof(rows[i].name),
					 "n%zu", i);
		}
		settle();
		move(1);
		moved = rows[1];
		rows[1] = rows[3];
		rows[3] = moved;
		settle();
		CHECK_EQ(view.at, 3);
	}
}

UNIT_TEST(the_selection_moves_by_rows)
{
	settle();
	move(2);
	move(3);
	CHECK_EQ(view.at, 5);
	/* just visible */
	CHECK_EQ(view.first, 2);
	move(1);
	CHECK_EQ(view.first, 3);
	move(-3);
	CHECK_EQ(view.at, 3);
	CHECK_EQ(view.first, 3);
	move(-1);
	CHECK_EQ(view.first, 2);
	move(0);
	CHECK_EQ(view.at, 2);
}

UNIT_TEST(rows_that_all_fit_begin_with_the_first)
{
	settle();
	move(9);
	CHECK_EQ(view.first, 6);
	/* the terminal became higher */
	ptu_view_settle(&view, &report, NR_ROWS);
	CHECK_EQ(view.first, 0);
	CHECK_EQ(view.at, 9);
	view.first = 3;
	ptu_view_settle(&view, &report, NR_ROWS + 1);
	CHECK_EQ(view.first, 0);
}

UNIT_TEST(another_order_begins_with_its_first_row)
{
	settle();
	move(9);
	CHECK(!ptu_view_sort_by(&view, "WHY"));
	CHECK_EQ(view.at, 9);
	CHECK(ptu_view_sort_by(&view, "FILL"));
	CHECK_EQ(view.at, 0);
	CHECK_EQ(view.first, 0);
}

UNIT_TEST(the_sort_stays_where_no_other_column_follows)
{
	begin_with(PTU_TOP_PROCESSES, "PID,TOTAL");
	ptu_view_sort_next(&view, 1);
	CHECK_STR(view.column, "TOTAL");
	/* TOTAL is hidden; PID is the only visible column that sorts */
	begin_with(PTU_TOP_PROCESSES, "SOURCE,PID");
	ptu_view_sort_next(&view, 1);
	CHECK_STR(view.column, "PID");
	begin_with(PTU_TOP_PROCESSES, "PID,SOURCE");
	ptu_view_sort_next(&view, -1);
	CHECK_STR(view.column, "PID");
	begin_with(PTU_TOP_PROCESSES, "SOURCE,WHY");
	ptu_view_sort_next(&view, 1);
	CHECK_STR(view.column, "TOTAL");
}

/* Columns in the order of ptu_view_column(): UID is the second one. */
UNIT_TEST(a_shown_column_comes_before_the_sentence)
{
	const struct ptu_grid_column *uid, *pid;

	begin_with(PTU_TOP_PROCESSES, "PID,COMM,TOTAL,WHY");
	pid = ptu_view_column(&view, 0);
	uid = ptu_view_column(&view, 1);
	CHECK_EQ(ptu_view_shows(&view, uid), -1);
	ptu_view_toggle(&view, uid);
	CHECK_STR(names(), "PID,COMM,TOTAL,UID,WHY");
	CHECK_EQ(ptu_view_shows(&view, uid), 3);
	ptu_view_toggle(&view, ptu_view_column(&view, 2));
	CHECK_STR(names(), "PID,TOTAL,UID,WHY");
	ptu_view_toggle(&view, pid);
	CHECK_STR(names(), "TOTAL,UID,WHY");
	/* without the sentence it is the last one */
	ptu_view_toggle(&view, ptu_view_column(&view, column_at(&view, "WHY")));
	CHECK_STR(names(), "TOTAL,UID");
	ptu_view_toggle(&view, pid);
	CHECK_STR(names(), "TOTAL,UID,PID");
	/* no line remains for the sentence */
	begin_with(PTU_TOP_PROCESSES, "WHY");
	ptu_view_toggle(&view, pid);
	CHECK_STR(names(), "PID,WHY");
}

/* --output can name a column more than once. */
UNIT_TEST(there_is_a_limit_of_visible_columns)
{
	begin_with(PTU_TOP_PROCESSES, "COMM");
	for (unsigned int i = 0; i < PTU_GRID_COLUMNS; i++)
		view.choice.columns[i] = ptu_view_column(&view, 2);
	view.choice.nr_columns = PTU_GRID_COLUMNS;
	ptu_view_toggle(&view, ptu_view_column(&view, 0));
	CHECK_EQ(view.choice.nr_columns, PTU_GRID_COLUMNS);
	CHECK(ptu_view_shows(&view, ptu_view_column(&view, 0)) < 0);
}

UNIT_TEST(a_view_is_whole_if_all_visible_processes_were_examined)
{
	struct ptu_top_report few = report;

	begin_with(PTU_TOP_PROCESSES, NULL);
	for (unsigned int i = 3; i < 7; i++)
		strcpy(rows[i].why, "why");
	view.first = 3;
	CHECK(ptu_view_is_whole(&view, &report, 4));
	CHECK(!ptu_view_is_whole(&view, &report, 5));
	view.first = 2;
	CHECK(!ptu_view_is_whole(&view, &report, 4));
	view.first = 3;
	few.nr_rows = 7;
	CHECK(ptu_view_is_whole(&view, &few, 20));
	/* only processes are examined later */
	view.first = 0;
	view.kind = PTU_TOP_MAPPINGS;
	CHECK(ptu_view_is_whole(&view, &report, 4));
	view.kind = PTU_TOP_GROUPS;
	CHECK(ptu_view_is_whole(&view, &report, 4));
}

UNIT_MAIN_WITH(set_up, NULL)
