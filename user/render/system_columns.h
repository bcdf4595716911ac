/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The columns of what PageTables consists of, for text and JSON. */
#ifndef PTU_RENDER_SYSTEM_COLUMNS_H
#define PTU_RENDER_SYSTEM_COLUMNS_H

#include "render/cells.h"
#include "report/system.h"

/* A part of PageTables, or the remainder. */
struct ptu_system_line {
	const char *part;
	const char *source;
	const char *about;
	int64_t bytes;
};

/*
 * Columns of struct ptu_system_line, ptu_system_node and ptu_system_cgroup.  A column
 * without a name ends each array.
 */
extern const struct ptu_grid_column ptu_system_columns[];
extern const struct ptu_grid_column ptu_node_columns[];
extern const struct ptu_grid_column ptu_cgroup_columns[];

/**
 * ptu_system_line() - Get the row of one part of PageTables.
 */
struct ptu_system_line ptu_system_line(const struct ptu_system_report *report,
				       enum ptu_system_part part);

#endif
