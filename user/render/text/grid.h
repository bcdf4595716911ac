/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tables of which the rows are an array, with --output. */
#ifndef PTU_RENDER_TEXT_GRID_H
#define PTU_RENDER_TEXT_GRID_H

#include <stddef.h>
#include <stdint.h>

#include "render/cells.h"
#include "render/render.h"

/**
 * struct ptu_grid - a table
 * @columns: all that there are, ended by one without a name
 * @table: flags of the columns that this table can have; 0: any
 * @defaults: names, comma separated
 * @rows: [nr_rows] of @row_bytes each
 * @limit: rows at most, of those that are first when they are sorted; 0: all
 * @last: one more row, or NULL
 * @is_shown: is there to be a line for the row?  NULL: for each
 * @has: is there a value for a column of a row, else "-"; NULL: always
 * @colours: the output takes them
 * @alarm: each row is bad news
 * @cut: on a terminal the last column is cut where a line would not fit
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
 * ptu_grid_check() - Are the columns that --output names there?
 *
 * Return: 0; -EINVAL an unknown column, or too many.
 */
ptu_must_check int ptu_grid_check(const struct ptu_grid *grid,
				  const struct ptu_render_options *options,
				  struct ptu_err *err);

/**
 * ptu_grid_print() - Print it.
 *
 * Return: 0; -EINVAL as ptu_grid_check(); -EIO output failed; -ENOMEM.
 */
ptu_must_check int ptu_grid_print(const struct ptu_grid *grid,
				  const struct ptu_render_options *options,
				  FILE *out, struct ptu_err *err);

/**
 * ptu_grid_name() - Add a column to a list of names.
 * @names: (in, out) "A,B", with room for one more
 */
void ptu_grid_name(char *names, size_t names_bytes, const char *name);

#endif
