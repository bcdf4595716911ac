// SPDX-License-Identifier: LGPL-2.1-or-later
/* Page totals as text.  Must not classify differences. */
#include "render/render.h"
#include "report/pages.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/written.h"
#include "render/page_columns.h"
#include "render/text/grid.h"
#include "render/text/verdict.h"

static const char defaults[] = "KEY,KERNEL,PROC,EXPLAINED,IN-FLUX,UNEXPLAINED";
static const char raw_defaults[] =
	"PID,KEY,KERNEL,PROC,EXPLAINED,IN-FLUX,UNEXPLAINED";

int ptu_render_totals_check(const struct ptu_render_options *options,
			    struct ptu_err *err)
{
	const struct ptu_grid grid = { .columns = ptu_page_columns,
				       .defaults = defaults };

	return ptu_grid_check(&grid, options, err);
}

void ptu_render_totals_columns(FILE *out)
{
	ptu_grid_help(ptu_page_columns, out);
}

static void say_causes(const struct ptu_totals_process *p, FILE *out)
{
	unsigned int why, total;

	for (why = 0; why < PTU_NR_TOTALS_WHY; why++) {
		for (total = 0; total < PTU_NR_TOTALS; total++) {
			const struct ptu_totals_cause *cause =
				&p->causes[why][total];

			if (cause->pages && *ptu_totals_why_sentence(why))
				fprintf(out, "%s: %" PRIu64 " page%s %s\n",
					ptu_total_name(total), cause->pages,
					cause->pages == 1 ? "" : "s",
					ptu_totals_why_sentence(why));
		}
	}
}

static void say_verdict(const struct ptu_totals_process *p, FILE *out)
{
	char path[PTU_ESCAPE_BYTES(sizeof(p->diffs[0].path))];
	size_t i;

	say_causes(p, out);
	if (!p->whole_checked)
		fputs("the process was not compared with the sum of its mappings, because it kept changing\n",
		      out);
	for (i = 0; i < p->nr_diffs; i++) {
		const struct ptu_totals_diff *diff = &p->diffs[i];

		if (!diff->end)
			fprintf(out,
				"%s: the kernel counts %" PRIu64
				" in all, and %" PRIu64 " mapping by mapping\n",
				diff->name, diff->kernel, diff->proc);
		else
			fprintf(out,
				"%s: the kernel counts %" PRIu64
				", /proc %" PRIu64 " at 0x%" PRIx64
				"-0x%" PRIx64 " %s\n",
				diff->name, diff->kernel, diff->proc,
				diff->start, diff->end,
				ptu_escape(diff->path, true, path,
					   sizeof(path)));
	}
	if (p->unexplained)
		fprintf(out, "%" PRIu64 " %s unexplained\n", p->unexplained,
			p->unexplained == 1 ? "page is" : "pages are");
	else
		fputs("every page is accounted for\n", out);
}

/* Omit totals that are 0 on both sides, except in raw output. */
static size_t fill_lines(const struct ptu_totals_process *p, bool all,
			 struct ptu_page_line lines[PTU_NR_TOTALS])
{
	unsigned int total;
	size_t nr = 0;

	for (total = 0; total < PTU_NR_TOTALS; total++)
		if (all || p->rows[total].kernel || p->rows[total].proc)
			lines[nr++] = (struct ptu_page_line){ p, total };
	return nr;
}

static int print_process(const struct ptu_totals_report *report,
			 const struct ptu_totals_process *p,
			 const struct ptu_render_options *options, FILE *out,
			 struct ptu_err *err)
{
	struct ptu_page_line lines[PTU_NR_TOTALS];
	const struct ptu_grid grid = {
		.columns = ptu_page_columns,
		.defaults = defaults,
		.rows = lines,
		.nr_rows = fill_lines(p, false, lines),
		.row_bytes = sizeof(lines[0]),
		.page_bytes = report->host.page_bytes,
	};
	char comm[PTU_ESCAPE_BYTES(sizeof(p->comm))];
	int error;

	if (ptu_render_prose(options)) {
		fprintf(out, "PID %d (%s), %zu mappings, in %s\n", (int)p->pid,
			ptu_escape(p->comm, true, comm, sizeof(comm)),
			p->mappings, options->bytes ? "bytes" : "pages");
		ptu_prose_thread(p->pid, p->tid, out);
	}
	error = ptu_grid_print(&grid, options, out, err);
	if (!error && ptu_render_prose(options)) {
		fputc('\n', out);
		say_verdict(p, out);
	}
	return error;
}

/* Print one table for all processes. */
static int print_raw(const struct ptu_totals_report *report,
		     const struct ptu_render_options *options, FILE *out,
		     struct ptu_err *err)
{
	struct ptu_page_line *lines = calloc(report->nr_processes + 1,
					     PTU_NR_TOTALS * sizeof(*lines));
	struct ptu_grid grid = {
		.columns = ptu_page_columns,
		.defaults = raw_defaults,
		.rows = lines,
		.row_bytes = sizeof(*lines),
		.page_bytes = report->host.page_bytes,
	};
	int error;
	size_t i;

	if (!lines)
		return ptu_err_set(err, -ENOMEM, "no memory for the table");
	for (i = 0; i < report->nr_processes; i++) {
		const struct ptu_totals_process *p = &report->processes[i];

		if (p->status == PTU_STATUS_OK)
			grid.nr_rows += fill_lines(p, true,
						   &lines[grid.nr_rows]);
	}
	error = ptu_grid_print(&grid, options, out, err);
	free(lines);
	return error;
}

int ptu_render_totals_text(const struct ptu_totals_report *report,
			   const struct ptu_render_options *options, FILE *out,
			   struct ptu_err *err)
{
	bool first = true;
	int error = 0;
	size_t i;

	if (options->raw)
		return ptu_written(out, print_raw(report, options, out, err),
				   err);
	for (i = 0; !error && i < report->nr_processes; i++) {
		const struct ptu_totals_process *p = &report->processes[i];

		if (p->status != PTU_STATUS_OK)
			continue;
		if (!first)
			fputc('\n', out);
		first = false;
		error = print_process(report, p, options, out, err);
	}
	return ptu_written(out, error, err);
}
