/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* JSON objects made from rows, with the column definitions of the text output. */
#ifndef PTU_RENDER_JSON_FIELDS_H
#define PTU_RENDER_JSON_FIELDS_H

#include "render/cells.h"
#include "render/json/build.h"
#include "render/render.h"

/* The members of objects, in order. */
struct fields {
	struct ptu_grid_choice choice;
	struct ptu_grid_cell cell;
};

/**
 * fields_choose() - Select the members of objects.
 * @columns: (in) as in struct ptu_grid
 * @members: (in) column names, comma separated: the complete object
 * @options: (in) may select other columns; NULL: complete objects
 *
 * Return: 0; -EINVAL as ptu_grid_choose().
 */
ptu_must_check int fields_choose(struct fields *fields,
				 const struct ptu_grid_column *columns,
				 const char *members,
				 const struct ptu_render_options *options,
				 struct ptu_err *err);

/**
 * put_fields() - Add the members of @row to @object.
 */
void put_fields(struct builder *b, json_t *object, struct fields *fields,
		const void *row);

/**
 * field_rows() - Make an array of objects.
 * @rows: (in) [nr] of @row_bytes each
 */
json_t *field_rows(struct builder *b, struct fields *fields, const void *rows,
		   size_t nr, size_t row_bytes);

/**
 * row_of() - Make an object with all of @members, without a selection.
 */
json_t *row_of(struct builder *b, const struct ptu_grid_column *columns,
	       const char *members, const void *row);

/**
 * rows_of() - Make an array of such objects.
 * @rows: (in) [nr] of @row_bytes each
 */
json_t *rows_of(struct builder *b, const struct ptu_grid_column *columns,
		const char *members, const void *rows, size_t nr,
		size_t row_bytes);

#endif
