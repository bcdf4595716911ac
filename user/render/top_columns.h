/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The columns of a ranking, of struct ptu_top_row. */
#ifndef PTU_RENDER_TOP_COLUMNS_H
#define PTU_RENDER_TOP_COLUMNS_H

#include "render/cells.h"
#include "report/top.h"

#define PTU_TOP_PROCESS_BYTES 512

/* A column without a name ends the array. */
extern const struct ptu_grid_column ptu_top_columns[];

/**
 * ptu_top_table() - Describe the table for one kind of rows.
 *
 * The caller adds the rows. A column without a value for them is not in the table.
 */
struct ptu_grid ptu_top_table(enum ptu_top_kind kind);

/**
 * ptu_top_process() - Describe the process whose mappings are the rows.
 * @bytes: (in) print sizes in bytes
 * @ret_bytes: (in) size of @ret; PTU_TOP_PROCESS_BYTES is always enough
 */
void ptu_top_process(const struct ptu_top_report *report, bool bytes, char *ret,
		     size_t ret_bytes);

/**
 * ptu_top_members() - The default members in JSON.
 */
const char *ptu_top_members(enum ptu_top_kind kind);

#endif
