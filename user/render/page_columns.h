/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The columns of page totals, for text and JSON. */
#ifndef PTU_RENDER_PAGE_COLUMNS_H
#define PTU_RENDER_PAGE_COLUMNS_H

#include "render/cells.h"
#include "report/pages.h"

/* A total of a process. */
struct ptu_page_line {
	const struct ptu_totals_process *process;
	enum ptu_total total;
};

/* All columns; the last element has no name. */
extern const struct ptu_grid_column ptu_page_columns[];

#endif
