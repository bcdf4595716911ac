/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Columns of tables of which the rows are an array, and how they are chosen. */
#ifndef PTU_RENDER_CELLS_H
#define PTU_RENDER_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "report/fill.h"

/* A path may be as long as the kernel's, and each byte be escaped. */
#define PTU_GRID_CELL (4 * 4096 + 64)
#define PTU_GRID_COLUMNS 64

/*
 * ptu_grid_column.flags.  Those from PTU_OWN on are a table's own: in which of several
 * tables of text a column can stand, and for which rows it has a value.
 */
#define PTU_RIGHT 0x01u /* flush right */
#define PTU_ALARM 0x02u /* anything but 0 is bad news */
#define PTU_UP 0x04u /* --sort: the smallest number first */
#define PTU_OWN 0x10u

/* What a value is to a program. */
enum ptu_cell_kind {
	PTU_CELL_TEXT,
	PTU_CELL_NUMBER,
	PTU_CELL_REAL,
	PTU_CELL_BOOL,
	PTU_CELL_UNKNOWN, /* "-", and null in JSON */
	PTU_CELL_NONE	  /* "-", and not in JSON */
};

/**
 * struct ptu_grid_cell - a value, and how it is shown
 * @column: that it stands in
 * @bytes: (in) sizes in bytes, not in pages
 * @json: (in) the value is for a program; text may be left as it is
 * @number: PTU_CELL_NUMBER, PTU_CELL_BOOL; a negative one as int64_t
 */
struct ptu_grid_cell {
	const struct ptu_grid_column *column;
	uint64_t page_bytes;
	bool bytes;
	bool json;
	enum ptu_cell_kind kind;
	uint64_t number;
	double real;
	char text[PTU_GRID_CELL];
};

/**
 * struct ptu_grid_column - one field of a row
 * @name: heading, and what --output takes
 * @help: a line for --list-columns; NULL for what JSON alone has, which stands last
 * @flags: PTU_RIGHT, PTU_ALARM, and its own ones
 * @fill: give the cell its value: one of those below, or an own one
 * @json: its key, "outer.inner" in an object of its own
 * @offset: of the member that those below read
 */
struct ptu_grid_column {
	const char *name;
	const char *help;
	unsigned int flags;
	void (*fill)(struct ptu_grid_cell *cell, const void *row);
	const char *json;
	size_t offset;
};

/* Those that are shown, in this order. */
struct ptu_grid_choice {
	const struct ptu_grid_column *columns[PTU_GRID_COLUMNS];
	size_t nr_columns;
};

/**
 * ptu_grid_choose() - Find out which columns are shown.
 * @columns: (in) all that there are, ended by one without a name
 * @table: (in) flags that a column has to have, all of them; 0 for any column
 * @defaults: (in) names, comma separated
 * @wanted: (in) as --output takes them: "A,B" or "+A,B"; NULL for the defaults
 * @all: (in) every column
 *
 * Return: 0; -EINVAL a column that is unknown or not in @table, or too many.
 */
ptu_must_check int ptu_grid_choose(const struct ptu_grid_column *columns,
				   unsigned int table, const char *defaults,
				   const char *wanted, bool all,
				   struct ptu_grid_choice *ret,
				   struct ptu_err *err);

/**
 * ptu_grid_help() - The columns, a line each.
 */
void ptu_grid_help(const struct ptu_grid_column *columns, FILE *out);

/**
 * ptu_grid_fill() - Give a cell the value and the text of a column.
 */
void ptu_grid_fill(struct ptu_grid_cell *cell,
		   const struct ptu_grid_column *column, const void *row);

/* Values that cells are given; where there is none, ptu_grid_unknown(). */
void ptu_grid_number(struct ptu_grid_cell *cell, uint64_t number);
void ptu_grid_signed(struct ptu_grid_cell *cell, int64_t number);
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
 * Of the member at the column's offset; an ID is a pid_t or a uid_t, words are an
 * array, a string is a pointer.
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
