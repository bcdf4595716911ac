/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The columns of what could be given back, for text and JSON. */
#ifndef PTU_RENDER_WHATIF_COLUMNS_H
#define PTU_RENDER_WHATIF_COLUMNS_H

#include "render/cells.h"
#include "render/render.h"
#include "report/whatif.h"

/**
 * struct ptu_whatif_line - a row: tables that go in one way
 * @way: a word for it
 * @mm: the address space, NULL where there are several
 * @nr_mms: how many
 * @start: 0 of a file, which has no address; so @end
 * @upper_tables: that go beside PTE tables
 * @fill_bytes: memory that it takes
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
 * ptu_whatif_wants_table() - Is there an option that is about a table?
 */
static inline bool
ptu_whatif_wants_table(const struct ptu_render_options *options)
{
	return options->raw || options->no_headings || options->columns ||
	       options->all_columns || options->sort || options->limit;
}

/**
 * ptu_whatif_lines() - Its rows, in the order of the text.
 * @ret_nr: (out) how many
 *
 * Return: the rows, to be freed; NULL without memory.
 */
struct ptu_whatif_line *ptu_whatif_lines(const struct ptu_whatif_report *report,
					 size_t *ret_nr);

#endif
