// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The tables of a process by mapping, and by how full they are.  Must not
 * decide anything that is not in the report.
 */
#include <errno.h>
#include <inttypes.h>

#include "model/geometry.h"
#include "render/format.h"
#include "render/render.h"
#include "render/text/parts.h"

/* The cells of EMPTY and FILL, as far as these columns are there. */
static int add_fill(struct libscols_line *line, size_t column,
		    const struct ptu_process *process,
		    const struct ptu_fill *fill)
{
	char text[PTU_FORMAT_LEN];

	if (process->sees_empty) {
		ptu_format_at_least(fill->in_class[PTU_FILL_EMPTY],
				    fill->unasked, text);
		if (scols_line_set_data(line, column++, text))
			return -ENOMEM;
	}
	if (!ptu_fill_is_whole(&process->fill))
		return 0;
	if (ptu_fill_is_whole(fill))
		ptu_format_percent(ptu_fill_permille(fill), text);
	else
		snprintf(text, sizeof(text), "-");
	return scols_line_set_data(line, column, text) ? -ENOMEM : 0;
}

static int add_mapping(const struct ptu_text *text,
		       struct libscols_table *table,
		       const struct ptu_process *process,
		       const struct ptu_mapping_row *row)
{
	struct libscols_line *line = scols_table_new_line(table, NULL);
	char size[PTU_FORMAT_LEN];
	uint64_t nr_tables = 0;
	unsigned int level;
	size_t column = 4;
	int error;

	if (!line)
		return -ENOMEM;
	error = ptu_text_range(line, 0, row->start, row->end);
	if (!error &&
	    (scols_line_set_data(line, 2, row->perms[0] ? row->perms : "-") ||
	     scols_line_set_data(line, 3,
				 row->perms[0] ? row->path : "(no mapping)")))
		error = -ENOMEM;
	for (level = PTAUDIT_PTE; !error && level < PTAUDIT_PGD; level++) {
		if (!text->report->level_unfolded[level])
			continue;
		error = ptu_text_span(line, column++, row->low[level],
				      row->high[level]);
		nr_tables += row->low[level];
	}
	if (!error)
		error = ptu_text_number(line, column++, row->leaves);
	ptu_format_size(nr_tables * text->report->page_bytes,
			text->options->bytes, size);
	if (!error && scols_line_set_data(line, column++, size))
		error = -ENOMEM;
	return error ? error : add_fill(line, column, process, &row->fill);
}

static int add_mapping_columns(const struct ptu_text *text,
			       struct libscols_table *table,
			       const struct ptu_process *process)
{
	static const char *const headings[] = {
		[PTAUDIT_PTE] = "PTE",
		[PTAUDIT_PMD] = "PMD",
		[PTAUDIT_PUD] = "PUD",
		[PTAUDIT_P4D] = "P4D",
	};
	unsigned int level;
	int error;

	error = ptu_text_column(table, "START", SCOLS_FL_RIGHT)       ?:
			ptu_text_column(table, "END", SCOLS_FL_RIGHT) ?:
			ptu_text_column(table, "PERMS", 0)	      ?:
			ptu_text_column(table, "PATH", 0);
	for (level = PTAUDIT_PTE; !error && level < PTAUDIT_PGD; level++) {
		if (text->report->level_unfolded[level])
			error = ptu_text_column(table, headings[level],
						SCOLS_FL_RIGHT);
	}
	if (!error)
		error = ptu_text_column(table, "LEAVES", SCOLS_FL_RIGHT);
	if (!error)
		error = ptu_text_column(table, "SIZE", SCOLS_FL_RIGHT);
	if (!error && process->sees_empty)
		error = ptu_text_column(table, "EMPTY", SCOLS_FL_RIGHT);
	if (!error && ptu_fill_is_whole(&process->fill))
		error = ptu_text_column(table, "FILL", SCOLS_FL_RIGHT);
	return error;
}

int ptu_text_mappings(const struct ptu_text *text,
		      const struct ptu_process *process, struct ptu_err *err)
{
	struct libscols_table *table;
	size_t nr_without = 0;
	int error;
	size_t i;

	if (!process->nr_mappings)
		return 0;
	table = ptu_text_table_new(text);
	if (!table)
		return -ENOMEM;
	error = add_mapping_columns(text, table, process);
	for (i = 0; !error && i < process->nr_mappings; i++) {
		if (ptu_mapping_has_any(&process->mappings[i]))
			error = add_mapping(text, table, process,
					    &process->mappings[i]);
		else
			nr_without++;
	}
	fputc('\n', text->out);
	error = ptu_text_table_print(table, error, err);
	if (!error && nr_without && ptu_render_prose(text->options))
		fprintf(text->out, "mappings with nothing counted: %zu\n",
			nr_without);
	return error;
}

static int add_class(const struct ptu_text *text, struct libscols_table *table,
		     const struct ptu_fill *fill, enum ptu_fill_class which)
{
	const unsigned int room = (unsigned int)(fill->room / fill->counted);
	struct libscols_line *line = scols_table_new_line(table, NULL);
	char size[PTU_FORMAT_LEN], name[32];

	if (!line)
		return -ENOMEM;
	ptu_format_size(fill->in_class[which] * text->report->page_bytes,
			text->options->bytes, size);
	if (scols_line_set_data(line, 0,
				ptu_fill_class_name(which, room, name)) ||
	    ptu_text_number(line, 1, fill->in_class[which]) ||
	    scols_line_set_data(line, 2, size))
		return -ENOMEM;
	return 0;
}

int ptu_text_fill(const struct ptu_text *text,
		  const struct ptu_process *process, struct ptu_err *err)
{
	struct libscols_table *table;
	unsigned int i;
	int error;

	if (!ptu_fill_is_whole(&process->fill))
		return 0;
	table = ptu_text_table_new(text);
	if (!table)
		return -ENOMEM;
	error = ptu_text_column(table, "ENTRIES USED", SCOLS_FL_RIGHT)	     ?:
			ptu_text_column(table, "PTE TABLES", SCOLS_FL_RIGHT) ?:
			ptu_text_column(table, "SIZE", SCOLS_FL_RIGHT);
	for (i = 0; !error && i < PTU_NR_FILLS; i++)
		error = add_class(text, table, &process->fill, i);
	fputc('\n', text->out);
	return ptu_text_table_print(table, error, err);
}
