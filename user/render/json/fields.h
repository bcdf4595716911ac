/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* JSON objects made from rows, with the column definitions of the text output. */
#ifndef PTU_RENDER_JSON_FIELDS_H
#define PTU_RENDER_JSON_FIELDS_H

#include "render/cells.h"
#include "render/json/build.h"
#include "render/render.h"

/**
 * struct fields - the members that objects get, in order
 * @has: as in struct ptu_grid
 * @is_chosen: --output named them: a member without a value is null, not omitted
 */
struct fields {
	struct ptu_grid_choice choice;
	bool (*has)(const struct ptu_grid_column *column, const void *row);
	bool is_chosen;
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
 * table_choose() - Like fields_choose() for the rows of a table; its .defaults are
 *	the members.
 */
ptu_must_check int table_choose(struct fields *fields,
				const struct ptu_grid *table,
				const struct ptu_render_options *options,
				struct ptu_err *err);

/**
 * put_fields() - Give @object the members of @row.
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
 * table_order() - Get the rows that --sort and --limit select, in order.
 * @ret_nr: (out) number of rows
 *
 * Return: the rows, free() them; NULL if out of memory, which @b records.
 */
const void **table_order(struct builder *b, const struct ptu_grid *table,
			 const struct ptu_render_options *options,
			 size_t *ret_nr);

/**
 * table_rows() - Make an array of the rows that --sort and --limit select.
 */
json_t *table_rows(struct builder *b, struct fields *fields,
		   const struct ptu_grid *table,
		   const struct ptu_render_options *options);

/**
 * row_of() - Make an object with all of @members; --output does not change it.
 */
json_t *row_of(struct builder *b, const struct ptu_grid_column *columns,
	       const char *members, const void *row);

/**
 * rows_of() - Make an array of objects as in row_of().
 * @rows: (in) [nr] of @row_bytes each
 */
json_t *rows_of(struct builder *b, const struct ptu_grid_column *columns,
		const char *members, const void *rows, size_t nr,
		size_t row_bytes);

#endif
