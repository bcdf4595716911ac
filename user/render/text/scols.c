// SPDX-License-Identifier: LGPL-2.1-or-later
/* The common ground of the text output's tables; must not know any of them. */
#include "render/text/scols.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"

struct libscols_table *ptu_text_table_new(const struct ptu_text *text)
{
	struct libscols_table *table = scols_new_table();

	if (!table)
		return NULL;
	if (scols_table_set_stream(table, text->out) ||
	    scols_table_enable_raw(table, text->options->raw) ||
	    scols_table_enable_noheadings(table, text->options->no_headings) ||
	    scols_table_enable_noencoding(table, !text->options->raw) ||
	    scols_table_enable_colors(table, text->colours)) {
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

int ptu_text_table_print(struct libscols_table *table, int error,
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

int ptu_text_column(struct libscols_table *table, const char *name, int flags)
{
	return scols_table_new_column(table, name, 0, flags) ? 0 : -ENOMEM;
}

int ptu_text_number(struct libscols_line *line, size_t column, uint64_t value)
{
	return ptu_text_span(line, column, value, value);
}

int ptu_text_span(struct libscols_line *line, size_t column, uint64_t low,
		  uint64_t high)
{
	char buffer[64];

	if (high != low)
		snprintf(buffer, sizeof(buffer), "%" PRIu64 "-%" PRIu64, low,
			 high);
	else
		snprintf(buffer, sizeof(buffer), "%" PRIu64, low);
	return scols_line_set_data(line, column, buffer) ? -ENOMEM : 0;
}

/* "0x7f0000000000"; 0 as an end stands for 2^64 */
static const char *address(uint64_t addr, bool is_end, char ret[32])
{
	if (is_end && !addr)
		snprintf(ret, 32, "0x10000000000000000");
	else
		snprintf(ret, 32, "0x%" PRIx64, addr);
	return ret;
}

int ptu_text_range(struct libscols_line *line, size_t column, uint64_t start,
		   uint64_t end)
{
	char buffer[32];

	if (scols_line_set_data(line, column, address(start, false, buffer)) ||
	    scols_line_set_data(line, column + 1, address(end, true, buffer)))
		return -ENOMEM;
	return 0;
}
