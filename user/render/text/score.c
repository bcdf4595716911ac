// SPDX-License-Identifier: LGPL-2.1-or-later
/* A score as text.  Must not decide anything that is not in the report. */
#include "report/score.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/written.h"
#include "render/render.h"
#include "render/score_columns.h"
#include "render/text/grid.h"

static struct ptu_grid level_grid(const struct ptu_score_line *rows,
				  size_t nr_rows)
{
	return (struct ptu_grid){
		.columns = ptu_score_columns,
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
	ptu_grid_help(ptu_score_columns, out);
}

static int print_levels(const struct ptu_score_report *report,
			const struct ptu_render_options *options, FILE *out,
			struct ptu_err *err)
{
	struct ptu_grid grid;
	struct ptu_score_line *rows =
		calloc(report->nr_rows * PTAUDIT_NR_LEVELS + 1, sizeof(*rows));
	size_t i, nr = 0;
	int error = 0;

	if (!rows)
		return ptu_err_set(err, -ENOMEM, "no memory for the table");
	for (i = 0; i < report->nr_rows; i++)
		nr += ptu_score_lines(&report->rows[i], &rows[nr]);
	grid = level_grid(rows, nr);
	if (nr)
		error = ptu_grid_print(&grid, options, out, err);
	free(rows);
	return error;
}

static int print_worst(const struct ptu_score_report *report, FILE *out,
		       struct ptu_err *err)
{
	struct ptu_worst_line *rows = calloc(report->nr_rows * PTU_SCORE_WORST +
						     1,
					     sizeof(*rows));
	const struct ptu_render_options plain = { 0 };
	struct ptu_grid grid = {
		.columns = ptu_worst_columns,
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
			rows[grid.nr_rows++] =
				ptu_worst_line(report, &report->rows[i],
					       &report->rows[i].worst[k]);
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
	if (!error && ptu_render_prose(options)) {
		error = print_worst(report, out, err);
		if (!error)
			say(report, out);
	}
	return ptu_written(out, error, err);
}
