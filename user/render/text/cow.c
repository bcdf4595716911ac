// SPDX-License-Identifier: LGPL-2.1-or-later
/* Copies in private mappings as text.  Must not classify pages. */
#include "model/page_flags.h"
#include "render/render.h"
#include "report/cow.h"

#include <inttypes.h>
#include <string.h>

#include "base/escape.h"
#include "base/written.h"
#include "render/cow_columns.h"
#include "render/text/grid.h"
#include "render/text/verdict.h"

static const char plain[] =
	"START,END,PAGES,UNTOUCHED,ORIGINAL,COPIED,SHARED,SWAPPED,PATH";
static const char with_doubts[] =
	"START,END,PAGES,UNTOUCHED,ORIGINAL,COPIED,SHARED,SWAPPED,AMBIGUOUS,PATH";

int ptu_render_cow_check(const struct ptu_render_options *options,
			 struct ptu_err *err)
{
	const struct ptu_grid grid = { .columns = ptu_cow_columns,
				       .defaults = plain };

	return ptu_grid_check(&grid, options, err);
}

void ptu_render_cow_columns(FILE *out)
{
	ptu_grid_help(ptu_cow_columns, out);
}

/* Explain which figures are only bounds. */
static void say_doubts(const struct ptu_cow_report *report, FILE *out)
{
	const struct ptu_cow_count *total = &report->total;

	if (total->maybe_zero)
		fprintf(out,
			"%" PRIu64
			" pages are shared copies or the zero page, which pagemap does not distinguish on this kernel: SHARED is an upper bound, ORIGINAL a lower one\n",
			total->maybe_zero);
	if (total->maybe_markers)
		fprintf(out,
			"%" PRIu64
			" pages are swapped out or have a marker only, which pagemap distinguishes only for root: SWAPPED is an upper bound, UNTOUCHED a lower one\n",
			total->maybe_markers);
}

static void say_disagreements(const struct ptu_cow_report *report, FILE *out)
{
	char flags[PTU_PAGEFLAGS_LEN];
	size_t i;

	if (!report->known.flags) {
		fputs("not compared with kpageflags and kpagecount, which need root\n",
		      out);
		return;
	}
	if (!report->total.disagree) {
		fputs("pagemap agrees with kpageflags and kpagecount\n", out);
		return;
	}
	fprintf(out,
		"pagemap disagrees with kpageflags and kpagecount on %" PRIu64
		" pages\n",
		report->total.disagree);
	for (i = 0; i < report->nr_samples; i++) {
		const struct ptu_cow_sample *sample = &report->samples[i];

		fprintf(out,
			"  0x%" PRIx64 ": %s (entry 0x%" PRIx64
			"), but %s (flags %s, mapped %" PRIu64 " times)\n",
			sample->addr, ptu_cow_kind_name(sample->kind),
			sample->page.word, ptu_cow_kind_name(sample->by_flags),
			ptu_pageflags_format(sample->page.flags, flags),
			sample->page.count);
	}
	if (report->total.disagree > report->nr_samples)
		fputs("  and more\n", out);
}

int ptu_render_cow_text(const struct ptu_cow_report *report,
			const struct ptu_render_options *options, FILE *out,
			struct ptu_err *err)
{
	const struct ptu_cow_row total = { .count = report->total };
	const struct ptu_grid grid = {
		.columns = ptu_cow_columns,
		.defaults = report->total.maybe_zero ||
					    report->total.maybe_markers ?
				    with_doubts :
				    plain,
		.rows = report->rows,
		.nr_rows = report->nr_rows,
		.row_bytes = sizeof(*report->rows),
		.last = options->raw ? NULL : &total,
		.page_bytes = report->head.host.page_bytes,
	};
	char comm[PTU_ESCAPE_BYTES(sizeof(report->head.comm))];
	int error;

	if (ptu_render_prose(options)) {
		fprintf(out, "PID %d (%s), private mappings, in %s\n",
			(int)report->head.pid,
			ptu_escape(report->head.comm, true, comm, sizeof(comm)),
			options->bytes ? "bytes" : "pages");
		ptu_prose_thread(report->head.pid, report->head.tid, out);
	}
	error = ptu_grid_print(&grid, options, out, err);
	if (!error && ptu_render_prose(options)) {
		fputc('\n', out);
		say_doubts(report, out);
		say_disagreements(report, out);
	}
	return ptu_written(out, error, err);
}
