/* SPDX-License-Identifier: GPL-2.0-only */
/* Renders rows to text, and finds a cell in it. */
#ifndef ROWS_H
#define ROWS_H

#include <stdio.h>
#include <string.h>

#include "render/render.h"
#include "support/printed.h"
#include "support/unit.h"

#define ALL ((struct ptu_render_options){ .raw = true, .all_columns = true })
#define TEXT ((struct ptu_render_options){ .raw = false })
#define CHOSEN(names) ((struct ptu_render_options){ .columns = (names) })

typedef int render_fn(const struct ptu_render_options *options, FILE *out,
		      struct ptu_err *err);

static inline char *text_of(render_fn *render,
			    struct ptu_render_options options)
{
	struct ptu_err err = { "" };
	int error;
	char *text = OUTPUT_OF(error = render(&options, out, &err));

	if (error)
		UNIT_FAIL("not rendered: %s", err.text);
	return text;
}

/* The cell of a column in a row of raw text; row 0 is the heading. */
static inline const char *cell_of(const char *text, unsigned int row,
				  const char *column, char ret[128])
{
	size_t at = 0, length;
	const char *word = text;

	while ((length = strcspn(word, " \n")) != strlen(column) ||
	       strncmp(word, column, length)) {
		if (word[length] != ' ')
			return "no such column";
		word += length + 1;
		at++;
	}
	for (; row; row--)
		text = strchr(text, '\n') ? strchr(text, '\n') + 1 : "";
	while (at--)
		text += strcspn(text, " \n") +
			(text[strcspn(text, " \n")] != 0);
	snprintf(ret, 128, "%.*s", (int)strcspn(text, " \n"), text);
	return ret;
}

struct cell {
	unsigned int row;
	const char *column, *expected;
};

#define CHECK_CELLS(render, cells)                                             \
	do {                                                                   \
		const char *raw_ = text_of(render, ALL);                       \
		char cell_[128];                                               \
                                                                               \
		for (size_t i_ = 0; i_ < sizeof(cells) / sizeof(*(cells));     \
		     i_++) {                                                   \
			const struct cell *c_ = &(cells)[i_];                  \
			const char *got_ = cell_of(raw_, c_->row, c_->column,  \
						   cell_);                     \
                                                                               \
			if (strcmp(got_, c_->expected))                        \
				UNIT_FAIL("row %u, %s is %s, not %s", c_->row, \
					  c_->column, got_, c_->expected);     \
		}                                                              \
	} while (0)

/* Each word of the heading must be the column of a cell. */
static inline void check_heading(const char *text, const struct cell *cells,
				 size_t nr)
{
	size_t length, i;

	do {
		length = strcspn(text, " \n");
		for (i = 0; i < nr; i++)
			if (strlen(cells[i].column) == length &&
			    !strncmp(cells[i].column, text, length))
				break;
		if (i == nr)
			UNIT_FAIL("no cell of the column %.*s is tested",
				  (int)length, text);
		text += length + 1;
	} while (text[-1] == ' ');
}

/* The same, and no column may be left out. */
#define CHECK_COLUMNS(render, cells)                             \
	do {                                                     \
		check_heading(text_of(render, ALL), cells,       \
			      sizeof(cells) / sizeof(*(cells))); \
		CHECK_CELLS(render, cells);                      \
	} while (0)

#define CHECK_HAS(text, expected)                                         \
	do {                                                              \
		if (!strstr((text), (expected))) {                        \
			UNIT_FAIL("no \"%s\" in:\n%s", (expected), text); \
			return;                                           \
		}                                                         \
	} while (0)

#endif
