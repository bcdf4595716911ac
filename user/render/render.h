/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How a report is shown: text by render_text.c, JSON by render_json.c. */
#ifndef PTU_RENDER_H
#define PTU_RENDER_H

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"
#include "report/report.h"

/**
 * struct ptu_render_options - how text is shown
 * @raw: one row a line, columns by one space, as scols_table_enable_raw()
 * @no_headings: rows alone: no column names, titles and sentences
 * @bytes: sizes in bytes instead of a human form
 * @columns: as --output takes them: "A,B" or "+A,B"; NULL for the defaults
 * @all_columns: every column
 * @mappings: of an estimate, what is counted with each mapping
 */
struct ptu_render_options {
	bool raw;
	bool no_headings;
	bool bytes;
	const char *columns;
	bool all_columns;
	bool mappings;
};

/**
 * ptu_render_prose() - Are titles and sentences wanted beside the tables?
 */
static inline bool ptu_render_prose(const struct ptu_render_options *options)
{
	return !options->raw && !options->no_headings;
}

/**
 * ptu_render_text() - Through libsmartcols.
 *
 * Return: 0; -EINVAL an unknown column; -EIO output failed; -ENOMEM.
 */
ptu_must_check int ptu_render_text(const struct ptu_report *report,
				   const struct ptu_render_options *options,
				   FILE *out, struct ptu_err *err);

/**
 * ptu_render_text_check() - Would ptu_render_text() take the options?
 * @report: (in) need not hold processes yet
 *
 * Return: 0; -EINVAL an unknown column.
 */
ptu_must_check int
ptu_render_text_check(const struct ptu_report *report,
		      const struct ptu_render_options *options,
		      struct ptu_err *err);

/**
 * ptu_render_text_columns() - The columns, a line each, for --help.
 */
void ptu_render_text_columns(FILE *out);

/**
 * ptu_render_json() - Through jansson; schema 1 as in ptaudit(8).
 */
ptu_must_check int ptu_render_json(const struct ptu_report *report, FILE *out,
				   struct ptu_err *err);

#endif
