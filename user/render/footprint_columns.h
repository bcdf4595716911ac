/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The columns of footprints. */
#ifndef PTU_RENDER_FOOTPRINT_COLUMNS_H
#define PTU_RENDER_FOOTPRINT_COLUMNS_H

#include "render/cells.h"
#include "report/footprint.h"

/**
 * struct ptu_footprint_line - a row
 * @process: NULL for the set
 * @by_module: it is known which tables are shared
 */
struct ptu_footprint_line {
	const struct ptu_process *process;
	const struct ptu_footprint_row *row;
	bool by_module;
};

/* ptu_grid_column.flags: the value comes from smaps */
#define PTU_COL_SMAPS PTU_OWN

/* A column without a name ends the array. */
extern const struct ptu_grid_column ptu_footprint_columns[];

/* JSON members of every sum, and members that only processes have. */
extern const char ptu_footprint_sum_members[];
extern const char ptu_footprint_own_members[];

#endif
