/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What all tables of the text output are made with; for render_text*.c only. */
#ifndef PTU_RENDER_TEXT_SCOLS_H
#define PTU_RENDER_TEXT_SCOLS_H

#include <libsmartcols.h>

#include "render/render.h"

#define PTU_ALARM_COLOUR "red"

/**
 * struct ptu_text - what is shown, how, and where
 * @colours: the output takes them
 */
struct ptu_text {
	const struct ptu_report *report;
	const struct ptu_render_options *options;
	FILE *out;
	bool colours;
};

/**
 * ptu_text_table_new() - A table with the options that hold for all.
 *
 * Return: for ptu_text_table_print(); NULL if there is no memory.
 */
struct libscols_table *ptu_text_table_new(const struct ptu_text *text);

/**
 * ptu_text_table_print() - Print the table and free it.
 * @error: (in) of filling it: then it is only freed
 *
 * Return: 0; @error; -EIO output failed.
 */
ptu_must_check int ptu_text_table_print(struct libscols_table *table, int error,
					struct ptu_err *err);

/**
 * ptu_text_column() - Add a column.
 * @flags: (in) SCOLS_FL_*
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_text_column(struct libscols_table *table,
				   const char *name, int flags);

/**
 * ptu_text_number() - Fill a cell with a number.
 */
ptu_must_check int ptu_text_number(struct libscols_line *line, size_t column,
				   uint64_t value);

/**
 * ptu_text_span() - "4", or "4-6" where it lies between two numbers.
 */
ptu_must_check int ptu_text_span(struct libscols_line *line, size_t column,
				 uint64_t low, uint64_t high);

/**
 * ptu_text_range() - Fill two cells, the first at @column, with addresses.
 */
ptu_must_check int ptu_text_range(struct libscols_line *line, size_t column,
				  uint64_t start, uint64_t end);

#endif
