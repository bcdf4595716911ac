// SPDX-License-Identifier: LGPL-2.1-or-later
/* A ranking as JSON.  Must not decide anything that is not in the report. */
#include "report/top.h"

#include "render/json/fields.h"
#include "render/top_columns.h"

/* Put processes, groups, or the mappings of one process. */
static int put_rows(struct builder *b, json_t *root,
		    const struct ptu_top_report *report,
		    const struct ptu_render_options *options,
		    struct ptu_err *err)
{
	const bool is_one = report->kind == PTU_TOP_MAPPINGS;
	struct ptu_grid table = ptu_top_table(report->kind);
	struct fields fields;
	json_t *rows, *process;
	int error;

	table.defaults = ptu_top_members(report->kind);
	error = table_choose(&fields, &table, options, err);
	if (error)
		return error;
	rows = field_rows(b, &fields, report->rows, report->nr_rows,
			  sizeof(*report->rows));
	if (is_one) {
		error = fields_choose(&fields, ptu_top_columns,
				      ptu_top_members(PTU_TOP_PROCESSES), NULL,
				      err);
		process = json_object();
		put_fields(b, process, &fields, &report->process);
		put(b, process, "mappings", rows);
		rows = json_array();
		add(b, rows, process);
	}
	put(b, root, report->kind == PTU_TOP_GROUPS ? "groups" : "processes",
	    rows);
	return error;
}

/* Make the object of figures over all rows, which --limit does not change. */
static json_t *all_rows(struct builder *b, const struct ptu_top_report *report)
{
	json_t *all = json_object();

	put_number(b, all, "rows", report->nr_all);
	put_number(b, all, "vmpte_bytes", report->all_bytes);
	return all;
}

int ptu_render_top_json(const struct ptu_top_report *report,
			const struct ptu_render_options *options, FILE *out,
			struct ptu_err *err)
{
	struct builder b = { .failed = false };
	struct head head = HEAD_OF_HOST("top", report);
	json_t *root = json_object();
	int error;

	head.output = options->columns;
	put(&b, root, "ptaudit", head_object(&b, &head));
	error = put_rows(&b, root, report, options, err);
	if (report->kind != PTU_TOP_MAPPINGS)
		put(&b, root, "all", all_rows(&b, report));
	if (!error)
		return print_json(&b, root, out, err);
	json_decref(root);
	return error;
}
