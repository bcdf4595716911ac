/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The columns of tables that came and went, for text and JSON. */
#ifndef PTU_RENDER_CHANGE_COLUMNS_H
#define PTU_RENDER_CHANGE_COLUMNS_H

#include "render/cells.h"
#include "report/change.h"

/* A row: a mapping of a process at one level. */
struct ptu_change_line {
	pid_t pid;
	const char *comm;
	unsigned int level;
	uint64_t came;
	uint64_t went;
	uint64_t start;
	uint64_t end;
	const char *name;
	const struct ptu_growth_row *mapping;
};

/* All columns; the last element has no name. */
extern const struct ptu_grid_column ptu_change_columns[];

/**
 * ptu_change_lines() - Make the rows of a process.
 * @ret: (out) room for PTAUDIT_NR_LEVELS times the rows of its growth
 *
 * Return: the number of rows.
 */
size_t ptu_change_lines(const struct ptu_changed *p,
			struct ptu_change_line *ret);

#endif
