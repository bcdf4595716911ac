// SPDX-License-Identifier: LGPL-2.1-or-later
/* Choose rows and columns; must not access the terminal. */
#include "render/tui/view.h"

#include <string.h>

#include "base/nearest.h"
#include "render/top_columns.h"

int ptu_view_init(struct ptu_view *view, enum ptu_top_kind kind,
		  const struct ptu_tui_setup *setup, struct ptu_err *err)
{
	const struct ptu_grid table = ptu_top_table(kind);
	const bool is_first = kind == setup->kind;

	*view = (struct ptu_view){ .kind = kind, .column = "TOTAL" };
	if (is_first)
		ptu_view_sort_by(view, setup->column);
	return ptu_grid_choose(table.columns, table.table, table.defaults,
			       is_first ? setup->options->columns : NULL,
			       is_first && setup->options->all_columns,
			       &view->choice, err);
}

static bool is_same(enum ptu_top_kind kind, const struct ptu_top_row *a,
		    const struct ptu_top_row *b)
{
	if (kind == PTU_TOP_PROCESSES)
		return a->pid == b->pid;
	if (kind == PTU_TOP_MAPPINGS)
		return a->start == b->start;
	return !strcmp(a->name, b->name);
}

static void keep_in_sight(struct ptu_view *view,
			  const struct ptu_top_report *report, size_t nr_lines)
{
	if (!report->nr_rows) {
		view->at = view->first = 0;
		return;
	}
	if (view->at >= report->nr_rows)
		view->at = report->nr_rows - 1;
	if (view->first > view->at)
		view->first = view->at;
	if (view->at - view->first >= nr_lines)
		view->first = view->at - nr_lines + 1;
	/* show no empty lines while there are rows */
	if (report->nr_rows <= nr_lines)
		view->first = 0;
	else if (view->first > report->nr_rows - nr_lines)
		view->first = report->nr_rows - nr_lines;
	view->row = report->rows[view->at];
}

void ptu_view_settle(struct ptu_view *view, const struct ptu_top_report *report,
		     size_t nr_lines)
{
	size_t i;

	for (i = 0; view->at && i < report->nr_rows; i++) {
		if (!is_same(view->kind, &report->rows[i], &view->row))
			continue;
		view->at = i;
		break;
	}
	keep_in_sight(view, report, nr_lines);
}

void ptu_view_move(struct ptu_view *view, const struct ptu_top_report *report,
		   long rows, size_t nr_lines)
{
	const size_t back = rows < 0 ? (size_t)-rows : 0;

	if (back)
		view->at = view->at > back ? view->at - back : 0;
	else if ((size_t)rows < report->nr_rows - view->at)
		view->at += (size_t)rows;
	else
		/* keep_in_sight() makes it the last row */
		view->at = report->nr_rows;
	keep_in_sight(view, report, nr_lines);
}

bool ptu_view_sort_by(struct ptu_view *view, const char *name)
{
	const char *known;
	size_t i;

	for (i = 0; (known = ptu_top_order_name(view->kind, i)); i++) {
		if (!ptu_is_name(name, strlen(name), known))
			continue;
		/* --sort may be in lower case */
		view->column = known;
		view->at = view->first = 0;
		return true;
	}
	return false;
}

void ptu_view_sort_next(struct ptu_view *view, int step)
{
	const struct ptu_grid_choice *choice = &view->choice;
	const int nr = (int)choice->nr_columns;
	int at = 0, i;

	while (at < nr && strcmp(choice->columns[at]->name, view->column) != 0)
		at++;
	/* a hidden column: start from either end */
	if (at == nr)
		at = step > 0 ? -1 : nr;
	for (i = 0; i < nr; i++) {
		at += step;
		if (at < 0 || at >= nr)
			return;
		if (ptu_view_sort_by(view, choice->columns[at]->name))
			return;
	}
}

const struct ptu_grid_column *ptu_view_column(const struct ptu_view *view,
					      size_t index)
{
	const struct ptu_grid table = ptu_top_table(view->kind);
	const struct ptu_grid_column *column;

	for (column = table.columns; column->name; column++) {
		if (column->help && column->flags & table.table && !index--)
			return column;
	}
	return NULL;
}

int ptu_view_shows(const struct ptu_view *view,
		   const struct ptu_grid_column *column)
{
	size_t i;

	for (i = 0; i < view->choice.nr_columns; i++) {
		if (view->choice.columns[i] == column)
			return (int)i;
	}
	return -1;
}

void ptu_view_toggle(struct ptu_view *view,
		     const struct ptu_grid_column *column)
{
	struct ptu_grid_choice *choice = &view->choice;
	const struct ptu_grid_column **columns = choice->columns;
	const int at = ptu_view_shows(view, column);
	size_t i;

	view->left = 0;
	if (at >= 0) {
		if (choice->nr_columns == 1)
			return;
		choice->nr_columns--;
		for (i = (size_t)at; i < choice->nr_columns; i++)
			columns[i] = columns[i + 1];
		return;
	}
	if (choice->nr_columns == PTU_GRID_COLUMNS)
		return;
	/* WHY is long, so it stays the last column */
	i = choice->nr_columns++;
	if (i && !strcmp(columns[i - 1]->name, "WHY")) {
		columns[i] = columns[i - 1];
		i--;
	}
	columns[i] = column;
}

bool ptu_view_is_whole(const struct ptu_view *view,
		       const struct ptu_top_report *report, size_t nr_lines)
{
	size_t i;

	if (view->kind != PTU_TOP_PROCESSES)
		return true;
	for (i = view->first; i < report->nr_rows && i < view->first + nr_lines;
	     i++) {
		/* an examined row always has a sentence */
		if (!report->rows[i].why[0])
			return false;
	}
	return true;
}
