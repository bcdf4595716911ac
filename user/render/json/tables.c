// SPDX-License-Identifier: LGPL-2.1-or-later
/* A report as JSON, schema 1.  Must not decide anything that is not in the report. */
#include "render/render.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "model/geometry.h"
#include "render/check_columns.h"
#include "render/json/fields.h"
#include "render/mapping_columns.h"
#include "render/process_columns.h"

static const char process_defaults[] =
	"PID,COMM,RSS,VMPTE,PTE,PMD,PUD,DEPOSITED,STATUS";

/**
 * struct showing - parameters of the output
 * @options: its columns, order and limit apply to the mappings, to the processes
 *	of a group, or to the levels of each process
 * @fields: members of their rows
 * @processes: sorted rows of the processes
 */
struct showing {
	const struct ptu_report *report;
	const struct ptu_render_options *options;
	struct fields *fields;
	const void **processes;
};

static bool is_of_levels(const struct showing *showing)
{
	return !showing->report->has_mappings && !showing->report->is_all;
}

static bool is_of_processes(const struct showing *showing)
{
	return !showing->report->has_mappings && showing->report->is_all;
}

/* The table that --output and --sort apply to, without rows. */
static struct ptu_grid table_of(const struct showing *showing,
				char names[PTU_MAPPING_NAMES])
{
	const struct ptu_report *report = showing->report;
	const bool is_of = is_of_processes(showing);

	if (report->has_mappings) {
		ptu_mapping_defaults(report, NULL, names);
		return (struct ptu_grid){
			.columns = ptu_mapping_columns,
			.defaults = names,
			.row_bytes = sizeof(struct ptu_mapping_line),
			.page_bytes = report->page_bytes,
			.is_shown = ptu_mapping_line_has_any,
		};
	}
	return (struct ptu_grid){
		.columns = ptu_process_columns,
		.table = (report->is_check ? PTU_COL_CHECK : PTU_COL_ESTIMATE) |
			 (is_of ? PTU_COL_PROCESSES : PTU_COL_LEVELS),
		.defaults = is_of ? process_defaults :
				    ptu_level_members(report),
		.row_bytes = sizeof(struct ptu_process_line),
		.page_bytes = report->page_bytes,
		.has = ptu_process_line_has,
	};
}

static json_t *level_rows(struct builder *b, const struct showing *showing,
			  const struct ptu_process *process)
{
	const struct ptu_report *report = showing->report;
	struct ptu_process_line lines[PTAUDIT_NR_LEVELS];
	char names[PTU_MAPPING_NAMES];
	struct ptu_grid table = table_of(showing, names);
	unsigned int level = PTAUDIT_NR_LEVELS;
	size_t nr = 0;

	while (level--) {
		if (report->level_unfolded[level])
			lines[nr++] = ptu_process_line(report, process, level);
	}
	if (!is_of_levels(showing))
		return rows_of(b, ptu_process_columns,
			       ptu_level_members(report), lines, nr,
			       sizeof(lines[0]));
	table.rows = lines;
	table.nr_rows = nr;
	return table_rows(b, showing->fields, &table, showing->options);
}

static json_t *cause_rows(struct builder *b, const struct ptu_process *process)
{
	return rows_of(b, ptu_cause_columns, PTU_CAUSE_MEMBERS, process->causes,
		       process->nr_causes, sizeof(*process->causes));
}

static json_t *leaf_rows(struct builder *b, const struct ptu_report *report,
			 const struct ptu_process *process)
{
	json_t *array = json_array();
	unsigned int level = PTAUDIT_NR_LEVELS;

	while (level--) {
		json_t *object;

		if (!report->level_unfolded[level] || !process->leaves[level])
			continue;
		object = json_object();
		put_text(b, object, "level", ptu_level_name(level));
		put_number(b, object, "entries", process->leaves[level]);
		add(b, array, object);
	}
	return array;
}

static json_t *shared_rows(struct builder *b, const struct ptu_process *process)
{
	return rows_of(b, ptu_shared_columns, PTU_SHARED_MEMBERS,
		       process->shared, process->nr_shared,
		       sizeof(*process->shared));
}

static json_t *vmpte(struct builder *b, const struct ptu_report *report,
		     const struct ptu_process *process)
{
	json_t *object;

	if (!process->has_vmpte)
		return json_null();
	object = json_object();
	put_number(b, object, "bytes", process->vmpte_bytes);
	if (report->is_check)
		put_number(b, object, "tree_bytes", process->tree_bytes);
	put_number(b, object, "deposited_tables", process->deposited_tables);
	if (report->is_check) {
		put_number(b, object, "unexplained_bytes",
			   process->vmpte_unexplained_bytes);
		if (process->vmpte_in_flux_bytes)
			put_number(b, object, "in_flux_bytes",
				   process->vmpte_in_flux_bytes);
	} else {
		if (process->vmpte_before_bytes != process->vmpte_bytes)
			put_number(b, object, "before_bytes",
				   process->vmpte_before_bytes);
		if (process->faulted)
			put(b, object, "faulted", json_true());
		put(b, object, "residual_tables",
		    json_integer(process->residual_bytes /
				 (json_int_t)report->page_bytes));
		put(b, object, "residual_bytes",
		    json_integer(process->residual_bytes));
	}
	return object;
}

/* Make the tables at @top and below, each level as a range. */
static json_t *spans(struct builder *b, const struct ptu_report *report,
		     unsigned int top, bool with_estimate, const uint64_t *low,
		     const uint64_t *high)
{
	json_t *array = json_array();
	unsigned int level = top + 1;

	while (level--) {
		json_t *object;

		if (!report->level_unfolded[level])
			continue;
		object = json_object();
		put_text(b, object, "level", ptu_level_name(level));
		if (with_estimate)
			put_number(b, object, "estimate", low[level]);
		put_number(b, object, "low", low[level]);
		put_number(b, object, "high", high[level]);
		add(b, array, object);
	}
	return array;
}

static json_t *estimator_rows(struct builder *b,
			      const struct ptu_report *report,
			      const struct ptu_process *process)
{
	json_t *array = json_array();
	size_t i;

	for (i = 0; i < process->nr_estimators; i++) {
		const struct ptu_estimator_row *row = &process->estimators[i];
		json_t *object = json_object();

		put_text(b, object, "name", row->name);
		if (row->error[0]) {
			put_text(b, object, "error", row->error);
			add(b, array, object);
			continue;
		}
		put(b, object, "levels",
		    spans(b, report, PTAUDIT_PGD, true, row->low, row->high));
		add(b, array, object);
	}
	return array;
}

/* Make the object for used entries of PTE tables, as far as they are known. */
static json_t *fill_object(struct builder *b, bool sees_empty,
			   const struct ptu_fill *fill)
{
	json_t *object = json_object();
	json_t *classes;
	unsigned int i;

	put_number(b, object, "pte_tables", fill->tables);
	if (sees_empty)
		put_number(b, object, "empty_tables",
			   fill->in_class[PTU_FILL_EMPTY]);
	if (fill->unasked)
		put_number(b, object, "unasked_tables", fill->unasked);
	if (!ptu_fill_is_whole(fill))
		return object;
	put_number(b, object, "entries_used", fill->entries);
	put(b, object, "fill_percent",
	    json_real(ptu_fill_permille(fill) / 10.0));
	classes = json_object();
	for (i = 0; i < PTU_NR_FILLS; i++) {
		char name[32];

		put_number(b, classes,
			   ptu_fill_class_name(i,
					       (unsigned int)(fill->room /
							      fill->counted),
					       name),
			   fill->in_class[i]);
	}
	put(b, object, "tables_by_entries", classes);
	return object;
}

static json_t *mapping_object(struct builder *b, const struct showing *showing,
			      const struct ptu_mapping_line *line)
{
	const struct ptu_mapping_row *row = line->mapping;
	json_t *object = json_object();

	if (showing->fields->is_chosen) {
		put_fields(b, object, showing->fields, line);
		return object;
	}
	put_address(b, object, "start", row->start, false);
	put_address(b, object, "end", row->end, true);
	put_text(b, object, "perms", row->perms);
	put_text(b, object, "path", row->path);
	/* the PGD belongs to all mappings */
	put(b, object, "levels",
	    spans(b, showing->report, PTAUDIT_P4D, false, row->low, row->high));
	put_number(b, object, "leaves", row->leaves);
	if (row->fill.tables)
		put(b, object, "fill",
		    fill_object(b, line->process->sees_empty, &row->fill));
	return object;
}

static json_t *mapping_rows(struct builder *b, const struct showing *showing,
			    const struct ptu_process *process)
{
	struct ptu_mapping_line *lines = calloc(process->nr_mappings + 1,
						sizeof(*lines));
	char names[PTU_MAPPING_NAMES];
	struct ptu_grid table = table_of(showing, names);
	json_t *array = json_array();
	const void **rows;
	size_t i, nr;

	b->failed |= !lines;
	for (i = 0; lines && i < process->nr_mappings; i++)
		lines[table.nr_rows++] = (struct ptu_mapping_line){
			process, &process->mappings[i]
		};
	table.rows = lines;
	rows = table_order(b, &table, showing->options, &nr);
	for (i = 0; i < nr; i++)
		add(b, array, mapping_object(b, showing, rows[i]));
	free(rows);
	free(lines);
	return array;
}

static json_t *unexplained_rows(struct builder *b,
				const struct ptu_process *process)
{
	return rows_of(b, ptu_unexplained_columns, PTU_UNEXPLAINED_MEMBERS,
		       process->unexplained, process->nr_unexplained,
		       sizeof(*process->unexplained));
}

static json_t *orphans_object(struct builder *b,
			      const struct ptu_orphans_result *orphans)
{
	json_t *object = json_object();

	put_number(b, object, "tables", ptu_orphans_tables(orphans));
	put_number(b, object, "in_flux", orphans->in_flux);
	put_number(b, object, "unexplained", orphans->nr_unexplained);
	put(b, object, "unexplained_tables",
	    rows_of(b, ptu_orphan_columns, PTU_ORPHAN_MEMBERS,
		    orphans->unexplained, orphans->nr_unexplained,
		    sizeof(*orphans->unexplained)));
	put_number(b, object, "hold_ns_max", orphans->hold_ns_max);
	return object;
}

/* Make the object for the comparison of module and BPF. */
static json_t *bpf_object(struct builder *b, const struct ptu_process *process)
{
	json_t *object = json_object();

	put_number(b, object, "tables", ptu_process_bpf_tables(process));
	put_number(b, object, "in_flux", process->bpf.in_flux);
	put_number(b, object, "unexplained", process->bpf.unexplained);
	return object;
}

/* Put the public data of /proc/PID/status. */
static void put_status_file(struct builder *b, json_t *object,
			    const struct ptu_process *process)
{
	json_t *sum = json_object();

	put_number(b, object, "uid", process->uid);
	put_number(b, object, "start_time", process->start_time);
	put_number(b, object, "rss_bytes", process->rss_bytes);
	put_number(b, sum, "bytes", process->vmpte_bytes);
	put(b, object, "vmpte", sum);
}

static json_t *process_object(struct builder *b, const void *arg, size_t i)
{
	const struct showing *showing = arg;
	const struct ptu_process_line *line = showing->processes[i];
	const struct ptu_report *report = showing->report;
	const struct ptu_process *process = line->process;
	json_t *object = json_object();

	if (is_of_processes(showing) && showing->fields->is_chosen) {
		put_fields(b, object, showing->fields, line);
		return object;
	}
	put_number(b, object, "pid", (uint64_t)process->pid);
	put_thread(b, object, process->pid, process->tid);
	put_text(b, object, "comm", process->comm);
	if (process->status != PTU_STATUS_OK) {
		put_text(b, object, "status", ptu_status_name(process->status));
		put_text(b, object, "error", process->error);
		if (process->status == PTU_STATUS_DENIED)
			put_status_file(b, object, process);
		return object;
	}
	put_number(b, object, "uid", process->uid);
	put_number(b, object, "start_time", process->start_time);
	if (process->mm)
		put_address(b, object, "mm", process->mm, false);
	put_text(b, object, "status", ptu_status_name(process->status));
	put_number(b, object, "tries", process->tries);
	put(b, object, "self", json_boolean(process->self));
	put_number(b, object, "sharing", process->nr_sharing);
	put_number(b, object, "rss_bytes", process->rss_bytes);
	put_number(b, object, "tables_bytes",
		   ptu_process_table_bytes(report, process));
	put(b, object, "levels", level_rows(b, showing, process));
	if (report->is_check) {
		put(b, object, "causes", cause_rows(b, process));
		put(b, object, "leaves", leaf_rows(b, report, process));
		put(b, object, "shared", shared_rows(b, process));
	}
	put(b, object, "vmpte", vmpte(b, report, process));
	put(b, object, "estimators", estimator_rows(b, report, process));
	put(b, object, "fill",
	    fill_object(b, process->sees_empty, &process->fill));
	if (report->has_mappings)
		put(b, object, "mappings", mapping_rows(b, showing, process));
	if (report->is_check) {
		put(b, object, "unexplained_tables",
		    unexplained_rows(b, process));
		if (process->bpf.done)
			put(b, object, "bpf", bpf_object(b, process));
		if (process->orphans.done)
			put(b, object, "orphans",
			    orphans_object(b, &process->orphans));
		put_number(b, object, "unexplained",
			   ptu_process_unexplained(process));
	}
	return object;
}

/* Make the sum over all processes. */
static json_t *set_object(struct builder *b, const struct ptu_report *report)
{
	const struct ptu_set *set = &report->set;
	json_t *object = json_object();
	json_t *levels = json_array();
	unsigned int level = PTAUDIT_NR_LEVELS;

	put_number(b, object, "address_spaces", set->nr_spaces);
	while (level--) {
		json_t *row;

		if (!report->level_unfolded[level])
			continue;
		row = json_object();
		put_text(b, row, "level", ptu_level_name(level));
		put_number(b, row, "tables", set->tables[level]);
		put_number(b, row, "bytes", set->bytes[level]);
		add(b, levels, row);
	}
	put_number(b, object, "tables_bytes", ptu_set_table_bytes(report));
	put(b, object, "levels", levels);
	put_number(b, object, "tree_bytes", set->tree_bytes);
	put_number(b, object, "deposited_tables", set->deposited_tables);
	put_number(b, object, "vmpte_bytes", set->vmpte_bytes);
	/* an estimate does not know which tables are shared */
	if (report->is_check) {
		put_number(b, object, "shared_tables", set->shared_tables);
		put_number(b, object, "shared_outside", set->shared_outside);
		put_number(b, object, "counted_again", set->counted_again);
		put_number(b, object, "counted_again_bytes", set->again_bytes);
	}
	put(b, object, "residual_bytes",
	    json_integer((json_int_t)set->residual_bytes));
	return object;
}

/* Put a table; the options select and sort it only if they apply to it. */
static const void **order_processes(struct builder *b,
				    const struct showing *showing,
				    struct ptu_process_line *lines,
				    size_t *ret_nr)
{
	const struct ptu_report *report = showing->report;
	const struct ptu_render_options all = { .sort = NULL };
	char names[PTU_MAPPING_NAMES];
	struct ptu_grid table = table_of(showing, names);
	size_t i;

	b->failed |= !lines;
	for (i = 0; lines && i < report->nr_processes; i++)
		lines[i] = ptu_process_line(report, &report->processes[i],
					    PTU_NO_LEVEL);
	table.rows = lines;
	table.nr_rows = lines ? report->nr_processes : 0;
	table.row_bytes = sizeof(*lines);
	table.is_shown = NULL;
	return table_order(b, &table,
			   is_of_processes(showing) ? showing->options : &all,
			   ret_nr);
}

int ptu_render_json(const struct ptu_report *report,
		    const struct ptu_render_options *options, FILE *out,
		    struct ptu_err *err)
{
	struct rows processes = { "processes", 0, process_object };
	struct fields fields;
	struct showing showing = { report, options, &fields, NULL };
	char names[PTU_MAPPING_NAMES];
	const struct ptu_grid table = table_of(&showing, names);
	struct builder b = { .failed = false };
	struct ptu_process_line *lines;
	struct head head;
	json_t *root;
	uint64_t unexplained = 0;
	size_t i;
	int error = table_choose(&fields, &table, options, err);

	if (error)
		return error;
	lines = calloc(report->nr_processes + 1, sizeof(*lines));
	showing.processes = order_processes(&b, &showing, lines, &processes.nr);
	root = json_object();
	head = HEAD_OF_REPORT(report->is_check ? "check" : "estimate", report);
	head.estimator = report->estimator ? report->estimator : "";
	head.output = options->columns;
	put(&b, root, "ptaudit", head_object(&b, &head));
	if (report->truth)
		put_text(&b, root, "truth", report->truth);
	for (i = 0; i < report->nr_processes; i++) {
		const struct ptu_process *process = &report->processes[i];

		if (process->status == PTU_STATUS_OK)
			unexplained += ptu_process_unexplained(process);
	}
	put(&b, root, processes.key, json_null());
	put_number(&b, root, "kernel_threads", report->nr_kthreads);
	put_number(&b, root, "zombies", report->nr_zombies);
	put_number(&b, root, "sharing", report->nr_sharing);
	put_number(&b, root, "denied",
		   ptu_report_with(report, PTU_STATUS_DENIED));
	/* do not print zeros if nothing was measured */
	if (report->set.nr_spaces)
		put(&b, root, "set", set_object(&b, report));
	if (report->is_check)
		put_number(&b, root, "unexplained", unexplained);

	error = print_json_rows(&b, root, &processes, &showing, out, err);
	free(showing.processes);
	free(lines);
	return error;
}
