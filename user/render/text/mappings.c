// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The tables of a process by mapping, and by how full they are.  Must not
 * decide anything that is not in the report.
 */
#include <stdio.h>

#include "render/format.h"
#include "render/text/grid.h"
#include "render/text/parts.h"

static void fill_perms(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_mapping_row *mapping = row;

	ptu_grid_words(cell, mapping->perms[0] ? mapping->perms : "-");
}

static void fill_path(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_mapping_row *mapping = row;

	ptu_grid_words(cell,
		       mapping->perms[0] ? mapping->path : "(no mapping)");
}

/* The level is the column's offset. */
static void fill_level(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_mapping_row *mapping = row;
	const size_t level = cell->column->offset;

	ptu_grid_span(cell, mapping->low[level], mapping->high[level]);
}

/* The PGD maps them all; a folded level has no tables. */
static void fill_bytes(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_mapping_row *mapping = row;
	uint64_t nr_tables = 0;
	unsigned int level;

	for (level = PTAUDIT_PTE; level < PTAUDIT_PGD; level++)
		nr_tables += mapping->low[level];
	ptu_grid_size(cell, nr_tables * cell->page_bytes);
}

static void fill_empty(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_fill *fill =
		&((const struct ptu_mapping_row *)row)->fill;

	ptu_format_at_least(fill->in_class[PTU_FILL_EMPTY], fill->unasked,
			    cell->text);
}

static void fill_full(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_fill *fill =
		&((const struct ptu_mapping_row *)row)->fill;

	if (ptu_fill_is_whole(fill))
		ptu_grid_percent(cell, fill);
	else
		ptu_grid_unknown(cell);
}

#define MAPPING(member) offsetof(struct ptu_mapping_row, member)

static const struct ptu_grid_column mapping_columns[] = {
	{ "START", "", PTU_RIGHT, ptu_fill_address, NULL, MAPPING(start) },
	{ "END", "", PTU_RIGHT, ptu_fill_end, NULL, MAPPING(end) },
	{ "PERMS", "", 0, fill_perms, NULL, 0 },
	{ "PATH", "", 0, fill_path, NULL, 0 },
	{ "PTE", "", PTU_RIGHT, fill_level, NULL, PTAUDIT_PTE },
	{ "PMD", "", PTU_RIGHT, fill_level, NULL, PTAUDIT_PMD },
	{ "PUD", "", PTU_RIGHT, fill_level, NULL, PTAUDIT_PUD },
	{ "P4D", "", PTU_RIGHT, fill_level, NULL, PTAUDIT_P4D },
	{ "LEAVES", "", PTU_RIGHT, ptu_fill_number, NULL, MAPPING(leaves) },
	{ "SIZE", "", PTU_RIGHT, fill_bytes, NULL, 0 },
	{ "EMPTY", "", PTU_RIGHT, fill_empty, NULL, 0 },
	{ "FILL", "", PTU_RIGHT, fill_full, NULL, 0 },
	{ 0 },
};

static bool has_any(const void *row)
{
	return ptu_mapping_has_any(row);
}

int ptu_text_mappings(const struct ptu_text *text,
		      const struct ptu_process *process, struct ptu_err *err)
{
	static const char *const headings[] = {
		[PTAUDIT_PTE] = "PTE",
		[PTAUDIT_PMD] = "PMD",
		[PTAUDIT_PUD] = "PUD",
		[PTAUDIT_P4D] = "P4D",
	};
	char names[128] = "START,END,PERMS,PATH";
	const struct ptu_grid grid = {
		.columns = mapping_columns,
		.defaults = names,
		.rows = process->mappings,
		.nr_rows = process->nr_mappings,
		.row_bytes = sizeof(*process->mappings),
		.is_shown = has_any,
	};
	unsigned int level;
	size_t i, nr_without = 0;
	int error;

	for (level = PTAUDIT_PTE; level < PTAUDIT_PGD; level++) {
		if (text->report->level_unfolded[level])
			ptu_grid_name(names, sizeof(names), headings[level]);
	}
	ptu_grid_name(names, sizeof(names), "LEAVES,SIZE");
	if (process->sees_empty)
		ptu_grid_name(names, sizeof(names), "EMPTY");
	if (ptu_fill_is_whole(&process->fill))
		ptu_grid_name(names, sizeof(names), "FILL");
	error = ptu_text_part(text, &grid, err);
	for (i = 0; i < process->nr_mappings; i++)
		nr_without += !has_any(&process->mappings[i]);
	if (!error && nr_without && ptu_render_prose(text->options))
		fprintf(text->out, "mappings with nothing counted: %zu\n",
			nr_without);
	return error;
}

/* PTE tables of a class. */
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
