/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The columns of a ranking, of struct ptu_top_row. */
#ifndef PTU_RENDER_TOP_COLUMNS_H
#define PTU_RENDER_TOP_COLUMNS_H

#include "render/cells.h"
#include "report/top.h"

/* Ended by one without a name. */
extern const struct ptu_grid_column ptu_top_columns[];

/**
 * ptu_top_table() - The table of these rows, without rows.
 *
 * It has only the columns that have a value for them.
 */
struct ptu_grid ptu_top_table(enum ptu_top_kind kind);

/**
 * ptu_top_members() - The default members in JSON.
 */
const char *ptu_top_members(enum ptu_top_kind kind);

#endif
