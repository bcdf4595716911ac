// SPDX-License-Identifier: LGPL-2.1-or-later
/* Print rows through libsmartcols; must not know their meaning. */
#include "render/text/grid.h"

#include <errno.h>
#include <libsmartcols.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "render/order.h"
#include "render/text/terminal.h"

#define ALARM_COLOUR "red"

/* Placeholder in the last column for a cell that is printed separately. */
#define APART '.'

/* Least width of the last cell, even if the line becomes too long. */
#define LEAST_ROOM 4

/**
 * struct printing - a table being printed
 * @is_apart: the cells of the last column are not given to libsmartcols
 * @width: with @is_apart: width of the terminal; 0: no limit
 * @cell: buffer for one cell
 * @rest: output of libsmartcols for the rows that are not printed yet
 * @escaped: buffer for the text of a cell
 */
struct printing {
	const struct ptu_grid *grid;
	struct ptu_grid_choice choice;
	const void **rows;
	size_t nr_rows;
	struct libscols_table *table;
	bool is_apart;
	size_t width;
	struct ptu_grid_cell cell;
	FILE *out;
	const char *rest;
	char escaped[PTU_ESCAPE_BYTES(PTU_GRID_CELL)];
};

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
	int error = choose(grid, options, &choice, err);

	return error ? error : ptu_order_check(grid, options, err);
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
 * Escape a cell of output that is not raw.  libsmartcols escapes raw output by itself,
 * byte by byte, but in other formats it leaves characters that reorder or hide text.
 * In libsmartcols 2.38, scols_print_table() never returns if a cell has an ASCII character
 * before a character that the locale cannot decode.
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
	if (ptu_terminal_is_utf8())
		ptu_escape(data, true, escaped, bytes);
	else
		ptu_escape_to_ascii(data, escaped, bytes);
	/* do not keep a second copy of a cell that needs no escapes */
	if (!strcmp(escaped, data)) {
		free(escaped);
		return 0;
	}
	/* free the unused space: it is four times the path, in each row */
	shorter = realloc(escaped, strlen(escaped) + 1);
	if (shorter)
		escaped = shorter;
	/* the cell takes ownership */
	return scols_cell_refer_data(cell, escaped);
}

static int escape_cells(struct libscols_table *table)
{
	const size_t nr_columns = scols_table_get_ncols(table);
	struct libscols_iter *iter = scols_new_iter(SCOLS_ITER_FORWARD);
	struct libscols_line *line;
	int error = iter ? 0 : -ENOMEM;
	size_t k;

	/* iterate: looking up a line by number starts at the first one */
	while (!error && !scols_table_next_line(table, iter, &line))
		for (k = 0; !error && k < nr_columns; k++)
			error = escape_cell(scols_line_get_cell(line, k)) ?
					-ENOMEM :
					0;
	scols_free_iter(iter);
	return error;
}

/*
 * If the output is not a terminal, the last column does not affect the others.  It
 * holds the paths, and libsmartcols would keep a copy of the path in each row.  On a
 * terminal, it would cut off the end of a path.
 */
static bool prints_apart(const struct ptu_grid *grid,
			 const struct ptu_render_options *options,
			 const struct ptu_grid_choice *choice)
{
	return choice->nr_columns > 1 && !options->raw && !grid->colours &&
	       (grid->cut || !isatty(STDOUT_FILENO)) &&
	       !(choice->columns[choice->nr_columns - 1]->flags & PTU_RIGHT);
}

/* A program that splits a raw line at blanks needs a word in each cell. */
static void fill_cell(struct printing *printing, size_t column, const void *row)
{
	const struct ptu_grid *grid = printing->grid;
	const struct ptu_grid_column *chosen = printing->choice.columns[column];

	if (!grid->has || grid->has(chosen, row))
		ptu_grid_fill(&printing->cell, chosen, row);
	else
		ptu_grid_unknown(&printing->cell);
	if (scols_table_is_raw(printing->table) && !printing->cell.text[0])
		ptu_grid_words(&printing->cell, "-");
}

static int add_cell(struct printing *printing, struct libscols_line *line,
		    size_t column, const void *row)
{
	const struct ptu_grid_column *chosen = printing->choice.columns[column];
	const char apart[] = { APART, '\0' };
	const char *text = printing->cell.text;

	if (printing->is_apart && column + 1 == printing->choice.nr_columns)
		return scols_line_set_data(line, column, apart);
	fill_cell(printing, column, row);
	if (scols_line_set_data(line, column, text))
		return -ENOMEM;
	if (!(chosen->flags & PTU_ALARM) || !strcmp(text, "0"))
		return 0;
	return scols_cell_set_color(scols_line_get_cell(line, column),
				    ALARM_COLOUR);
}

static int add_row(struct printing *printing, const void *row)
{
	struct libscols_line *line = scols_table_new_line(printing->table,
							  NULL);
	size_t i;

	if (!line)
		return -ENOMEM;
	if (printing->grid->alarm && scols_line_set_color(line, ALARM_COLOUR))
		return -ENOMEM;
	for (i = 0; i < printing->choice.nr_columns; i++)
		if (add_cell(printing, line, i, row))
			return -ENOMEM;
	return 0;
}

/* Call @each for each displayed row, in order. */
static int for_rows(struct printing *printing,
		    int (*each)(struct printing *printing, const void *row))
{
	const void *last = printing->grid->last;
	int error = 0;
	size_t i;

	for (i = 0; !error && i < printing->nr_rows; i++)
		error = each(printing, printing->rows[i]);
	if (!error && last)
		error = each(printing, last);
	return error;
}

static int add_columns(struct libscols_table *table,
		       const struct ptu_grid_choice *choice)
{
	const bool has_headings = !scols_table_is_noheadings(table);
	size_t i;

	for (i = 0; i < choice->nr_columns; i++) {
		const struct ptu_grid_column *column = choice->columns[i];
		/*
		 * SCOLS_FL_STRICTWIDTH makes a column as wide as the hint, but only if the
		 * hint is greater than the width of the name.  Without the flag a column
		 * is at least as wide as its name.  Without headings, 2.38 compares with
		 * the name, 2.42 does not: give it no name.
		 */
		const char *name = has_headings ? column->name : "";
		size_t least = column->flags / PTU_WIDTH(1);
		int flags = column->flags & PTU_RIGHT ? SCOLS_FL_RIGHT : 0;

		if (least && least < strlen(column->name))
			least = strlen(column->name);
		if (least > strlen(name))
			flags |= SCOLS_FL_STRICTWIDTH;
		if (!scols_table_new_column(table, name, (double)least, flags))
			return -ENOMEM;
	}
	return 0;
}

/* If memory runs out, libsmartcols prints empty cells and returns 0. */
static int explain_print(int error, struct ptu_err *err)
{
	if (error == -ENOMEM || errno == ENOMEM)
		return -ENOMEM;
	return error ? ptu_err_set(err, -EIO, "writing the table failed") : 0;
}

/* Print the next line, with the last cell in place of the placeholder. */
static int print_apart(struct printing *printing, const void *row)
{
	const char *line = printing->rest;
	const size_t bytes = strcspn(line, "\n");
	const char *text = printing->escaped;

	if (!bytes || line[bytes - 1] != APART)
		return -ENOMEM;
	printing->rest += bytes + (line[bytes] == '\n');
	fill_cell(printing, printing->choice.nr_columns - 1, row);
	fwrite(line, 1, bytes - 1, printing->out);
	ptu_escape(printing->cell.text, true, printing->escaped,
		   sizeof(printing->escaped));
	if (printing->width) {
		/* the other columns are ASCII: one byte is one column */
		const size_t room = printing->width + 1 - bytes;

		text = ptu_terminal_fit(printing->escaped,
					printing->width < bytes + LEAST_ROOM ?
						LEAST_ROOM :
						room);
	}
	fprintf(printing->out, "%s\n", text);
	return 0;
}

static int print_rows_apart(struct printing *printing, bool has_headings,
			    struct ptu_err *err)
{
	char *text = NULL;
	size_t bytes;
	int error;

	errno = 0;
	error = scols_print_table_to_string(printing->table, &text);
	error = explain_print(error, err);
	if (!error && !text)
		error = -ENOMEM;
	if (!error && has_headings) {
		bytes = strcspn(text, "\n");
		fprintf(printing->out, "%.*s\n", (int)bytes, text);
		printing->rest = text + bytes + (text[bytes] == '\n');
	} else {
		printing->rest = text;
	}
	if (!error)
		error = for_rows(printing, print_apart);
	free(text);
	return error;
}

static int print_table(struct printing *printing,
		       const struct ptu_render_options *options,
		       struct ptu_err *err)
{
	int error = options->raw ? 0 : escape_cells(printing->table);

	if (error)
		return error;
	if (printing->is_apart && !scols_table_is_empty(printing->table))
		return print_rows_apart(printing, !options->no_headings, err);
	errno = 0;
	error = scols_print_table(printing->table);
	return explain_print(error, err);
}

int ptu_grid_print(const struct ptu_grid *grid,
		   const struct ptu_render_options *options, FILE *out,
		   struct ptu_err *err)
{
	struct printing *printing = calloc(1, sizeof(*printing));
	int error;

	if (!printing)
		return ptu_err_set(err, -ENOMEM, "no memory for the table");
	printing->grid = grid;
	printing->out = out;
	error = choose(grid, options, &printing->choice, err);
	if (!error)
		error = ptu_order_rows(grid, options, &printing->rows,
				       &printing->nr_rows, err);
	if (error)
		goto out;
	printing->is_apart = prints_apart(grid, options, &printing->choice);
	if (grid->cut && isatty(fileno(out)))
		printing->width = ptu_terminal_columns(out);
	printing->cell.page_bytes = grid->page_bytes;
	printing->cell.bytes = options->bytes;
	printing->table = table_new(grid, options, out);
	error = printing->table ? 0 : -ENOMEM;
	if (!error)
		error = add_columns(printing->table, &printing->choice);
	if (!error)
		error = for_rows(printing, add_row);
	if (!error)
		error = print_table(printing, options, err);
	scols_unref_table(printing->table);
out:
	if (error == -ENOMEM)
		ptu_err_set(err, error, "no memory for the table");
	free(printing->rows);
	free(printing);
	return error;
}
