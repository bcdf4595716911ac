// SPDX-License-Identifier: LGPL-2.1-or-later
/* The columns of scores.  Must not decide anything that is not in the report. */
#include "render/score_columns.h"

#include <stdio.h>

static void fill_mean(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_score_level *at =
		&((const struct ptu_score_line *)row)->at;

	cell->kind = PTU_CELL_REAL;
	cell->real = (double)at->errors / (double)at->processes;
	snprintf(cell->text, sizeof(cell->text), "%.2f", cell->real);
}

static void fill_pid(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_score_line *line = row;

	if (line->at.worst.errors)
		ptu_fill_id(cell, row);
	else
		ptu_grid_none(cell);
}

static void fill_comm(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_score_line *line = row;

	if (line->at.worst.errors)
		ptu_fill_words(cell, row);
	else
		ptu_grid_none(cell);
}

#define LINE(member) offsetof(struct ptu_score_line, member)
#define AT(member) LINE(at.member)

const struct ptu_grid_column ptu_score_columns[] = {
	{ "ESTIMATOR", "name or program", 0, ptu_fill_string, "estimator",
	  LINE(name) },
	{ "LEVEL", "level of the tables", 0, ptu_fill_level, "level",
	  LINE(level) },
	{ "PROCESSES", "processes that were scored", PTU_RIGHT, ptu_fill_number,
	  "processes", AT(processes) },
	{ "EXACT", "processes without a difference", PTU_RIGHT, ptu_fill_number,
	  "exact", AT(exact) },
	{ "KERNEL", "tables that the kernel has", PTU_RIGHT, ptu_fill_number,
	  "kernel", AT(kernel) },
	{ "ESTIMATE", "tables of the estimate", PTU_RIGHT, ptu_fill_number,
	  "estimate", AT(estimate) },
	{ "MISSED", "tables that only the kernel has", PTU_RIGHT,
	  ptu_fill_number, "missed", AT(missed) },
	{ "INVENTED", "tables that only the estimator has", PTU_RIGHT,
	  ptu_fill_number, "invented", AT(invented) },
	{ "EXPLAINED", "MISSED and INVENTED tables with a proven cause",
	  PTU_RIGHT, ptu_fill_number, "explained", AT(explained) },
	{ "ERRORS", "differences without a cause, and undecided tables",
	  PTU_RIGHT, ptu_fill_number, "errors", AT(errors) },
	{ "MEAN", "mean errors per process", PTU_RIGHT, fill_mean,
	  "mean_errors", 0 },
	{ "WORST", "errors of the worst process", PTU_RIGHT, ptu_fill_number,
	  "worst_errors", AT(worst.errors) },
	{ "PID", "the worst process", PTU_RIGHT | PTU_UP, fill_pid, "worst_pid",
	  AT(worst.pid) },
	{ "COMM", "name of the worst process", 0, fill_comm, "worst_comm",
	  AT(worst.comm) },
	{ 0 },
};

#define WORST(member) offsetof(struct ptu_worst_line, member)

const struct ptu_grid_column ptu_worst_columns[] = {
	{ "ESTIMATOR", "", 0, ptu_fill_string, NULL, WORST(name) },
	{ "PID", "", PTU_RIGHT, ptu_fill_id, "pid", WORST(who.pid) },
	{ "COMM", "", 0, ptu_fill_words, "comm", WORST(who.comm) },
	{ "ERRORS", "", PTU_RIGHT, ptu_fill_number, "errors",
	  WORST(who.errors) },
	{ "EXPLAINED", "", PTU_RIGHT, ptu_fill_number, "explained",
	  WORST(who.explained) },
	{ "WHY", "", 0, ptu_fill_words, "why", WORST(why) },
	{ 0 },
};

size_t ptu_score_lines(const struct ptu_score_row *row,
		       struct ptu_score_line ret[PTAUDIT_NR_LEVELS])
{
	unsigned int level = PTAUDIT_NR_LEVELS;
	size_t nr = 0;

	while (level--) {
		if (row->levels[level].processes)
			ret[nr++] = (struct ptu_score_line){
				.name = row->name,
				.level = level,
				.at = row->levels[level],
			};
	}
	return nr;
}

struct ptu_worst_line ptu_worst_line(const struct ptu_score_report *report,
				     const struct ptu_score_row *row,
				     const struct ptu_score_worst *worst)
{
	struct ptu_worst_line line = { .name = row->name, .who = worst->who };

	ptu_score_why(report, worst->process, line.why);
	return line;
}
