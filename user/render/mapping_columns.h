/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The columns of mappings: of `check -m` and `estimate -m`. */
#ifndef PTU_RENDER_MAPPING_COLUMNS_H
#define PTU_RENDER_MAPPING_COLUMNS_H

#include "render/cells.h"
#include "report/report.h"

/* Room for the names of ptu_mapping_defaults(). */
#define PTU_MAPPING_NAMES 128

/* A row: what is counted with a mapping. */
struct ptu_mapping_line {
	const struct ptu_process *process;
	const struct ptu_mapping_row *mapping;
};

/* All columns, ended by one without a name. */
extern const struct ptu_grid_column ptu_mapping_columns[];

/**
 * ptu_mapping_line_has_any() - Is anything counted with it?
 */
bool ptu_mapping_line_has_any(const void *line);

/**
 * ptu_mapping_columns_have_fill() - Is FILL among them, which estimate has to count?
 */
bool ptu_mapping_columns_have_fill(const struct ptu_grid_choice *choice);

/**
 * ptu_mapping_defaults() - The columns that are shown where none are asked for.
 * @process: (in) or NULL, where it is not measured yet
 */
void ptu_mapping_defaults(const struct ptu_report *report,
			  const struct ptu_process *process,
			  char ret[PTU_MAPPING_NAMES]);

#endif
