/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The columns of processes and of their levels: of `check` and `estimate`. */
#ifndef PTU_RENDER_PROCESS_COLUMNS_H
#define PTU_RENDER_PROCESS_COLUMNS_H

#include "render/cells.h"
#include "report/report.h"

/* ptu_grid_column.flags: the text tables that can have a column */
#define PTU_COL_LEVELS (PTU_OWN << 0)	 /* one row per level */
#define PTU_COL_PROCESSES (PTU_OWN << 1) /* one row per process: --all */
#define PTU_COL_CHECK (PTU_OWN << 2)
#define PTU_COL_ESTIMATE (PTU_OWN << 3)

/* No level: the row is about the whole process. */
#define PTU_NO_LEVEL PTAUDIT_NR_LEVELS

/**
 * struct ptu_process_line - a row
 * @level: or PTU_NO_LEVEL
 * @sum: of the level, or of all levels
 */
struct ptu_process_line {
	const struct ptu_report *report;
	const struct ptu_process *process;
	unsigned int level;
	struct ptu_level_row sum;
};

/* All columns; the last element has no name. */
extern const struct ptu_grid_column ptu_process_columns[];

/**
 * ptu_process_line() - Make the row of a process, or of one of its levels.
 */
struct ptu_process_line ptu_process_line(const struct ptu_report *report,
					 const struct ptu_process *process,
					 unsigned int level);

/**
 * ptu_process_line_has() - Does the row have a value for the column?  A process that
 * was not measured has only a few.
 */
bool ptu_process_line_has(const struct ptu_grid_column *column,
			  const void *line);

/**
 * ptu_process_columns_have_fill() - Do the options show FILL, which estimate must count?
 */
bool ptu_process_columns_have_fill(const struct ptu_grid_choice *choice);

/**
 * ptu_level_members() - The JSON members of a level.
 */
const char *ptu_level_members(const struct ptu_report *report);

#endif
