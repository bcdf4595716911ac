/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The columns of tables that could be freed, for text and JSON. */
#ifndef PTU_RENDER_WHATIF_COLUMNS_H
#define PTU_RENDER_WHATIF_COLUMNS_H

#include "render/cells.h"
#include "render/render.h"
#include "report/whatif.h"

/**
 * struct ptu_whatif_line - a row: the tables that one way frees
 * @way: name of the way
 * @mm: the address space, NULL if there are several
 * @nr_mms: number of address spaces
 * @start: first address; 0 for a file
 * @end: end, exclusive; 0 for a file
 * @upper_tables: tables above the PTE tables that are also freed
 * @fill_bytes: memory that filling the huge pages takes
 */
struct ptu_whatif_line {
	const char *way;
	const struct ptu_whatif_mm *mm;
	uint64_t nr_mms;
	uint64_t start;
	uint64_t end;
	uint64_t tables;
	uint64_t upper_tables;
	uint64_t fill_bytes;
	const char *path;
};

/* The table, without rows. */
extern const struct ptu_grid ptu_whatif_table;

/**
 * ptu_whatif_wants_table() - Do the options need the table?
 */
static inline bool
ptu_whatif_wants_table(const struct ptu_render_options *options)
{
	return options->raw || options->no_headings || options->columns ||
	       options->all_columns || options->sort || options->limit;
}

/**
 * ptu_whatif_lines() - Make the rows, in the order of the text.
 * @ret_nr: (out) number of rows
 *
 * Return: the rows, free() them; NULL if out of memory.
 */
struct ptu_whatif_line *ptu_whatif_lines(const struct ptu_whatif_report *report,
					 size_t *ret_nr);

#endif
