// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A report as text for people: which tables there are, and the levels.  With
 * render_text_*.c the only user of libsmartcols; must not decide anything that
 * is not in the report.
 */
#include "render/render.h"

#include <errno.h>
#include <string.h>

#include "render/columns.h"
#include "render/text/parts.h"
#include "render/text/scols.h"
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

static int add_row(struct libscols_table *table,
		   const struct ptu_column_choice *choice,
		   struct ptu_cell *cell)
{
	struct libscols_line *line = scols_table_new_line(table, NULL);
	size_t i;

	if (!line)
		return -ENOMEM;
	for (i = 0; i < choice->nr_columns; i++) {
		const struct ptu_column *column = choice->columns[i];
		const char *said = ptu_column_fill(column, cell);

		if (scols_line_set_data(line, i, said))
			return -ENOMEM;
		if ((column->flags & PTU_COL_ALARM) && strcmp(said, "0") != 0 &&
		    scols_cell_set_color(scols_line_get_cell(line, i),
					 PTU_ALARM_COLOUR))
			return -ENOMEM;
	}
	return 0;
}

static int add_columns(struct libscols_table *table,
		       const struct ptu_column_choice *choice)
{
	int error = 0;
	size_t i;

	for (i = 0; !error && i < choice->nr_columns; i++)
		error = ptu_text_column(table, choice->columns[i]->name,
					choice->columns[i]->flags &
							PTU_COL_RIGHT ?
						SCOLS_FL_RIGHT :
						0);
	return error;
}

static int add_level_rows(const struct ptu_text *text,
			  struct libscols_table *table,
			  const struct ptu_column_choice *choice,
			  const struct ptu_process *process)
{
	struct ptu_cell cell = {
		.report = text->report,
		.process = process,
		.bytes = text->options->bytes,
		.level = PTAUDIT_NR_LEVELS,
	};
	int error = 0;

	while (!error && cell.level--) {
		if (text->report->level_unfolded[cell.level])
			error = add_row(table, choice, &cell);
		/* one row says that it was not measured as well as five */
		if (process->status != PTU_STATUS_OK)
			break;
	}
	return error;
}

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

static int choose(const struct ptu_text *text, struct ptu_column_choice *ret,
		  struct ptu_err *err)
{
	const struct ptu_report *report = text->report;
	unsigned int table = report->is_check ? PTU_COL_CHECK :
						PTU_COL_ESTIMATE;
	const char *defaults;
	char names[256];

	if (report->is_all)
		defaults = report->is_check ? processes_check :
					      processes_estimate;
	else if (report->is_check)
		defaults = report->has_bpf ? levels_both : levels_check;
	else
		defaults = any_possible(report) ? levels_estimate_range :
						  levels_estimate;
	/* raw: all processes in one table, so each row says whose it is */
	snprintf(names, sizeof(names), "%s%s",
		 text->options->raw && !report->is_all ? "PID," : "", defaults);
	table |= report->is_all ? PTU_COL_PROCESSES : PTU_COL_LEVELS;
	return ptu_columns_choose(table, names, text->options->columns,
				  text->options->all_columns, ret, err);
}

/* One table over all processes: a row a process, or a row a level. */
static int print_flat(const struct ptu_text *text,
		      const struct ptu_column_choice *choice,
		      struct ptu_err *err)
{
	const struct ptu_report *report = text->report;
	struct libscols_table *table = ptu_text_table_new(text);
	int error;
	size_t i;

	if (!table)
		return -ENOMEM;
	error = add_columns(table, choice);
	for (i = 0; !error && i < report->nr_processes; i++) {
		struct ptu_cell cell = {
			.report = report,
			.process = &report->processes[i],
			.bytes = text->options->bytes,
			.level = PTU_NO_LEVEL,
		};

		error = report->is_all ? add_row(table, choice, &cell) :
					 add_level_rows(text, table, choice,
							cell.process);
	}
	return ptu_text_table_print(table, error, err);
}

static int print_process(const struct ptu_text *text,
			 const struct ptu_column_choice *choice,
			 const struct ptu_process *process, struct ptu_err *err)
{
	const struct ptu_report *report = text->report;
	struct libscols_table *table;
	int error;

	if (ptu_render_prose(text->options))
		ptu_prose_head(report, process, text->out);
	table = ptu_text_table_new(text);
	if (!table)
		return -ENOMEM;
	error = add_columns(table, choice) ?:
			add_level_rows(text, table, choice, process);
	error = ptu_text_table_print(table, error, err);
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
	struct ptu_column_choice choice;
	int error = choose(&text, &choice, err);
	size_t nr_printed = 0;
	size_t i;

	if (error)
		return error;
	if (options->raw || report->is_all) {
		error = print_flat(&text, &choice, err);
		if (!error && report->is_all && ptu_render_prose(options))
			ptu_prose_summary(report, options->bytes, out);
	} else {
		for (i = 0; !error && i < report->nr_processes; i++) {
			/* main.c says what could not be measured */
			if (report->processes[i].status != PTU_STATUS_OK)
				continue;
			if (nr_printed++)
				fputc('\n', out);
			error = print_process(&text, &choice,
					      &report->processes[i], err);
		}
		if (!error && report->is_check && nr_printed > 1 &&
		    ptu_render_prose(options))
			ptu_prose_set(report, options->bytes, out);
	}
	if (error == -ENOMEM)
		return ptu_err_set(err, error, "no memory for the output");
	if (!error && ferror(out))
		return ptu_err_set(err, -EIO, "writing the report failed");
	return error;
}

int ptu_render_text_check(const struct ptu_report *report,
			  const struct ptu_render_options *options,
			  struct ptu_err *err)
{
	const struct ptu_text text = { .report = report, .options = options };
	struct ptu_column_choice choice;

	return choose(&text, &choice, err);
}

bool ptu_render_text_wants_fill(const struct ptu_report *report,
				const struct ptu_render_options *options)
{
	const struct ptu_text text = { .report = report, .options = options };
	struct ptu_column_choice choice;

	return !choose(&text, &choice, NULL) && !options->all_columns &&
	       ptu_columns_have_fill(&choice);
}

static void show_columns(unsigned int command, FILE *out)
{
	size_t i;

	for (i = 0; i < ptu_nr_columns; i++) {
		const struct ptu_column *column = &ptu_columns[i];
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
