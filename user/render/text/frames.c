// SPDX-License-Identifier: LGPL-2.1-or-later
/* The comparison of page frames as text.  Must not compare anything. */
#include "model/page_flags.h"
#include "render/render.h"
#include "report/frames.h"

#include <inttypes.h>
#include <string.h>

#include "base/written.h"
#include "render/frames_columns.h"
#include "render/text/grid.h"

static void fill_tally(struct ptu_grid_cell *cell, const void *row)
{
	ptu_fill_pages(cell, ((const struct ptu_frames_line *)row)->tally);
}

#define ROW(member) offsetof(struct ptu_frames_line, member)
#define TALLY(member) offsetof(struct ptu_kpagemap_tally, member)
#define END(end) TALLY(ends[PTU_KPAGEMAP_##end])

static const struct ptu_grid_column count_columns[] = {
	{ "COUNT", "", 0, ptu_fill_string, NULL, ROW(name) },
	{ "FRAMES", "", PTU_RIGHT, fill_tally, NULL, TALLY(set) },
	{ "AGREE", "", PTU_RIGHT, fill_tally, NULL, END(AGREED) },
	{ "CHANGED", "", PTU_RIGHT, fill_tally, NULL, END(CHANGED) },
	{ "IN-FLUX", "", PTU_RIGHT, fill_tally, NULL, END(IN_FLUX) },
	{ "UNEXPLAINED", "", PTU_RIGHT, fill_tally, NULL, END(UNEXPLAINED) },
	{ 0 },
};

static void fill_differ(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_kpagemap_verdict *verdict =
		&((const struct ptu_kpagemap_sample *)row)->verdict;
	char flags[PTU_PAGEFLAGS_LEN];
	unsigned int i;
	size_t used = 0;

	if (verdict->differ)
		used = (size_t)snprintf(cell->text, sizeof(cell->text), "%s",
					ptu_pageflags_format(verdict->differ,
							     flags));
	if (verdict->hole)
		used += (size_t)snprintf(cell->text + used,
					 sizeof(cell->text) - used, "%shole",
					 used ? "," : "");
	for (i = 0; i < PTU_KPAGEMAP_NR_COUNTS; i++) {
		if (verdict->broken >> i & 1)
			used += (size_t)snprintf(cell->text + used,
						 sizeof(cell->text) - used,
						 "%scount(%s)", used ? "," : "",
						 ptu_kpagemap_count_name(i));
	}
}

#define SAMPLE(member) offsetof(struct ptu_kpagemap_sample, member)

static const struct ptu_grid_column sample_columns[] = {
	{ "PFN", "", PTU_RIGHT, ptu_fill_address, NULL, SAMPLE(pfn) },
	{ "FLAGS", "", PTU_RIGHT, ptu_fill_address, NULL, SAMPLE(frame.flags) },
	{ "COUNT", "", PTU_RIGHT, ptu_fill_signed, NULL, SAMPLE(frame.count) },
	{ "KPAGEFLAGS", "", PTU_RIGHT, ptu_fill_address, NULL,
	  SAMPLE(frame.kpf) },
	{ "KPAGECOUNT", "", PTU_RIGHT, ptu_fill_signed, NULL,
	  SAMPLE(frame.mapcount) },
	{ "DIFFER", "", 0, fill_differ, NULL, 0 },
	{ 0 },
};

int ptu_render_kpagemap_check(const struct ptu_render_options *options,
			      struct ptu_err *err)
{
	return ptu_grid_check(&ptu_frames_table, options, err);
}

void ptu_render_kpagemap_columns(FILE *out)
{
	ptu_grid_help(ptu_frames_columns, out);
}

static int print_flags(const struct ptu_kpagemap_report *report,
		       const struct ptu_render_options *options, FILE *out,
		       struct ptu_err *err)
{
	const struct ptu_kpagemap *compared = &report->compared;
	struct ptu_frames_line rows[PTU_KPAGEMAP_BITS];
	struct ptu_grid grid = ptu_frames_table;

	grid.rows = rows;
	grid.page_bytes = report->host.page_bytes;
	grid.nr_rows = ptu_frames_lines(compared, rows);
	return ptu_grid_print(&grid, options, out, err);
}

static int print_counts(const struct ptu_kpagemap_report *report,
			const struct ptu_render_options *options, FILE *out,
			struct ptu_err *err)
{
	static const char *const names[] = {
		"mapped: at least the kpagecount",
		"free (BUDDY): 0",
		"tail page: that of its head",
		"hole: no page on either side",
	};
	struct ptu_frames_line rows[PTU_KPAGEMAP_NR_COUNTS + 1];
	struct ptu_grid grid = {
		.columns = count_columns,
		.defaults = "COUNT,FRAMES,AGREE,CHANGED,IN-FLUX,UNEXPLAINED",
		.rows = rows,
		.nr_rows = PTU_KPAGEMAP_NR_COUNTS + 1,
		.row_bytes = sizeof(rows[0]),
		.page_bytes = report->host.page_bytes,
	};
	unsigned int i;

	for (i = 0; i <= PTU_KPAGEMAP_NR_COUNTS; i++) {
		rows[i].name = names[i];
		rows[i].tally = i < PTU_KPAGEMAP_NR_COUNTS ?
					&report->compared.by_count[i] :
					&report->compared.by_hole;
	}
	return ptu_grid_print(&grid, options, out, err);
}

static int print_samples(const struct ptu_kpagemap_report *report,
			 const struct ptu_render_options *options, FILE *out,
			 struct ptu_err *err)
{
	const struct ptu_grid grid = {
		.columns = sample_columns,
		.defaults = "PFN,FLAGS,COUNT,KPAGEFLAGS,KPAGECOUNT,DIFFER",
		.rows = report->samples,
		.nr_rows = report->nr_samples,
		.row_bytes = sizeof(report->samples[0]),
		.page_bytes = report->host.page_bytes,
	};

	if (!report->nr_samples)
		return 0;
	fprintf(out, "\nUnexplained page frames, the first %zu:\n",
		report->nr_samples);
	return ptu_grid_print(&grid, options, out, err);
}

static void print_left_out(const struct ptu_kpagemap *compared, FILE *out)
{
	char name[PTU_PAGEFLAG_LEN];
	unsigned int bit;

	fputs("\nNot compared, as kpageflags does not make them from the flags word:\n",
	      out);
	for (bit = 0; bit < PTU_KPAGEMAP_BITS; bit++) {
		const struct ptu_kpagemap_flag *flag = &compared->flags[bit];

		if (!flag->bits && flag->reason)
			fprintf(out, " %-14s %12" PRIu64 "  %s\n",
				ptu_pageflag_name(bit, name),
				compared->by_flag[bit].set, flag->reason);
	}
}

/* List the kernel's flags that no flag of kpageflags shows. */
static void print_unshown(const struct ptu_kpagemap_report *report, FILE *out)
{
	uint64_t shown = 0;
	const char *before =
		"\nFlags of the kernel that kpageflags does not show: ";
	unsigned int bit;
	size_t i;

	for (bit = 0; bit < PTU_KPAGEMAP_BITS; bit++)
		shown |= report->compared.flags[bit].bits;
	for (i = 0; i < report->names.nr_names; i++) {
		if (shown >> report->names.names[i].bit & 1)
			continue;
		fprintf(out, "%s%s", before, report->names.names[i].name);
		before = ", ";
	}
	if (*before == ',')
		fputs(".\n", out);
}

static void print_sentences(const struct ptu_kpagemap_report *report, FILE *out)
{
	const struct ptu_kpagemap *compared = &report->compared;
	const uint64_t *ends = compared->ends;
	char flags[PTU_PAGEFLAGS_LEN];

	fprintf(out,
		"\n%" PRIu64 " page frames: %" PRIu64 " agree, %" PRIu64
		" changed between two reads and agree when read again, %" PRIu64
		" in flux, %" PRIu64 " unexplained.\n",
		compared->frames, ends[PTU_KPAGEMAP_AGREED],
		ends[PTU_KPAGEMAP_CHANGED], ends[PTU_KPAGEMAP_IN_FLUX],
		ends[PTU_KPAGEMAP_UNEXPLAINED]);
	if (compared->tails == PTU_KPAGEMAP_TAILS_HEAD)
		fprintf(out,
			"For a tail page, this kernel's kpageflags shows the flags of its head page: %" PRIu64
			" page frames have different flags of their own.\n",
			compared->head_frames);
	if (compared->holes_silent)
		fprintf(out,
			"%" PRIu64
			" page frames are holes, which this kernel's kpageflags shows as pages without flags.\n",
			compared->holes_silent);
	if (report->nr_flags > compared->frames)
		fprintf(out,
			"kpageflags goes on for %" PRIu64
			" page frames after the end of memory: not compared.\n",
			report->nr_flags - compared->frames);
	if (compared->unknown)
		fprintf(out,
			"kpageflags has flags that ptaudit does not know: %s.\n",
			ptu_pageflags_format(compared->unknown, flags));
}

int ptu_render_kpagemap_text(const struct ptu_kpagemap_report *report,
			     const struct ptu_render_options *options,
			     FILE *out, struct ptu_err *err)
{
	const struct ptu_render_options own = {
		.no_headings = options->no_headings,
		.bytes = options->bytes,
	};
	int error = print_flags(report, options, out, err);

	if (!error && !options->raw) {
		fputc('\n', out);
		error = print_counts(report, &own, out, err);
		if (!error)
			error = print_samples(report, &own, out, err);
		if (!error && ptu_render_prose(options)) {
			print_left_out(&report->compared, out);
			print_unshown(report, out);
			print_sentences(report, out);
		}
	}
	return ptu_written(out, error, err);
}
