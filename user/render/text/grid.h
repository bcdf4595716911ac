/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tables whose rows are an array, with support for --output. */
#ifndef PTU_RENDER_TEXT_GRID_H
#define PTU_RENDER_TEXT_GRID_H

#include <stddef.h>
#include <stdint.h>

#include "render/cells.h"
#include "render/render.h"

/**
 * struct ptu_grid - a table
 * @columns: all columns, terminated by one without a name
 * @table: flags of the columns that this table can have; 0: any
 * @defaults: names, comma separated
 * @rows: [nr_rows] of @row_bytes each
 * @limit: most rows, after sorting; 0: all
 * @last: one additional row, or NULL
 * @is_shown: is the row shown?  NULL: all rows are
 * @has: does a column have a value in a row, else "-"; NULL: always
 * @colours: the output supports colours
 * @alarm: each row is a problem
 * @cut: on a terminal, cut the last column if a line does not fit
 */
struct ptu_grid {
	const struct ptu_grid_column *columns;
	unsigned int table;
	const char *defaults;
	const void *rows;
	size_t nr_rows;
	size_t row_bytes;
	size_t limit;
	const void *last;
	uint64_t page_bytes;
	bool (*is_shown)(const void *row);
	bool (*has)(const struct ptu_grid_column *column, const void *row);
	bool colours;
	bool alarm;
	bool cut;
};

/**
 * ptu_grid_check() - Do the columns named by --output exist?
 *
 * Return: 0; -EINVAL an unknown column, or too many.
 */
ptu_must_check int ptu_grid_check(const struct ptu_grid *grid,
				  const struct ptu_render_options *options,
				  struct ptu_err *err);

/**
 * ptu_grid_print() - Print the table.
 *
 * Return: 0; -EINVAL as ptu_grid_check(); -EIO output failed; -ENOMEM.
 */
ptu_must_check int ptu_grid_print(const struct ptu_grid *grid,
				  const struct ptu_render_options *options,
				  FILE *out, struct ptu_err *err);

/**
 * ptu_grid_name() - Add a column to a list of names.
 * @names: (in, out) "A,B", with space for one more name
 */
void ptu_grid_name(char *names, size_t names_bytes, const char *name);

#endif
