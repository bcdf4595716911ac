// SPDX-License-Identifier: LGPL-2.1-or-later
/* A map as JSON.  Must not decide anything that is not in the report. */
#include "report/map.h"

#include "render/json/fields.h"
#include "render/map_columns.h"

/* Put a figure that may be unknown. */
static void put_known(struct builder *b, json_t *object, const char *key,
		      bool is_known, uint64_t value)
{
	if (is_known)
		put_number(b, object, key, value);
	else
		put(b, object, key, json_null());
}

static json_t *level_objects(struct builder *b, struct fields *fields,
			     const struct ptu_map_report *report)
{
	struct ptu_map_line lines[PTAUDIT_NR_LEVELS];
	unsigned int level = PTAUDIT_PGD + 1;
	size_t nr = 0;

	while (level-- > 0) {
		if (report->geo.unfolded[level])
			lines[nr++] = (struct ptu_map_line){ .report = report,
							     .level = level };
	}
	return field_rows(b, fields, lines, nr, sizeof(lines[0]));
}

static json_t *row_objects(struct builder *b, struct fields *fields,
			   const struct ptu_map_report *report,
			   const struct ptu_render_options *options)
{
	struct ptu_map_line *lines = calloc(report->nr_rows + 1,
					    sizeof(*lines));
	const struct ptu_grid table = {
		.columns = ptu_map_row_columns,
		.rows = lines,
		.nr_rows = lines ? report->nr_rows : 0,
		.row_bytes = sizeof(*lines),
	};
	json_t *array;
	size_t i;

	b->failed |= !lines;
	for (i = 0; i < table.nr_rows; i++)
		lines[i] = (struct ptu_map_line){ .report = report,
						  .row = &report->rows[i] };
	array = table_rows(b, fields, &table, options);
	free(lines);
	return array;
}

static json_t *table_objects(struct builder *b,
			     const struct ptu_map_report *report)
{
	json_t *array = json_array();
	size_t i;

	for (i = 0; i < report->nr_tables; i++) {
		const struct ptu_map_table *table = &report->tables[i];
		json_t *object = json_object();

		put_text(b, object, "level", ptu_level_name(table->level));
		put_address(b, object, "start", table->start, false);
		put_text(b, object, "kind",
			 table->flags & PTU_MAP_LEAF	 ? "huge" :
			 table->flags & PTU_MAP_POSSIBLE ? "possible" :
							   "table");
		put_known(b, object, "used_entries",
			  table->flags & PTU_MAP_COUNTED, table->entries);
		put(b, object, "shared",
		    json_boolean(table->flags & PTU_MAP_SHARED));
		put_text(b, object, "name", ptu_map_name(report, table));
		add(b, array, object);
	}
	return array;
}

int ptu_render_map_json(const struct ptu_map_report *report,
			const struct ptu_render_options *options,
			bool with_tables, FILE *out, struct ptu_err *err)
{
	const struct ptu_process *p = &report->process;
	struct head head = HEAD_OF_HOST("map", report);
	struct builder b = { .failed = false };
	json_t *root, *processes, *process;
	struct fields levels, rows;
	int error =
		fields_choose(&levels, ptu_map_level_columns,
			      "LEVEL,TABLES,USED,ENTRIES,SIZE,EMPTY,POSSIBLE,HUGE",
			      NULL, err);

	if (!error)
		error = fields_choose(&rows, ptu_map_row_columns,
				      "NAME,START,END,SIZE,TABLES,USED,ENTRIES,WASTE,EMPTY,HUGE,DEPOSITED",
				      options, err);
	if (error)
		return error;
	root = json_object();
	processes = json_array();
	process = json_object();
	head.estimator = report->estimator;
	head.output = options->columns;
	put(&b, root, "ptaudit", head_object(&b, &head));
	put_number(&b, process, "pid", (uint64_t)p->pid);
	put_text(&b, process, "comm", p->comm);
	put_number(&b, process, "uid", p->uid);
	put_text(&b, process, "source", ptu_top_source_name(report->source));
	put_number(&b, process, "total_bytes", ptu_map_total_bytes(report));
	put_known(&b, process, "waste_bytes", p->fill.counted,
		  ptu_map_waste_bytes(report, &p->fill));
	put_number(&b, process, "deposited_tables", p->deposited_tables);
	put_number(&b, process, "vmpte_bytes", p->vmpte_bytes);
	put_number(&b, process, "unseen_bytes", ptu_map_unseen_bytes(report));
	put(&b, process, "levels", level_objects(&b, &levels, report));
	put(&b, process, "mappings", row_objects(&b, &rows, report, options));
	if (with_tables)
		put(&b, process, "tables", table_objects(&b, report));
	add(&b, processes, process);
	put(&b, root, "processes", processes);
	return print_json(&b, root, out, err);
}
