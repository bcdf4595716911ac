// SPDX-License-Identifier: LGPL-2.1-or-later
/* The columns of mappings.  Must not decide anything that is not in the report. */
#include "render/mapping_columns.h"

#include <stdio.h>

static const struct ptu_mapping_row *mapping_of(const void *row)
{
	return ((const struct ptu_mapping_line *)row)->mapping;
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

	ptu_grid_words(cell, perms[0] || cell->json ? perms : "-");
}

static void fill_path(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_mapping_row *mapping = mapping_of(row);

	ptu_grid_words(cell, mapping->perms[0] || cell->json ? mapping->path :
							       "(no mapping)");
}

/* The level is the column's offset. */
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

/* The PGD belongs to all mappings; a folded level has no tables. */
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

	if (((const struct ptu_mapping_line *)row)->process->sees_empty)
		ptu_grid_at_least(cell, fill->in_class[PTU_FILL_EMPTY],
				  fill->unasked);
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
const struct ptu_grid_column ptu_mapping_columns[] = {
	{ "START", "first address of the mapping", R, fill_start, "start", 0 },
	{ "END", "end address, exclusive", R, fill_end, "end", 0 },
	{ "PERMS", "permissions of the mapping", 0, fill_perms, "perms", 0 },
	{ "PATH", "what is mapped", 0, fill_path, "path", 0 },
	{ "PTE", "PTE tables counted with it", R, fill_level, "pte", PTAUDIT_PTE },
	{ "PMD", "PMD tables counted with it", R, fill_level, "pmd", PTAUDIT_PMD },
	{ "PUD", "PUD tables counted with it", R, fill_level, "pud", PTAUDIT_PUD },
	{ "P4D", "P4D tables counted with it", R, fill_level, "p4d", PTAUDIT_P4D },
	{ "LEAVES", "huge pages", R, fill_leaves, "leaves", 0 },
	{ "SIZE", "memory of these tables", R, fill_bytes, "bytes", 0 },
	{ "EMPTY", "PTE tables without entries", R, fill_empty, "empty_tables", 0 },
	{ "FILL", "percent of PTE table entries that are used", R | PTU_UP,
	  fill_full, "fill_percent", 0 },
	{ 0 },
};
/* clang-format on */

bool ptu_mapping_line_has_any(const void *line)
{
	return ptu_mapping_has_any(mapping_of(line));
}

bool ptu_mapping_columns_have_fill(const struct ptu_grid_choice *choice)
{
	size_t i;

	for (i = 0; i < choice->nr_columns; i++) {
		if (choice->columns[i]->fill == fill_full)
			return true;
	}
	return false;
}

void ptu_mapping_defaults(const struct ptu_report *report,
			  const struct ptu_process *process,
			  char ret[PTU_MAPPING_NAMES])
{
	static const char *const headings[] = {
		[PTAUDIT_PTE] = "PTE",
		[PTAUDIT_PMD] = "PMD",
		[PTAUDIT_PUD] = "PUD",
		[PTAUDIT_P4D] = "P4D",
	};
	unsigned int level;

	snprintf(ret, PTU_MAPPING_NAMES, "START,END,PERMS,PATH");
	for (level = PTAUDIT_PTE; level < PTAUDIT_PGD; level++) {
		if (report->level_unfolded[level])
			ptu_grid_name(ret, PTU_MAPPING_NAMES, headings[level]);
	}
	ptu_grid_name(ret, PTU_MAPPING_NAMES, "LEAVES,SIZE");
	if (process && process->sees_empty)
		ptu_grid_name(ret, PTU_MAPPING_NAMES, "EMPTY");
	if (process && ptu_fill_is_whole(&process->fill))
		ptu_grid_name(ret, PTU_MAPPING_NAMES, "FILL");
}
