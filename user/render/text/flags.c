// SPDX-License-Identifier: LGPL-2.1-or-later
/* Page flags as text.  Must not count anything. */
#include "model/page_flags.h"
#include "render/render.h"
#include "report/flags.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/escape.h"
#include "render/text/grid.h"
#include "render/text/verdict.h"

static void fill_run_pages(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_flag_run *run = row;

	ptu_grid_pages(cell, (run->end - run->start) / cell->page_bytes);
}

/* The flags word at the column's offset. */
static void fill_names(struct ptu_grid_cell *cell, const void *row)
{
	const uint64_t *flags = (const void *)((const char *)row +
					       cell->column->offset);
	char text[PTU_PAGEFLAGS_LEN];

	ptu_grid_words(cell, ptu_pageflags_format(*flags, text));
}

/* A single flag: a group whose .flags has only this bit. */
static void fill_bit(struct ptu_grid_cell *cell, const void *row)
{
	snprintf(cell->text, sizeof(cell->text), "%d",
		 __builtin_ctzll(((const struct ptu_flag_group *)row)->flags));
}

#define RUN(member) offsetof(struct ptu_flag_run, member)
#define GROUP(member) offsetof(struct ptu_flag_group, member)

static const struct ptu_grid_column run_columns[] = {
	{ "START", "first address of a run (--ranges)", PTU_RIGHT,
	  ptu_fill_address, NULL, RUN(start) },
	{ "END", "its end, exclusive (--ranges)", PTU_RIGHT, ptu_fill_end, NULL,
	  RUN(end) },
	{ "PAGES", "pages", PTU_RIGHT, fill_run_pages, NULL, 0 },
	{ "RAW", "their flags as the kernel has them", PTU_RIGHT,
	  ptu_fill_address, NULL, RUN(flags) },
	{ "FLAGS", "their flags by name", 0, fill_names, NULL, RUN(flags) },
	{ 0 },
};

static const struct ptu_grid_column group_columns[] = {
	{ "PAGES", "", PTU_RIGHT, ptu_fill_pages, NULL, GROUP(pages) },
	{ "RAW", "", PTU_RIGHT, ptu_fill_address, NULL, GROUP(flags) },
	{ "FLAGS", "", 0, fill_names, NULL, GROUP(flags) },
	{ 0 },
};

static const struct ptu_grid_column bit_columns[] = {
	{ "PAGES", "", PTU_RIGHT, ptu_fill_pages, NULL, GROUP(pages) },
	{ "BIT", "", PTU_RIGHT, fill_bit, NULL, 0 },
	{ "FLAG", "", 0, fill_names, NULL, GROUP(flags) },
	{ 0 },
};

static struct ptu_grid grid_of(const struct ptu_flags_report *report,
			       bool with_runs)
{
	const struct ptu_pageflags *counted = &report->counted;

	if (with_runs)
		return (struct ptu_grid){
			.columns = run_columns,
			.defaults = "START,END,PAGES,FLAGS",
			.rows = counted->runs,
			.nr_rows = counted->nr_runs,
			.row_bytes = sizeof(*counted->runs),
			.page_bytes = report->head.host.page_bytes,
		};
	return (struct ptu_grid){
		.columns = group_columns,
		.defaults = "PAGES,FLAGS",
		.rows = counted->groups,
		.nr_rows = counted->nr_groups,
		.row_bytes = sizeof(*counted->groups),
		.page_bytes = report->head.host.page_bytes,
	};
}

int ptu_render_flags_check(const struct ptu_render_options *options,
			   bool with_runs, struct ptu_err *err)
{
	const struct ptu_flags_report nothing = { 0 };
	const struct ptu_grid grid = grid_of(&nothing, with_runs);

	return ptu_grid_check(&grid, options, err);
}

void ptu_render_flags_columns(FILE *out)
{
	ptu_grid_help(run_columns, out);
}

/* Print each flag separately, the lowest bit first. */
static int print_bits(const struct ptu_flags_report *report,
		      const struct ptu_render_options *options, FILE *out,
		      struct ptu_err *err)
{
	const struct ptu_render_options own = {
		.no_headings = options->no_headings,
		.bytes = options->bytes,
	};
	struct ptu_flag_group rows[PTU_PAGEFLAGS_BITS];
	struct ptu_grid grid = {
		.columns = bit_columns,
		.defaults = "PAGES,BIT,FLAG",
		.rows = rows,
		.row_bytes = sizeof(rows[0]),
		.page_bytes = report->head.host.page_bytes,
	};
	unsigned int bit;

	for (bit = 0; bit < PTU_PAGEFLAGS_BITS; bit++) {
		if (report->counted.by_bit[bit])
			rows[grid.nr_rows++] = (struct ptu_flag_group){
				.flags = UINT64_C(1) << bit,
				.pages = report->counted.by_bit[bit],
			};
	}
	return ptu_grid_print(&grid, &own, out, err);
}

int ptu_render_flags_text(const struct ptu_flags_report *report,
			  const struct ptu_render_options *options, FILE *out,
			  struct ptu_err *err)
{
	const struct ptu_grid grid = grid_of(report, report->counted.with_runs);
	char comm[PTU_ESCAPE_BYTES(sizeof(report->head.comm))];
	int error;

	if (ptu_render_prose(options))
		fprintf(out,
			"PID %d (%s): %" PRIu64 " pages are mapped; in %s\n",
			(int)report->head.pid,
			ptu_escape(report->head.comm, true, comm, sizeof(comm)),
			report->counted.pages,
			options->bytes ? "bytes" : "pages");
	if (!options->raw)
		ptu_prose_thread(report->head.pid, report->head.tid, out);
	error = ptu_grid_print(&grid, options, out, err);
	if (!error && !options->raw && !report->counted.with_runs) {
		fputs(ptu_render_prose(options) ? "\nBy flag:\n" : "\n", out);
		error = print_bits(report, options, out, err);
	}
	if (!error && ptu_render_prose(options) && report->ksm_is_anon)
		fputs("\nKSM tells nothing here: this kernel says so of every anonymous page, also of one of\n"
		      "ptaudit's own that is not merged.\n",
		      out);
	if (!error && ferror(out))
		error = ptu_err_set(err, -EIO, "writing the report failed");
	return error;
}
