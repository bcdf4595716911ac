// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A report as text for people.  The only user of libsmartcols; must not
 * decide anything that is not in the report.
 */
#include "render.h"

#include <errno.h>
#include <inttypes.h>
#include <libsmartcols.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "columns.h"
#include "geometry.h"
#include "prose.h"

/* Lines of a list of single tables; --json has all of them. */
#define NR_LISTED 20

#define ALARM_COLOUR "red"

static const char levels_check[] =
	"LEVEL,KERNEL,ESTIMATE,DIFF,EXPLAINED,UNEXPLAINED,SIZE";
static const char levels_estimate[] = "LEVEL,ESTIMATE,SIZE";
static const char levels_estimate_range[] = "LEVEL,ESTIMATE,LOW,HIGH,SIZE";
static const char processes_check[] =
	"PID,COMM,RSS,VMPTE,PTE,PMD,PUD,EMPTY,DEPOSITED,DIFFER,UNEXPLAINED,STATUS";
static const char processes_estimate[] =
	"PID,COMM,RSS,VMPTE,PTE,PMD,PUD,DEPOSITED,RESIDUAL,STATUS";

struct text {
	const struct ptu_report *report;
	const struct ptu_render_options *options;
	FILE *out;
	bool colours;
};

static bool want_colours(FILE *out)
{
	const char *no_color = getenv("NO_COLOR");
	const char *term = getenv("TERM");

	if (no_color && no_color[0])
		return false;
	return isatty(fileno(out)) && term && strcmp(term, "dumb") != 0;
}

/* A table that goes to the output with the options that hold for all. */
static struct libscols_table *table_new(const struct text *text)
{
	struct libscols_table *table = scols_new_table();

	if (!table)
		return NULL;
	if (scols_table_set_stream(table, text->out) ||
	    scols_table_enable_raw(table, text->options->raw) ||
	    scols_table_enable_noheadings(table, text->options->no_headings) ||
	    scols_table_enable_colors(table, text->colours)) {
		scols_unref_table(table);
		return NULL;
	}
	return table;
}

/* Takes over @table. */
static int table_print(struct libscols_table *table, int error,
		       struct ptu_err *err)
{
	if (!error && scols_print_table(table))
		error = ptu_err_set(err, -EIO, "writing the table failed");
	scols_unref_table(table);
	if (error == -ENOMEM)
		return ptu_err_set(err, error, "no memory for the table");
	return error;
}

static int add_column(struct libscols_table *table, const char *name, int flags)
{
	return scols_table_new_column(table, name, 0, flags) ? 0 : -ENOMEM;
}

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
					 ALARM_COLOUR))
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
		error = add_column(table, choice->columns[i]->name,
				   choice->columns[i]->flags & PTU_COL_RIGHT ?
					   SCOLS_FL_RIGHT :
					   0);
	return error;
}

static int add_level_rows(const struct text *text, struct libscols_table *table,
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

static int choose(const struct text *text, struct ptu_column_choice *ret,
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
		defaults = levels_check;
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
static int print_flat(const struct text *text,
		      const struct ptu_column_choice *choice,
		      struct ptu_err *err)
{
	const struct ptu_report *report = text->report;
	struct libscols_table *table = table_new(text);
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
	return table_print(table, error, err);
}

/* "0x7f0000000000"; 0 as an end stands for 2^64 */
static const char *address(uint64_t addr, bool is_end, char ret[32])
{
	if (is_end && !addr)
		snprintf(ret, 32, "0x10000000000000000");
	else
		snprintf(ret, 32, "0x%" PRIx64, addr);
	return ret;
}

static int set_range(struct libscols_line *line, size_t column, uint64_t start,
		     uint64_t end)
{
	char buffer[32];

	if (scols_line_set_data(line, column, address(start, false, buffer)) ||
	    scols_line_set_data(line, column + 1, address(end, true, buffer)))
		return -ENOMEM;
	return 0;
}

static int set_number(struct libscols_line *line, size_t column, uint64_t value)
{
	char buffer[32];

	snprintf(buffer, sizeof(buffer), "%" PRIu64, value);
	return scols_line_set_data(line, column, buffer) ? -ENOMEM : 0;
}

static int add_cause(const struct text *text, struct libscols_table *table,
		     const struct ptu_cause_row *row)
{
	struct libscols_line *line = scols_table_new_line(table, NULL);
	char size[PTU_FORMAT_LEN];

	if (!line)
		return -ENOMEM;
	ptu_format_size(row->bytes, text->options->bytes, size);
	if (set_number(line, 0, row->tables) ||
	    scols_line_set_data(line, 1, ptu_level_name(row->level)) ||
	    scols_line_set_data(line, 2, ptu_why_name(row->why)) ||
	    scols_line_set_data(line, 3, size) ||
	    set_range(line, 4, row->start, row->end) ||
	    scols_line_set_data(line, 6, ptu_why_sentence(row->why)))
		return -ENOMEM;
	return 0;
}

static int print_causes(const struct text *text,
			const struct ptu_process *process, struct ptu_err *err)
{
	struct libscols_table *table;
	int error;
	size_t i;

	if (!process->nr_causes)
		return 0;
	table = table_new(text);
	if (!table)
		return -ENOMEM;
	error = add_column(table, "TABLES", SCOLS_FL_RIGHT)	  ?:
			add_column(table, "LEVEL", 0)		  ?:
			add_column(table, "CAUSE", 0)		  ?:
			add_column(table, "SIZE", SCOLS_FL_RIGHT) ?:
			add_column(table, "FROM", SCOLS_FL_RIGHT) ?:
			add_column(table, "TO", SCOLS_FL_RIGHT)	  ?:
			add_column(table, "MEANING", SCOLS_FL_WRAP);
	for (i = 0; !error && i < process->nr_causes; i++)
		error = add_cause(text, table, &process->causes[i]);
	fputc('\n', text->out);
	return table_print(table, error, err);
}

static int add_unexplained(struct libscols_table *table,
			   const struct ptu_unexplained *row)
{
	struct libscols_line *line = scols_table_new_line(table, NULL);
	bool kernel = row->side == PTU_SIDE_KERNEL;

	if (!line)
		return -ENOMEM;
	if (scols_line_set_data(line, 0, ptu_why_name(row->why)) ||
	    scols_line_set_data(line, 1, ptu_level_name(row->level)) ||
	    scols_line_set_data(line, 2, row->leaf ? "leaf" : "table") ||
	    scols_line_set_data(line, 3, kernel ? "kernel" : "estimate") ||
	    set_range(line, 4, row->start, row->end) ||
	    scols_line_set_color(line, ALARM_COLOUR))
		return -ENOMEM;
	if (!kernel)
		return scols_line_set_data(line, 6, "-") ? -ENOMEM : 0;
	return set_number(line, 6, row->entries);
}

static int print_unexplained(const struct text *text,
			     const struct ptu_process *process,
			     struct ptu_err *err)
{
	struct libscols_table *table;
	int error;
	size_t i;

	if (!process->nr_unexplained)
		return 0;
	table = table_new(text);
	if (!table)
		return -ENOMEM;
	error = add_column(table, "WITHOUT CAUSE", 0)		  ?:
			add_column(table, "LEVEL", 0)		  ?:
			add_column(table, "KIND", 0)		  ?:
			add_column(table, "SEEN BY", 0)		  ?:
			add_column(table, "FROM", SCOLS_FL_RIGHT) ?:
			add_column(table, "TO", SCOLS_FL_RIGHT)	  ?:
			add_column(table, "ENTRIES", SCOLS_FL_RIGHT);
	for (i = 0; !error && i < process->nr_unexplained && i < NR_LISTED; i++)
		error = add_unexplained(table, &process->unexplained[i]);
	fputc('\n', text->out);
	error = table_print(table, error, err);
	if (!error && process->nr_unexplained > NR_LISTED)
		fprintf(text->out, "and %zu more; --json lists all of them\n",
			process->nr_unexplained - NR_LISTED);
	return error;
}

/* One line of the table of estimators: a figure for each unfolded level. */
static int add_witness(const struct text *text, struct libscols_table *table,
		       const struct ptu_process *process,
		       const struct ptu_estimator_row *row)
{
	struct libscols_line *line = scols_table_new_line(table, NULL);
	unsigned int level = PTAUDIT_NR_LEVELS;
	uint64_t off_by = 0;
	size_t column = 1;

	if (!line || scols_line_set_data(line, 0, row ? row->name : "kernel"))
		return -ENOMEM;
	while (level--) {
		uint64_t kernel = process->levels[level].kernel;
		uint64_t low = row ? row->low[level] : kernel;
		uint64_t high = row ? row->high[level] : kernel;
		char cell[64];

		if (!text->report->level_unfolded[level])
			continue;
		if (row && row->error[0])
			snprintf(cell, sizeof(cell), "-");
		else if (high != low)
			snprintf(cell, sizeof(cell), "%" PRIu64 "-%" PRIu64,
				 low, high);
		else
			snprintf(cell, sizeof(cell), "%" PRIu64, low);
		if (scols_line_set_data(line, column++, cell))
			return -ENOMEM;
		off_by += low > kernel ? low - kernel : kernel - low;
	}
	if (text->report->is_check && row && !row->error[0] &&
	    set_number(line, column, off_by))
		return -ENOMEM;
	column += text->report->is_check;
	if (row && row->error[0] && scols_line_set_data(line, column, row->error))
		return -ENOMEM;
	return 0;
}

static int print_estimators(const struct text *text,
			    const struct ptu_process *process,
			    struct ptu_err *err)
{
	unsigned int level = PTAUDIT_NR_LEVELS;
	struct libscols_table *table;
	bool any_error = false;
	int error;
	size_t i;

	if (process->nr_estimators < 2)
		return 0;
	table = table_new(text);
	if (!table)
		return -ENOMEM;
	error = add_column(table, "WITNESS", 0);
	while (!error && level--) {
		if (text->report->level_unfolded[level])
			error = add_column(table, ptu_level_name(level),
					   SCOLS_FL_RIGHT);
	}
	if (!error && text->report->is_check)
		error = add_column(table, "OFF BY", SCOLS_FL_RIGHT);
	for (i = 0; !error && !any_error && i < process->nr_estimators; i++)
		any_error = process->estimators[i].error[0] != 0;
	if (!error && any_error)
		error = add_column(table, "NOTE", SCOLS_FL_WRAP);
	if (!error && text->report->is_check)
		error = add_witness(text, table, process, NULL);
	for (i = 0; !error && i < process->nr_estimators; i++)
		error = add_witness(text, table, process,
				    &process->estimators[i]);
	fputc('\n', text->out);
	return table_print(table, error, err);
}

static int print_process(const struct text *text,
			 const struct ptu_column_choice *choice,
			 const struct ptu_process *process, struct ptu_err *err)
{
	const struct ptu_report *report = text->report;
	struct libscols_table *table;
	int error;

	ptu_prose_head(report, process, text->out);
	table = table_new(text);
	if (!table)
		return -ENOMEM;
	error = add_columns(table, choice) ?:
			add_level_rows(text, table, choice, process);
	error = table_print(table, error, err);
	if (!error && report->is_check)
		error = print_causes(text, process, err);
	if (!error && report->is_check)
		error = print_unexplained(text, process, err);
	if (!error)
		error = print_estimators(text, process, err);
	if (error)
		return error;
	fputc('\n', text->out);
	ptu_prose_vmpte(report, process, text->options->bytes, text->out);
	if (report->is_check)
		ptu_prose_verdict(process, text->colours, text->out);
	return 0;
}

int ptu_render_text(const struct ptu_report *report,
		    const struct ptu_render_options *options, FILE *out,
		    struct ptu_err *err)
{
	struct text text = {
		.report = report,
		.options = options,
		.out = out,
		.colours = want_colours(out),
	};
	struct ptu_column_choice choice;
	int error = choose(&text, &choice, err);
	size_t nr_printed = 0;
	size_t i;

	if (error)
		return error;
	if (options->raw || report->is_all) {
		error = print_flat(&text, &choice, err);
		if (!error && report->is_all && !options->raw)
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
	const struct text text = { .report = report, .options = options };
	struct ptu_column_choice choice;

	return choose(&text, &choice, err);
}

void ptu_render_text_columns(FILE *out)
{
	size_t i;

	for (i = 0; i < ptu_nr_columns; i++) {
		const struct ptu_column *column = &ptu_columns[i];

		fprintf(out, " %14s  %s%s%s%s\n", column->name, column->help,
			column->flags & PTU_COL_LEVELS ? "" : " (--all)",
			column->flags & PTU_COL_CHECK ? "" : " (estimate)",
			column->flags & PTU_COL_ESTIMATE ? "" : " (check)");
	}
}
