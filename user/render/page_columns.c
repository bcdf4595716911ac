// SPDX-License-Identifier: LGPL-2.1-or-later
/* The columns of page totals.  Must not judge any of them. */
#include "render/page_columns.h"

static const struct ptu_totals_row *row_of(const void *line)
{
	const struct ptu_page_line *l = line;

	return &l->process->rows[l->total];
}

static void fill_pid(struct ptu_grid_cell *cell, const void *line)
{
	ptu_fill_id(cell, ((const struct ptu_page_line *)line)->process);
}

static void fill_key(struct ptu_grid_cell *cell, const void *line)
{
	const struct ptu_page_line *l = line;

	ptu_grid_words(cell, ptu_total_name(l->total));
}

static void fill_pages(struct ptu_grid_cell *cell, const void *line)
{
	ptu_fill_pages(cell, row_of(line));
}

static void fill_known(struct ptu_grid_cell *cell, const void *line)
{
	if (row_of(line)->known)
		fill_pages(cell, line);
	else
		ptu_grid_unknown(cell);
}

#define AT(member) offsetof(struct ptu_totals_row, member)

const struct ptu_grid_column ptu_page_columns[] = {
	{ "PID", "whose", PTU_RIGHT | PTU_UP, fill_pid, "pid",
	  offsetof(struct ptu_totals_process, pid) },
	{ "KEY", "name of the total", 0, fill_key, "key", 0 },
	{ "KERNEL", "the module's count", PTU_RIGHT, fill_known, "kernel",
	  AT(kernel) },
	{ "PROC", "the count from /proc", PTU_RIGHT, fill_known, "proc",
	  AT(proc) },
	{ "EXPLAINED", "differences with a proven cause", PTU_RIGHT, fill_pages,
	  "explained", AT(explained) },
	{ "IN-FLUX", "differences that kept changing", PTU_RIGHT, fill_pages,
	  "in_flux", AT(in_flux) },
	{ "UNEXPLAINED", "differences without a proven cause", PTU_RIGHT,
	  fill_pages, "unexplained", AT(unexplained) },
	{ 0 },
};
