// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The tables printed below a process's levels.  Must not decide anything that is
 * not in the report.
 */
#include "render/text/parts.h"

#include <errno.h>
#include <stdlib.h>

#include "model/geometry.h"
#include "render/check_columns.h"
#include "render/text/grid.h"

/* Maximum number of lines in a list of single tables; --json lists all tables. */
#define NR_LISTED 20

int ptu_text_part(const struct ptu_text *text, const struct ptu_grid *part,
		  struct ptu_err *err)
{
	const struct ptu_render_options own = {
		.no_headings = text->options->no_headings,
		.bytes = text->options->bytes,
	};
	struct ptu_grid grid = *part;

	if (!grid.nr_rows)
		return 0;
	grid.page_bytes = text->report->page_bytes;
	grid.colours = text->colours;
	fputc('\n', text->out);
	return ptu_grid_print(&grid, &own, text->out, err);
}

/* Print the first lines, and the number of the others. */
static int print_first(const struct ptu_text *text, const struct ptu_grid *part,
		       struct ptu_err *err)
{
	struct ptu_grid first = *part;
	int error;

	if (first.nr_rows > NR_LISTED)
		first.nr_rows = NR_LISTED;
	error = ptu_text_part(text, &first, err);
	if (!error && part->nr_rows > NR_LISTED &&
	    ptu_render_prose(text->options))
		fprintf(text->out, "and %zu more; --json lists all of them\n",
			part->nr_rows - NR_LISTED);
	return error;
}

int ptu_text_causes(const struct ptu_text *text,
		    const struct ptu_process *process, struct ptu_err *err)
{
	const struct ptu_grid grid = {
		.columns = ptu_cause_columns,
		.defaults = "TABLES,LEVEL,CAUSE,SIZE,FROM,TO,MEANING",
		.rows = process->causes,
		.nr_rows = process->nr_causes,
		.row_bytes = sizeof(*process->causes),
	};

	return ptu_text_part(text, &grid, err);
}

int ptu_text_unexplained(const struct ptu_text *text,
			 const struct ptu_process *process, struct ptu_err *err)
{
	const struct ptu_grid grid = {
		.columns = ptu_unexplained_columns,
		.defaults = "WITHOUT CAUSE,LEVEL,KIND,SEEN BY,FROM,TO,ENTRIES",
		.rows = process->unexplained,
		.nr_rows = process->nr_unexplained,
		.row_bytes = sizeof(*process->unexplained),
		.alarm = true,
	};

	return print_first(text, &grid, err);
}

int ptu_text_orphans(const struct ptu_text *text,
		     const struct ptu_process *process, struct ptu_err *err)
{
	const struct ptu_orphans_result *orphans = &process->orphans;
	const struct ptu_grid grid = {
		.columns = ptu_orphan_columns,
		.defaults = "SEEN BY WALK OF,LEVEL,FROM,TO,ENTRIES,NOTE",
		.rows = orphans->unexplained,
		.nr_rows = orphans->nr_unexplained,
		.row_bytes = sizeof(*orphans->unexplained),
		.alarm = true,
	};

	return print_first(text, &grid, err);
}

int ptu_text_shared(const struct ptu_text *text,
		    const struct ptu_process *process, struct ptu_err *err)
{
	const struct ptu_grid grid = {
		.columns = ptu_shared_columns,
		.defaults = "SHARED,BY,FROM,TO,PFN",
		.rows = process->shared,
		.nr_rows = process->nr_shared,
		.row_bytes = sizeof(*process->shared),
	};

	return print_first(text, &grid, err);
}

/* A source of counts: an estimator, or the kernel, whose .row is NULL. */
struct witness {
	const struct ptu_report *report;
	const struct ptu_process *process;
	const struct ptu_estimator_row *row;
};

static void fill_witness(struct ptu_grid_cell *cell, const void *row)
{
	const struct witness *witness = row;

	ptu_grid_words(cell, witness->row ? witness->row->name : "kernel");
}

/* The column's offset is the level. */
static void fill_level(struct ptu_grid_cell *cell, const void *row)
{
	const struct witness *witness = row;
	const size_t level = cell->column->offset;

	if (!witness->row)
		ptu_grid_number(cell, witness->process->levels[level].kernel);
	else if (witness->row->error[0])
		ptu_grid_unknown(cell);
	else
		ptu_grid_span(cell, witness->row->low[level],
			      witness->row->high[level]);
}

static void fill_off_by(struct ptu_grid_cell *cell, const void *row)
{
	const struct witness *witness = row;
	unsigned int level = PTAUDIT_NR_LEVELS;
	uint64_t off_by = 0;

	if (!witness->row || witness->row->error[0])
		return;
	while (level--) {
		uint64_t kernel = witness->process->levels[level].kernel;
		uint64_t low = witness->row->low[level];

		if (witness->report->level_unfolded[level])
			off_by += low > kernel ? low - kernel : kernel - low;
	}
	ptu_grid_number(cell, off_by);
}

static void fill_note(struct ptu_grid_cell *cell, const void *row)
{
	const struct witness *witness = row;

	ptu_grid_words(cell, witness->row ? witness->row->error : "");
}

static const struct ptu_grid_column witness_columns[] = {
	{ "WITNESS", "", 0, fill_witness, NULL, 0 },
	{ "pgd", "", PTU_RIGHT, fill_level, NULL, PTAUDIT_PGD },
	{ "p4d", "", PTU_RIGHT, fill_level, NULL, PTAUDIT_P4D },
	{ "pud", "", PTU_RIGHT, fill_level, NULL, PTAUDIT_PUD },
	{ "pmd", "", PTU_RIGHT, fill_level, NULL, PTAUDIT_PMD },
	{ "pte", "", PTU_RIGHT, fill_level, NULL, PTAUDIT_PTE },
	{ "OFF BY", "", PTU_RIGHT, fill_off_by, NULL, 0 },
	{ "NOTE", "", 0, fill_note, NULL, 0 },
	{ 0 },
};

int ptu_text_estimators(const struct ptu_text *text,
			const struct ptu_process *process, struct ptu_err *err)
{
	const struct ptu_report *report = text->report;
	struct witness *rows;
	struct ptu_grid grid = {
		.columns = witness_columns,
		.row_bytes = sizeof(*rows),
	};
	unsigned int level = PTAUDIT_NR_LEVELS;
	char names[128] = "WITNESS";
	bool any_error = false;
	int error;
	size_t i;

	if (process->nr_estimators < 2)
		return 0;
	rows = calloc(process->nr_estimators + 1, sizeof(*rows));
	if (!rows)
		return -ENOMEM;
	if (report->is_check)
		rows[grid.nr_rows++] = (struct witness){ report, process,
							 NULL };
	for (i = 0; i < process->nr_estimators; i++) {
		const struct ptu_estimator_row *row = &process->estimators[i];

		rows[grid.nr_rows++] = (struct witness){ report, process, row };
		any_error = any_error || row->error[0];
	}
	while (level--) {
		if (report->level_unfolded[level])
			ptu_grid_name(names, sizeof(names),
				      ptu_level_name(level));
	}
	if (report->is_check)
		ptu_grid_name(names, sizeof(names), "OFF BY");
	if (any_error)
		ptu_grid_name(names, sizeof(names), "NOTE");
	grid.defaults = names;
	grid.rows = rows;
	error = ptu_text_part(text, &grid, err);
	free(rows);
	return error;
}
