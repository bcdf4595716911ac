// SPDX-License-Identifier: LGPL-2.1-or-later
/* Added and freed tables as JSON.  Must not decide what is not in the report. */
#include "report/change.h"

#include "render/change_columns.h"
#include "render/json/fields.h"
#include "render/json/growth.h"
#include "render/render.h"

static json_t *mapping_object(struct builder *b,
			      const struct ptu_growth_row *row)
{
	json_t *object = json_object(), *array = json_array(), *one;
	unsigned int level;

	put_text(b, object, "name", row->name);
	put_address(b, object, "start", row->start, false);
	put_address(b, object, "end", row->end, true);
	put(b, object, "growth_bytes", json_integer(row->bytes));
	for (level = PTAUDIT_NR_LEVELS; level-- > 0;) {
		if (!row->came[level] && !row->went[level])
			continue;
		one = json_object();
		put_text(b, one, "level", ptu_level_name(level));
		put_number(b, one, "came", row->came[level]);
		put_number(b, one, "went", row->went[level]);
		add(b, array, one);
	}
	put(b, object, "levels", array);
	return object;
}

/* Put rows of the selected columns, or complete mappings ordered by their first rows. */
static json_t *mapping_objects(struct builder *b, struct fields *fields,
			       const struct ptu_grid *columns,
			       const struct ptu_render_options *options,
			       const struct ptu_changed *p)
{
	struct ptu_change_line *lines =
		calloc(p->growth.nr_rows * PTAUDIT_NR_LEVELS + 1,
		       sizeof(*lines));
	bool *done = calloc(p->growth.nr_rows + 1, sizeof(*done));
	struct ptu_render_options ordered = *options;
	struct ptu_grid table = *columns;
	json_t *array = json_array();
	const void **rows;
	size_t i, nr;

	b->failed |= !lines || !done;
	table.rows = lines;
	table.nr_rows = lines && done ? ptu_change_lines(p, lines) : 0;
	if (!fields->is_chosen)
		ordered.limit = 0;
	rows = table_order(b, &table, &ordered, &nr);
	for (i = 0; i < nr; i++) {
		const struct ptu_change_line *line = rows[i];
		const size_t mapping = (size_t)(line->mapping - p->growth.rows);

		if (fields->is_chosen) {
			json_t *object = json_object();

			put_fields(b, object, fields, line);
			add(b, array, object);
		} else if (!done[mapping] &&
			   (!options->limit ||
			    json_array_size(array) < options->limit)) {
			done[mapping] = true;
			add(b, array, mapping_object(b, line->mapping));
		}
	}
	free(rows);
	free(done);
	free(lines);
	return array;
}

static json_t *process_object(struct builder *b, struct fields *fields,
			      const struct ptu_grid *columns,
			      const struct ptu_render_options *options,
			      const struct ptu_changed *p)
{
	json_t *object = json_object();

	put_number(b, object, "pid", (uint64_t)p->pid);
	put_text(b, object, "comm", p->comm);
	put(b, object, "in_before", json_boolean(p->in_before));
	put(b, object, "in_after", json_boolean(p->in_after));
	put_number(b, object, "vmpte_before_bytes", p->vmpte_before);
	put_number(b, object, "vmpte_after_bytes", p->vmpte_after);
	put(b, object, "levels",
	    growth_levels(b, &p->growth, "before", "after"));
	put(b, object, "mappings",
	    mapping_objects(b, fields, columns, options, p));
	return object;
}

int ptu_render_change_json(const struct ptu_change_report *report,
			   const struct ptu_render_options *options, FILE *out,
			   struct ptu_err *err)
{
	const struct ptu_grid table = {
		.columns = ptu_change_columns,
		.defaults = "LEVEL,CAME,WENT,SIZE,START,END,NAME",
		.row_bytes = sizeof(struct ptu_change_line),
		.page_bytes = report->page_bytes,
	};
	struct builder b = { .failed = false };
	struct head head = HEAD_OF_HOST("diff", report);
	json_t *root, *array;
	struct fields fields;
	size_t i;
	int error = table_choose(&fields, &table, options, err);

	if (error)
		return error;
	root = json_object();
	array = json_array();
	head.output = options->columns;
	head.estimator = report->estimator;
	put(&b, root, "ptaudit", head_object(&b, &head));
	put_text(&b, root, "before", report->before.time);
	put_text(&b, root, "after", report->after.time);
	for (i = 0; i < report->nr_processes; i++)
		add(&b, array,
		    process_object(&b, &fields, &table, options,
				   &report->processes[i]));
	put(&b, root, "processes", array);
	put(&b, root, "differs", json_boolean(ptu_change_any(report)));
	return print_json(&b, root, out, err);
}
