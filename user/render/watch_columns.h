/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The columns of growth, for text and JSON. */
#ifndef PTU_RENDER_WATCH_COLUMNS_H
#define PTU_RENDER_WATCH_COLUMNS_H

#include "render/cells.h"
#include "report/watch.h"

/* Columns of a line for a process, and of a line for a group. */
#define PTU_COL_WATCH_PID (PTU_OWN << 0)
#define PTU_COL_WATCH_GROUP (PTU_OWN << 1)

/* Maximum number of mappings that are listed for a process. */
#define PTU_WATCH_MAPPINGS 3

extern const struct ptu_grid_column ptu_watch_columns[];

/**
 * ptu_watch_table() - The table that a line belongs to.
 * @line: (in) its only row; NULL for the columns alone
 */
struct ptu_grid ptu_watch_table(const struct ptu_watch_line *line,
				bool is_group);

#endif
