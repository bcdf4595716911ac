// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A report as text: the tables to print, and the levels.  Must not decide anything
 * that is not in the report.
 */
#include "render/render.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/written.h"
#include "render/process_columns.h"
#include "render/text/parts.h"
#include "render/text/terminal.h"
#include "render/text/verdict.h"

static const char levels_check[] =
	"LEVEL,KERNEL,ESTIMATE,DIFF,EXPLAINED,UNEXPLAINED,SIZE";
static const char levels_both[] =
	"LEVEL,KERNEL,BPF,ESTIMATE,DIFF,EXPLAINED,UNEXPLAINED,SIZE";
static const char levels_estimate[] = "LEVEL,ESTIMATE,SIZE";
static const char levels_estimate_range[] = "LEVEL,ESTIMATE,LOW,HIGH,SIZE";
static const char processes_check[] =
	"PID,COMM,RSS,VMPTE,PTE,PMD,PUD,EMPTY,DEPOSITED,DIFFER,UNEXPLAINED,STATUS";
static const char processes_estimate[] =
	"PID,COMM,RSS,VMPTE,PTE,PMD,PUD,DEPOSITED,RESIDUAL,STATUS";

static bool any_possible(const struct ptu_report *report)
{
	unsigned int level;
	size_t i;

	for (i = 0; i < report->nr_processes; i++) {
		for (level = 0; level < PTAUDIT_NR_LEVELS; level++) {
			const struct ptu_level_row *row =
				&report->processes[i].levels[level];

			if (row->high != row->low)
				return true;
		}
	}
	return false;
}

/* The table of a report without rows; @names is a buffer for its defaults. */
static struct ptu_grid grid_of(const struct ptu_text *text, char names[256])
{
	const struct ptu_report *report = text->report;
	const char *defaults;

	if (report->is_all)
		defaults = report->is_check ? processes_check :
					      processes_estimate;
	else if (report->is_check)
		defaults = report->has_bpf ? levels_both : levels_check;
	else
		defaults = any_possible(report) ? levels_estimate_range :
						  levels_estimate;
	/* raw output has one table for all processes: each row needs the PID */
	snprintf(names, 256, "%s%s",
		 text->options->raw && !report->is_all ? "PID," : "", defaults);
	return (struct ptu_grid){
		.columns = ptu_process_columns,
		.table = (report->is_check ? PTU_COL_CHECK : PTU_COL_ESTIMATE) |
			 (report->is_all ? PTU_COL_PROCESSES : PTU_COL_LEVELS),
		.defaults = names,
		.row_bytes = sizeof(struct ptu_process_line),
		.has = ptu_process_line_has,
		.colours = text->colours,
	};
}

/* Return the number of lines written to @ret. */
static size_t level_lines(const struct ptu_report *report,
			  const struct ptu_process *process,
			  struct ptu_process_line ret[PTAUDIT_NR_LEVELS])
{
	unsigned int level = PTAUDIT_NR_LEVELS;
	size_t nr = 0;

	while (level--) {
		if (report->level_unfolded[level])
			ret[nr++] = ptu_process_line(report, process, level);
		/* one row is enough to report that it was not measured */
		if (process->status != PTU_STATUS_OK)
			break;
	}
	return nr;
}

/* Print one table for all processes, with a row per process or per level. */
static int print_flat(const struct ptu_text *text, struct ptu_err *err)
{
	const struct ptu_report *report = text->report;
	char names[256];
	struct ptu_grid grid = grid_of(text, names);
	struct ptu_process_line *lines =
		calloc(report->nr_processes * PTAUDIT_NR_LEVELS + 1,
		       sizeof(*lines));
	int error;
	size_t i;

	if (!lines)
		return -ENOMEM;
	for (i = 0; i < report->nr_processes; i++) {
		const struct ptu_process *process = &report->processes[i];

		if (report->is_all)
			lines[grid.nr_rows++] = ptu_process_line(report,
								 process,
								 PTU_NO_LEVEL);
		else
			grid.nr_rows += level_lines(report, process,
						    &lines[grid.nr_rows]);
	}
	grid.rows = lines;
	error = ptu_grid_print(&grid, text->options, text->out, err);
	free(lines);
	return error;
}

static int print_process(const struct ptu_text *text,
			 const struct ptu_process *process, struct ptu_err *err)
{
	const struct ptu_report *report = text->report;
	struct ptu_process_line lines[PTAUDIT_NR_LEVELS];
	/* if mappings are shown, --output selects their columns */
	const struct ptu_render_options own = {
		.no_headings = text->options->no_headings,
		.bytes = text->options->bytes,
	};
	char names[256];
	struct ptu_grid grid = grid_of(text, names);
	int error;

	if (ptu_render_prose(text->options))
		ptu_prose_head(report, process, text->out);
	grid.rows = lines;
	grid.nr_rows = level_lines(report, process, lines);
	error = ptu_grid_print(&grid,
			       text->options->mappings ? &own : text->options,
			       text->out, err);
	if (!error && report->is_check)
		error = ptu_text_causes(text, process, err);
	if (!error && report->is_check)
		error = ptu_text_unexplained(text, process, err);
	if (!error && report->is_check)
		error = ptu_text_shared(text, process, err);
	if (!error)
		error = ptu_text_estimators(text, process, err);
	if (!error && report->has_fill)
		error = ptu_text_fill(text, process, err);
	if (!error && text->options->mappings)
		error = ptu_text_mappings(text, process, err);
	if (error)
		return error;
	if (process->orphans.done)
		error = ptu_text_orphans(text, process, err);
	if (error || !ptu_render_prose(text->options))
		return error;
	fputc('\n', text->out);
	if (process->bpf.done)
		ptu_prose_bpf(ptu_process_bpf_tables(process),
			      process->bpf.in_flux, process->bpf.unexplained,
			      text->out);
	if (process->orphans.done)
		ptu_prose_orphans(ptu_orphans_tables(&process->orphans),
				  process->orphans.in_flux,
				  process->orphans.nr_unexplained, text->out);
	ptu_prose_tables(report, process, text->options->bytes, text->out);
	ptu_prose_vmpte(report, process, text->options->bytes, text->out);
	ptu_prose_fill(report, process, text->options->bytes, text->out);
	if (report->is_check)
		ptu_prose_verdict(process, text->colours, text->out);
	return 0;
}

int ptu_render_text(const struct ptu_report *report,
		    const struct ptu_render_options *options, FILE *out,
		    struct ptu_err *err)
{
	struct ptu_text text = {
		.report = report,
		.options = options,
		.out = out,
		.colours = ptu_terminal_colours(out),
	};
	size_t nr_printed = 0;
	int error = ptu_render_text_check(report, options, err);
	size_t i;

	if (error)
		return error;
	if (options->raw || report->is_all) {
		error = print_flat(&text, err);
		if (!error && report->is_all && ptu_render_prose(options))
			ptu_prose_summary(report, options->bytes, out);
	} else {
		for (i = 0; !error && i < report->nr_processes; i++) {
			/* main.c reports processes that could not be measured */
			if (report->processes[i].status != PTU_STATUS_OK)
				continue;
			if (nr_printed++)
				fputc('\n', out);
			error = print_process(&text, &report->processes[i],
					      err);
		}
		if (!error && report->is_check && nr_printed > 1 &&
		    ptu_render_prose(options))
			ptu_prose_set(report, options->bytes, out);
	}
	if (error == -ENOMEM)
		return ptu_err_set(err, error, "no memory for the output");
	return ptu_written(out, error, err);
}

int ptu_render_text_check(const struct ptu_report *report,
			  const struct ptu_render_options *options,
			  struct ptu_err *err)
{
	const struct ptu_text text = { .report = report, .options = options };
	char names[256];
	const struct ptu_grid grid = grid_of(&text, names);

	if (options->mappings)
		return ptu_text_mappings_check(&text, err);
	return ptu_grid_check(&grid, options, err);
}

bool ptu_render_text_wants_fill(const struct ptu_report *report,
				const struct ptu_render_options *options)
{
	const struct ptu_text text = { .report = report, .options = options };
	struct ptu_grid_choice choice;
	char names[256];
	const struct ptu_grid grid = grid_of(&text, names);

	/* the column need not be shown */
	if (options->sort &&
	    ptu_is_name(options->sort, strlen(options->sort), "FILL"))
		return true;
	if (options->mappings)
		return ptu_text_mappings_want_fill(&text);
	return !options->all_columns &&
	       !ptu_grid_choose(grid.columns, grid.table, grid.defaults,
				options->columns, false, &choice, NULL) &&
	       ptu_process_columns_have_fill(&choice);
}

static void show_columns(unsigned int command, FILE *out)
{
	const struct ptu_grid_column *column;

	for (column = ptu_process_columns; column->name; column++) {
		bool levels = column->flags & PTU_COL_LEVELS;
		bool processes = column->flags & PTU_COL_PROCESSES;

		if (column->flags & command)
			fprintf(out, " %14s  %s%s\n", column->name,
				column->help,
				levels && processes ? "" :
				levels		    ? " (PID)" :
						      " (--all)");
	}
}

void ptu_render_check_columns(FILE *out)
{
	show_columns(PTU_COL_CHECK, out);
}

void ptu_render_estimate_columns(FILE *out)
{
	show_columns(PTU_COL_ESTIMATE, out);
}
