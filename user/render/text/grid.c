// SPDX-License-Identifier: LGPL-2.1-or-later
/* Prints rows; must not know what they say. */
#include "render/text/grid.h"

#include <errno.h>
#include <stdlib.h>

static int choose(const struct ptu_grid *grid,
		  const struct ptu_render_options *options,
		  struct ptu_grid_choice *ret, struct ptu_err *err)
{
	return ptu_grid_choose(grid->columns, grid->defaults, options->columns,
			       options->all_columns, ret, err);
}

int ptu_grid_check(const struct ptu_grid *grid,
		   const struct ptu_render_options *options,
		   struct ptu_err *err)
{
	struct ptu_grid_choice choice;

	return choose(grid, options, &choice, err);
}

static int add_row(struct libscols_table *table,
		   const struct ptu_grid_choice *choice,
		   struct ptu_grid_cell *cell, const void *row)
{
	struct libscols_line *line = scols_table_new_line(table, NULL);
	size_t i;

	if (!line)
		return -ENOMEM;
	for (i = 0; i < choice->nr_columns; i++) {
		ptu_grid_fill(cell, choice->columns[i], row);
		if (scols_line_set_data(line, i, cell->text))
			return -ENOMEM;
	}
	return 0;
}

int ptu_grid_print(const struct ptu_grid *grid,
		   const struct ptu_render_options *options, FILE *out,
		   struct ptu_err *err)
{
	const struct ptu_text text = { .options = options, .out = out };
	struct libscols_table *table;
	struct ptu_grid_cell *cell;
	struct ptu_grid_choice choice;
	int error = choose(grid, options, &choice, err);
	size_t i;

	if (error)
		return error;
	table = ptu_text_table_new(&text);
	cell = calloc(1, sizeof(*cell));
	if (!table || !cell) {
		scols_unref_table(table);
		free(cell);
		return ptu_err_set(err, -ENOMEM, "no memory for the table");
	}
	cell->page_bytes = grid->page_bytes;
	cell->bytes = options->bytes;
	for (i = 0; !error && i < choice.nr_columns; i++)
		error = ptu_text_column(table, choice.columns[i]->name,
					(choice.columns[i]->right ?
						 SCOLS_FL_RIGHT :
						 0) |
						(grid->cut && i + 1 == choice.nr_columns ?
							 SCOLS_FL_TRUNC :
							 0));
	for (i = 0; !error && i < grid->nr_rows; i++)
		error = add_row(table, &choice, cell,
				(const char *)grid->rows + i * grid->row_bytes);
	if (!error && grid->last)
		error = add_row(table, &choice, cell, grid->last);
	free(cell);
	return ptu_text_table_print(table, error, err);
}
