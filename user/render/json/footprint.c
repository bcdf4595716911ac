// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Footprints as JSON.  Must not decide anything that is not in the report.
 */
#include "render/json/build.h"
#include "render/json/build.h"
#include "render/render.h"
#include "report/footprint.h"

static void put_kinds(struct builder *b, json_t *object, const char *key,
		      const uint64_t kinds[PTU_NR_FOOTPRINT_KINDS])
{
	json_t *by_kind = json_object();
	char name[32];
	unsigned int kind;

	for (kind = 0; kind < PTU_NR_FOOTPRINT_KINDS; kind++) {
		snprintf(name, sizeof(name), "%s_bytes",
			 ptu_footprint_kind_name(kind));
		put_number(b, by_kind, name, kinds[kind]);
	}
	put(b, object, key, by_kind);
}

static void put_sum(struct builder *b, json_t *object,
		    const struct ptu_footprint_sum *sum,
		    const struct ptu_footprint_tables_sum *tables,
		    bool ksm_unknown)
{
	put_number(b, object, "rss_bytes", sum->rss_bytes);
	put_number(b, object, "pss_bytes", sum->pss_bytes);
	put_number(b, object, "uss_bytes", sum->uss_bytes);
	put_number(b, object, "swap_bytes", sum->swap_bytes);
	put_number(b, object, "tables_bytes", tables->bytes);
	put_number(b, object, "tables_inside_bytes", tables->inside_bytes);
	put_number(b, object, "tables_outside_bytes", tables->outside_bytes);
	put_kinds(b, object, "rss", sum->kinds);
	put_kinds(b, object, "pss", sum->pss_kinds);
	put_kinds(b, object, "uss", sum->uss_kinds);
	put_number(b, object, "large_bytes", sum->large_bytes);
	if (ksm_unknown)
		put(b, object, "ksm_bytes", json_null());
	else
		put_number(b, object, "ksm_bytes", sum->ksm_bytes);
	put_number(b, object, "rounded_bytes", sum->rounded_bytes);
	put_number(b, object, "hugetlb_unknown_bytes",
		   sum->hugetlb_unknown_bytes);
	put_number(b, object, "migrating_bytes", sum->migrating_bytes);
}

static json_t *process_object(struct builder *b,
			      const struct ptu_process *process,
			      const struct ptu_footprint_row *row)
{
	json_t *object = json_object();

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
	put_sum(b, object, &row->sum, &row->tables, row->ksm_unknown);
	put_number(b, object, "huge_bytes", row->huge_bytes);
	put_number(b, object, "kernel_rss_bytes", row->kernel_rss_bytes);
	put_number(b, object, "kernel_pss_bytes", row->kernel_pss_bytes);
	put_number(b, object, "kernel_swap_bytes", row->kernel_swap_bytes);
	put_number(b, object, "vmpte_bytes", process->vmpte_bytes);
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
			      FILE *out, struct ptu_err *err)
{
	const struct ptu_report *base = &report->base;
	struct builder b = { .failed = false };
	json_t *root = json_object();
	json_t *processes = json_array();
	json_t *set = json_object();
	size_t i, nr_spaces = 0;

	put(&b, root, "ptaudit",
	    head_object(&b, &HEAD_OF_REPORT("footprint", &report->base)));
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
		    process_object(&b, &base->processes[i], &report->rows[i]));
	}
	put(&b, root, "processes", processes);
	put_number(&b, set, "address_spaces", nr_spaces);
	put_sum(&b, set, &report->set, &report->tables, report->ksm_unknown);
	put_number(&b, set, "over_bytes", report->set.over_bytes);
	/* what could not be measured is no set of zeros */
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
