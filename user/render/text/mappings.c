// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The tables of a process by mapping and by fill.  Must not decide anything that is
 * not in the report.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "render/mapping_columns.h"
#include "render/render.h"
#include "render/text/grid.h"
#include "render/text/parts.h"

void ptu_render_mapping_columns(FILE *out)
{
	ptu_grid_help(ptu_mapping_columns, out);
}

/* The grid without rows; @process may be NULL if only the columns are needed. */
static struct ptu_grid grid_of(const struct ptu_text *text,
			       const struct ptu_process *process,
			       char names[PTU_MAPPING_NAMES])
{
	ptu_mapping_defaults(text->report, process, names);
	return (struct ptu_grid){
		.columns = ptu_mapping_columns,
		.defaults = names,
		.row_bytes = sizeof(struct ptu_mapping_line),
		.page_bytes = text->report->page_bytes,
		.is_shown = ptu_mapping_line_has_any,
		.colours = text->colours,
	};
}

int ptu_text_mappings_check(const struct ptu_text *text, struct ptu_err *err)
{
	char names[PTU_MAPPING_NAMES];
	const struct ptu_grid grid = grid_of(text, NULL, names);

	return ptu_grid_check(&grid, text->options, err);
}

bool ptu_text_mappings_want_fill(const struct ptu_text *text)
{
	char names[PTU_MAPPING_NAMES];
	const struct ptu_grid grid = grid_of(text, NULL, names);
	struct ptu_grid_choice choice;

	return !ptu_grid_choose(grid.columns, grid.table, grid.defaults,
				text->options->columns,
				text->options->all_columns, &choice, NULL) &&
	       ptu_mapping_columns_have_fill(&choice);
}

int ptu_text_mappings(const struct ptu_text *text,
		      const struct ptu_process *process, struct ptu_err *err)
{
	char names[PTU_MAPPING_NAMES];
	struct ptu_grid grid = grid_of(text, process, names);
	struct ptu_mapping_line *lines;
	size_t i, nr_without = 0;
	int error;

	if (!process->nr_mappings)
		return 0;
	lines = calloc(process->nr_mappings, sizeof(*lines));
	if (!lines)
		return ptu_err_set(err, -ENOMEM, "no memory for the table");
	for (i = 0; i < process->nr_mappings; i++) {
		lines[i] = (struct ptu_mapping_line){ process,
						      &process->mappings[i] };
		nr_without += !ptu_mapping_line_has_any(&lines[i]);
	}
	grid.rows = lines;
	grid.nr_rows = process->nr_mappings;
	fputc('\n', text->out);
	error = ptu_grid_print(&grid, text->options, text->out, err);
	free(lines);
	if (!error && nr_without && ptu_render_prose(text->options))
		fprintf(text->out,
			"mappings without a counted table or huge page: %zu\n",
			nr_without);
	return error;
}

/* PTE tables of a fill class. */
struct class
{
	char name[32];
	uint64_t tables;
	uint64_t bytes;
};

#define CLASS(member) offsetof(struct class, member)

static const struct ptu_grid_column class_columns[] = {
	{ "ENTRIES USED", "", PTU_RIGHT, ptu_fill_words, NULL, CLASS(name) },
	{ "PTE TABLES", "", PTU_RIGHT, ptu_fill_number, NULL, CLASS(tables) },
	{ "SIZE", "", PTU_RIGHT, ptu_fill_size, NULL, CLASS(bytes) },
	{ 0 },
};

int ptu_text_fill(const struct ptu_text *text,
		  const struct ptu_process *process, struct ptu_err *err)
{
	const struct ptu_fill *fill = &process->fill;
	struct class classes[PTU_NR_FILLS];
	const struct ptu_grid grid = {
		.columns = class_columns,
		.defaults = "ENTRIES USED,PTE TABLES,SIZE",
		.rows = classes,
		.nr_rows = PTU_NR_FILLS,
		.row_bytes = sizeof(classes[0]),
	};
	unsigned int i;

	if (!ptu_fill_is_whole(fill))
		return 0;
	for (i = 0; i < PTU_NR_FILLS; i++) {
		ptu_fill_class_name(i,
				    (unsigned int)(fill->room / fill->counted),
				    classes[i].name);
		classes[i].tables = fill->in_class[i];
		classes[i].bytes = fill->in_class[i] * text->report->page_bytes;
	}
	return ptu_text_part(text, &grid, err);
}
