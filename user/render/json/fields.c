// SPDX-License-Identifier: LGPL-2.1-or-later
/* Make objects from rows; must not know their meaning. */
#include "render/json/fields.h"

int fields_choose(struct fields *fields, const struct ptu_grid_column *columns,
		  const char *members, const struct ptu_render_options *options,
		  struct ptu_err *err)
{
	fields->cell = (struct ptu_grid_cell){ .json = true };
	return ptu_grid_choose(columns, 0, members,
			       options ? options->columns : NULL,
			       options && options->all_columns, &fields->choice,
			       err);
}

/* "outer.inner" is a member of an inner object. */
static json_t *inner_object(struct builder *b, json_t *object, const char **key)
{
	const char *dot = strchr(*key, '.');
	char outer[32];
	json_t *inner;

	if (!dot)
		return object;
	snprintf(outer, sizeof(outer), "%.*s", (int)(dot - *key), *key);
	inner = json_object_get(object, outer);
	if (!inner) {
		inner = json_object();
		put(b, object, outer, inner);
	}
	*key = dot + 1;
	return inner;
}

static void put_cell(struct builder *b, json_t *object,
		     const struct ptu_grid_cell *cell)
{
	const char *key = cell->column->json;

	if (cell->kind == PTU_CELL_NONE)
		return;
	object = inner_object(b, object, &key);
	switch (cell->kind) {
	case PTU_CELL_NUMBER:
		put_number(b, object, key, cell->number);
		return;
	case PTU_CELL_REAL:
		put(b, object, key, json_real(cell->real));
		return;
	case PTU_CELL_BOOL:
		put(b, object, key, json_boolean(cell->number));
		return;
	case PTU_CELL_UNKNOWN:
		put(b, object, key, json_null());
		return;
	case PTU_CELL_TEXT:
	case PTU_CELL_NONE:
		break;
	}
	put_text(b, object, key, cell->text);
}

void put_fields(struct builder *b, json_t *object, struct fields *fields,
		const void *row)
{
	size_t i;

	for (i = 0; i < fields->choice.nr_columns; i++) {
		ptu_grid_fill(&fields->cell, fields->choice.columns[i], row);
		put_cell(b, object, &fields->cell);
	}
}

json_t *field_rows(struct builder *b, struct fields *fields, const void *rows,
		   size_t nr, size_t row_bytes)
{
	json_t *array = json_array();
	size_t i;

	for (i = 0; i < nr; i++) {
		json_t *object = json_object();

		put_fields(b, object, fields,
			   (const char *)rows + i * row_bytes);
		add(b, array, object);
	}
	return array;
}

json_t *row_of(struct builder *b, const struct ptu_grid_column *columns,
	       const char *members, const void *row)
{
	json_t *object = json_object();
	struct fields fields;

	if (fields_choose(&fields, columns, members, NULL, NULL))
		b->failed = true;
	else
		put_fields(b, object, &fields, row);
	return object;
}

json_t *rows_of(struct builder *b, const struct ptu_grid_column *columns,
		const char *members, const void *rows, size_t nr,
		size_t row_bytes)
{
	struct fields fields;

	if (fields_choose(&fields, columns, members, NULL, NULL)) {
		b->failed = true;
		return NULL;
	}
	return field_rows(b, &fields, rows, nr, row_bytes);
}
