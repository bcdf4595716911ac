// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Results of cow and flags as JSON.  Must not decide anything that is not in their
 * reports.
 */
#include "model/page_flags.h"
#include "render/cow_columns.h"
#include "render/flags_columns.h"
#include "render/json/fields.h"
#include "report/cow.h"
#include "report/flags.h"

static void put_process(struct builder *b, json_t *root, const char *command,
			const struct ptu_mapped_head *head, const char *output)
{
	struct head top = HEAD_OF_HOST(command, head);

	top.output = output;
	put(b, root, "ptaudit", head_object(b, &top));
	put_number(b, root, "pid", (uint64_t)head->pid);
	put_thread(b, root, head->pid, head->tid);
	put_text(b, root, "comm", head->comm);
}

/* The sorted rows of a table; only one object is in memory at a time. */
struct ordered {
	const void **rows;
	struct fields *fields;
};

static json_t *ordered_row(struct builder *b, const void *arg, size_t i)
{
	const struct ordered *ordered = arg;
	json_t *object = json_object();

	put_fields(b, object, ordered->fields, ordered->rows[i]);
	return object;
}

static json_t *cow_sample(struct builder *b,
			  const struct ptu_cow_sample *sample)
{
	json_t *object = json_object();

	put_address(b, object, "start", sample->addr, false);
	put_text(b, object, "pagemap", ptu_cow_kind_name(sample->kind));
	put_text(b, object, "kpageflags", ptu_cow_kind_name(sample->by_flags));
	put_address(b, object, "pagemap_entry", sample->page.word, false);
	put_address(b, object, "flags", sample->page.flags, false);
	put_number(b, object, "count", sample->page.count);
	return object;
}

int ptu_render_cow_json(const struct ptu_cow_report *report,
			const struct ptu_render_options *options, FILE *out,
			struct ptu_err *err)
{
	const struct ptu_grid table = {
		.columns = ptu_cow_columns,
		.defaults = "START,END,PERMS,PATH," PTU_COW_COUNTS,
		.rows = report->rows,
		.nr_rows = report->nr_rows,
		.row_bytes = sizeof(*report->rows),
	};
	const struct ptu_cow_row all = { .count = report->total };
	struct rows mappings = { "mappings", 0, ordered_row };
	struct builder b = { .failed = false };
	json_t *root, *samples, *total;
	struct fields fields, counts;
	struct ordered ordered = { NULL, &fields };
	size_t i;
	int error = table_choose(&fields, &table, options, err);

	if (!error)
		error = fields_choose(&counts, ptu_cow_columns, PTU_COW_COUNTS,
				      NULL, err);
	if (error)
		return error;
	root = json_object();
	samples = json_array();
	total = json_object();
	ordered.rows = table_order(&b, &table, options, &mappings.nr);
	put_process(&b, root, "cow", &report->head, options->columns);
	put(&b, root, "pfnzero", json_boolean(report->known.pfnzero));
	put(&b, root, "kpageflags", json_boolean(report->known.flags));
	put(&b, root, mappings.key, json_null());
	put_fields(&b, total, &counts, &all);
	put(&b, root, "total", total);
	for (i = 0; i < report->nr_samples; i++)
		add(&b, samples, cow_sample(&b, &report->samples[i]));
	put(&b, root, "disagreements", samples);
	error = print_json_rows(&b, root, &mappings, &ordered, out, err);
	free(ordered.rows);
	return error;
}

static json_t *flag_rows(struct builder *b, const struct ptu_pageflags *counted)
{
	json_t *array = json_array();
	char name[PTU_PAGEFLAG_LEN];
	unsigned int bit;

	for (bit = 0; bit < PTU_PAGEFLAGS_BITS; bit++) {
		json_t *object;

		if (!counted->by_bit[bit])
			continue;
		object = json_object();
		put_text(b, object, "flag", ptu_pageflag_name(bit, name));
		put_number(b, object, "bit", bit);
		put_number(b, object, "pages", counted->by_bit[bit]);
		add(b, array, object);
	}
	return array;
}

int ptu_render_flags_json(const struct ptu_flags_report *report,
			  const struct ptu_render_options *options, FILE *out,
			  struct ptu_err *err)
{
	const struct ptu_render_options all = { .sort = NULL };
	const struct ptu_pageflags *counted = &report->counted;
	struct ptu_grid groups = ptu_flags_table(report, false);
	struct ptu_grid runs = ptu_flags_table(report, true);
	struct rows ranges = { "ranges", 0, ordered_row };
	struct builder b = { .failed = false };
	struct fields of_groups, of_runs;
	struct ordered ordered = { NULL, &of_runs };
	const struct ptu_render_options *own = counted->with_runs ? &all :
								    options;
	json_t *root;
	int error;

	groups.defaults = "RAW,FLAGS,PAGES";
	runs.defaults = "START,END,PAGES,RAW,FLAGS";
	error = table_choose(&of_groups, &groups, own, err);
	if (!error && counted->with_runs)
		error = table_choose(&of_runs, &runs, options, err);
	if (error)
		return error;
	root = json_object();
	put_process(&b, root, "flags", &report->head, options->columns);
	put_number(&b, root, "pages", counted->pages);
	put(&b, root, "combinations", table_rows(&b, &of_groups, &groups, own));
	put(&b, root, "ksm_is_anon", json_boolean(report->ksm_is_anon));
	put(&b, root, "flags", flag_rows(&b, counted));
	if (counted->with_runs) {
		ordered.rows = table_order(&b, &runs, options, &ranges.nr);
		put(&b, root, ranges.key, json_null());
	}
	error = print_json_rows(&b, root, &ranges, &ordered, out, err);
	free(ordered.rows);
	return error;
}
