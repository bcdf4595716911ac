// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Page totals as JSON.  Must not decide anything that is not in their report.
 */
#include "render/json/fields.h"
#include "render/page_columns.h"
#include "render/render.h"
#include "report/pages.h"

static const struct ptu_grid key_table = {
	.columns = ptu_page_columns,
	.defaults = "KEY,KERNEL,PROC,EXPLAINED,IN-FLUX,UNEXPLAINED",
	.nr_rows = PTU_NR_TOTALS,
	.row_bytes = sizeof(struct ptu_page_line),
};

static json_t *key_rows(struct builder *b, struct fields *fields,
			const struct ptu_render_options *options,
			const struct ptu_totals_process *p)
{
	struct ptu_page_line lines[PTU_NR_TOTALS];
	struct ptu_grid table = key_table;
	unsigned int total;

	for (total = 0; total < PTU_NR_TOTALS; total++)
		lines[total] = (struct ptu_page_line){ p, total };
	table.rows = lines;
	return table_rows(b, fields, &table, options);
}

static json_t *cause_rows(struct builder *b, const struct ptu_totals_process *p)
{
	json_t *array = json_array();
	unsigned int why, total;

	for (why = PTU_TOTALS_PFNMAP; why < PTU_NR_TOTALS_WHY; why++) {
		for (total = 0; total < PTU_NR_TOTALS; total++) {
			const struct ptu_totals_cause *cause =
				&p->causes[why][total];
			json_t *object;

			if (!cause->mappings)
				continue;
			object = json_object();
			put_text(b, object, "cause", ptu_totals_why_name(why));
			put_text(b, object, "key", ptu_total_name(total));
			put_number(b, object, "mappings", cause->mappings);
			put_number(b, object, "pages", cause->pages);
			add(b, array, object);
		}
	}
	return array;
}

static json_t *diff_rows(struct builder *b, const struct ptu_totals_process *p)
{
	json_t *array = json_array();
	size_t i;

	for (i = 0; i < p->nr_diffs; i++) {
		const struct ptu_totals_diff *diff = &p->diffs[i];
		json_t *object = json_object();

		put_text(b, object, "key", diff->name);
		if (diff->end) {
			put_address(b, object, "start", diff->start, false);
			put_address(b, object, "end", diff->end, true);
			put_text(b, object, "path", diff->path);
			put_number(b, object, "kernel", diff->kernel);
			put_number(b, object, "proc", diff->proc);
		} else {
			put_number(b, object, "kernel_whole", diff->kernel);
			put_number(b, object, "kernel_mappings", diff->proc);
		}
		add(b, array, object);
	}
	return array;
}

static json_t *kernel_keys(struct builder *b,
			   const struct ptu_totals_process *p)
{
	json_t *object = json_object();
	unsigned int key;

	for (key = 0; key < PTAUDIT_NR_PAGES_KEYS; key++)
		if (p->kernel.known[key])
			put_number(b, object, ptu_totals_key_name(key),
				   p->kernel.nr[key]);
		else
			put(b, object, ptu_totals_key_name(key), json_null());
	return object;
}

static json_t *process_object(struct builder *b, struct fields *fields,
			      const struct ptu_render_options *options,
			      const struct ptu_totals_process *p)
{
	json_t *object = json_object();

	put_number(b, object, "pid", (uint64_t)p->pid);
	put_thread(b, object, p->pid, p->tid);
	put_text(b, object, "comm", p->comm);
	put_text(b, object, "status", ptu_status_name(p->status));
	if (p->status != PTU_STATUS_OK) {
		put_text(b, object, "error", p->error);
		return object;
	}
	put_number(b, object, "tries", p->tries);
	put_number(b, object, "mappings", p->mappings);
	put(b, object, "whole_checked", json_boolean(p->whole_checked));
	put(b, object, "keys", key_rows(b, fields, options, p));
	put(b, object, "causes", cause_rows(b, p));
	put(b, object, "differences", diff_rows(b, p));
	put(b, object, "kernel", kernel_keys(b, p));
	put_number(b, object, "unexplained", p->unexplained);
	return object;
}

int ptu_render_totals_json(const struct ptu_totals_report *report,
			   const struct ptu_render_options *options, FILE *out,
			   struct ptu_err *err)
{
	struct head head = HEAD_OF_HOST("check --pages", report);
	struct builder b = { .failed = false };
	json_t *root, *processes;
	uint64_t unexplained = 0;
	struct fields fields;
	size_t i;
	int error = table_choose(&fields, &key_table, options, err);

	if (error)
		return error;
	root = json_object();
	processes = json_array();
	head.output = options->columns;
	put(&b, root, "ptaudit", head_object(&b, &head));
	for (i = 0; i < report->nr_processes; i++) {
		add(&b, processes,
		    process_object(&b, &fields, options,
				   &report->processes[i]));
		unexplained += report->processes[i].unexplained;
	}
	put(&b, root, "processes", processes);
	put_number(&b, root, "unexplained", unexplained);
	return print_json(&b, root, out, err);
}
