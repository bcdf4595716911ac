// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Results of cow and flags as JSON.  Must not decide anything that is not in their
 * reports.
 */
#include "model/page_flags.h"
#include "render/cow_columns.h"
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

struct cow_rows {
	const struct ptu_cow_row *rows;
	struct fields *fields;
};

static json_t *cow_row(struct builder *b, const void *report, size_t i)
{
	const struct cow_rows *cow = report;
	json_t *object = json_object();

	put_fields(b, object, cow->fields, &cow->rows[i]);
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
	const struct rows mappings = { "mappings", report->nr_rows, cow_row };
	const struct ptu_cow_row all = { .count = report->total };
	struct builder b = { .failed = false };
	json_t *root, *samples, *total;
	struct fields fields, counts;
	struct cow_rows rows = { report->rows, &fields };
	size_t i;
	int error = fields_choose(&fields, ptu_cow_columns,
				  "START,END,PERMS,PATH," PTU_COW_COUNTS,
				  options, err);

	if (!error)
		error = fields_choose(&counts, ptu_cow_columns, PTU_COW_COUNTS,
				      NULL, err);
	if (error)
		return error;
	root = json_object();
	samples = json_array();
	total = json_object();
	put_process(&b, root, "cow", &report->head, options->columns);
	put(&b, root, "pfnzero", json_boolean(report->known.pfnzero));
	put(&b, root, "kpageflags", json_boolean(report->known.flags));
	put(&b, root, mappings.key, json_null());
	put_fields(&b, total, &counts, &all);
	put(&b, root, "total", total);
	for (i = 0; i < report->nr_samples; i++)
		add(&b, samples, cow_sample(&b, &report->samples[i]));
	put(&b, root, "disagreements", samples);
	return print_json_rows(&b, root, &mappings, &rows, out, err);
}

/* Put the flags of a page, as a number and by name. */
static void put_flags(struct builder *b, json_t *object, uint64_t flags)
{
	json_t *names = json_array();
	char name[PTU_PAGEFLAG_LEN];
	unsigned int bit;

	put_address(b, object, "raw", flags, false);
	for (bit = 0; bit < PTU_PAGEFLAGS_BITS; bit++) {
		if (flags >> bit & 1)
			add(b, names,
			    json_string(ptu_pageflag_name(bit, name)));
	}
	put(b, object, "flags", names);
}

static json_t *group_rows(struct builder *b,
			  const struct ptu_pageflags *counted)
{
	json_t *array = json_array();
	size_t i;

	for (i = 0; i < counted->nr_groups; i++) {
		json_t *object = json_object();

		put_flags(b, object, counted->groups[i].flags);
		put_number(b, object, "pages", counted->groups[i].pages);
		add(b, array, object);
	}
	return array;
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

static json_t *run_row(struct builder *b, const void *report, size_t i)
{
	const struct ptu_flags_report *flags = report;
	const struct ptu_flag_run *run = &flags->counted.runs[i];
	json_t *object = json_object();

	put_address(b, object, "start", run->start, false);
	put_address(b, object, "end", run->end, true);
	put_number(b, object, "pages",
		   (run->end - run->start) / flags->head.host.page_bytes);
	put_flags(b, object, run->flags);
	return object;
}

int ptu_render_flags_json(const struct ptu_flags_report *report, FILE *out,
			  struct ptu_err *err)
{
	const struct ptu_pageflags *counted = &report->counted;
	const struct rows ranges = { "ranges", counted->nr_runs, run_row };
	struct builder b = { .failed = false };
	json_t *root = json_object();

	put_process(&b, root, "flags", &report->head, NULL);
	put_number(&b, root, "pages", counted->pages);
	put(&b, root, "combinations", group_rows(&b, counted));
	put(&b, root, "ksm_is_anon", json_boolean(report->ksm_is_anon));
	put(&b, root, "flags", flag_rows(&b, counted));
	if (counted->with_runs)
		put(&b, root, ranges.key, json_null());
	return print_json_rows(&b, root, &ranges, report, out, err);
}
