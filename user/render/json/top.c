// SPDX-License-Identifier: LGPL-2.1-or-later
/* A ranking as JSON.  Must not decide anything that is not in the report. */
#include "report/top.h"

#include "render/json/build.h"
#include "render/render.h"

static json_t *row_object(struct builder *b, enum ptu_top_kind kind,
			  const struct ptu_top_row *row)
{
	json_t *object = json_object();

	if (kind == PTU_TOP_PROCESSES) {
		put_number(b, object, "pid", (uint64_t)row->pid);
		put_text(b, object, "comm", row->comm);
		put_number(b, object, "uid", row->uid);
	} else {
		put_text(b, object, "name", row->name);
	}
	if (kind == PTU_TOP_GROUPS)
		put_number(b, object, "processes", row->nr_processes);
	if (kind == PTU_TOP_MAPPINGS) {
		put_address(b, object, "start", row->start, false);
		put_address(b, object, "end", row->end, true);
	}
	put_number(b, object, "total_bytes", row->total_bytes);
	if (row->has_empty)
		put_number(b, object, "empty_tables", row->empty_tables);
	else
		put(b, object, "empty_tables", json_null());
	if (row->fill.counted)
		put(b, object, "fill_percent",
		    json_real(ptu_fill_permille(&row->fill) / 10.0));
	else
		put(b, object, "fill_percent", json_null());
	if (kind == PTU_TOP_MAPPINGS)
		return object;
	put_text(b, object, "why", row->why);
	put_text(b, object, "source", ptu_top_source_name(row->source));
	put(b, object, "part", json_boolean(row->is_part));
	put_number(b, object, "vmpte_bytes", row->vmpte_bytes);
	put_number(b, object, "rss_bytes", row->rss_bytes);
	return object;
}

static json_t *row_objects(struct builder *b,
			   const struct ptu_top_report *report)
{
	json_t *array = json_array();
	size_t i;

	for (i = 0; i < report->nr_rows; i++)
		add(b, array, row_object(b, report->kind, &report->rows[i]));
	return array;
}

int ptu_render_top_json(const struct ptu_top_report *report, FILE *out,
			struct ptu_err *err)
{
	struct builder b = { .failed = false };
	json_t *root = json_object();
	json_t *processes, *process;

	put(&b, root, "ptaudit", head_object(&b, &HEAD_OF_HOST("top", report)));
	if (report->kind == PTU_TOP_GROUPS) {
		put(&b, root, "groups", row_objects(&b, report));
	} else if (report->kind == PTU_TOP_PROCESSES) {
		put(&b, root, "processes", row_objects(&b, report));
	} else {
		processes = json_array();
		process = row_object(&b, PTU_TOP_PROCESSES, &report->process);
		put(&b, process, "mappings", row_objects(&b, report));
		add(&b, processes, process);
		put(&b, root, "processes", processes);
	}
	return print_json(&b, root, out, err);
}
