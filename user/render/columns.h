/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The columns of ptaudit's text output: one table for headings, --output and
 * --list-columns, and what stands in each cell.  Pure.
 */
#ifndef PTU_RENDER_COLUMNS_H
#define PTU_RENDER_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "render/format.h"
#include "report/report.h"

/* ptu_column.flags: the tables that it can stand in */
#define PTU_COL_LEVELS		0x01u	/* a row a level */
#define PTU_COL_PROCESSES	0x02u	/* a row a process: --all */
#define PTU_COL_CHECK		0x04u
#define PTU_COL_ESTIMATE	0x08u
/* how it looks */
#define PTU_COL_RIGHT		0x10u
#define PTU_COL_ALARM		0x20u	/* anything but 0 is bad news */

/* No level: the row speaks of the whole process. */
#define PTU_NO_LEVEL PTAUDIT_NR_LEVELS

#define PTU_CELL_LEN 520

struct ptu_cell {
	const struct ptu_report *report;
	const struct ptu_process *process;
	unsigned int level;	/* or PTU_NO_LEVEL */
	bool bytes;		/* sizes in bytes */
	char text[PTU_CELL_LEN];
};

/**
 * struct ptu_column - one column
 * @name: heading, and what --output takes
 * @help: a line for --list-columns
 * @flags: PTU_COL_*
 * @fill: write cell->text, for a process that was measured
 */
struct ptu_column {
	const char *name;
	const char *help;
	unsigned int flags;
	void (*fill)(struct ptu_cell *cell);
};

extern const struct ptu_column ptu_columns[];
extern const size_t ptu_nr_columns;

/* More than there are columns, so that each may be asked for twice. */
#define PTU_MAX_COLUMNS 64

/**
 * struct ptu_column_choice - what a table shows, in order
 */
struct ptu_column_choice {
	const struct ptu_column *columns[PTU_MAX_COLUMNS];
	size_t nr_columns;
};

/**
 * ptu_columns_choose() - Read --output.
 * @table: (in) PTU_COL_LEVELS or PTU_COL_PROCESSES, and PTU_COL_CHECK or
 *	PTU_COL_ESTIMATE
 * @defaults: (in) names, comma separated
 * @wanted: (in) --output's argument, or NULL
 * @all: (in) every column that @table can have
 *
 * Return: 0; -EINVAL for a column that is unknown or not in this table.
 */
ptu_must_check int ptu_columns_choose(unsigned int table, const char *defaults,
				      const char *wanted, bool all,
				      struct ptu_column_choice *ret,
				      struct ptu_err *err);

/**
 * ptu_columns_have_fill() - Is FILL among them, which estimate has to count?
 */
bool ptu_columns_have_fill(const struct ptu_column_choice *choice);

/**
 * ptu_column_fill() - What stands in a cell; "-" where nothing was measured.
 *
 * Return: cell->text.
 */
const char *ptu_column_fill(const struct ptu_column *column,
			    struct ptu_cell *cell);

#endif
