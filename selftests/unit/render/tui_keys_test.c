// SPDX-License-Identifier: GPL-2.0-only
/* What each key does in the live view, without a terminal. */
#define _GNU_SOURCE
#include <ncurses.h>

#include "support/unit.h"
#include "support/view.h"

/* Keys that were pressed; the last one is ERR. */
static const int *next_key;
static int fake_lines;
static unsigned int nr_cleared;

static int fake_getch(void)
{
	return *next_key == ERR ? ERR : *next_key++;
}

#undef LINES
#undef getch
#define LINES fake_lines
#define clearok(window, on) (nr_cleared += (on))
#define getch fake_getch
#include "render/tui/tui.c"

#define NR_ROWS 10u
/* Rows of the view on 8 lines. */
#define NR_LINES 4u

static struct ptu_top_row rows[NR_ROWS];
static struct ptu_top_report report;
static struct ptu_tui *tui, the_tui;
static struct ptu_view *view;

static void set_up(void)
{
	const struct ptu_render_options options = { .raw = false };
	const struct ptu_tui_setup setup = { .column = "TOTAL",
					     .options = &options };
	struct ptu_err err;

	memset(rows, 0, sizeof(rows));
	report = (struct ptu_top_report){ .rows = rows, .nr_rows = NR_ROWS };
	tui = &the_tui;
	memset(tui, 0, sizeof(*tui));
	for (unsigned int i = 0; i < PTU_VIEW_KINDS; i++)
		if (ptu_view_init(&tui->views[i], i, &setup, &err))
			abort();
	view = &tui->views[PTU_TOP_PROCESSES];
	fake_lines = 8;
	nr_cleared = 0;
}

/* Press the keys.  Return: whether the view returns to its caller. */
static bool press(const int *pressed, enum ptu_tui_event *ret)
{
	next_key = pressed;
	return take_keys(tui, &tui->views[report.kind], &report, ret);
}

static enum ptu_tui_event event;

#define PRESS(...) press((const int[]){ __VA_ARGS__, ERR }, &event)

/* keys that choose a row or columns */

UNIT_TEST(keys_choose_a_row)
{
	ptu_view_settle(view, &report, NR_LINES);
	CHECK(!PRESS(KEY_DOWN, KEY_DOWN, KEY_DOWN));
	CHECK_EQ(view->at, 3);
	CHECK(!PRESS(KEY_UP));
	CHECK_EQ(view->at, 2);
	CHECK(!PRESS(KEY_NPAGE));
	CHECK_EQ(view->at, 6);
	CHECK_EQ(view->first, 3);
	CHECK(!PRESS(KEY_PPAGE));
	CHECK_EQ(view->at, 2);
	CHECK_EQ(view->first, 2);
	CHECK(!PRESS(KEY_END));
	CHECK_EQ(view->at, 9);
	CHECK_EQ(view->first, 6);
	CHECK(!PRESS(KEY_HOME));
	CHECK_EQ(view->at, 0);
}

UNIT_TEST(a_page_is_what_fits_the_terminal)
{
	static const struct {
		int lines;
		unsigned int nr;
	} cases[] = { { 0, 1 }, { 4, 1 }, { 5, 1 }, { 6, 2 }, { 24, 20 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		fake_lines = cases[i].lines;
		CHECK_EQ(ptu_tui_wish(tui, PTU_TOP_PROCESSES).nr, cases[i].nr);
	}
}

/* The columns are PID TOTAL EMPTY FILL SOURCE COMM WHY. */
UNIT_TEST(keys_move_over_the_columns)
{
	CHECK(!PRESS(KEY_RIGHT, KEY_RIGHT));
	CHECK_EQ(view->left, 2);
	CHECK(!PRESS(KEY_LEFT));
	CHECK_EQ(view->left, 1);
	CHECK(!PRESS(KEY_LEFT, KEY_LEFT));
	CHECK_EQ(view->left, 0);
	CHECK(!PRESS(KEY_RIGHT, KEY_RIGHT, KEY_RIGHT, KEY_RIGHT, KEY_RIGHT,
		     KEY_RIGHT, KEY_RIGHT, KEY_RIGHT));
	CHECK_EQ(view->left, 6);
}

UNIT_TEST(any_key_leaves_the_help)
{
	static const int help[] = { 'h', '?', KEY_F(1) };

	for (size_t i = 0; i < 3; i++) {
		CHECK(!PRESS(help[i]));
		CHECK_EQ(tui->page, PTU_VIEW_HELP);
		/* the key that closes the help does nothing else */
		CHECK(!PRESS('q'));
		CHECK_EQ(tui->page, PTU_VIEW_ROWS);
	}
}

UNIT_TEST(keys_pick_a_column)
{
	const size_t last = column_at(view, "WHY");

	CHECK(!PRESS('f', KEY_DOWN, KEY_DOWN, KEY_UP));
	CHECK_EQ(tui->page, PTU_VIEW_COLUMNS);
	CHECK_EQ(tui->picked, 1);
	CHECK(!PRESS(KEY_UP, KEY_UP));
	CHECK_EQ(tui->picked, 0);
	CHECK(!PRESS(KEY_END));
	CHECK_EQ(tui->picked, last);
	/* it is only picked */
	CHECK(ptu_view_shows(view, ptu_view_column(view, last)) >= 0);
	CHECK(!PRESS(KEY_DOWN));
	CHECK_EQ(tui->picked, last);
	CHECK(!PRESS(KEY_UP, KEY_DOWN));
	CHECK_EQ(tui->picked, last);
	CHECK(!PRESS(KEY_HOME));
	CHECK_EQ(tui->picked, 0);
	/* the list starts at its beginning again */
	CHECK(!PRESS(KEY_DOWN, 'f', KEY_F(2)));
	CHECK_EQ(tui->page, PTU_VIEW_COLUMNS);
	CHECK_EQ(tui->picked, 0);
}

UNIT_TEST(space_shows_and_hides_the_picked_column)
{
	const struct ptu_grid_column *uid = ptu_view_column(view, 1);

	CHECK_STR(uid->name, "UID");
	CHECK(ptu_view_shows(view, uid) < 0);
	CHECK(!PRESS('f', KEY_DOWN, ' '));
	CHECK(ptu_view_shows(view, uid) >= 0);
	CHECK(!PRESS(' '));
	CHECK(ptu_view_shows(view, uid) < 0);
	CHECK_EQ(tui->page, PTU_VIEW_COLUMNS);
}

UNIT_TEST(keys_leave_the_list_of_columns)
{
	static const int leave[] = { 'q', 'f',	KEY_F(2), KEY_F(10),
				     27,  '\r', KEY_ENTER };

	for (size_t i = 0; i < sizeof(leave) / sizeof(leave[0]); i++) {
		CHECK(!PRESS('f', 'x'));
		CHECK_EQ(tui->page, PTU_VIEW_COLUMNS);
		CHECK(!PRESS(leave[i]));
		CHECK_EQ(tui->page, PTU_VIEW_ROWS);
	}
}

/* keys that need another report */

UNIT_TEST(keys_sort_by_a_column)
{
	static const struct {
		int key;
		const char *column;
	} cases[] = { { 'E', "EMPTY" }, { 'F', "FILL" },  { 'M', "RSS" },
		      { 'N', "PID" },	{ 'V', "VMPTE" }, { 'T', "TOTAL" },
		      { '>', "EMPTY" }, { '<', "TOTAL" } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		event = PTU_TUI_QUIT;
		CHECK(PRESS(cases[i].key));
		CHECK_EQ(event, PTU_TUI_AGAIN);
		CHECK_STR(ptu_tui_wish(tui, PTU_TOP_PROCESSES).column,
			  cases[i].column);
	}
	CHECK(!PRESS('x'));
	/* mappings have no PID */
	report.kind = PTU_TOP_MAPPINGS;
	CHECK(!PRESS('N'));
	CHECK_STR(ptu_tui_wish(tui, PTU_TOP_MAPPINGS).column, "TOTAL");
}

UNIT_TEST(a_reversed_order_begins_at_its_first_row)
{
	CHECK(!PRESS(KEY_END));
	CHECK_EQ(ptu_tui_wish(tui, PTU_TOP_PROCESSES).first, 6);
	CHECK(!ptu_tui_wish(tui, PTU_TOP_PROCESSES).reverse);
	CHECK(PRESS('R'));
	CHECK_EQ(event, PTU_TUI_AGAIN);
	CHECK(ptu_tui_wish(tui, PTU_TOP_PROCESSES).reverse);
	CHECK_EQ(view->at, 0);
	CHECK_EQ(view->first, 0);
	CHECK(PRESS('R'));
	CHECK(!ptu_tui_wish(tui, PTU_TOP_PROCESSES).reverse);
}

UNIT_TEST(keys_measure_again_now)
{
	CHECK(PRESS(' '));
	CHECK_EQ(event, PTU_TUI_AGAIN);
	CHECK_EQ(nr_cleared, 0);
	CHECK(PRESS(12));
	CHECK_EQ(event, PTU_TUI_AGAIN);
	CHECK_EQ(nr_cleared, 1);
}

UNIT_TEST(enter_opens_a_group_or_a_process)
{
	static const int enter[] = { '\r', KEY_ENTER };

	for (size_t i = 0; i < 2; i++) {
		report.kind = PTU_TOP_GROUPS;
		CHECK(PRESS(enter[i]));
		CHECK_EQ(event, PTU_TUI_OPEN);
		report.kind = PTU_TOP_PROCESSES;
		CHECK(PRESS(enter[i]));
		CHECK_EQ(event, PTU_TUI_OPEN);
		report.nr_rows = 0;
		CHECK(!PRESS(enter[i]));
		report.nr_rows = NR_ROWS;
		report.kind = PTU_TOP_MAPPINGS;
		CHECK(!PRESS(enter[i]));
	}
}

UNIT_TEST(keys_go_back_from_what_was_opened_and_quit)
{
	static const enum ptu_top_kind inner[] = { PTU_TOP_PROCESSES,
						   PTU_TOP_MAPPINGS };

	report.kind = PTU_TOP_GROUPS;
	CHECK(!PRESS(27));
	CHECK(PRESS('q'));
	CHECK_EQ(event, PTU_TUI_QUIT);
	report.kind = PTU_TOP_PROCESSES;
	CHECK(!PRESS(27));
	CHECK(PRESS('q'));
	CHECK_EQ(event, PTU_TUI_QUIT);
	CHECK(PRESS(KEY_F(10)));
	CHECK_EQ(event, PTU_TUI_QUIT);
	for (size_t i = 0; i < 2; i++) {
		report.kind = inner[i];
		report.group = i ? NULL : "root";
		CHECK(PRESS(27));
		CHECK_EQ(event, PTU_TUI_BACK);
		CHECK(PRESS('q'));
		CHECK_EQ(event, PTU_TUI_BACK);
		CHECK(PRESS(KEY_F(10)));
		CHECK_EQ(event, PTU_TUI_QUIT);
	}
}

UNIT_MAIN_WITH(set_up, NULL)
