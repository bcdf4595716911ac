// SPDX-License-Identifier: LGPL-2.1-or-later
/* Chooses columns and prints rows; must not know what they say. */
#include "render/text/grid.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/nearest.h"
#include "render/format.h"
#include "render/render.h"

#define MAX_COLUMNS 32

struct choice {
	const struct ptu_grid_column *columns[MAX_COLUMNS];
	size_t nr_columns;
};

static int unknown(const struct ptu_grid *grid, const char *name, size_t length,
		   struct ptu_err *err)
{
	struct ptu_nearest nearest = { .word = name, .length = length };
	const struct ptu_grid_column *column;
	char hint[PTU_NEAREST_HINT];

	for (column = grid->columns; column->name; column++)
		ptu_nearest_try(&nearest, column->name);
	return ptu_err_set(err, -EINVAL, "unknown column '%.*s'; %s",
			   (int)length, name,
			   ptu_nearest_hint(&nearest,
					    "--list-columns lists them", hint));
}

static int add_named(const struct ptu_grid *grid, const char *names,
		     struct choice *choice, struct ptu_err *err)
{
	for (;;) {
		size_t length = strcspn(names, ",");
		const struct ptu_grid_column *column = grid->columns;

		while (column->name &&
		       (strlen(column->name) != length ||
			strncasecmp(column->name, names, length) != 0))
			column++;
		if (!column->name)
			return unknown(grid, names, length, err);
		if (choice->nr_columns == MAX_COLUMNS)
			return ptu_err_set(err, -EINVAL, "more than %d columns",
					   MAX_COLUMNS);
		choice->columns[choice->nr_columns++] = column;
		if (!names[length])
			return 0;
		names += length + 1;
	}
}

static int choose(const struct ptu_grid *grid,
		  const struct ptu_render_options *options, struct choice *ret,
		  struct ptu_err *err)
{
	const char *wanted = options->columns;
	const struct ptu_grid_column *column;
	int error = 0;

	ret->nr_columns = 0;
	for (column = grid->columns; options->all_columns && column->name;
	     column++)
		ret->columns[ret->nr_columns++] = column;
	if (options->all_columns)
		return 0;
	if (!wanted || *wanted == '+')
		error = add_named(grid, grid->defaults, ret, err);
	if (!error && wanted)
		error = add_named(grid, wanted + (*wanted == '+'), ret, err);
	return error;
}

int ptu_grid_check(const struct ptu_grid *grid,
		   const struct ptu_render_options *options,
		   struct ptu_err *err)
{
	struct choice choice;

	return choose(grid, options, &choice, err);
}

static int add_row(struct libscols_table *table, const struct choice *choice,
		   struct ptu_grid_cell *cell, const void *row)
{
	struct libscols_line *line = scols_table_new_line(table, NULL);
	size_t i;

	if (!line)
		return -ENOMEM;
	for (i = 0; i < choice->nr_columns; i++) {
		cell->text[0] = '\0';
		choice->columns[i]->fill(cell, row);
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
	struct choice choice;
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
					choice.columns[i]->right ?
						SCOLS_FL_RIGHT :
						0);
	for (i = 0; !error && i < grid->nr_rows; i++)
		error = add_row(table, &choice, cell,
				(const char *)grid->rows + i * grid->row_bytes);
	if (!error && grid->last)
		error = add_row(table, &choice, cell, grid->last);
	free(cell);
	return ptu_text_table_print(table, error, err);
}

void ptu_grid_help(const struct ptu_grid_column *columns, FILE *out)
{
	for (; columns->name; columns++)
		fprintf(out, " %14s  %s\n", columns->name, columns->help);
}

void ptu_grid_pages(struct ptu_grid_cell *cell, uint64_t pages)
{
	snprintf(cell->text, sizeof(cell->text), "%" PRIu64,
		 cell->bytes ? pages * cell->page_bytes : pages);
}

void ptu_grid_address(struct ptu_grid_cell *cell, uint64_t address)
{
	snprintf(cell->text, sizeof(cell->text), "0x%" PRIx64, address);
}
