/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The columns of maps. */
#ifndef PTU_RENDER_MAP_COLUMNS_H
#define PTU_RENDER_MAP_COLUMNS_H

#include "render/cells.h"
#include "report/map.h"

/* One level, or one row of mappings, of a report. */
struct ptu_map_line {
	const struct ptu_map_report *report;
	const struct ptu_top_row *row;
	const uint64_t *marked; /* [PTU_NR_MARKS], or NULL */
	unsigned int level;
};

/* A column without a name ends each array. */
extern const struct ptu_grid_column ptu_map_level_columns[];
extern const struct ptu_grid_column ptu_map_row_columns[];

#endif
