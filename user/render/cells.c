// SPDX-License-Identifier: LGPL-2.1-or-later
/* Chooses columns and fills cells; must not know how a table is drawn. */
#include "render/cells.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "base/nearest.h"

static int unknown(const struct ptu_grid_column *columns, const char *name,
		   size_t length, struct ptu_err *err)
{
	struct ptu_nearest nearest = { .word = name, .length = length };
	const struct ptu_grid_column *column;
	char hint[PTU_NEAREST_HINT];

	for (column = columns; column->name; column++)
		ptu_nearest_try(&nearest, column->name);
	return ptu_err_set(err, -EINVAL, "unknown column '%.*s'; %s",
			   (int)length, name,
			   ptu_nearest_hint(&nearest,
					    "--list-columns lists them", hint));
}

static int add_named(const struct ptu_grid_column *columns, const char *names,
		     struct ptu_grid_choice *choice, struct ptu_err *err)
{
	for (;;) {
		size_t length = strcspn(names, ",");
		const struct ptu_grid_column *column = columns;

		while (column->name &&
		       (strlen(column->name) != length ||
			strncasecmp(column->name, names, length) != 0))
			column++;
		if (!column->name)
			return unknown(columns, names, length, err);
		if (choice->nr_columns == PTU_GRID_COLUMNS)
			return ptu_err_set(err, -EINVAL, "more than %d columns",
					   PTU_GRID_COLUMNS);
		choice->columns[choice->nr_columns++] = column;
		if (!names[length])
			return 0;
		names += length + 1;
	}
}

int ptu_grid_choose(const struct ptu_grid_column *columns, const char *defaults,
		    const char *wanted, bool all, struct ptu_grid_choice *ret,
		    struct ptu_err *err)
{
	const struct ptu_grid_column *column;
	int error = 0;

	ret->nr_columns = 0;
	for (column = columns; all && column->name; column++)
		ret->columns[ret->nr_columns++] = column;
	if (all)
		return 0;
	if (!wanted || *wanted == '+')
		error = add_named(columns, defaults, ret, err);
	if (!error && wanted)
		error = add_named(columns, wanted + (*wanted == '+'), ret, err);
	return error;
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
