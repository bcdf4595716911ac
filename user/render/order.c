// SPDX-License-Identifier: LGPL-2.1-or-later
/* Sort rows by one of their cells; must not know their meaning. */
#include "render/order.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The sort cell of a row, and the row's original position. */
struct key {
	const void *row;
	size_t at;
	bool is_unknown;
	bool is_number;
	double number; /* rows are put in ascending order */
	char *words;   /* text, if it is not a number */
};

static int find_column(const struct ptu_grid *grid, const char *name,
		       const struct ptu_grid_column **ret, struct ptu_err *err)
{
	struct ptu_grid_choice choice;
	int error = ptu_grid_choose(grid->columns, grid->table, name, NULL,
				    false, &choice, err);

	if (error)
		return error;
	if (choice.nr_columns != 1)
		return ptu_err_set(err, -EINVAL, "--sort takes one column");
	*ret = choice.columns[0];
	return 0;
}

int ptu_order_check(const struct ptu_grid *grid,
		    const struct ptu_render_options *options,
		    struct ptu_err *err)
{
	const struct ptu_grid_column *column;

	return options->sort ? find_column(grid, options->sort, &column, err) :
			       0;
}

static void read_number(const struct ptu_grid_column *column, double number,
			struct key *ret)
{
	ret->is_number = true;
	ret->number = column->flags & PTU_UP ? number : -number;
}

/* A right-aligned text is an address, or a number such as "+32" or "526+". */
static int read_text(const struct ptu_grid_cell *cell, struct key *ret)
{
	const char *text = cell->text;
	char *end;

	/* an empty word has no value, like a process without a name */
	if (!*text || !strcmp(text, "-")) {
		ret->is_unknown = true;
		return 0;
	}
	if (cell->column->flags & PTU_RIGHT && !strncmp(text, "0x", 2)) {
		ret->is_number = true;
		ret->number = strtod(text, NULL);
		return 0;
	}
	if (cell->column->flags & PTU_RIGHT) {
		const double number = (double)strtoll(text, &end, 10);

		if (end != text) {
			read_number(cell->column, number, ret);
			return 0;
		}
	}
	ret->words = strdup(text);
	return ret->words ? 0 : -ENOMEM;
}

static int read_key(const struct ptu_grid_cell *cell, struct key *ret)
{
	switch (cell->kind) {
	case PTU_CELL_NUMBER:
	case PTU_CELL_SPAN:
		read_number(cell->column, (double)(int64_t)cell->number, ret);
		return 0;
	case PTU_CELL_REAL:
		read_number(cell->column, cell->real, ret);
		return 0;
	case PTU_CELL_BOOL:
	case PTU_CELL_LIST:
	case PTU_CELL_TEXT:
		return read_text(cell, ret);
	case PTU_CELL_UNKNOWN:
	case PTU_CELL_NONE:
		break;
	}
	ret->is_unknown = true;
	return 0;
}

/* Sort order of kinds: numbers, text, no value. */
static int rank(const struct key *key)
{
	return key->is_unknown ? 2 : key->is_number ? 0 : 1;
}

static int compare(const void *first, const void *second)
{
	const struct key *a = first, *b = second;
	int order = rank(a) - rank(b);

	if (!order && a->is_number)
		order = (a->number > b->number) - (a->number < b->number);
	else if (!order && a->words)
		order = strcmp(a->words, b->words);
	return order ? order : (a->at > b->at) - (a->at < b->at);
}

static int sort(const struct ptu_grid *grid,
		const struct ptu_render_options *options, const char *name,
		const void **rows, size_t nr_rows, struct ptu_err *err)
{
	const struct ptu_grid_column *column;
	int error = find_column(grid, name, &column, err);
	struct ptu_grid_cell *cell;
	struct key *keys;
	size_t i;

	if (error)
		return error;
	cell = calloc(1, sizeof(*cell));
	keys = calloc(nr_rows + 1, sizeof(*keys));
	if (!cell || !keys)
		error = -ENOMEM;
	for (i = 0; !error && i < nr_rows; i++) {
		keys[i].row = rows[i];
		keys[i].at = i;
		cell->page_bytes = grid->page_bytes;
		cell->bytes = options->bytes;
		if (!grid->has || grid->has(column, rows[i]))
			ptu_grid_fill(cell, column, rows[i]);
		else
			ptu_grid_unknown(cell);
		error = read_key(cell, &keys[i]);
	}
	if (!error)
		qsort(keys, nr_rows, sizeof(*keys), compare);
	for (i = 0; keys && i < nr_rows; i++) {
		if (!error)
			rows[i] = keys[i].row;
		free(keys[i].words);
	}
	free(keys);
	free(cell);
	return error;
}

int ptu_order_rows(const struct ptu_grid *grid,
		   const struct ptu_render_options *options, const void ***ret,
		   size_t *ret_nr, struct ptu_err *err)
{
	const void **rows = calloc(grid->nr_rows + 1, sizeof(*rows));
	const char *name = options->sort ? options->sort : grid->order;
	size_t i, nr = 0;
	int error = 0;

	if (!rows)
		return -ENOMEM;
	for (i = 0; i < grid->nr_rows; i++) {
		const void *row = (const char *)grid->rows +
				  i * grid->row_bytes;

		if (!grid->is_shown || grid->is_shown(row))
			rows[nr++] = row;
	}
	if (name)
		error = sort(grid, options, name, rows, nr, err);
	if (error) {
		free(rows);
		return error;
	}
	*ret = rows;
	if (grid->limit && nr > grid->limit)
		nr = grid->limit;
	if (options->limit && nr > options->limit)
		nr = options->limit;
	*ret_nr = nr;
	return 0;
}
