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
	bool is_chosen;
};

static json_t *process_object(struct builder *b, struct members *members,
			      const struct ptu_process *process,
			      const struct ptu_footprint_row *row)
{
	const struct ptu_footprint_line line = { process, row };
	json_t *object = json_object();

	if (members->is_chosen) {
		put_fields(b, object, &members->chosen, &line);
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
	put_fields(b, object, &members->sum, &line);
	put_fields(b, object, &members->own, &line);
	if (row->same_as)
		put_number(b, object, "same_as", (uint64_t)row->same_as);
	put_number(b, object, "sharing", process->nr_sharing);
	return object;
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
	const struct ptu_footprint_line line = { .row = &all };
	struct head head = HEAD_OF_REPORT("footprint", &report->base);
	struct members members = { .is_chosen = options->columns != NULL };
	struct builder b = { .failed = false };
	json_t *root, *processes, *set;
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
	processes = json_array();
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
	for (i = 0; i < base->nr_processes; i++) {
		nr_spaces += base->processes[i].status == PTU_STATUS_OK &&
			     !report->rows[i].same_as;
		add(&b, processes,
		    process_object(&b, &members, &base->processes[i],
				   &report->rows[i]));
	}
	put(&b, root, "processes", processes);
	put_number(&b, set, "address_spaces", nr_spaces);
	put_fields(&b, set, &members.sum, &line);
	put_number(&b, set, "over_bytes", report->set.over_bytes);
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
