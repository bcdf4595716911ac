// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The comparison of page frames as JSON.  Must not decide anything that is not in
 * its report.
 */
#include "model/page_flags.h"
#include "render/frames_columns.h"
#include "render/json/fields.h"
#include "render/render.h"
#include "report/frames.h"

static void put_ends(struct builder *b, json_t *object, const uint64_t *ends)
{
	put_number(b, object, "agree", ends[PTU_KPAGEMAP_AGREED]);
	put_number(b, object, "changed", ends[PTU_KPAGEMAP_CHANGED]);
	put_number(b, object, "in_flux", ends[PTU_KPAGEMAP_IN_FLUX]);
	put_number(b, object, "unexplained", ends[PTU_KPAGEMAP_UNEXPLAINED]);
}

static json_t *bit_numbers(struct builder *b, uint64_t bits)
{
	json_t *array = json_array();

	for (; bits; bits &= bits - 1)
		add(b, array, json_integer(__builtin_ctzll(bits)));
	return array;
}

/* Put the compared flags. */
static json_t *flag_rows(struct builder *b, struct fields *fields,
			 const struct ptu_render_options *options,
			 const struct ptu_kpagemap *compared)
{
	struct ptu_frames_line lines[PTU_KPAGEMAP_BITS];
	struct ptu_grid table = ptu_frames_table;

	table.rows = lines;
	table.nr_rows = ptu_frames_lines(compared, lines);
	return table_rows(b, fields, &table, options);
}

static json_t *left_out(struct builder *b, const struct ptu_kpagemap *compared)
{
	json_t *array = json_array();
	char name[PTU_PAGEFLAG_LEN];
	unsigned int bit;

	for (bit = 0; bit < PTU_KPAGEMAP_BITS; bit++) {
		const struct ptu_kpagemap_flag *flag = &compared->flags[bit];
		json_t *object;

		if (flag->bits || !flag->reason)
			continue;
		object = json_object();
		put_text(b, object, "flag", ptu_pageflag_name(bit, name));
		put_number(b, object, "kpf", bit);
		put_number(b, object, "set", compared->by_flag[bit].set);
		put_text(b, object, "reason", flag->reason);
		add(b, array, object);
	}
	return array;
}

static json_t *count_rows(struct builder *b,
			  const struct ptu_kpagemap *compared)
{
	json_t *array = json_array();
	unsigned int i;

	for (i = 0; i < PTU_KPAGEMAP_NR_COUNTS; i++) {
		json_t *object = json_object();

		put_text(b, object, "rule", ptu_kpagemap_count_name(i));
		put_number(b, object, "pages", compared->by_count[i].set);
		put_ends(b, object, compared->by_count[i].ends);
		add(b, array, object);
	}
	return array;
}

static json_t *holes(struct builder *b, const struct ptu_kpagemap *compared)
{
	json_t *object = json_object();

	put_number(b, object, "pages", compared->by_hole.set);
	put_number(b, object, "marked", compared->holes_marked);
	put_number(b, object, "silent", compared->holes_silent);
	put_ends(b, object, compared->by_hole.ends);
	return object;
}

static json_t *name_rows(struct builder *b,
			 const struct ptu_kpagemap_names *names)
{
	json_t *array = json_array();
	size_t i;

	for (i = 0; i < names->nr_names; i++) {
		json_t *object = json_object();

		put_number(b, object, "bit", names->names[i].bit);
		put_text(b, object, "name", names->names[i].name);
		add(b, array, object);
	}
	return array;
}

static json_t *sample(struct builder *b, const struct ptu_kpagemap_sample *from)
{
	const struct ptu_kpagemap_verdict *verdict = &from->verdict;
	json_t *object = json_object();
	json_t *differ = json_array();
	char name[PTU_PAGEFLAG_LEN];
	unsigned int i;

	put_address(b, object, "pfn", from->pfn, false);
	put_address(b, object, "flags", from->frame.flags, false);
	put_number(b, object, "count", from->frame.count);
	put_address(b, object, "kpageflags", from->frame.kpf, false);
	put_number(b, object, "kpagecount", from->frame.mapcount);
	for (i = 0; i < PTU_KPAGEMAP_BITS; i++) {
		if (verdict->differ >> i & 1)
			add(b, differ, json_string(ptu_pageflag_name(i, name)));
	}
	if (verdict->hole)
		add(b, differ, json_string("hole"));
	for (i = 0; i < PTU_KPAGEMAP_NR_COUNTS; i++) {
		if (verdict->broken >> i & 1)
			add(b, differ,
			    json_sprintf("count:%s",
					 ptu_kpagemap_count_name(i)));
	}
	put(b, object, "differ", differ);
	return object;
}

int ptu_render_kpagemap_json(const struct ptu_kpagemap_report *report,
			     const struct ptu_render_options *options,
			     FILE *out, struct ptu_err *err)
{
	const struct ptu_kpagemap *compared = &report->compared;
	struct builder b = { .failed = false };
	struct head top = HEAD_OF_HOST("kpagemap", report);
	struct ptu_grid table = ptu_frames_table;
	json_t *head, *root, *samples;
	struct fields fields;
	size_t i;
	int error;

	table.defaults =
		"FLAG,KPF,SET,PG,BIT,AGREE,CHANGED,IN-FLUX,UNEXPLAINED,HEAD";
	error = table_choose(&fields, &table, options, err);
	if (error)
		return error;
	root = json_object();
	samples = json_array();
	top.output = options->columns;
	head = head_object(&b, &top);
	put_number(&b, head, "duration_ns", report->duration_ns);
	put(&b, root, "ptaudit", head);
	put_number(&b, root, "pages", compared->frames);
	put_ends(&b, root, compared->ends);
	put_number(&b, root, "kpageflags_pages", report->nr_flags);
	put_text(&b, root, "tails", ptu_kpagemap_tails_name(compared->tails));
	put_number(&b, root, "tails_other_than_head", compared->head_frames);
	put(&b, root, "flags", flag_rows(&b, &fields, options, compared));
	put(&b, root, "left_out", left_out(&b, compared));
	put(&b, root, "unknown_kpf", bit_numbers(&b, compared->unknown));
	put(&b, root, "counts", count_rows(&b, compared));
	put(&b, root, "holes", holes(&b, compared));
	put(&b, root, "names", name_rows(&b, &report->names));
	for (i = 0; i < report->nr_samples; i++)
		add(&b, samples, sample(&b, &report->samples[i]));
	put(&b, root, "unexplained_pages", samples);
	return print_json(&b, root, out, err);
}
