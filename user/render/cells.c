// SPDX-License-Identifier: LGPL-2.1-or-later
/* Choose columns and fill cells; must not know how a table is drawn. */
#include "render/cells.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/nearest.h"
#include "model/geometry.h"
#include "render/format.h"

static bool is_in(const struct ptu_grid_column *column, unsigned int table)
{
	return (column->flags & table) == table;
}

static int unknown(const struct ptu_grid_column *columns, unsigned int table,
		   const char *name, size_t length, struct ptu_err *err)
{
	struct ptu_nearest nearest = { .word = name, .length = length };
	const struct ptu_grid_column *column;
	char hint[PTU_NEAREST_HINT];

	for (column = columns; column->help; column++) {
		if (is_in(column, table))
			ptu_nearest_try(&nearest, column->name);
	}
	return ptu_err_set(err, -EINVAL, "unknown column '%.*s'; %s",
			   (int)length, name,
			   ptu_nearest_hint(&nearest,
					    "--list-columns lists them", hint));
}

static int add_named(const struct ptu_grid_column *columns, unsigned int table,
		     const char *names, struct ptu_grid_choice *choice,
		     struct ptu_err *err)
{
	for (;;) {
		size_t length = strcspn(names, ",");
		const struct ptu_grid_column *column = columns;

		while (column->name &&
		       !ptu_is_name(names, length, column->name))
			column++;
		if (!column->name)
			return unknown(columns, table, names, length, err);
		if (!is_in(column, table))
			return ptu_err_set(err, -EINVAL,
					   "column %s is not in this table; --list-columns says where it is",
					   column->name);
		if (choice->nr_columns == PTU_GRID_COLUMNS)
			return ptu_err_set(err, -EINVAL, "more than %d columns",
					   PTU_GRID_COLUMNS);
		choice->columns[choice->nr_columns++] = column;
		if (!names[length])
			return 0;
		names += length + 1;
	}
}

int ptu_grid_choose(const struct ptu_grid_column *columns, unsigned int table,
		    const char *defaults, const char *wanted, bool all,
		    struct ptu_grid_choice *ret, struct ptu_err *err)
{
	const struct ptu_grid_column *column;
	int error = 0;

	ret->nr_columns = 0;
	for (column = columns; all && column->help; column++) {
		if (is_in(column, table))
			ret->columns[ret->nr_columns++] = column;
	}
	if (all)
		return 0;
	if (!wanted || *wanted == '+')
		error = add_named(columns, table, defaults, ret, err);
	if (!error && wanted)
		error = add_named(columns, table, wanted + (*wanted == '+'),
				  ret, err);
	return error;
}

void ptu_grid_name(char *names, size_t names_bytes, const char *name)
{
	const size_t used = strlen(names);

	snprintf(names + used, names_bytes - used, "%s%s", used ? "," : "",
		 name);
}

void ptu_grid_help(const struct ptu_grid_column *columns, FILE *out)
{
	for (; columns->help; columns++)
		fprintf(out, " %14s  %s\n", columns->name, columns->help);
}

void ptu_grid_fill(struct ptu_grid_cell *cell,
		   const struct ptu_grid_column *column, const void *row)
{
	cell->column = column;
	cell->kind = PTU_CELL_TEXT;
	cell->text[0] = '\0';
	column->fill(cell, row);
}

static void value(struct ptu_grid_cell *cell, uint64_t number)
{
	cell->kind = PTU_CELL_NUMBER;
	cell->number = number;
}

void ptu_grid_number(struct ptu_grid_cell *cell, uint64_t number)
{
	value(cell, number);
	snprintf(cell->text, sizeof(cell->text), "%" PRIu64, number);
}

void ptu_grid_signed(struct ptu_grid_cell *cell, int64_t number)
{
	value(cell, (uint64_t)number);
	snprintf(cell->text, sizeof(cell->text), "%" PRId64, number);
}

/* Show "4", or "4-6" for a range. */
void ptu_grid_span(struct ptu_grid_cell *cell, uint64_t low, uint64_t high)
{
	ptu_grid_number(cell, low);
	cell->kind = PTU_CELL_SPAN;
	cell->high = high;
	if (high != low)
		snprintf(cell->text, sizeof(cell->text), "%" PRIu64 "-%" PRIu64,
			 low, high);
}

void ptu_grid_at_least(struct ptu_grid_cell *cell, uint64_t number,
		       bool or_more)
{
	value(cell, number);
	ptu_format_at_least(number, or_more, cell->text);
}

void ptu_grid_size(struct ptu_grid_cell *cell, uint64_t bytes)
{
	value(cell, bytes);
	ptu_format_size(bytes, cell->bytes, cell->text);
}

void ptu_grid_signed_size(struct ptu_grid_cell *cell, int64_t bytes)
{
	value(cell, (uint64_t)bytes);
	if (bytes < 0)
		cell->text[0] = '-';
	ptu_format_size(bytes < 0 ? 0 - (uint64_t)bytes : (uint64_t)bytes,
			cell->bytes, cell->text + (bytes < 0));
}

void ptu_grid_pages(struct ptu_grid_cell *cell, uint64_t pages)
{
	ptu_grid_number(cell, cell->bytes ? pages * cell->page_bytes : pages);
}

void ptu_grid_address(struct ptu_grid_cell *cell, uint64_t address)
{
	snprintf(cell->text, sizeof(cell->text), "0x%" PRIx64, address);
}

/* The address 0 stands for the end of the address space. */
void ptu_grid_end(struct ptu_grid_cell *cell, uint64_t address)
{
	if (!address)
		ptu_grid_words(cell, "0x10000000000000000");
	else
		ptu_grid_address(cell, address);
}

void ptu_grid_words(struct ptu_grid_cell *cell, const char *words)
{
	snprintf(cell->text, sizeof(cell->text), "%s", words);
}

void ptu_grid_bool(struct ptu_grid_cell *cell, bool is_true)
{
	ptu_grid_words(cell, is_true ? "yes" : "no");
	cell->kind = PTU_CELL_BOOL;
	cell->number = is_true;
}

void ptu_grid_percent(struct ptu_grid_cell *cell, const struct ptu_fill *fill)
{
	if (!fill->counted) {
		ptu_grid_unknown(cell);
		return;
	}
	cell->kind = PTU_CELL_REAL;
	cell->real = ptu_fill_permille(fill) / 10.0;
	ptu_format_percent(ptu_fill_permille(fill), cell->text);
}

void ptu_grid_unknown(struct ptu_grid_cell *cell)
{
	ptu_grid_words(cell, "-");
	cell->kind = PTU_CELL_UNKNOWN;
}

void ptu_grid_none(struct ptu_grid_cell *cell)
{
	ptu_grid_words(cell, "-");
	cell->kind = PTU_CELL_NONE;
}

static const void *member(const struct ptu_grid_cell *cell, const void *row)
{
	return (const char *)row + cell->column->offset;
}

#define FILL(name, type, value)                                           \
	void ptu_fill_##name(struct ptu_grid_cell *cell, const void *row) \
	{                                                                 \
		const type *at = member(cell, row);                       \
                                                                          \
		ptu_grid_##name(cell, value);                             \
	}

FILL(number, uint64_t, *at)
FILL(signed, int64_t, *at)
FILL(size, uint64_t, *at)
FILL(signed_size, int64_t, *at)
FILL(pages, uint64_t, *at)
FILL(address, uint64_t, *at)
FILL(end, uint64_t, *at)
FILL(words, char, at)
FILL(bool, bool, *at)
FILL(percent, struct ptu_fill, at)

void ptu_fill_string(struct ptu_grid_cell *cell, const void *row)
{
	const char *const *at = member(cell, row);

	ptu_grid_words(cell, *at);
}

void ptu_fill_level(struct ptu_grid_cell *cell, const void *row)
{
	const unsigned int *at = member(cell, row);

	ptu_grid_words(cell, ptu_level_name(*at));
}

void ptu_fill_id(struct ptu_grid_cell *cell, const void *row)
{
	const unsigned int *at = member(cell, row);

	ptu_grid_number(cell, *at);
}
