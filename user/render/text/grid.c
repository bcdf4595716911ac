// SPDX-License-Identifier: LGPL-2.1-or-later
/* Prints rows through libsmartcols; must not know what they say. */
#include "render/text/grid.h"

#include <errno.h>
#include <libsmartcols.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"

#define ALARM_COLOUR "red"

static int choose(const struct ptu_grid *grid,
		  const struct ptu_render_options *options,
		  struct ptu_grid_choice *ret, struct ptu_err *err)
{
	return ptu_grid_choose(grid->columns, grid->table, grid->defaults,
			       options->columns, options->all_columns, ret,
			       err);
}

int ptu_grid_check(const struct ptu_grid *grid,
		   const struct ptu_render_options *options,
		   struct ptu_err *err)
{
	struct ptu_grid_choice choice;

	return choose(grid, options, &choice, err);
}

static struct libscols_table *
table_new(const struct ptu_grid *grid, const struct ptu_render_options *options,
	  FILE *out)
{
	struct libscols_table *table = scols_new_table();

	if (!table)
		return NULL;
	if (scols_table_set_stream(table, out) ||
	    scols_table_enable_raw(table, options->raw) ||
	    scols_table_enable_noheadings(table, options->no_headings) ||
	    scols_table_enable_noencoding(table, !options->raw) ||
	    scols_table_enable_colors(table, grid->colours)) {
		scols_unref_table(table);
		return NULL;
	}
	return table;
}

/*
 * Raw output is escaped by libsmartcols, byte by byte.  Otherwise it would let
 * characters pass that reorder or hide text.
 */
static int escape_cell(struct libscols_cell *cell)
{
	const char *data = scols_cell_get_data(cell);
	size_t bytes = data ? PTU_ESCAPE_BYTES(strlen(data)) : 0;
	char *escaped, *shorter;

	if (!data)
		return 0;
	escaped = malloc(bytes);
	if (!escaped)
		return -ENOMEM;
	ptu_escape(data, true, escaped, bytes);
	/* most cells need none: not a second copy of each path */
	if (!strcmp(escaped, data)) {
		free(escaped);
		return 0;
	}
	/* room for four times the path, in each row, is given back */
	shorter = realloc(escaped, strlen(escaped) + 1);
	if (shorter)
		escaped = shorter;
	/* the cell takes it over */
	return scols_cell_refer_data(cell, escaped);
}

static int escape_cells(struct libscols_table *table)
{
	const size_t nr_columns = scols_table_get_ncols(table);
	struct libscols_iter *iter = scols_new_iter(SCOLS_ITER_FORWARD);
	struct libscols_line *line;
	int error = iter ? 0 : -ENOMEM;
	size_t k;

	/* a line by its number is looked for from the first one on */
	while (!error && !scols_table_next_line(table, iter, &line))
		for (k = 0; !error && k < nr_columns; k++)
			error = escape_cell(scols_line_get_cell(line, k)) ?
					-ENOMEM :
					0;
	scols_free_iter(iter);
	return error;
}

/* ... and free it; @error of filling it is only passed on. */
static int table_print(struct libscols_table *table, int error,
		       struct ptu_err *err)
{
	if (!error && !scols_table_is_raw(table))
		error = escape_cells(table);
	if (!error) {
		/* it prints cells empty where memory ran out, and returns 0 */
		errno = 0;
		error = scols_print_table(table);
		if (error == -ENOMEM || errno == ENOMEM)
			error = -ENOMEM;
		else if (error)
			error = ptu_err_set(err, -EIO,
					    "writing the table failed");
	}
	scols_unref_table(table);
	if (error == -ENOMEM)
		return ptu_err_set(err, error, "no memory for the table");
	return error;
}

static int add_row(const struct ptu_grid *grid, struct libscols_table *table,
		   const struct ptu_grid_choice *choice,
		   struct ptu_grid_cell *cell, const void *row)
{
	struct libscols_line *line = scols_table_new_line(table, NULL);
	size_t i;

	if (!line)
		return -ENOMEM;
	if (grid->alarm && scols_line_set_color(line, ALARM_COLOUR))
		return -ENOMEM;
	for (i = 0; i < choice->nr_columns; i++) {
		const struct ptu_grid_column *column = choice->columns[i];

		if (!grid->has || grid->has(column, row))
			ptu_grid_fill(cell, column, row);
		else
			ptu_grid_unknown(cell);
		if (scols_line_set_data(line, i, cell->text))
			return -ENOMEM;
		if ((column->flags & PTU_ALARM) &&
		    strcmp(cell->text, "0") != 0 &&
		    scols_cell_set_color(scols_line_get_cell(line, i),
					 ALARM_COLOUR))
			return -ENOMEM;
	}
	return 0;
}

static int add_columns(const struct ptu_grid *grid,
		       struct libscols_table *table,
		       const struct ptu_grid_choice *choice)
{
	size_t i;

	for (i = 0; i < choice->nr_columns; i++) {
		const struct ptu_grid_column *column = choice->columns[i];
		const bool is_last = i + 1 == choice->nr_columns;
		int flags = column->flags & PTU_RIGHT ? SCOLS_FL_RIGHT : 0;

		if (grid->cut && is_last)
			flags |= SCOLS_FL_TRUNC;
		if (!scols_table_new_column(table, column->name, 0, flags))
			return -ENOMEM;
	}
	return 0;
}

int ptu_grid_print(const struct ptu_grid *grid,
		   const struct ptu_render_options *options, FILE *out,
		   struct ptu_err *err)
{
	struct libscols_table *table;
	struct ptu_grid_cell *cell;
	struct ptu_grid_choice choice;
	int error = choose(grid, options, &choice, err);
	size_t i;

	if (error)
		return error;
	table = table_new(grid, options, out);
	cell = calloc(1, sizeof(*cell));
	if (!table || !cell) {
		scols_unref_table(table);
		free(cell);
		return ptu_err_set(err, -ENOMEM, "no memory for the table");
	}
	cell->page_bytes = grid->page_bytes;
	cell->bytes = options->bytes;
	error = add_columns(grid, table, &choice);
	for (i = 0; !error && i < grid->nr_rows; i++) {
		const void *row = (const char *)grid->rows +
				  i * grid->row_bytes;

		if (!grid->is_shown || grid->is_shown(row))
			error = add_row(grid, table, &choice, cell, row);
	}
	if (!error && grid->last)
		error = add_row(grid, table, &choice, cell, grid->last);
	free(cell);
	return table_print(table, error, err);
}

void ptu_grid_name(char *names, size_t names_bytes, const char *name)
{
	const size_t used = strlen(names);

	snprintf(names + used, names_bytes - used, "%s%s", used ? "," : "",
		 name);
}
