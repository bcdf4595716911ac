/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Columns of tables of which the rows are an array, and how they are chosen. */
#ifndef PTU_RENDER_CELLS_H
#define PTU_RENDER_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

/* A path may be as long as the kernel's, and each byte be escaped. */
#define PTU_GRID_CELL (4 * 4096 + 64)
#define PTU_GRID_COLUMNS 32

struct ptu_grid_cell {
	uint64_t page_bytes;
	bool bytes; /* sizes in bytes, not in pages */
	char text[PTU_GRID_CELL];
};

/**
 * struct ptu_grid_column - one column
 * @name: heading, and what --output takes
 * @help: a line for --list-columns
 * @right: flush right
 * @fill: write cell->text
 */
struct ptu_grid_column {
	const char *name;
	const char *help;
	bool right;
	void (*fill)(struct ptu_grid_cell *cell, const void *row);
};

/* Those that are shown, in this order. */
struct ptu_grid_choice {
	const struct ptu_grid_column *columns[PTU_GRID_COLUMNS];
	size_t nr_columns;
};

/**
 * ptu_grid_choose() - Find out which columns are shown.
 * @columns: (in) all that there are, ended by one without a name
 * @defaults: (in) names, comma separated
 * @wanted: (in) as --output takes them: "A,B" or "+A,B"; NULL for the defaults
 * @all: (in) every column
 *
 * Return: 0; -EINVAL an unknown column, or too many.
 */
ptu_must_check int ptu_grid_choose(const struct ptu_grid_column *columns,
				   const char *defaults, const char *wanted,
				   bool all, struct ptu_grid_choice *ret,
				   struct ptu_err *err);

/**
 * ptu_grid_help() - The columns, a line each.
 */
void ptu_grid_help(const struct ptu_grid_column *columns, FILE *out);

/* What cells are filled with. */
void ptu_grid_pages(struct ptu_grid_cell *cell, uint64_t pages);
void ptu_grid_address(struct ptu_grid_cell *cell, uint64_t address);

#endif
