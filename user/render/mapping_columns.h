/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The columns of mappings: of `check -m` and `estimate -m`. */
#ifndef PTU_RENDER_MAPPING_COLUMNS_H
#define PTU_RENDER_MAPPING_COLUMNS_H

#include "render/cells.h"
#include "report/report.h"

/* Room for the names of ptu_mapping_defaults(). */
#define PTU_MAPPING_NAMES 128

/* A row: a mapping, and the tables that are counted with it. */
struct ptu_mapping_line {
	const struct ptu_process *process;
	const struct ptu_mapping_row *mapping;
};

/* All columns; the last element has no name. */
extern const struct ptu_grid_column ptu_mapping_columns[];

/**
 * ptu_mapping_line_has_any() - Is a table or leaf counted with the mapping?
 */
bool ptu_mapping_line_has_any(const void *line);

/**
 * ptu_mapping_columns_have_fill() - Do the options show FILL, which estimate must count?
 */
bool ptu_mapping_columns_have_fill(const struct ptu_grid_choice *choice);

/**
 * ptu_mapping_defaults() - The default columns.
 * @process: (in) NULL if it is not measured yet
 */
void ptu_mapping_defaults(const struct ptu_report *report,
			  const struct ptu_process *process,
			  char ret[PTU_MAPPING_NAMES]);

#endif
