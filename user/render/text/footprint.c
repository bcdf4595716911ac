// SPDX-License-Identifier: LGPL-2.1-or-later
/* Footprints as text.  Must not add up anything, except for a sentence. */
#include "render/render.h"
#include "report/footprint.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/written.h"
#include "render/footprint_columns.h"
#include "render/format.h"
#include "render/text/grid.h"
#include "render/text/verdict.h"

static const char plain[] = "PID,COMM,RSS,PSS,USS,SWAP,TABLES";
static const char with_hugetlb[] = "PID,COMM,RSS,PSS,USS,SWAP,HUGETLB,TABLES";

int ptu_render_footprint_check(const struct ptu_render_options *options,
			       struct ptu_err *err)
{
	const struct ptu_grid grid = { .columns = ptu_footprint_columns,
				       .defaults = plain };

	return ptu_grid_check(&grid, options, err);
}

static bool has_smaps(const char *names, bool all)
{
	struct ptu_grid_choice choice;
	size_t i;

	if (ptu_grid_choose(ptu_footprint_columns, 0, plain, names, all,
			    &choice, NULL))
		return false;
	for (i = 0; i < choice.nr_columns; i++)
		if (choice.columns[i]->flags & PTU_COL_SMAPS)
			return true;
	return false;
}

bool ptu_render_footprint_wants_smaps(const struct ptu_render_options *options,
				      bool json)
{
	return (json && !options->columns) ||
	       has_smaps(options->columns, options->all_columns) ||
	       has_smaps(options->sort, false);
}

void ptu_render_footprint_columns(FILE *out)
{
	ptu_grid_help(ptu_footprint_columns, out);
}

/* Buffers for several sizes in one sentence. */
struct words {
	bool bytes;
	unsigned int next;
	char text[4][PTU_FORMAT_LEN];
};

static const char *in_words(struct words *words, uint64_t bytes)
{
	return ptu_format_size(bytes, words->bytes,
			       words->text[words->next++ % 4]);
}

static void say_tables(const struct ptu_footprint_report *report,
		       struct words *words, FILE *out)
{
	const struct ptu_footprint_tables_sum *tables = &report->tables;

	if (!report->by_module) {
		fprintf(out,
			"TABLES is VmPTE%s; shared tables count in each process: %s\n",
			report->base.level_unfolded[PTAUDIT_PGD] ?
				" plus the levels above PUD" :
				"",
			report->tables_note);
		return;
	}
	if (tables->inside_bytes || tables->outside_bytes)
		fprintf(out,
			"page tables: %s shared within the set, %s with processes outside; the set counts each once\n",
			in_words(words, tables->inside_bytes),
			in_words(words, tables->outside_bytes));
}

static void say_doubts(const struct ptu_footprint_report *report,
		       struct words *words, FILE *out)
{
	const struct ptu_footprint_sum *set = &report->set;

	if (set->hugetlb_unknown_bytes)
		fprintf(out,
			"%s of hugetlb memory may be mapped by other processes, too: only the module shows shared tables\n",
			in_words(words, set->hugetlb_unknown_bytes));
	if (set->rounded_bytes)
		fprintf(out,
			"PSS and USS are estimates for %s in large folios, whose mappings this kernel %scounts as a rounded average\n",
			in_words(words, set->rounded_bytes),
			report->counts == PTU_COUNTS_UNKNOWN ? "perhaps " : "");
	if (set->over_bytes)
		fprintf(out,
			"%s were found in more mappings than the kernel counts: mappings changed meanwhile%s\n",
			in_words(words, set->over_bytes),
			report->spaces_known ?
				"" :
				", or processes share an address space");
	/* on a busy machine, a few pages of libraries always get further mappings */
	if (set->grown_bytes && set->grown_bytes * 100 >= set->rss_bytes)
		fprintf(out,
			"%s got further mappings meanwhile: they count as shared with other processes, which may be wrong\n",
			in_words(words, set->grown_bytes));
	if (set->migrating_bytes)
		fprintf(out,
			"%s were being migrated or belong to a device, and are not counted\n",
			in_words(words, set->migrating_bytes));
	if (!report->spaces_known)
		fputs("processes that share an address space could not be identified: their memory is counted once for each\n",
		      out);
}

static void say_left_out(const struct ptu_report *base, FILE *out)
{
	const struct {
		size_t nr;
		const char *what;
	} all[] = {
		{ ptu_report_with(base, PTU_STATUS_GONE), "gone" },
		{ ptu_report_with(base, PTU_STATUS_DENIED), "denied" },
		{ ptu_report_with(base, PTU_STATUS_FAILED) +
			  ptu_report_with(base, PTU_STATUS_UNSTABLE),
		  "failed" },
		{ base->nr_kthreads,
		  base->nr_kthreads == 1 ? "kernel thread" : "kernel threads" },
		{ base->nr_zombies,
		  base->nr_zombies == 1 ? "zombie" : "zombies" },
		{ base->nr_sharing, "of an address space counted already" },
	};
	const char *before = "not counted: ";
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (!all[i].nr)
			continue;
		fprintf(out, "%s%zu %s", before, all[i].nr, all[i].what);
		before = ", ";
	}
	if (before[0] == ',')
		fputc('\n', out);
}

static void summarise(const struct ptu_footprint_report *report, size_t nr_ok,
		      bool bytes, FILE *out)
{
	const struct ptu_footprint_sum *set = &report->set;
	struct words words = { .bytes = bytes };

	ptu_prose_threads(&report->base, out);
	fprintf(out,
		"set: %zu process%s map%s %s, each page once: anonymous %s, files %s, shmem %s\n",
		nr_ok, nr_ok == 1 ? "" : "es", nr_ok == 1 ? "s" : "",
		in_words(&words, set->rss_bytes),
		in_words(&words, set->kinds[PTU_FOOTPRINT_ANON]),
		in_words(&words, set->kinds[PTU_FOOTPRINT_FILE]),
		in_words(&words, set->kinds[PTU_FOOTPRINT_SHMEM]));
	fprintf(out,
		"nobody else maps %s of it: anonymous %s, files %s, shmem %s\n",
		in_words(&words, set->uss_bytes),
		in_words(&words, set->uss_kinds[PTU_FOOTPRINT_ANON]),
		in_words(&words, set->uss_kinds[PTU_FOOTPRINT_FILE]),
		in_words(&words, set->uss_kinds[PTU_FOOTPRINT_SHMEM]));
	if (set->kinds[PTU_FOOTPRINT_HUGETLB])
		fprintf(out,
			"in addition %s of hugetlb memory, of which nobody else maps %s\n",
			in_words(&words, set->kinds[PTU_FOOTPRINT_HUGETLB]),
			in_words(&words,
				 set->uss_kinds[PTU_FOOTPRINT_HUGETLB]));
	say_tables(report, &words, out);
	say_doubts(report, &words, out);
	say_left_out(&report->base, out);
}

int ptu_render_footprint_text(const struct ptu_footprint_report *report,
			      const struct ptu_render_options *options,
			      FILE *out, struct ptu_err *err)
{
	const struct ptu_footprint_row all = {
		.sum = report->set,
		.tables = report->tables,
		.ksm_unknown = report->ksm_unknown
	};
	const struct ptu_footprint_line last = {
		.row = &all, .by_module = report->by_module
	};
	size_t nr_ok = ptu_report_with(&report->base, PTU_STATUS_OK);
	size_t nr_lines = report->base.nr_processes;
	struct ptu_footprint_line *lines = calloc(nr_lines + 1, sizeof(*lines));
	struct ptu_grid grid = {
		.columns = ptu_footprint_columns,
		.defaults = report->set.kinds[PTU_FOOTPRINT_HUGETLB] ?
				    with_hugetlb :
				    plain,
		.rows = lines,
		.nr_rows = nr_lines,
		.row_bytes = sizeof(*lines),
		.last = nr_ok ? &last : NULL,
		.page_bytes = report->base.page_bytes,
	};
	int error;
	size_t i;

	if (!lines)
		return ptu_err_set(err, -ENOMEM, "no memory for the table");
	for (i = 0; i < nr_lines; i++)
		lines[i] = (struct ptu_footprint_line){
			.process = &report->base.processes[i],
			.row = &report->rows[i],
			.by_module = report->by_module,
		};
	error = ptu_grid_print(&grid, options, out, err);
	free(lines);
	/* do not print zeros if nothing was measured */
	if (!error && ptu_render_prose(options) && nr_ok) {
		fputc('\n', out);
		summarise(report, nr_ok, options->bytes, out);
	}
	return ptu_written(out, error, err);
}
