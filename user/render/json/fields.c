// SPDX-License-Identifier: LGPL-2.1-or-later
/* Make objects from rows; must not know their meaning. */
#include "render/json/fields.h"

#include "render/order.h"

int fields_choose(struct fields *fields, const struct ptu_grid_column *columns,
		  const char *members, const struct ptu_render_options *options,
		  struct ptu_err *err)
{
	const struct ptu_grid table = { .columns = columns,
					.defaults = members };
	const struct ptu_render_options whole = { .columns = NULL };

	return table_choose(fields, &table, options ? options : &whole, err);
}

int table_choose(struct fields *fields, const struct ptu_grid *table,
		 const struct ptu_render_options *options, struct ptu_err *err)
{
	fields->cell = (struct ptu_grid_cell){
		.json = true, .page_bytes = table->page_bytes
	};
	fields->has = table->has;
	fields->is_chosen = options->columns != NULL;
	return ptu_grid_choose(table->columns, table->table, table->defaults,
			       options->columns, options->all_columns,
			       &fields->choice, err);
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

/* Make an array of the elements; an element of digits becomes a number. */
static json_t *list(struct builder *b, const char *text)
{
	json_t *array = json_array();

	while (*text && strcmp(text, "-") != 0) {
		const size_t length = strcspn(text, ",");
		char *end;
		const long long number = strtoll(text, &end, 10);

		add(b, array,
		    end == text + length ? json_integer(number) :
					   json_stringn(text, length));
		text += length + (text[length] == ',');
	}
	return array;
}

static void put_cell(struct builder *b, json_t *object,
		     const struct ptu_grid_cell *cell, bool is_chosen)
{
	const char *key = cell->column->json;
	json_t *span;

	if (cell->kind == PTU_CELL_NONE && !is_chosen)
		return;
	object = inner_object(b, object, &key);
	switch (cell->kind) {
	case PTU_CELL_NUMBER:
		put_number(b, object, key, cell->number);
		return;
	case PTU_CELL_SPAN:
		span = json_object();
		put_number(b, span, "low", cell->number);
		put_number(b, span, "high", cell->high);
		put(b, object, key, span);
		return;
	case PTU_CELL_REAL:
		put(b, object, key, json_real(cell->real));
		return;
	case PTU_CELL_BOOL:
		put(b, object, key, json_boolean(cell->number));
		return;
	case PTU_CELL_LIST:
		put(b, object, key, list(b, cell->text));
		return;
	case PTU_CELL_UNKNOWN:
	case PTU_CELL_NONE:
		put(b, object, key, json_null());
		return;
	case PTU_CELL_TEXT:
		break;
	}
	put_text(b, object, key, cell->text);
}

void put_fields(struct builder *b, json_t *object, struct fields *fields,
		const void *row)
{
	size_t i;

	for (i = 0; i < fields->choice.nr_columns; i++) {
		const struct ptu_grid_column *column = fields->choice.columns[i];

		fields->cell.column = column;
		if (!fields->has || fields->has(column, row))
			ptu_grid_fill(&fields->cell, column, row);
		else
			ptu_grid_unknown(&fields->cell);
		put_cell(b, object, &fields->cell, fields->is_chosen);
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

const void **table_order(struct builder *b, const struct ptu_grid *table,
			 const struct ptu_render_options *options,
			 size_t *ret_nr)
{
	const void **rows = NULL;

	*ret_nr = 0;
	/* the columns were checked before the first row was made */
	if (ptu_order_rows(table, options, &rows, ret_nr, NULL))
		b->failed = true;
	return rows;
}

json_t *table_rows(struct builder *b, struct fields *fields,
		   const struct ptu_grid *table,
		   const struct ptu_render_options *options)
{
	json_t *array = json_array();
	const void **rows;
	size_t i, nr;

	rows = table_order(b, table, options, &nr);
	for (i = 0; i < nr; i++) {
		json_t *object = json_object();

		put_fields(b, object, fields, rows[i]);
		add(b, array, object);
	}
	free(rows);
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
