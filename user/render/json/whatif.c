// SPDX-License-Identifier: LGPL-2.1-or-later
/* Tables that could be freed, and that were freed, as JSON. */
#include "render/json/fields.h"
#include "render/render.h"
#include "render/whatif_columns.h"
#include "report/whatif.h"

static json_t *processes(struct builder *b,
			 const struct ptu_whatif_report *report)
{
	json_t *array = json_array();
	size_t i;

	for (i = 0; i < report->base.nr_processes; i++) {
		const struct ptu_process *process = &report->base.processes[i];
		json_t *object = json_object();

		put_number(b, object, "pid", (uint64_t)process->pid);
		put_text(b, object, "comm", process->comm);
		put_text(b, object, "status", ptu_status_name(process->status));
		if (process->status != PTU_STATUS_OK)
			put_text(b, object, "error", process->error);
		add(b, array, object);
	}
	return array;
}

static json_t *spaces(struct builder *b, const struct ptu_whatif_report *report)
{
	json_t *array = json_array();
	size_t i;

	for (i = 0; i < report->nr_mms; i++) {
		const struct ptu_whatif_mm *mm = &report->mms[i];
		json_t *object = json_object();

		put_number(b, object, "pid", (uint64_t)mm->pid);
		put_text(b, object, "comm", mm->comm);
		put(b, object, "named", json_boolean(mm->named));
		put_number(b, object, "pte_tables", mm->pte_tables);
		if (!report->is_reclaim)
			put_number(b, object, "empty_tables", mm->empty_tables);
		put_number(b, object, "shared_tables", mm->shared_tables);
		put_number(b, object, "changed_tables", mm->changed_tables);
		if (!report->is_reclaim)
			put_number(b, object, "unseen_tables",
				   mm->unseen_tables);
		put_number(b, object, "vmpte_bytes", mm->vmpte_bytes);
		if (report->reclaim.done)
			put_number(b, object, "vmpte_after_bytes",
				   mm->vmpte_after_bytes);
		add(b, array, object);
	}
	return array;
}

static json_t *empties(struct builder *b,
		       const struct ptu_whatif_report *report)
{
	json_t *array = json_array();
	size_t i;

	for (i = 0; i < report->nr_empties; i++) {
		const struct ptu_whatif_empty *row = &report->empties[i];
		json_t *object = json_object();

		put_number(b, object, "pid",
			   (uint64_t)report->mms[row->mm].pid);
		put_address(b, object, "start", row->start, false);
		put_address(b, object, "end", row->end, true);
		put_number(b, object, "tables", row->tables);
		put_number(b, object, "bytes",
			   row->tables * report->base.page_bytes);
		put_text(b, object, "call", ptu_whatif_call_name(row->call));
		put_text(b, object, "perms", row->perms);
		put_text(b, object, "path", row->path);
		add(b, array, object);
	}
	return array;
}

static json_t *holes(struct builder *b, const struct ptu_whatif_report *report,
		     size_t file)
{
	json_t *array = json_array();
	size_t i;

	for (i = 0; i < report->nr_holes; i++) {
		const struct ptu_whatif_hole *hole = &report->holes[i];
		json_t *object;

		if (hole->file != file)
			continue;
		object = json_object();
		put_address(b, object, "start", hole->start, false);
		put_address(b, object, "end", hole->end, false);
		add(b, array, object);
	}
	return array;
}

static json_t *stays(struct builder *b, const struct ptu_whatif_file *file)
{
	json_t *array = json_array();
	unsigned int block;

	for (block = PTU_BLOCK_NONE + 1; block < PTU_NR_BLOCKS; block++) {
		json_t *object;

		if (!file->blocked[block])
			continue;
		object = json_object();
		put_text(b, object, "reason", ptu_whatif_block_name(block));
		put_number(b, object, "tables", file->blocked[block]);
		put_text(b, object, "sentence",
			 ptu_whatif_block_sentence(block));
		add(b, array, object);
	}
	return array;
}

static void put_device(struct builder *b, json_t *object, uint64_t device,
		       uint64_t inode)
{
	put(b, object, "device",
	    json_sprintf("%x:%x", (unsigned int)(device >> 32),
			 (unsigned int)device));
	put_number(b, object, "inode", inode);
}

static json_t *shared(struct builder *b, const struct ptu_whatif_report *report)
{
	json_t *array = json_array();
	size_t i;

	for (i = 0; i < report->nr_files; i++) {
		const size_t index = report->files[i].shown;
		const struct ptu_whatif_file *file = &report->files[index];
		json_t *object;

		if (!file->nr_mms)
			continue;
		object = json_object();
		put_text(b, object, "path", file->path);
		put_device(b, object, file->device, file->inode);
		put_text(b, object, "knob",
			 file->is_internal ? "shmem_enabled" : "huge=");
		put_number(b, object, "processes", file->nr_mms);
		put_number(b, object, "tables", file->tables);
		put_number(b, object, "empty_tables", file->empty_tables);
		put_number(b, object, "huge_pages", file->windows);
		put_number(b, object, "fill_bytes", file->fill_bytes);
		put_number(b, object, "swapped_bytes", file->swapped_bytes);
		put_number(b, object, "hugetlb_tables", file->hugetlb_tables);
		put_number(b, object, "hugetlb_pages",
			   ptu_whatif_hugetlb_pages(report, file));
		put(b, object, "holes", holes(b, report, index));
		put(b, object, "stays", stays(b, file));
		add(b, array, object);
	}
	return array;
}

static json_t *unmaps(struct builder *b, const struct ptu_whatif_report *report)
{
	json_t *array = json_array();
	size_t i;

	for (i = 0; i < report->nr_unmaps; i++) {
		const struct ptu_whatif_unmap *row = &report->unmaps[i];
		json_t *object = json_object();

		put_text(b, object, "path", row->path);
		put_device(b, object, row->device, row->inode);
		put_number(b, object, "processes", row->nr_mms);
		put_number(b, object, "tables", row->tables);
		put_number(b, object, "madvise_tables", row->madvise_tables);
		put_number(b, object, "upper_tables", row->upper_tables);
		add(b, array, object);
	}
	return array;
}

static json_t *doubled(struct builder *b,
		       const struct ptu_whatif_report *report)
{
	json_t *array = json_array();
	size_t i;

	for (i = 0; i < report->nr_doubled; i++) {
		const struct ptu_whatif_doubled *row = &report->doubled[i];
		json_t *object = json_object();

		put_number(b, object, "pid",
			   (uint64_t)report->mms[row->mm].pid);
		put_address(b, object, "start", row->start, false);
		put_address(b, object, "end", row->end, true);
		put_address(b, object, "same_as", row->kept_start, false);
		put_number(b, object, "tables", row->tables);
		put_number(b, object, "upper_tables", row->upper_tables);
		put_text(b, object, "path", row->path);
		add(b, array, object);
	}
	return array;
}

static json_t *unread_pids(struct builder *b,
			   const struct ptu_whatif_report *report)
{
	json_t *array = json_array();
	size_t i;

	for (i = 0; i < report->nr_unread; i++)
		add(b, array, json_integer(report->unread[i]));
	return array;
}

static json_t *anonymous(struct builder *b,
			 const struct ptu_whatif_report *report)
{
	struct ptu_whatif_anon anon = ptu_whatif_anonymous(report, false);
	json_t *object = json_object();

	put_number(b, object, "tables", anon.tables);
	put_number(b, object, "predicted_tables", 0);
	put_text(b, object, "why", "deposit");
	put_number(b, object, "counted_tables", anon.counted);
	put_number(b, object, "entries", anon.entries);
	put_number(b, object, "dense_tables", anon.dense_tables);
	put_number(b, object, "marker_tables", anon.marker_tables);
	put_number(b, object, "zero_tables", anon.zero_tables);
	return object;
}

static void put_result(struct builder *b, json_t *root,
		       const struct ptu_whatif_report *report)
{
	const struct ptu_reclaim_result *result = &report->reclaim;

	put(b, root, "done", json_boolean(result->done));
	put_number(b, root, "max_fill_bytes", result->max_fill_bytes);
	put_number(b, root, "predicted_tables",
		   ptu_whatif_shared_tables(report));
	put_number(b, root, "returned_tables", result->returned_tables);
	put_number(b, root, "more_tables", result->more_tables);
	put_number(b, root, "predicted_fill_bytes",
		   ptu_whatif_fill_bytes(report));
	put_number(b, root, "filled_bytes", result->filled_bytes);
	put_number(b, root, "huge_pages", result->windows);
	put_number(b, root, "failed_huge_pages", result->failed_windows);
	put_number(b, root, "took_ns", result->took_ns);
}

/* Put the rows of all ways into one array. */
static json_t *ways(struct builder *b, const struct ptu_whatif_report *report,
		    struct fields *fields, struct ptu_grid *table,
		    const struct ptu_render_options *options)
{
	struct ptu_whatif_line *lines = ptu_whatif_lines(report,
							 &table->nr_rows);
	json_t *array;

	b->failed |= !lines;
	table->rows = lines;
	array = table_rows(b, fields, table, options);
	free(lines);
	return array;
}

int ptu_render_whatif_json(const struct ptu_whatif_report *report,
			   const struct ptu_render_options *options, FILE *out,
			   struct ptu_err *err)
{
	const char *command = report->is_reclaim ? "reclaim" : "whatif";
	const bool is_table = options->columns || options->sort ||
			      options->limit;
	struct head head = HEAD_OF_REPORT(command, &report->base);
	struct builder b = { .failed = false };
	struct ptu_grid table = ptu_whatif_table;
	struct fields fields;
	json_t *root;
	int error;

	table.page_bytes = report->base.page_bytes;
	table.defaults =
		"WAY,PID,COMM,PROCESSES,START,END,TABLES,UPPER,SIZE,TAKES,PATH";
	error = table_choose(&fields, &table, options, err);
	if (error)
		return error;
	root = json_object();
	head.output = options->columns;
	put(&b, root, "ptaudit", head_object(&b, &head));
	put(&b, root, "processes", processes(&b, report));
	put_text(&b, root, "tables_by", report->source);
	put_text(&b, root, "shmem_enabled", report->shmem_enabled);
	put(&b, root, "address_spaces", spaces(&b, report));
	if (!report->is_reclaim) {
		put(&b, root, "empties_known",
		    json_boolean(report->empties_known));
		put(&b, root, "madvise_frees",
		    json_boolean(report->madvise_frees));
		put(&b, root, "shared_known",
		    json_boolean(report->shared_known));
		if (!is_table)
			put(&b, root, "empty", empties(&b, report));
		put(&b, root, "anonymous", anonymous(&b, report));
	}
	if (!report->is_reclaim && !is_table) {
		put(&b, root, "unmap", unmaps(&b, report));
		put(&b, root, "mapped_twice", doubled(&b, report));
	}
	if (is_table)
		put(&b, root, "ways",
		    ways(&b, report, &fields, &table, options));
	else
		put(&b, root, "shared", shared(&b, report));
	put_number(&b, root, "unopened_mappings", report->nr_unopened);
	put_number(&b, root, "unread_processes", report->nr_unread);
	put(&b, root, "unread_pids", unread_pids(&b, report));
	if (report->is_reclaim) {
		put_result(&b, root, report);
	} else {
		put_number(&b, root, "empty_tables",
			   ptu_whatif_all_empty_tables(report));
		put_number(&b, root, "sealed_tables",
			   ptu_whatif_sealed_tables(report));
		put_number(&b, root, "shared_tables",
			   ptu_whatif_shared_tables(report));
		put_number(&b, root, "predicted_tables",
			   ptu_whatif_all_tables(report));
	}
	return print_json(&b, root, out, err);
}
