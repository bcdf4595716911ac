/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows as objects, by the table that text has its columns from. */
#ifndef PTU_RENDER_JSON_FIELDS_H
#define PTU_RENDER_JSON_FIELDS_H

#include "render/cells.h"
#include "render/json/build.h"
#include "render/render.h"

/* The members that objects get, in order. */
struct fields {
	struct ptu_grid_choice choice;
	struct ptu_grid_cell cell;
};

/**
 * fields_choose() - Find out which members objects have.
 * @columns: (in) as of struct ptu_grid
 * @members: (in) names of columns, comma separated: the whole object
 * @options: (in) others that are asked for; NULL: whole objects
 *
 * Return: 0; -EINVAL as ptu_grid_choose().
 */
ptu_must_check int fields_choose(struct fields *fields,
				 const struct ptu_grid_column *columns,
				 const char *members,
				 const struct ptu_render_options *options,
				 struct ptu_err *err);

/**
 * put_fields() - Give @object the members of @row.
 */
void put_fields(struct builder *b, json_t *object, struct fields *fields,
		const void *row);

/**
 * field_rows() - An array of objects.
 * @rows: (in) [nr] of @row_bytes each
 */
json_t *field_rows(struct builder *b, struct fields *fields, const void *rows,
		   size_t nr, size_t row_bytes);

/**
 * row_of() - An object with all of @members, which nobody can choose from.
 */
json_t *row_of(struct builder *b, const struct ptu_grid_column *columns,
	       const char *members, const void *row);

/**
 * rows_of() - An array of them.
 * @rows: (in) [nr] of @row_bytes each
 */
json_t *rows_of(struct builder *b, const struct ptu_grid_column *columns,
		const char *members, const void *rows, size_t nr,
		size_t row_bytes);

#endif
