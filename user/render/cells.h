/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Columns of tables whose rows are an array, and their selection. */
#ifndef PTU_RENDER_CELLS_H
#define PTU_RENDER_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "report/fill.h"

/* A path can be as long as the kernel allows, with every byte escaped. */
#define PTU_GRID_CELL (4 * 4096 + 64)
#define PTU_GRID_COLUMNS 64

/*
 * ptu_grid_column.flags.  Flags from PTU_OWN on are defined by each table: they tell in
 * which of several text tables a column can appear, and for which rows it has a value.
 */
#define PTU_RIGHT 0x01u /* right-aligned */
#define PTU_ALARM 0x02u /* a value other than 0 is a problem */
#define PTU_UP 0x04u	/* --sort: ascending */
#define PTU_OWN 0x10u
/* Minimum width of a column, for lines that are printed before the next ones are known. */
#define PTU_WIDTH(characters) ((unsigned int)(characters) << 24)

/* Kinds of values. */
enum ptu_cell_kind {
	PTU_CELL_TEXT,
	PTU_CELL_NUMBER,
	PTU_CELL_SPAN, /* from .number to .high */
	PTU_CELL_REAL,
	PTU_CELL_BOOL,
	PTU_CELL_LIST,	  /* of words or numbers, with commas between */
	PTU_CELL_UNKNOWN, /* "-", and null in JSON */
	PTU_CELL_NONE	  /* "-", and not in JSON */
};

/**
 * struct ptu_grid_cell - a value, and how it is shown
 * @column: column of the cell
 * @bytes: (in) show sizes in bytes; else rounded, or in pages
 * @json: (in) the value is for a program; text may be left as it is
 * @number: PTU_CELL_NUMBER, PTU_CELL_SPAN, PTU_CELL_BOOL; a negative one as int64_t
 */
struct ptu_grid_cell {
	const struct ptu_grid_column *column;
	uint64_t page_bytes;
	bool bytes;
	bool json;
	enum ptu_cell_kind kind;
	uint64_t number;
	uint64_t high;
	double real;
	char text[PTU_GRID_CELL];
};

/**
 * struct ptu_grid_column - one field of a row
 * @name: heading, and name for --output
 * @help: description for --list-columns; NULL for fields that only JSON has, which come
 *	last
 * @flags: PTU_RIGHT, PTU_ALARM, and the table's own flags
 * @fill: sets the value of a cell: one of the functions below, or a table's own
 * @json: key; "outer.inner" for a member of an inner object
 * @offset: offset of the member that the functions below read
 */
struct ptu_grid_column {
	const char *name;
	const char *help;
	unsigned int flags;
	void (*fill)(struct ptu_grid_cell *cell, const void *row);
	const char *json;
	size_t offset;
};

/* The columns to show, in this order. */
struct ptu_grid_choice {
	const struct ptu_grid_column *columns[PTU_GRID_COLUMNS];
	size_t nr_columns;
};

/**
 * struct ptu_grid - a table
 * @columns: all columns; the last element has no name
 * @table: flags of the columns that this table can have; 0: any
 * @defaults: names, comma separated
 * @order: the column to sort rows by without --sort; NULL: do not sort
 * @rows: [nr_rows] of @row_bytes each
 * @limit: maximum number of rows that are shown after sorting; 0: all
 * @last: one more row, or NULL
 * @is_shown: is the row printed?  NULL: every row is
 * @has: does the row have a value for the column?  If not: "-".  NULL: always
 * @colours: the output supports colours
 * @alarm: print the rows in red
 * @cut: on a terminal the last column is shortened where a line would not fit
 */
struct ptu_grid {
	const struct ptu_grid_column *columns;
	unsigned int table;
	const char *defaults;
	const char *order;
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
 * ptu_grid_choose() - Select the columns to show.
 * @columns: (in) all columns; the last element has no name
 * @table: (in) flags that a column must have; 0: any column
 * @defaults: (in) names, comma separated
 * @wanted: (in) argument of --output: "A,B" or "+A,B"; NULL: the defaults
 * @all: (in) select every column
 *
 * Return: 0; -EINVAL a column is unknown or not in @table, or there are too many.
 */
ptu_must_check int ptu_grid_choose(const struct ptu_grid_column *columns,
				   unsigned int table, const char *defaults,
				   const char *wanted, bool all,
				   struct ptu_grid_choice *ret,
				   struct ptu_err *err);

/**
 * ptu_grid_name() - Add a column to a list of names.
 * @names: (in, out) "A,B", with room for one more
 */
void ptu_grid_name(char *names, size_t names_bytes, const char *name);

/**
 * ptu_grid_help() - List the columns, one per line.
 */
void ptu_grid_help(const struct ptu_grid_column *columns, FILE *out);

/**
 * ptu_grid_fill() - Set the value and the text of a cell.
 */
void ptu_grid_fill(struct ptu_grid_cell *cell,
		   const struct ptu_grid_column *column, const void *row);

/* Set the value of a cell; ptu_grid_unknown() if there is none. */
void ptu_grid_number(struct ptu_grid_cell *cell, uint64_t number);
void ptu_grid_signed(struct ptu_grid_cell *cell, int64_t number);
void ptu_grid_at_least(struct ptu_grid_cell *cell, uint64_t number,
		       bool or_more);
void ptu_grid_span(struct ptu_grid_cell *cell, uint64_t low, uint64_t high);
void ptu_grid_size(struct ptu_grid_cell *cell, uint64_t bytes);
void ptu_grid_signed_size(struct ptu_grid_cell *cell, int64_t bytes);
void ptu_grid_pages(struct ptu_grid_cell *cell, uint64_t pages);
void ptu_grid_address(struct ptu_grid_cell *cell, uint64_t address);
void ptu_grid_end(struct ptu_grid_cell *cell, uint64_t address);
void ptu_grid_words(struct ptu_grid_cell *cell, const char *words);
void ptu_grid_bool(struct ptu_grid_cell *cell, bool is_true);
void ptu_grid_percent(struct ptu_grid_cell *cell, const struct ptu_fill *fill);
void ptu_grid_unknown(struct ptu_grid_cell *cell);
void ptu_grid_none(struct ptu_grid_cell *cell);

/*
 * Read the member at the column's offset. An ID is a pid_t or a uid_t; words are an
 * array; a string is a pointer.
 */
void ptu_fill_id(struct ptu_grid_cell *cell, const void *row);
void ptu_fill_number(struct ptu_grid_cell *cell, const void *row);
void ptu_fill_signed(struct ptu_grid_cell *cell, const void *row);
void ptu_fill_size(struct ptu_grid_cell *cell, const void *row);
void ptu_fill_signed_size(struct ptu_grid_cell *cell, const void *row);
void ptu_fill_pages(struct ptu_grid_cell *cell, const void *row);
void ptu_fill_address(struct ptu_grid_cell *cell, const void *row);
void ptu_fill_end(struct ptu_grid_cell *cell, const void *row);
void ptu_fill_level(struct ptu_grid_cell *cell, const void *row);
void ptu_fill_words(struct ptu_grid_cell *cell, const void *row);
void ptu_fill_string(struct ptu_grid_cell *cell, const void *row);
void ptu_fill_bool(struct ptu_grid_cell *cell, const void *row);
void ptu_fill_percent(struct ptu_grid_cell *cell, const void *row);

#endif
