// SPDX-License-Identifier: LGPL-2.1-or-later
/* Page flags as text.  Must not count anything. */
#include "model/page_flags.h"
#include "render/render.h"
#include "report/flags.h"

#include <inttypes.h>
#include <string.h>

#include "base/escape.h"
#include "base/written.h"
#include "render/flags_columns.h"
#include "render/text/grid.h"
#include "render/text/verdict.h"

/* One flag alone: a group whose .flags is the one bit. */
static unsigned int bit_of(const void *row)
{
	return (unsigned int)__builtin_ctzll(
		((const struct ptu_flag_group *)row)->flags);
}

static void fill_bit(struct ptu_grid_cell *cell, const void *row)
{
	snprintf(cell->text, sizeof(cell->text), "%u", bit_of(row));
}

static void fill_name(struct ptu_grid_cell *cell, const void *row)
{
	char name[PTU_PAGEFLAG_LEN];

	ptu_grid_words(cell, ptu_pageflag_name(bit_of(row), name));
}

static const struct ptu_grid_column bit_columns[] = {
	{ "PAGES", "", PTU_RIGHT, ptu_fill_pages, NULL,
	  offsetof(struct ptu_flag_group, pages) },
	{ "BIT", "", PTU_RIGHT, fill_bit, NULL, 0 },
	{ "FLAG", "", 0, fill_name, NULL, 0 },
	{ 0 },
};

int ptu_render_flags_check(const struct ptu_render_options *options,
			   bool with_runs, struct ptu_err *err)
{
	const struct ptu_flags_report nothing = { 0 };
	const struct ptu_grid grid = ptu_flags_table(&nothing, with_runs);

	return ptu_grid_check(&grid, options, err);
}

void ptu_render_flags_columns(FILE *out)
{
	ptu_grid_help(ptu_flag_group_columns, out);
}

void ptu_render_flag_runs_columns(FILE *out)
{
	ptu_grid_help(ptu_flag_run_columns, out);
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
	const struct ptu_grid grid = ptu_flags_table(report,
						     report->counted.with_runs);
	char comm[PTU_ESCAPE_BYTES(sizeof(report->head.comm))];
	int error;

	if (ptu_render_prose(options)) {
		fprintf(out, "PID %d (%s): %" PRIu64 " page%s mapped; in %s\n",
			(int)report->head.pid,
			ptu_escape(report->head.comm, true, comm, sizeof(comm)),
			report->counted.pages,
			report->counted.pages == 1 ? " is" : "s are",
			options->bytes ? "bytes" : "pages");
		ptu_prose_thread(report->head.pid, report->head.tid, out);
	}
	error = ptu_grid_print(&grid, options, out, err);
	if (!error && !options->raw && !report->counted.with_runs) {
		fputs(ptu_render_prose(options) ? "\nBy flag:\n" : "\n", out);
		error = print_bits(report, options, out, err);
	}
	if (!error && ptu_render_prose(options) && report->ksm_is_anon)
		fputs("\nThe flag KSM means nothing on this kernel: kpageflags sets it for every anonymous page,\n"
		      "also for a page of ptaudit that is not merged.\n",
		      out);
	return ptu_written(out, error, err);
}
