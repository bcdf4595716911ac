// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Paint lines with ncurses.  Names chosen by processes reach the terminal only as
 * visible characters.
 */
#define _GNU_SOURCE
#include "render/tui/draw.h"

#include <ncurses.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <wchar.h>

#include "base/escape.h"
#include "render/format.h"
#include "render/top_columns.h"

#define LINE_BYTES 8192
#define LINE_COLUMNS 1000 /* largest supported width of a terminal */

enum pair { PAIR_HEADING = 1, PAIR_SORT, PAIR_CHOSEN };

static attr_t heading = A_REVERSE, sorted = A_BOLD, chosen = A_REVERSE;

void ptu_draw_init(void)
{
	const char *no_color = getenv("NO_COLOR");

	if ((no_color && *no_color) || !has_colors())
		return;
	start_color();
	use_default_colors();
	init_pair(PAIR_HEADING, COLOR_BLACK, COLOR_GREEN);
	init_pair(PAIR_SORT, COLOR_BLACK, COLOR_CYAN);
	init_pair(PAIR_CHOSEN, COLOR_BLACK, COLOR_CYAN);
	heading = (attr_t)COLOR_PAIR(PAIR_HEADING);
	sorted = (attr_t)COLOR_PAIR(PAIR_SORT);
	chosen = (attr_t)COLOR_PAIR(PAIR_CHOSEN);
}

static int columns(void)
{
	return COLS < LINE_COLUMNS ? COLS : LINE_COLUMNS;
}

/*
 * Copy as much of @text as fits, in characters of this locale.
 * Return: its width in columns.
 */
static int fit(const char *text, int room, char *ret, size_t ret_bytes)
{
	mbstate_t state = { 0 };
	size_t used = 0;
	int taken = 0;

	while (*text) {
		wchar_t character;
		size_t bytes = mbrtowc(&character, text, strlen(text), &state);
		int width = bytes < (size_t)-2 ? wcwidth(character) : -1;

		if (bytes >= (size_t)-2) {
			memset(&state, 0, sizeof(state));
			bytes = 1;
		}
		if (taken + (width < 0 ? 1 : width) > room ||
		    used + bytes >= ret_bytes)
			break;
		if (width < 0)
			ret[used++] = '?';
		else
			memcpy(ret + used, text, bytes);
		used += width < 0 ? 0 : bytes;
		taken += width < 0 ? 1 : width;
		text += bytes;
	}
	ret[used] = '\0';
	return taken;
}

/* Paint a whole line, filled with blanks, in @attribute. */
static void put_line(int y, attr_t attribute, const char *text)
{
	char shown[LINE_BYTES];
	int taken = fit(text, columns(), shown, sizeof(shown));

	attrset((int)attribute);
	mvaddstr(y, 0, shown);
	while (taken++ < columns())
		addch(' ');
	attrset(A_NORMAL);
}

/* Set @cell->text to the text of a row, with unsafe characters escaped. */
static void fill(const struct ptu_grid_column *column,
		 const struct ptu_top_row *row, struct ptu_grid_cell *cell)
{
	static char escaped[PTU_GRID_CELL];

	ptu_grid_fill(cell, column, row);
	memcpy(cell->text,
	       ptu_escape(cell->text, true, escaped, sizeof(escaped)),
	       sizeof(escaped));
}

static void put_cell(int y, int x, int width, bool right, const char *text)
{
	char shown[LINE_BYTES];
	int room = columns() - x, taken;

	if (room <= 0)
		return;
	taken = fit(text, width < room ? width : room, shown, sizeof(shown));
	mvaddstr(y, x + (right && width <= room ? width - taken : 0), shown);
}

static int widest(const struct ptu_draw *draw,
		  const struct ptu_grid_column *column, int nr_lines,
		  struct ptu_grid_cell *cell)
{
	const size_t first = draw->view->first;
	char shown[LINE_BYTES];
	int width = (int)strlen(column->name), i;

	for (i = 0; i < nr_lines && first + (size_t)i < draw->report->nr_rows;
	     i++) {
		int taken;

		fill(column, &draw->report->rows[first + (size_t)i], cell);
		taken = fit(cell->text, LINE_COLUMNS, shown, sizeof(shown));
		width = taken > width ? taken : width;
	}
	return width;
}

static void draw_rows(const struct ptu_draw *draw, int nr_lines)
{
	static struct ptu_grid_cell cell;
	const struct ptu_view *view = draw->view;
	size_t k;
	int x = 0, i;

	cell.bytes = draw->setup->options->bytes;
	cell.page_bytes = draw->report->host.page_bytes;
	put_line(1, heading, "");
	if (view->at >= view->first && draw->report->nr_rows)
		put_line(2 + (int)(view->at - view->first), chosen, "");
	for (k = view->left; k < view->choice.nr_columns && x < columns();
	     k++) {
		const struct ptu_grid_column *column = view->choice.columns[k];
		const int width = widest(draw, column, nr_lines, &cell);

		attrset((int)(strcmp(column->name, view->column) ? heading :
								   sorted));
		put_cell(1, x, width, column->flags & PTU_RIGHT, column->name);
		for (i = 0; i < nr_lines; i++) {
			const size_t at = view->first + (size_t)i;

			if (at >= draw->report->nr_rows)
				break;
			attrset((int)(at == view->at ? chosen : A_NORMAL));
			fill(column, &draw->report->rows[at], &cell);
			put_cell(2 + i, x, width, column->flags & PTU_RIGHT,
				 cell.text);
		}
		x += width + 1;
	}
	attrset(A_NORMAL);
}

static void draw_columns(const struct ptu_draw *draw, int nr_lines)
{
	const struct ptu_grid_column *column;
	char line[256];
	int first = (int)draw->picked - nr_lines + 1, i;

	put_line(1, heading,
		 "Columns: Space shows or hides one, Enter goes back");
	for (i = 0; (column = ptu_view_column(draw->view, (size_t)i)); i++) {
		const int y = 2 + i - (first > 0 ? first : 0);

		if (y < 2 || y >= 2 + nr_lines)
			continue;
		snprintf(line, sizeof(line), "[%c] %-10s %s",
			 ptu_view_shows(draw->view, column) < 0 ? ' ' : 'x',
			 column->name, column->help);
		put_line(y, (size_t)i == draw->picked ? chosen : A_NORMAL,
			 line);
	}
}

static void draw_help(int nr_lines)
{
	static const char *const lines[] = {
		"q, F10        go back from an opened row or from this page, else quit",
		"Up Down PgUp PgDn Home End   choose a row",
		"Left Right    more columns",
		"Enter         open a group or a process; Esc or q: go back",
		"Space, Ctrl-L measure again now",
		"< >           sort by the column to the left, to the right",
		"T E F         sort by TOTAL, EMPTY, FILL",
		"M N V         sort by RSS, PID, VMPTE",
		"R             reverse the order",
		"f, F2         choose columns",
		"h ? F1        this page",
		"",
		"TOTAL: memory of all tables. EMPTY: tables without any entry.",
		"FILL: percent of entries used. SOURCE: source of the figures;",
		"vmpte: the tables were not read.",
	};
	int i;

	put_line(1, heading, "Keys");
	for (i = 0; i < nr_lines && i < (int)(sizeof(lines) / sizeof(lines[0]));
	     i++)
		put_line(2 + i, A_NORMAL, lines[i]);
}

static void say_title(const struct ptu_draw *draw, char *ret, size_t ret_bytes)
{
	const struct ptu_top_report *report = draw->report;
	const bool bytes = draw->setup->options->bytes;
	char all[PTU_FORMAT_LEN], process[PTU_TOP_PROCESS_BYTES], when[64];
	char group[PTU_ESCAPE_BYTES(256)];
	time_t now = time(NULL);
	struct tm tm;

	if (draw->setup->from || !localtime_r(&now, &tm) ||
	    !strftime(when, sizeof(when), "%H:%M:%S", &tm))
		snprintf(when, sizeof(when), "recording of %.32s",
			 report->host.time);
	if (report->kind == PTU_TOP_MAPPINGS) {
		ptu_top_process(report, bytes, process, sizeof(process));
		snprintf(ret, ret_bytes, "%s, %s", process, when);
	} else {
		snprintf(ret, ret_bytes,
			 "ptaudit top - %s, %s%s%zu %s%s, VmPTE of all %s",
			 when,
			 report->group ?
				 ptu_escape(report->group[0] ? report->group :
							       "-",
					    true, group, sizeof(group)) :
				 "",
			 report->group ? ": " : "", report->nr_all,
			 report->kind == PTU_TOP_GROUPS ? "group" : "process",
			 report->nr_all == 1		? "" :
			 report->kind == PTU_TOP_GROUPS ? "s" :
							  "es",
			 ptu_format_size(report->all_bytes, bytes, all));
	}
}

static const char *keys_of(const struct ptu_top_report *report)
{
	if (report->kind == PTU_TOP_MAPPINGS)
		return "q back  < > sort  R reverse  f columns  h help";
	if (report->kind == PTU_TOP_GROUPS)
		return "q quit  Enter processes  < > sort  R reverse  f columns  h help";
	if (report->group)
		return "q back  Enter mappings  < > sort  R reverse  f columns  h help";
	return "q quit  Enter mappings  < > sort  R reverse  f columns  h help";
}

void ptu_draw(const struct ptu_draw *draw)
{
	const struct ptu_top_report *report = draw->report;
	const int nr_lines = LINES > PTU_DRAW_FRAME ? LINES - PTU_DRAW_FRAME :
						      1;
	char text[PTU_TOP_PROCESS_BYTES + 80], shown[PTU_ESCAPE_BYTES(512)];

	erase();
	say_title(draw, text, sizeof(text));
	put_line(0, A_BOLD, text);
	if (draw->page == PTU_VIEW_HELP)
		draw_help(nr_lines);
	else if (draw->page == PTU_VIEW_COLUMNS)
		draw_columns(draw, nr_lines);
	else
		draw_rows(draw, nr_lines);
	if (draw->page == PTU_VIEW_ROWS && report->nr_rows && LINES > 4 &&
	    report->kind != PTU_TOP_MAPPINGS)
		put_line(LINES - 2, A_NORMAL,
			 ptu_escape(report->rows[draw->view->at].why, true,
				    shown, sizeof(shown)));
	if (draw->message[0])
		put_line(LINES - 1, A_BOLD,
			 ptu_escape(draw->message, true, shown, sizeof(shown)));
	else if (LINES > 3)
		put_line(LINES - 1, A_NORMAL, keys_of(report));
	move(LINES - 1, 0);
	refresh();
}
