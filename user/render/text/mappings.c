// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The tables of a process by mapping and by fill.  Must not decide anything that is
 * not in the report.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "render/format.h"
#include "render/render.h"
#include "render/text/grid.h"
#include "render/text/parts.h"

struct line {
	const struct ptu_process *process;
	const struct ptu_mapping_row *mapping;
};

static const struct ptu_mapping_row *mapping_of(const void *row)
{
	return ((const struct line *)row)->mapping;
}

static void fill_start(struct ptu_grid_cell *cell, const void *row)
{
	ptu_grid_address(cell, mapping_of(row)->start);
}

static void fill_end(struct ptu_grid_cell *cell, const void *row)
{
	ptu_grid_end(cell, mapping_of(row)->end);
}

static void fill_perms(struct ptu_grid_cell *cell, const void *row)
{
	const char *perms = mapping_of(row)->perms;

	ptu_grid_words(cell, perms[0] ? perms : "-");
}

static void fill_path(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_mapping_row *mapping = mapping_of(row);

	ptu_grid_words(cell,
		       mapping->perms[0] ? mapping->path : "(no mapping)");
}

/* The column's offset is the level. */
static void fill_level(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_mapping_row *mapping = mapping_of(row);
	const size_t level = cell->column->offset;

	ptu_grid_span(cell, mapping->low[level], mapping->high[level]);
}

static void fill_leaves(struct ptu_grid_cell *cell, const void *row)
{
	ptu_grid_number(cell, mapping_of(row)->leaves);
}

/* The PGD is in no mapping; a folded level has no tables. */
static void fill_bytes(struct ptu_grid_cell *cell, const void *row)
{
	uint64_t nr_tables = 0;
	unsigned int level;

	for (level = PTAUDIT_PTE; level < PTAUDIT_PGD; level++)
		nr_tables += mapping_of(row)->low[level];
	ptu_grid_size(cell, nr_tables * cell->page_bytes);
}

static void fill_empty(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_fill *fill = &mapping_of(row)->fill;

	if (((const struct line *)row)->process->sees_empty)
		ptu_format_at_least(fill->in_class[PTU_FILL_EMPTY],
				    fill->unasked, cell->text);
	else
		ptu_grid_unknown(cell);
}

static void fill_full(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_fill *fill = &mapping_of(row)->fill;

	if (ptu_fill_is_whole(fill))
		ptu_grid_percent(cell, fill);
	else
		ptu_grid_unknown(cell);
}

#define R PTU_RIGHT

/* clang-format off */
static const struct ptu_grid_column mapping_columns[] = {
	{ "START", "first address of the mapping", R, fill_start, NULL, 0 },
	{ "END", "its end, exclusive", R, fill_end, NULL, 0 },
	{ "PERMS", "its permissions", 0, fill_perms, NULL, 0 },
	{ "PATH", "what is mapped", 0, fill_path, NULL, 0 },
	{ "PTE", "PTE tables counted with it", R, fill_level, NULL, PTAUDIT_PTE },
	{ "PMD", "PMD tables counted with it", R, fill_level, NULL, PTAUDIT_PMD },
	{ "PUD", "PUD tables counted with it", R, fill_level, NULL, PTAUDIT_PUD },
	{ "P4D", "P4D tables counted with it", R, fill_level, NULL, PTAUDIT_P4D },
	{ "LEAVES", "huge pages", R, fill_leaves, NULL, 0 },
	{ "SIZE", "memory of these tables", R, fill_bytes, NULL, 0 },
	{ "EMPTY", "PTE tables that hold nothing", R, fill_empty, NULL, 0 },
	{ "FILL", "percent of the entries of its PTE tables that are used", R | PTU_UP,
	  fill_full, NULL, 0 },
	{ 0 },
};
/* clang-format on */

#undef R

static bool has_any(const void *row)
{
	return ptu_mapping_has_any(mapping_of(row));
}

void ptu_render_mapping_columns(FILE *out)
{
	ptu_grid_help(mapping_columns, out);
}

/* The grid without rows; @process may be NULL if only the columns are needed. */
static struct ptu_grid grid_of(const struct ptu_text *text,
			       const struct ptu_process *process,
			       char names[128])
{
	static const char *const headings[] = {
		[PTAUDIT_PTE] = "PTE",
		[PTAUDIT_PMD] = "PMD",
		[PTAUDIT_PUD] = "PUD",
		[PTAUDIT_P4D] = "P4D",
	};
	unsigned int level;

	snprintf(names, 128, "START,END,PERMS,PATH");
	for (level = PTAUDIT_PTE; level < PTAUDIT_PGD; level++) {
		if (text->report->level_unfolded[level])
			ptu_grid_name(names, 128, headings[level]);
	}
	ptu_grid_name(names, 128, "LEAVES,SIZE");
	if (process && process->sees_empty)
		ptu_grid_name(names, 128, "EMPTY");
	if (process && ptu_fill_is_whole(&process->fill))
		ptu_grid_name(names, 128, "FILL");
	return (struct ptu_grid){
		.columns = mapping_columns,
		.defaults = names,
		.row_bytes = sizeof(struct line),
		.page_bytes = text->report->page_bytes,
		.is_shown = has_any,
		.colours = text->colours,
	};
}

int ptu_text_mappings_check(const struct ptu_text *text, struct ptu_err *err)
{
	char names[128];
	const struct ptu_grid grid = grid_of(text, NULL, names);

	return ptu_grid_check(&grid, text->options, err);
}

bool ptu_text_mappings_want_fill(const struct ptu_text *text)
{
	char names[128];
	const struct ptu_grid grid = grid_of(text, NULL, names);
	struct ptu_grid_choice choice;
	size_t i;

	if (ptu_grid_choose(grid.columns, grid.table, grid.defaults,
			    text->options->columns, text->options->all_columns,
			    &choice, NULL))
		return false;
	for (i = 0; i < choice.nr_columns; i++) {
		if (choice.columns[i]->fill == fill_full)
			return true;
	}
	return false;
}

int ptu_text_mappings(const struct ptu_text *text,
		      const struct ptu_process *process, struct ptu_err *err)
{
	char names[128];
	struct ptu_grid grid = grid_of(text, process, names);
	struct line *lines;
	size_t i, nr_without = 0;
	int error;

	if (!process->nr_mappings)
		return 0;
	lines = calloc(process->nr_mappings, sizeof(*lines));
	if (!lines)
		return ptu_err_set(err, -ENOMEM, "no memory for the table");
	for (i = 0; i < process->nr_mappings; i++) {
		lines[i] = (struct line){ process, &process->mappings[i] };
		nr_without += !has_any(&lines[i]);
	}
	grid.rows = lines;
	grid.nr_rows = process->nr_mappings;
	fputc('\n', text->out);
	error = ptu_grid_print(&grid, text->options, text->out, err);
	free(lines);
	if (!error && nr_without && ptu_render_prose(text->options))
		fprintf(text->out, "mappings with nothing counted: %zu\n",
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
