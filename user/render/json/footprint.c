// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Footprints as JSON.  Must not decide anything that is not in the report.
 */
#include "render/footprint_columns.h"
#include "render/json/fields.h"
#include "report/footprint.h"

/* The members of sums, and further members of processes; or the selected members. */
struct members {
	struct fields sum;
	struct fields own;
	struct fields chosen;
};

static json_t *process_object(struct builder *b, struct members *members,
			      const struct ptu_footprint_line *line)
{
	const struct ptu_process *process = line->process;
	const struct ptu_footprint_row *row = line->row;
	json_t *object = json_object();

	if (members->chosen.is_chosen) {
		put_fields(b, object, &members->chosen, line);
		return object;
	}
	put_number(b, object, "pid", (uint64_t)process->pid);
	put_thread(b, object, process->pid, process->tid);
	put_text(b, object, "comm", process->comm);
	put_number(b, object, "uid", process->uid);
	put_number(b, object, "start_time", process->start_time);
	put(b, object, "self", json_boolean(process->self));
	put_text(b, object, "status", ptu_status_name(process->status));
	if (process->status != PTU_STATUS_OK) {
		put_text(b, object, "error", process->error);
		if (process->status == PTU_STATUS_DENIED) {
			put_number(b, object, "vmrss_bytes",
				   process->rss_bytes);
			put_number(b, object, "vmpte_bytes",
				   process->vmpte_bytes);
		}
		return object;
	}
	put_fields(b, object, &members->sum, line);
	put_fields(b, object, &members->own, line);
	if (row->same_as)
		put_number(b, object, "same_as", (uint64_t)row->same_as);
	put_number(b, object, "sharing", process->nr_sharing);
	return object;
}

/* Put the rows that --sort and --limit select. */
static json_t *process_objects(struct builder *b, struct members *members,
			       const struct ptu_footprint_report *report,
			       const struct ptu_render_options *options)
{
	const size_t nr = report->base.nr_processes;
	struct ptu_footprint_line *lines = calloc(nr + 1, sizeof(*lines));
	const struct ptu_grid table = {
		.columns = ptu_footprint_columns,
		.rows = lines,
		.nr_rows = lines ? nr : 0,
		.row_bytes = sizeof(*lines),
	};
	json_t *array = json_array();
	const void **rows;
	size_t i, nr_rows;

	b->failed |= !lines;
	for (i = 0; i < table.nr_rows; i++)
		lines[i] = (struct ptu_footprint_line){
			.process = &report->base.processes[i],
			.row = &report->rows[i],
			.by_module = report->by_module,
		};
	rows = table_order(b, &table, options, &nr_rows);
	for (i = 0; i < nr_rows; i++)
		add(b, array, process_object(b, members, rows[i]));
	free(rows);
	free(lines);
	return array;
}

static const char *counts_name(enum ptu_counts counts)
{
	static const char *const names[] = {
		[PTU_COUNTS_UNKNOWN] = "unknown",
		[PTU_COUNTS_EXACT] = "exact",
		[PTU_COUNTS_ROUNDED] = "rounded",
	};

	return names[counts];
}

int ptu_render_footprint_json(const struct ptu_footprint_report *report,
			      const struct ptu_render_options *options,
			      FILE *out, struct ptu_err *err)
{
	const struct ptu_report *base = &report->base;
	const struct ptu_footprint_row all = {
		.sum = report->set,
		.tables = report->tables,
		.ksm_unknown = report->ksm_unknown
	};
	const struct ptu_footprint_line line = {
		.row = &all, .by_module = report->by_module
	};
	struct head head = HEAD_OF_REPORT("footprint", &report->base);
	struct members members;
	struct builder b = { .failed = false };
	json_t *root, *set;
	size_t i, nr_spaces = 0;
	int error = fields_choose(&members.sum, ptu_footprint_columns,
				  ptu_footprint_sum_members, NULL, err);

	if (!error)
		error = fields_choose(&members.own, ptu_footprint_columns,
				      ptu_footprint_own_members, NULL, err);
	/* with "+", add to the columns of the text output */
	if (!error)
		error = fields_choose(&members.chosen, ptu_footprint_columns,
				      "PID,COMM,RSS,PSS,USS,SWAP,TABLES",
				      options, err);
	if (error)
		return error;
	root = json_object();
	set = json_object();

	head.output = options->columns;
	put(&b, root, "ptaudit", head_object(&b, &head));
	put_text(&b, root, "selection",
		 report->selection[0] ? report->selection : "pids");
	put_text(&b, root, "tables_source",
		 report->by_module ? "module" : "vmpte");
	if (!report->by_module)
		put_text(&b, root, "tables_note", report->tables_note);
	put_text(&b, root, "large_folio_counts", counts_name(report->counts));
	put(&b, root, "address_spaces_known",
	    json_boolean(report->spaces_known));
	for (i = 0; i < base->nr_processes; i++)
		nr_spaces += base->processes[i].status == PTU_STATUS_OK &&
			     !report->rows[i].same_as;
	put(&b, root, "processes",
	    process_objects(&b, &members, report, options));
	put_number(&b, set, "address_spaces", nr_spaces);
	put_fields(&b, set, &members.sum, &line);
	put_number(&b, set, "over_bytes", report->set.over_bytes);
	put_number(&b, set, "grown_bytes", report->set.grown_bytes);
	/* do not print zeros if nothing could be measured */
	if (nr_spaces)
		put(&b, root, "set", set);
	else
		json_decref(set);
	put_number(&b, root, "kernel_threads", base->nr_kthreads);
	put_number(&b, root, "zombies", base->nr_zombies);
	put_number(&b, root, "sharing", base->nr_sharing);
	put_number(&b, root, "denied",
		   ptu_report_with(base, PTU_STATUS_DENIED));
	return print_json(&b, root, out, err);
}
