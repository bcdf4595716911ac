// SPDX-License-Identifier: LGPL-2.1-or-later
/* A score as text.  Must not decide anything that is not in the report. */
#include "report/score.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/geometry.h"
#include "render/format.h"
#include "render/render.h"
#include "render/text/grid.h"

/* An estimator at one level. */
struct row {
	const struct ptu_score_row *score;
	const struct ptu_score_level *at;
	unsigned int level;
};

/* One of the processes that an estimator is worst at. */
struct worst {
	const struct ptu_score_report *report;
	const struct ptu_score_row *score;
	const struct ptu_score_worst *one;
};

static void fill_estimator(struct ptu_grid_cell *cell, const void *row)
{
	ptu_grid_words(cell, ((const struct row *)row)->score->name);
}

static void fill_level(struct ptu_grid_cell *cell, const void *row)
{
	ptu_grid_words(cell, ptu_level_name(((const struct row *)row)->level));
}

/* A count of the level. */
static void fill_count(struct ptu_grid_cell *cell, const void *row)
{
	ptu_fill_number(cell, ((const struct row *)row)->at);
}

static void fill_mean(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_score_level *at = ((const struct row *)row)->at;

	snprintf(cell->text, sizeof(cell->text), "%.2f",
		 (double)at->errors / (double)at->processes);
}

static void fill_pid(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_score_level *at = ((const struct row *)row)->at;

	if (at->worst.errors)
		ptu_grid_number(cell, (uint64_t)at->worst.pid);
	else
		ptu_grid_words(cell, "-");
}

static void fill_comm(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_score_level *at = ((const struct row *)row)->at;

	ptu_grid_words(cell, at->worst.errors ? at->worst.comm : "-");
}

#define AT(member) offsetof(struct ptu_score_level, member)

static const struct ptu_grid_column columns[] = {
	{ "ESTIMATOR", "name or program", false, fill_estimator, NULL, 0 },
	{ "LEVEL", "level of the tables", false, fill_level, NULL, 0 },
	{ "PROCESSES", "processes that were scored", true, fill_count, NULL,
	  AT(processes) },
	{ "EXACT", "of these, without a difference", true, fill_count, NULL,
	  AT(exact) },
	{ "KERNEL", "tables that the kernel has", true, fill_count, NULL,
	  AT(kernel) },
	{ "ESTIMATE", "tables that the estimator says", true, fill_count, NULL,
	  AT(estimate) },
	{ "MISSED", "tables that only the kernel has", true, fill_count, NULL,
	  AT(missed) },
	{ "INVENTED", "tables that only the estimator has", true, fill_count,
	  NULL, AT(invented) },
	{ "EXPLAINED", "of these, with a proven cause", true, fill_count, NULL,
	  AT(explained) },
	{ "ERRORS", "of these, the others; and undecided ones", true,
	  fill_count, NULL, AT(errors) },
	{ "MEAN", "errors a process", true, fill_mean, NULL, 0 },
	{ "WORST", "errors of the worst process", true, fill_count, NULL,
	  AT(worst.errors) },
	{ "PID", "the worst process", true, fill_pid, NULL, 0 },
	{ "COMM", "its name", false, fill_comm, NULL, 0 },
	{ 0 },
};

static void fill_worst_estimator(struct ptu_grid_cell *cell, const void *row)
{
	ptu_grid_words(cell, ((const struct worst *)row)->score->name);
}

static void fill_worst_pid(struct ptu_grid_cell *cell, const void *row)
{
	ptu_grid_number(cell,
			(uint64_t)((const struct worst *)row)->one->who.pid);
}

static void fill_worst_comm(struct ptu_grid_cell *cell, const void *row)
{
	ptu_grid_words(cell, ((const struct worst *)row)->one->who.comm);
}

static void fill_worst_errors(struct ptu_grid_cell *cell, const void *row)
{
	ptu_grid_number(cell, ((const struct worst *)row)->one->who.errors);
}

static void fill_worst_explained(struct ptu_grid_cell *cell, const void *row)
{
	ptu_grid_number(cell, ((const struct worst *)row)->one->who.explained);
}

static void fill_worst_why(struct ptu_grid_cell *cell, const void *row)
{
	const struct worst *worst = row;
	char why[PTU_SCORE_WHY];

	ptu_grid_words(cell,
		       ptu_score_why(worst->report, worst->one->process, why));
}

static const struct ptu_grid_column worst_columns[] = {
	{ "ESTIMATOR", "", false, fill_worst_estimator, NULL, 0 },
	{ "PID", "", true, fill_worst_pid, NULL, 0 },
	{ "COMM", "", false, fill_worst_comm, NULL, 0 },
	{ "ERRORS", "", true, fill_worst_errors, NULL, 0 },
	{ "EXPLAINED", "", true, fill_worst_explained, NULL, 0 },
	{ "WHY", "", false, fill_worst_why, NULL, 0 },
	{ 0 },
};

static struct ptu_grid level_grid(const struct row *rows, size_t nr_rows)
{
	return (struct ptu_grid){
		.columns = columns,
		.defaults =
			"ESTIMATOR,LEVEL,KERNEL,ESTIMATE,EXACT,EXPLAINED,ERRORS,MEAN,WORST,PID",
		.rows = rows,
		.nr_rows = nr_rows,
		.row_bytes = sizeof(*rows),
	};
}

int ptu_render_score_check(const struct ptu_render_options *options,
			   struct ptu_err *err)
{
	const struct ptu_grid grid = level_grid(NULL, 0);

	return ptu_grid_check(&grid, options, err);
}

void ptu_render_score_columns(FILE *out)
{
	ptu_grid_help(columns, out);
}

static int print_levels(const struct ptu_score_report *report,
			const struct ptu_render_options *options, FILE *out,
			struct ptu_err *err)
{
	struct ptu_grid grid;
	struct row *rows = calloc(report->nr_rows * PTAUDIT_NR_LEVELS + 1,
				  sizeof(*rows));
	size_t i, nr = 0;
	int error = 0;

	if (!rows)
		return ptu_err_set(err, -ENOMEM, "no memory for the table");
	for (i = 0; i < report->nr_rows; i++) {
		unsigned int level = PTAUDIT_NR_LEVELS;

		while (level--)
			if (report->rows[i].levels[level].processes)
				rows[nr++] = (struct row){
					.score = &report->rows[i],
					.at = &report->rows[i].levels[level],
					.level = level,
				};
	}
	grid = level_grid(rows, nr);
	if (nr)
		error = ptu_grid_print(&grid, options, out, err);
	free(rows);
	return error;
}

static int print_worst(const struct ptu_score_report *report, FILE *out,
		       struct ptu_err *err)
{
	struct worst *rows = calloc(report->nr_rows * PTU_SCORE_WORST + 1,
				    sizeof(*rows));
	const struct ptu_render_options plain = { 0 };
	struct ptu_grid grid = {
		.columns = worst_columns,
		.defaults = "ESTIMATOR,PID,COMM,ERRORS,EXPLAINED,WHY",
		.rows = rows,
		.row_bytes = sizeof(*rows),
	};
	size_t i, k;
	int error = 0;

	if (!rows)
		return ptu_err_set(err, -ENOMEM, "no memory for the table");
	for (i = 0; i < report->nr_rows; i++)
		for (k = 0; k < report->rows[i].nr_worst; k++)
			rows[grid.nr_rows++] = (struct worst){
				.report = report,
				.score = &report->rows[i],
				.one = &report->rows[i].worst[k],
			};
	if (grid.nr_rows) {
		fputs("\nworst processes:\n", out);
		error = ptu_grid_print(&grid, &plain, out, err);
	}
	free(rows);
	return error;
}

static void say(const struct ptu_score_report *report, FILE *out)
{
	size_t i;

	fputc('\n', out);
	for (i = 0; i < report->nr_rows; i++) {
		const struct ptu_score_row *row = &report->rows[i];

		fprintf(out,
			"%s: %" PRIu64 " process%s, %" PRIu64 " exact, %" PRIu64
			" explained, %" PRIu64 " wrong%s\n",
			row->name, row->processes,
			row->processes == 1 ? "" : "es", row->exact,
			row->accounted,
			row->processes - row->exact - row->accounted,
			row->is_counts ? " (counts: no cause can be found)" :
					 "");
	}
}

int ptu_render_score_text(const struct ptu_score_report *report,
			  const struct ptu_render_options *options, FILE *out,
			  struct ptu_err *err)
{
	int error;

	if (ptu_render_prose(options) && report->nr_rows)
		fprintf(out, "kernel (%s) against estimators, Linux %s on %s\n",
			report->rows[0].base.truth,
			report->rows[0].base.kernel_release,
			report->rows[0].base.machine);
	error = print_levels(report, options, out, err);
	if (error || !ptu_render_prose(options))
		return error;
	error = print_worst(report, out, err);
	if (!error)
		say(report, out);
	return error;
}
