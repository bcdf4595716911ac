/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is seen of a report, and what keys make of it. */
#ifndef PTU_RENDER_TUI_VIEW_H
#define PTU_RENDER_TUI_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "render/cells.h"
#include "render/tui/tui.h"

#define PTU_VIEW_KINDS 3 /* of enum ptu_top_kind */

enum ptu_view_page { PTU_VIEW_ROWS, PTU_VIEW_COLUMNS, PTU_VIEW_HELP };

/**
 * struct ptu_view - reports of one kind
 * @choice: columns, in their order
 * @column: to sort by
 * @reverse: the other way round
 * @left: columns that are out of sight on the left
 * @first: row at the top
 * @at: the row that is chosen
 * @row: that row, to find it again in the next report
 */
struct ptu_view {
	enum ptu_top_kind kind;
	struct ptu_grid_choice choice;
	const char *column;
	bool reverse;
	size_t left;
	size_t first;
	size_t at;
	struct ptu_top_row row;
};

/**
 * ptu_view_init() - The default columns, by TOTAL.
 */
ptu_must_check int ptu_view_init(struct ptu_view *view, enum ptu_top_kind kind,
				 const struct ptu_tui_setup *setup,
				 struct ptu_err *err);

/**
 * ptu_view_settle() - Find the chosen row again, and keep it in sight.
 * @nr_lines: (in) rows that the terminal has room for
 *
 * The first row stays the first one, whoever it is now.
 */
void ptu_view_settle(struct ptu_view *view, const struct ptu_top_report *report,
		     size_t nr_lines);

/**
 * ptu_view_move() - Choose another row, so many rows further.
 */
void ptu_view_move(struct ptu_view *view, const struct ptu_top_report *report,
		   long rows, size_t nr_lines);

/**
 * ptu_view_sort_by() - By a column of that name, if it is one to sort by.
 *
 * Return: whether it is.
 */
bool ptu_view_sort_by(struct ptu_view *view, const char *name);

/**
 * ptu_view_sort_next() - By the next column that is shown and can be sorted by.
 * @step: (in) 1 or -1
 */
void ptu_view_sort_next(struct ptu_view *view, int step);

/**
 * ptu_view_toggle() - Show a column, or do not; one stays.
 */
void ptu_view_toggle(struct ptu_view *view,
		     const struct ptu_grid_column *column);

/**
 * ptu_view_shows() - At which place is the column?  -1: it is not shown.
 */
int ptu_view_shows(const struct ptu_view *view,
		   const struct ptu_grid_column *column);

/**
 * ptu_view_is_whole() - Were the tables of all rows in sight looked at?
 */
bool ptu_view_is_whole(const struct ptu_view *view,
		       const struct ptu_top_report *report, size_t nr_lines);

#endif
