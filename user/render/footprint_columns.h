/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The columns of footprints. */
#ifndef PTU_RENDER_FOOTPRINT_COLUMNS_H
#define PTU_RENDER_FOOTPRINT_COLUMNS_H

#include "render/cells.h"
#include "report/footprint.h"

/* A row; @process is NULL for the set. */
struct ptu_footprint_line {
	const struct ptu_process *process;
	const struct ptu_footprint_row *row;
};

/* ptu_grid_column.flags: the value comes from smaps */
#define PTU_COL_SMAPS PTU_OWN

/* A column without a name ends the array. */
extern const struct ptu_grid_column ptu_footprint_columns[];

/* JSON members of every sum, and members that only processes have. */
extern const char ptu_footprint_sum_members[];
extern const char ptu_footprint_own_members[];

#endif
