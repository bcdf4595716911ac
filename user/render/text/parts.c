// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The tables below a process's levels.  Must not decide anything that is not
 * in the report.
 */
#include "render/text/parts.h"

#include <errno.h>
#include <inttypes.h>

#include "model/geometry.h"
#include "render/format.h"
#include "render/render.h"

/* Lines of a list of single tables; --json has all of them. */
#define NR_LISTED 20

static int add_cause(const struct ptu_text *text, struct libscols_table *table,
		     const struct ptu_cause_row *row)
{
	struct libscols_line *line = scols_table_new_line(table, NULL);
	char size[PTU_FORMAT_LEN];

	if (!line)
		return -ENOMEM;
	ptu_format_size(row->bytes, text->options->bytes, size);
	if (ptu_text_number(line, 0, row->tables) ||
	    scols_line_set_data(line, 1, ptu_level_name(row->level)) ||
	    scols_line_set_data(line, 2, ptu_why_name(row->why)) ||
	    scols_line_set_data(line, 3, size) ||
	    ptu_text_range(line, 4, row->start, row->end) ||
	    scols_line_set_data(line, 6, ptu_why_sentence(row->why)))
		return -ENOMEM;
	return 0;
}

int ptu_text_causes(const struct ptu_text *text,
		    const struct ptu_process *process, struct ptu_err *err)
{
	struct libscols_table *table;
	int error;
	size_t i;

	if (!process->nr_causes)
		return 0;
	table = ptu_text_table_new(text);
	if (!table)
		return -ENOMEM;
	error = ptu_text_column(table, "TABLES", SCOLS_FL_RIGHT)       ?:
			ptu_text_column(table, "LEVEL", 0)	       ?:
			ptu_text_column(table, "CAUSE", 0)	       ?:
			ptu_text_column(table, "SIZE", SCOLS_FL_RIGHT) ?:
			ptu_text_column(table, "FROM", SCOLS_FL_RIGHT) ?:
			ptu_text_column(table, "TO", SCOLS_FL_RIGHT)   ?:
			ptu_text_column(table, "MEANING", 0);
	for (i = 0; !error && i < process->nr_causes; i++)
		error = add_cause(text, table, &process->causes[i]);
	fputc('\n', text->out);
	return ptu_text_table_print(table, error, err);
}

static int add_unexplained(struct libscols_table *table,
			   const struct ptu_unexplained *row)
{
	struct libscols_line *line = scols_table_new_line(table, NULL);
	bool kernel = row->side != PTU_SIDE_ESTIMATE;

	if (!line)
		return -ENOMEM;
	if (scols_line_set_data(line, 0, ptu_why_name(row->why)) ||
	    scols_line_set_data(line, 1, ptu_level_name(row->level)) ||
	    scols_line_set_data(line, 2,
				row->leaf     ? "leaf" :
				row->contents ? "entries" :
						"table") ||
	    scols_line_set_data(line, 3, ptu_seen_by(row->side)) ||
	    ptu_text_range(line, 4, row->start, row->end) ||
	    scols_line_set_color(line, PTU_ALARM_COLOUR))
		return -ENOMEM;
	if (!kernel)
		return scols_line_set_data(line, 6, "-") ? -ENOMEM : 0;
	return ptu_text_number(line, 6, row->entries);
}

int ptu_text_unexplained(const struct ptu_text *text,
			 const struct ptu_process *process, struct ptu_err *err)
{
	struct libscols_table *table;
	int error;
	size_t i;

	if (!process->nr_unexplained)
		return 0;
	table = ptu_text_table_new(text);
	if (!table)
		return -ENOMEM;
	error = ptu_text_column(table, "WITHOUT CAUSE", 0)	       ?:
			ptu_text_column(table, "LEVEL", 0)	       ?:
			ptu_text_column(table, "KIND", 0)	       ?:
			ptu_text_column(table, "SEEN BY", 0)	       ?:
			ptu_text_column(table, "FROM", SCOLS_FL_RIGHT) ?:
			ptu_text_column(table, "TO", SCOLS_FL_RIGHT)   ?:
			ptu_text_column(table, "ENTRIES", SCOLS_FL_RIGHT);
	for (i = 0; !error && i < process->nr_unexplained && i < NR_LISTED; i++)
		error = add_unexplained(table, &process->unexplained[i]);
	fputc('\n', text->out);
	error = ptu_text_table_print(table, error, err);
	if (!error && process->nr_unexplained > NR_LISTED &&
	    ptu_render_prose(text->options))
		fprintf(text->out, "and %zu more; --json lists all of them\n",
			process->nr_unexplained - NR_LISTED);
	return error;
}

static int add_orphan(struct libscols_table *table,
		      const struct ptu_orphan_row *row)
{
	struct libscols_line *line = scols_table_new_line(table, NULL);

	if (!line)
		return -ENOMEM;
	if (scols_line_set_data(line, 0,
				!row->in_orphans ? "mappings" :
				!row->in_tables	 ? "all entries" :
						   "both") ||
	    scols_line_set_data(line, 1, ptu_level_name(row->level)) ||
	    ptu_text_range(line, 2, row->start, row->end) ||
	    ptu_text_number(line, 4, row->entries) ||
	    scols_line_set_data(line, 5,
				row->outside ? "no mapping reaches it" :
				row->in_tables && row->in_orphans ?
					       "in two page frames" :
					       "") ||
	    scols_line_set_color(line, PTU_ALARM_COLOUR))
		return -ENOMEM;
	return 0;
}

int ptu_text_orphans(const struct ptu_text *text,
		     const struct ptu_process *process, struct ptu_err *err)
{
	const struct ptu_orphans_result *orphans = &process->orphans;
	struct libscols_table *table;
	int error;
	size_t i;

	if (!orphans->nr_unexplained)
		return 0;
	table = ptu_text_table_new(text);
	if (!table)
		return -ENOMEM;
	error = ptu_text_column(table, "SEEN BY WALK OF", 0)		  ?:
			ptu_text_column(table, "LEVEL", 0)		  ?:
			ptu_text_column(table, "FROM", SCOLS_FL_RIGHT)	  ?:
			ptu_text_column(table, "TO", SCOLS_FL_RIGHT)	  ?:
			ptu_text_column(table, "ENTRIES", SCOLS_FL_RIGHT) ?:
			ptu_text_column(table, "NOTE", 0);
	for (i = 0; !error && i < orphans->nr_unexplained && i < NR_LISTED; i++)
		error = add_orphan(table, &orphans->unexplained[i]);
	fputc('\n', text->out);
	error = ptu_text_table_print(table, error, err);
	if (!error && orphans->nr_unexplained > NR_LISTED &&
	    ptu_render_prose(text->options))
		fprintf(text->out, "and %zu more; --json lists all of them\n",
			orphans->nr_unexplained - NR_LISTED);
	return error;
}

static int add_shared(struct libscols_table *table,
		      const struct ptu_shared *row)
{
	struct libscols_line *line = scols_table_new_line(table, NULL);
	char pfn[32];

	if (!line)
		return -ENOMEM;
	snprintf(pfn, sizeof(pfn), "0x%" PRIx64, row->pfn);
	if (scols_line_set_data(line, 0, ptu_level_name(row->level)) ||
	    ptu_text_number(line, 1, row->sharers) ||
	    ptu_text_range(line, 2, row->start, row->end) ||
	    scols_line_set_data(line, 4, pfn))
		return -ENOMEM;
	return 0;
}

int ptu_text_shared(const struct ptu_text *text,
		    const struct ptu_process *process, struct ptu_err *err)
{
	struct libscols_table *table;
	int error;
	size_t i;

	if (!process->nr_shared)
		return 0;
	table = ptu_text_table_new(text);
	if (!table)
		return -ENOMEM;
	error = ptu_text_column(table, "SHARED", 0)		       ?:
			ptu_text_column(table, "BY", SCOLS_FL_RIGHT)   ?:
			ptu_text_column(table, "FROM", SCOLS_FL_RIGHT) ?:
			ptu_text_column(table, "TO", SCOLS_FL_RIGHT)   ?:
			ptu_text_column(table, "PFN", SCOLS_FL_RIGHT);
	for (i = 0; !error && i < process->nr_shared && i < NR_LISTED; i++)
		error = add_shared(table, &process->shared[i]);
	fputc('\n', text->out);
	error = ptu_text_table_print(table, error, err);
	if (!error && process->nr_shared > NR_LISTED &&
	    ptu_render_prose(text->options))
		fprintf(text->out, "and %zu more; --json lists all of them\n",
			process->nr_shared - NR_LISTED);
	return error;
}

/* One line of the table of estimators: a figure for each unfolded level. */
static int add_witness(const struct ptu_text *text,
		       struct libscols_table *table,
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
		bool failed = row && row->error[0];

		if (!text->report->level_unfolded[level])
			continue;
		if (failed ? scols_line_set_data(line, column, "-") :
			     ptu_text_span(line, column, low, high))
			return -ENOMEM;
		column++;
		off_by += low > kernel ? low - kernel : kernel - low;
	}
	if (text->report->is_check && row && !row->error[0] &&
	    ptu_text_number(line, column, off_by))
		return -ENOMEM;
	column += text->report->is_check;
	if (row && row->error[0] &&
	    scols_line_set_data(line, column, row->error))
		return -ENOMEM;
	return 0;
}

int ptu_text_estimators(const struct ptu_text *text,
			const struct ptu_process *process, struct ptu_err *err)
{
	unsigned int level = PTAUDIT_NR_LEVELS;
	struct libscols_table *table;
	bool any_error = false;
	int error;
	size_t i;

	if (process->nr_estimators < 2)
		return 0;
	table = ptu_text_table_new(text);
	if (!table)
		return -ENOMEM;
	error = ptu_text_column(table, "WITNESS", 0);
	while (!error && level--) {
		if (text->report->level_unfolded[level])
			error = ptu_text_column(table, ptu_level_name(level),
						SCOLS_FL_RIGHT);
	}
	if (!error && text->report->is_check)
		error = ptu_text_column(table, "OFF BY", SCOLS_FL_RIGHT);
	for (i = 0; !error && !any_error && i < process->nr_estimators; i++)
		any_error = process->estimators[i].error[0] != 0;
	if (!error && any_error)
		error = ptu_text_column(table, "NOTE", 0);
	if (!error && text->report->is_check)
		error = add_witness(text, table, process, NULL);
	for (i = 0; !error && i < process->nr_estimators; i++)
		error = add_witness(text, table, process,
				    &process->estimators[i]);
	fputc('\n', text->out);
	return ptu_text_table_print(table, error, err);
}
