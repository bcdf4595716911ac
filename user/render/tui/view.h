/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The visible part of a report, and the effect of keys on it. */
#ifndef PTU_RENDER_TUI_VIEW_H
#define PTU_RENDER_TUI_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "render/cells.h"
#include "render/tui/tui.h"

#define PTU_VIEW_KINDS 3 /* of enum ptu_top_kind */

enum ptu_view_page { PTU_VIEW_ROWS, PTU_VIEW_COLUMNS, PTU_VIEW_HELP };

/**
 * struct ptu_view - view of reports of one kind
 * @choice: displayed columns, in order
 * @column: sort column
 * @reverse: reverse the order
 * @left: number of columns scrolled out on the left
 * @first: row at the top
 * @at: the selected row
 * @row: copy of the selected row, to find it in the next report
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
 * ptu_view_init() - Start with the default columns, sorted by TOTAL.
 *
 * For the kind of the first report, @setup chooses columns and order.
 */
ptu_must_check int ptu_view_init(struct ptu_view *view, enum ptu_top_kind kind,
				 const struct ptu_tui_setup *setup,
				 struct ptu_err *err);

/**
 * ptu_view_settle() - Find the selected row again and keep it visible.
 * @nr_lines: (in) number of rows that fit on the terminal
 *
 * If the first row was selected, the first row stays selected.
 */
void ptu_view_settle(struct ptu_view *view, const struct ptu_top_report *report,
		     size_t nr_lines);

/**
 * ptu_view_move() - Move the selection by @rows.
 */
void ptu_view_move(struct ptu_view *view, const struct ptu_top_report *report,
		   long rows, size_t nr_lines);

/**
 * ptu_view_sort_by() - Sort by the named column, if it can be sorted by.
 *
 * Return: whether it can.
 */
bool ptu_view_sort_by(struct ptu_view *view, const char *name);

/**
 * ptu_view_sort_next() - Sort by the next visible column that can be sorted by.
 * @step: (in) 1 or -1
 */
void ptu_view_sort_next(struct ptu_view *view, int step);

/**
 * ptu_view_toggle() - Show or hide a column; at least one stays visible.
 */
void ptu_view_toggle(struct ptu_view *view,
		     const struct ptu_grid_column *column);

/**
 * ptu_view_column() - Get a column that can be shown in this view.
 * @index: (in) counts these columns from 0
 *
 * Return: the column; NULL if there are not so many.
 */
const struct ptu_grid_column *ptu_view_column(const struct ptu_view *view,
					      size_t index);

/**
 * ptu_view_shows() - Position of the column; -1: it is hidden.
 */
int ptu_view_shows(const struct ptu_view *view,
		   const struct ptu_grid_column *column);

/**
 * ptu_view_is_whole() - Were the tables of all visible rows examined?
 */
bool ptu_view_is_whole(const struct ptu_view *view,
		       const struct ptu_top_report *report, size_t nr_lines);

#endif
