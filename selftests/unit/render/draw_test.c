// SPDX-License-Identifier: GPL-2.0-only
/* What the live view paints, on a screen in memory. */
#define _GNU_SOURCE
#include <locale.h>
#include <ncurses.h>
#include <time.h>

#include "support/unit.h"
#include "support/view.h"

#define MOST_LINES 30
#define LINE_BYTES_MOST 1200

/*
 * A screen of bytes.  A character of several bytes fills several columns here, but one on
 * a terminal.  So a test with such characters compares only the text of a line.
 */
static char screen[MOST_LINES][LINE_BYTES_MOST];
static attr_t attributes[MOST_LINES][LINE_BYTES_MOST];
static int fake_lines, fake_columns, fake_y, fake_x, nr_refreshed;
static attr_t painting;
static bool has_pairs;
static int nr_pairs;

static void fake_addch(int character)
{
	if (fake_y < 0 || fake_y >= fake_lines || fake_x >= LINE_BYTES_MOST - 1)
		return;
	attributes[fake_y][fake_x] = painting;
	screen[fake_y][fake_x++] = (char)character;
}

static void fake_mvaddstr(int y, int x, const char *text)
{
	fake_y = y;
	fake_x = x;
	if (y < 0 || y >= fake_lines)
		UNIT_FAIL("line %d of %d is painted", y, fake_lines);
	while (*text)
		fake_addch(*text++);
}

static void fake_erase(void)
{
	memset(screen, 0, sizeof(screen));
	memset(attributes, 0, sizeof(attributes));
}

static void fake_move(int y, int x)
{
	fake_y = y;
	fake_x = x;
}

static void fake_init_pair(int pair, int front, int back)
{
	nr_pairs += pair && front == COLOR_BLACK && back != COLOR_BLACK;
}

static time_t fake_time(void)
{
	return 1000000000;
}

#undef addch
#undef attrset
#undef COLS
#undef erase
#undef LINES
#undef move
#undef mvaddstr
#undef refresh
#define addch fake_addch
#define attrset(to) (painting = (attr_t)(to))
#define COLS fake_columns
#define erase fake_erase
#define has_colors() has_pairs
#define init_pair fake_init_pair
#define LINES fake_lines
#define move fake_move
#define mvaddstr fake_mvaddstr
#define refresh() (nr_refreshed++)
#define start_color() (nr_pairs += 10)
#define time(ret) fake_time()
#define use_default_colors() (nr_pairs += 100)
#include "render/tui/draw.c"

#define NR_ROWS 6u

static struct ptu_top_row rows[NR_ROWS];
static struct ptu_top_report report;
static struct ptu_render_options options;
static struct ptu_tui_setup setup;
static struct ptu_view view;
static struct ptu_draw draw;

static void begin(enum ptu_top_kind kind, const char *columns_shown)
{
	struct ptu_err err;

	options.columns = columns_shown;
	setup.kind = report.kind = kind;
	setup.column = "TOTAL";
	setup.options = &options;
	if (ptu_view_init(&view, kind, &setup, &err))
		abort();
}

static void set_up(void)
{
	setenv("TZ", "UTC", 1);
	setlocale(LC_CTYPE, "C");
	memset(rows, 0, sizeof(rows));
	for (unsigned int i = 0; i < NR_ROWS; i++) {
		rows[i].pid = 10 + (pid_t)i;
		rows[i].total_bytes = 4096 * (i + 1);
		snprintf(rows[i].comm, sizeof(rows[i].comm), "name%u", i);
		snprintf(rows[i].why, sizeof(rows[i].why), "why %u", i);
	}
	report = (struct ptu_top_report){ .host.page_bytes = 4096,
					  .rows = rows,
					  .nr_rows = NR_ROWS,
					  .nr_all = 7,
					  .all_bytes = 12288 };
	options = (struct ptu_render_options){ .raw = false };
	setup = (struct ptu_tui_setup){ .from = NULL };
	begin(PTU_TOP_PROCESSES, "PID,TOTAL,COMM");
	draw = (struct ptu_draw){
		.setup = &setup, .view = &view, .report = &report, .message = ""
	};
	fake_lines = 8;
	fake_columns = 60;
	fake_erase();
	painting = A_NORMAL;
	has_pairs = false;
	nr_pairs = nr_refreshed = 0;
	heading = A_REVERSE;
	sorted = A_BOLD;
	chosen = A_REVERSE;
}

#define CHECK_ENDS(text, end)                                             \
	do {                                                              \
		const char *text_ = (text);                               \
		if (strlen(text_) < strlen(end) ||                        \
		    strcmp(text_ + strlen(text_) - strlen(end), (end)))   \
			UNIT_FAIL("%s does not end with %s", text_, end); \
	} while (0)

/* A line as it is painted now, without the blanks at its end, or "unpainted". */
static const char *line(int y)
{
	static char text[LINE_BYTES_MOST];
	size_t n, i;

	ptu_draw(&draw);
	n = LINE_BYTES_MOST - 1;
	while (n && !screen[y][n - 1])
		n--;
	if (!n)
		return "unpainted";
	for (i = 0; i < n; i++)
		text[i] = screen[y][i] ? screen[y][i] : ' ';
	while (n && text[n - 1] == ' ')
		n--;
	text[n] = '\0';
	return text;
}

/* Is the whole line painted now, in this attribute? */
static bool is_filled(int y, attr_t expected)
{
	int x;

	ptu_draw(&draw);
	for (x = 0; x < fake_columns; x++)
		if (!screen[y][x] || attributes[y][x] != expected)
			return false;
	return !screen[y][x];
}

UNIT_TEST(rows_are_below_their_headings)
{
	view.at = 1;
	ptu_draw(&draw);
	CHECK_EQ(nr_refreshed, 1);
	CHECK_STR(line(0),
		  "ptaudit top - 01:46:40, 7 processes, VmPTE of all 12K");
	CHECK_STR(line(1), "PID TOTAL COMM");
	CHECK_STR(line(2), " 10    4K name0");
	CHECK_STR(line(3), " 11    8K name1");
	CHECK_STR(line(4), " 12   12K name2");
	CHECK_STR(line(5), " 13   16K name3");
	/* the sentence of the chosen row, and the keys */
	CHECK_STR(line(6), "why 1");
	CHECK(!strncmp(line(7), "q quit ", 7));
	CHECK(is_filled(0, A_BOLD));
	CHECK(is_filled(6, A_NORMAL));
	CHECK(is_filled(7, A_NORMAL));
	CHECK_EQ(fake_y, 7);
	CHECK_EQ(fake_x, 0);
	CHECK_EQ(painting, A_NORMAL);
}

UNIT_TEST(rows_begin_with_the_first_visible_one)
{
	view.first = 3;
	view.at = 4;
	CHECK_STR(line(2), " 13   16K name3");
	CHECK_STR(line(4), " 15   24K name5");
	/* there are no more rows */
	CHECK_STR(line(5), "unpainted");
	CHECK_STR(line(6), "why 4");
}

UNIT_TEST(a_column_is_as_wide_as_its_widest_visible_cell)
{
	/* row 4 is not visible */
	strcpy(rows[0].comm, "aaaaaa");
	strcpy(rows[4].comm, "bbbbbbbbbbbb");
	rows[3].pid = 123456;
	begin(PTU_TOP_PROCESSES, "COMM,PID,TOTAL");
	CHECK_STR(line(1), "COMM      PID TOTAL");
	CHECK_STR(line(2), "aaaaaa     10    4K");
	CHECK_STR(line(5), "name3  123456   16K");
}

UNIT_TEST(columns_on_the_left_can_be_scrolled_out)
{
	view.left = 1;
	CHECK_STR(line(1), "TOTAL COMM");
	CHECK_STR(line(2), "   4K name0");
}

UNIT_TEST(what_does_not_fit_is_cut_off)
{
	/* COMM begins in column 10 */
	fake_columns = 13;
	CHECK_STR(line(2), " 10    4K nam");
	CHECK_STR(line(1), "PID TOTAL COM");
	fake_columns = 11;
	CHECK_STR(line(2), " 10    4K n");
	fake_columns = 10;
	CHECK_STR(line(2), " 10    4K");
	/* a number loses its end, so that its first digit stays in its column */
	fake_columns = 8;
	CHECK_STR(line(2), " 10 4K");
	CHECK_STR(line(1), "PID TOTA");
	fake_columns = 9;
	CHECK_STR(line(2), " 10    4K");
}

UNIT_TEST(the_screen_has_at_most_1000_columns)
{
	fake_columns = 1100;
	ptu_draw(&draw);
	CHECK_EQ(screen[0][999], ' ');
	CHECK_EQ(screen[0][1000], 0);
	fake_columns = 999;
	CHECK(is_filled(0, A_BOLD));
}

UNIT_TEST(headings_and_the_chosen_row_stand_out)
{
	heading = A_UNDERLINE;
	chosen = A_DIM;
	view.at = 2;
	view.first = 1;
	ptu_draw(&draw);
	/* PID, then TOTAL, by which the rows are sorted */
	CHECK_EQ(attributes[1][0], A_UNDERLINE);
	CHECK_EQ(attributes[1][4], A_BOLD);
	CHECK_EQ(attributes[1][9], A_UNDERLINE);
	CHECK_EQ(attributes[1][10], A_UNDERLINE);
	CHECK_EQ(attributes[1][59], A_UNDERLINE);
	CHECK(is_filled(3, A_DIM));
	CHECK_EQ(attributes[2][10], A_NORMAL);
	CHECK_EQ(attributes[4][10], A_NORMAL);
	/* the first visible row is chosen; the blanks behind its cells are painted, too */
	view.at = 1;
	CHECK(is_filled(2, A_DIM));
	/* without rows none is chosen */
	report.nr_rows = 0;
	view.at = view.first = 0;
	CHECK_STR(line(1), "PID TOTAL COMM");
	CHECK_STR(line(2), "unpainted");
	CHECK_STR(line(6), "unpainted");
}

UNIT_TEST(names_are_escaped)
{
	strcpy(rows[0].comm, "a\x1b[2J");
	strcpy(rows[0].why, "b\x1bz");
	draw.message = "";
	CHECK_STR(line(2), " 10    4K a\\x1b[2J");
	CHECK_STR(line(6), "b\\x1bz");
	draw.message = "c\x1b";
	CHECK_STR(line(7), "c\\x1b");
	CHECK(is_filled(7, A_BOLD));
}

UNIT_TEST(sizes_are_bytes_if_wanted)
{
	options.bytes = true;
	CHECK_STR(line(2), " 10  4096 name0");
	CHECK_ENDS(line(0), "all 12288");
}

UNIT_TEST(titles_count_processes_groups_and_name_the_process)
{
	report.nr_all = 1;
	CHECK_ENDS(line(0), ", 1 process, VmPTE of all 12K");
	begin(PTU_TOP_GROUPS, NULL);
	CHECK_ENDS(line(0), ", 1 group, VmPTE of all 12K");
	report.nr_all = 0;
	CHECK_ENDS(line(0), ", 0 groups, VmPTE of all 12K");
	CHECK_STR(line(6), "why 0");
	CHECK(!strncmp(line(7), "q quit  Enter processes ", 24));
	begin(PTU_TOP_PROCESSES, NULL);
	report.group = "a\x1b";
	report.nr_all = 2;
	ptu_draw(&draw);
	CHECK_ENDS(line(0), ", a\\x1b: 2 processes, VmPTE of all 12K");
	CHECK(!strncmp(line(7), "q back  Enter mappings ", 23));
	/* processes without a name are a group, too */
	report.group = "";
	ptu_draw(&draw);
	CHECK_ENDS(line(0), ", -: 2 processes, VmPTE of all 12K");
	begin(PTU_TOP_MAPPINGS, NULL);
	report.process = (struct ptu_top_row){ .pid = 9, .comm = "x" };
	report.process.source = PTU_TOP_VMPTE;
	fake_columns = 100;
	CHECK_STR(line(0), "PID 9 (x): VmPTE 12K, by vmpte, 01:46:40");
	/* a mapping has no sentence */
	CHECK_STR(line(6), "unpainted");
	CHECK(!strncmp(line(7), "q back ", 7));
}

UNIT_TEST(a_recording_has_the_time_of_its_own)
{
	setup.from = "file";
	strcpy(report.host.time, "2026-01-02T03:04:05Z");
	fake_columns = 100;
	CHECK_STR(line(0),
		  "ptaudit top - recording of 2026-01-02T03:04:05Z, 7 processes, VmPTE of all 12K");
}

/* The lines of a low terminal are for rows first. */
UNIT_TEST(a_low_terminal_shows_one_row)
{
	fake_lines = 5;
	CHECK_STR(line(2), " 10    4K name0");
	CHECK_STR(line(3), "why 0");
	CHECK(!strncmp(line(4), "q quit ", 7));
	fake_lines = 6;
	CHECK_STR(line(3), " 11    8K name1");
	CHECK_STR(line(4), "why 0");
	fake_lines = 4;
	CHECK_STR(line(2), " 10    4K name0");
	CHECK(!strncmp(line(3), "q quit ", 7));
	fake_lines = 3;
	CHECK_STR(line(2), " 10    4K name0");
	draw.message = "gone";
	CHECK_STR(line(2), "gone");
}

/* PID UID COMM TOTAL EMPTY DEPOSITED FILL VMPTE RSS SOURCE WHY */
UNIT_TEST(the_list_of_columns_marks_those_that_are_shown)
{
	draw.page = PTU_VIEW_COLUMNS;
	draw.picked = 1;
	chosen = A_DIM;
	CHECK(!strncmp(line(1), "Columns: ", 9));
	CHECK(!strncmp(line(2), "[x] PID        process", 22));
	CHECK(!strncmp(line(3), "[ ] UID        real UID", 23));
	CHECK(!strncmp(line(4), "[x] COMM       ", 15));
	CHECK(!strncmp(line(5), "[x] TOTAL      ", 15));
	CHECK(is_filled(2, A_NORMAL));
	CHECK(is_filled(3, A_DIM));
	/* the list of columns hides the sentence of the chosen row */
	CHECK_STR(line(6), "unpainted");
	draw.picked = 3;
	CHECK(!strncmp(line(2), "[x] PID ", 8));
	CHECK(is_filled(5, A_DIM));
}

UNIT_TEST(the_list_of_columns_shows_the_picked_one)
{
	char first[32];

	draw.page = PTU_VIEW_COLUMNS;
	draw.picked = 4;
	CHECK(!strncmp(line(2), "[ ] UID ", 8));
	CHECK(!strncmp(line(5), "[ ] EMPTY ", 10));
	CHECK(is_filled(5, A_REVERSE));
	draw.picked = column_at(&view, "WHY");
	snprintf(first, sizeof(first), "[ ] %s ",
		 ptu_view_column(&view, draw.picked - 3)->name);
	CHECK(!strncmp(line(2), first, strlen(first)));
	CHECK(!strncmp(line(5), "[ ] WHY ", 8));
}

UNIT_TEST(the_help_is_shown_as_far_as_it_fits)
{
	draw.page = PTU_VIEW_HELP;
	CHECK_STR(line(1), "Keys");
	CHECK(is_filled(1, A_REVERSE));
	CHECK(!strncmp(line(2), "q, F10 ", 7));
	CHECK(!strncmp(line(5), "Enter ", 6));
	CHECK_STR(line(6), "unpainted");
	fake_lines = MOST_LINES;
	CHECK_STR(line(16), "vmpte: the tables were not read.");
	CHECK_STR(line(17), "unpainted");
}

UNIT_TEST(colours_are_used_unless_no_color_is_set)
{
	unsetenv("NO_COLOR");
	ptu_draw_init();
	CHECK_EQ(nr_pairs, 0);
	CHECK_EQ(heading, A_REVERSE);
	has_pairs = true;
	setenv("NO_COLOR", "1", 1);
	ptu_draw_init();
	CHECK_EQ(nr_pairs, 0);
	CHECK_EQ(sorted, A_BOLD);
	setenv("NO_COLOR", "", 1);
	ptu_draw_init();
	/* ptu_draw_init() has defined three pairs of colours */
	CHECK_EQ(nr_pairs, 113);
	CHECK_EQ(heading, COLOR_PAIR(1));
	CHECK_EQ(sorted, COLOR_PAIR(2));
	CHECK_EQ(chosen, COLOR_PAIR(3));
}

/* Return the part of the text that fits, a blank, and the width of the part. */
static const char *fitted(const char *text, int room, size_t bytes)
{
	static char shown[80];
	char part[40];
	int taken = fit(text, room, part, bytes);

	snprintf(shown, sizeof(shown), "%s %d", part, taken);
	return shown;
}

UNIT_TEST(text_is_cut_off_by_columns_and_bytes)
{
	CHECK_STR(fitted("abcd", 5, 40), "abcd 4");
	CHECK_STR(fitted("abcd", 4, 40), "abcd 4");
	CHECK_STR(fitted("abcd", 3, 40), "abc 3");
	CHECK_STR(fitted("abcd", 0, 40), " 0");
	CHECK_STR(fitted("abcd", 9, 5), "abcd 4");
	CHECK_STR(fitted("abcd", 9, 4), "abc 3");
}

UNIT_TEST(characters_that_the_locale_lacks_are_question_marks)
{
	/* control characters have no width */
	CHECK_STR(fitted("a\x01\x7fz", 4, 40), "a??z 4");
	CHECK_STR(fitted("a\x01z", 2, 40), "a? 2");
	CHECK_STR(fitted("a\x01z", 1, 40), "a 1");
	CHECK(setlocale(LC_CTYPE, "C.UTF-8"));
	CHECK_STR(fitted("a\xffz", 3, 40), "a?z 3");
	/* a character that is not complete, and one behind it */
	CHECK_STR(fitted("\xe4\xb8z", 3, 40), "??z 3");
	CHECK_STR(fitted("z\xe4\xb8", 3, 40), "z?? 3");
}

UNIT_TEST(characters_have_their_width)
{
	CHECK(setlocale(LC_CTYPE, "C.UTF-8"));
	CHECK_STR(fitted("\u4e2d\u4e2d", 4, 40), "\u4e2d\u4e2d 4");
	CHECK_STR(fitted("\u4e2d\u4e2d", 3, 40), "\u4e2d 2");
	/* an accent has no width */
	CHECK_STR(fitted("e\u0301z", 2, 40), "e\u0301z 2");
	CHECK_STR(fitted("e\u0301z", 1, 40), "e\u0301 1");
	/* each character has three bytes */
	CHECK_STR(fitted("\u4e2d\u4e2d", 4, 6), "\u4e2d 2");
	CHECK_STR(fitted("\u4e2d\u4e2d", 4, 7), "\u4e2d\u4e2d 4");
}

UNIT_MAIN_WITH(set_up, NULL)
