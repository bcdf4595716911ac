/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The columns of page flags, for text and JSON. */
#ifndef PTU_RENDER_FLAGS_COLUMNS_H
#define PTU_RENDER_FLAGS_COLUMNS_H

#include "render/cells.h"
#include "report/flags.h"

/* Columns of runs, and of pages with the same flags; one without a name ends each array. */
extern const struct ptu_grid_column ptu_flag_run_columns[];
extern const struct ptu_grid_column ptu_flag_group_columns[];

/**
 * ptu_flags_table() - Get the table that --output selects columns of.
 * @with_runs: (in) the table of runs
 */
struct ptu_grid ptu_flags_table(const struct ptu_flags_report *report,
				bool with_runs);

#endif
