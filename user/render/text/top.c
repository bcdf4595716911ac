// SPDX-License-Identifier: LGPL-2.1-or-later
/* A ranking as text.  Must not decide anything that is not in the report. */
#include "report/top.h"

#include <stdio.h>

#include "base/written.h"
#include "render/format.h"
#include "render/render.h"
#include "render/text/grid.h"
#include "render/top_columns.h"

int ptu_render_top_check(enum ptu_top_kind kind,
			 const struct ptu_render_options *options,
			 struct ptu_err *err)
{
	const struct ptu_grid grid = ptu_top_table(kind);

	return ptu_grid_check(&grid, options, err);
}

void ptu_render_top_columns(FILE *out)
{
	ptu_grid_help(ptu_top_columns, out);
}

int ptu_render_top_text(const struct ptu_top_report *report,
			const struct ptu_render_options *options, FILE *out,
			struct ptu_err *err)
{
	struct ptu_grid grid = ptu_top_table(report->kind);
	char all[PTU_FORMAT_LEN], process[PTU_TOP_PROCESS_BYTES];
	int error;

	grid.rows = report->rows;
	grid.nr_rows = report->nr_rows;
	grid.page_bytes = report->host.page_bytes;
	if (ptu_render_prose(options) && report->kind == PTU_TOP_MAPPINGS) {
		ptu_top_process(report, options->bytes, process,
				sizeof(process));
		fprintf(out, "%s\n", process);
	}
	error = ptu_grid_print(&grid, options, out, err);
	if (!error && ptu_render_prose(options) &&
	    report->kind != PTU_TOP_MAPPINGS)
		fprintf(out, "\n%zu of %zu %s%s; VmPTE of all: %s\n",
			report->nr_rows, report->nr_all,
			report->kind == PTU_TOP_GROUPS ? "group" : "process",
			report->nr_all == 1	       ? "" :
			report->kind == PTU_TOP_GROUPS ? "s" :
							 "es",
			ptu_format_size(report->all_bytes, options->bytes,
					all));
	return ptu_written(out, error, err);
}
