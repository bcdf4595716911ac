// SPDX-License-Identifier: LGPL-2.1-or-later
/* Footprints as text.  Must not add up anything but for a sentence. */
#include "render/render.h"
#include "report/footprint.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "render/format.h"
#include "render/text/grid.h"
#include "render/text/verdict.h"

/* A row of the table; the set's has no process. */
struct line {
	const struct ptu_process *process;
	const struct ptu_footprint_row *row;
};

static bool is_measured(const struct line *line)
{
	return !line->process || line->process->status == PTU_STATUS_OK;
}

static void size(struct ptu_grid_cell *cell, const struct line *line,
		 uint64_t bytes)
{
	char text[PTU_FORMAT_LEN];

	strcpy(cell->text, is_measured(line) ?
				   ptu_format_size(bytes, cell->bytes, text) :
				   "-");
}

/* What is said of processes alone. */
static void own_size(struct ptu_grid_cell *cell, const struct line *line,
		     uint64_t bytes)
{
	if (line->process)
		size(cell, line, bytes);
	else
		strcpy(cell->text, "-");
}

static void fill_pid(struct ptu_grid_cell *cell, const void *arg)
{
	const struct line *line = arg;

	if (line->process)
		snprintf(cell->text, sizeof(cell->text), "%d",
			 (int)line->process->pid);
	else
		strcpy(cell->text, "set");
}

static void fill_comm(struct ptu_grid_cell *cell, const void *arg)
{
	const struct line *line = arg;

	if (line->process && line->process->comm[0])
		/* the table escapes what is no text */
		snprintf(cell->text, sizeof(cell->text), "%s",
			 line->process->comm);
	else
		strcpy(cell->text, "-");
}

static void fill_uid(struct ptu_grid_cell *cell, const void *arg)
{
	const struct line *line = arg;

	if (line->process)
		snprintf(cell->text, sizeof(cell->text), "%u",
			 (unsigned int)line->process->uid);
	else
		strcpy(cell->text, "-");
}

static void fill_rss(struct ptu_grid_cell *cell, const void *arg)
{
	const struct line *line = arg;

	size(cell, line, line->row->sum.rss_bytes);
}

static void fill_pss(struct ptu_grid_cell *cell, const void *arg)
{
	const struct line *line = arg;

	size(cell, line, line->row->sum.pss_bytes);
}

static void fill_uss(struct ptu_grid_cell *cell, const void *arg)
{
	const struct line *line = arg;

	size(cell, line, line->row->sum.uss_bytes);
}

static void fill_swap(struct ptu_grid_cell *cell, const void *arg)
{
	const struct line *line = arg;

	size(cell, line, line->row->sum.swap_bytes);
}

static void fill_tables(struct ptu_grid_cell *cell, const void *arg)
{
	const struct line *line = arg;

	size(cell, line, line->row->tables.bytes);
}

static void fill_tables_inside(struct ptu_grid_cell *cell, const void *arg)
{
	const struct line *line = arg;

	size(cell, line, line->row->tables.inside_bytes);
}

static void fill_tables_outside(struct ptu_grid_cell *cell, const void *arg)
{
	const struct line *line = arg;

	size(cell, line, line->row->tables.outside_bytes);
}

static void fill_kind(struct ptu_grid_cell *cell, const void *arg,
		      enum ptu_footprint_kind kind)
{
	const struct line *line = arg;

	size(cell, line, line->row->sum.kinds[kind]);
}

static void fill_uss_kind(struct ptu_grid_cell *cell, const void *arg,
			  enum ptu_footprint_kind kind)
{
	const struct line *line = arg;

	size(cell, line, line->row->sum.uss_kinds[kind]);
}

static void fill_anon(struct ptu_grid_cell *cell, const void *arg)
{
	fill_kind(cell, arg, PTU_FOOTPRINT_ANON);
}

static void fill_file(struct ptu_grid_cell *cell, const void *arg)
{
	fill_kind(cell, arg, PTU_FOOTPRINT_FILE);
}

static void fill_shmem(struct ptu_grid_cell *cell, const void *arg)
{
	fill_kind(cell, arg, PTU_FOOTPRINT_SHMEM);
}

static void fill_hugetlb(struct ptu_grid_cell *cell, const void *arg)
{
	fill_kind(cell, arg, PTU_FOOTPRINT_HUGETLB);
}

static void fill_uss_anon(struct ptu_grid_cell *cell, const void *arg)
{
	fill_uss_kind(cell, arg, PTU_FOOTPRINT_ANON);
}

static void fill_uss_file(struct ptu_grid_cell *cell, const void *arg)
{
	fill_uss_kind(cell, arg, PTU_FOOTPRINT_FILE);
}

static void fill_uss_shmem(struct ptu_grid_cell *cell, const void *arg)
{
	fill_uss_kind(cell, arg, PTU_FOOTPRINT_SHMEM);
}

static void fill_uss_hugetlb(struct ptu_grid_cell *cell, const void *arg)
{
	fill_uss_kind(cell, arg, PTU_FOOTPRINT_HUGETLB);
}

static void fill_large(struct ptu_grid_cell *cell, const void *arg)
{
	const struct line *line = arg;

	size(cell, line, line->row->sum.large_bytes);
}

static void fill_ksm(struct ptu_grid_cell *cell, const void *arg)
{
	const struct line *line = arg;

	if (line->row->ksm_unknown)
		strcpy(cell->text, "-");
	else
		size(cell, line, line->row->sum.ksm_bytes);
}

static void fill_huge(struct ptu_grid_cell *cell, const void *arg)
{
	const struct line *line = arg;

	own_size(cell, line, line->row->huge_bytes);
}

static void fill_rounded(struct ptu_grid_cell *cell, const void *arg)
{
	const struct line *line = arg;

	size(cell, line, line->row->sum.rounded_bytes);
}

static void fill_kernel_rss(struct ptu_grid_cell *cell, const void *arg)
{
	const struct line *line = arg;

	own_size(cell, line, line->row->kernel_rss_bytes);
}

static void fill_kernel_pss(struct ptu_grid_cell *cell, const void *arg)
{
	const struct line *line = arg;

	own_size(cell, line, line->row->kernel_pss_bytes);
}

static void fill_vmpte(struct ptu_grid_cell *cell, const void *arg)
{
	const struct line *line = arg;

	char text[PTU_FORMAT_LEN];

	/* /proc/PID/status, which everybody may read */
	if (line->process && line->process->status == PTU_STATUS_DENIED)
		strcpy(cell->text, ptu_format_size(line->process->vmpte_bytes,
						   cell->bytes, text));
	else
		own_size(cell, line,
			 line->process ? line->process->vmpte_bytes : 0);
}

static void fill_status(struct ptu_grid_cell *cell, const void *arg)
{
	const struct line *line = arg;

	strcpy(cell->text,
	       line->process ? ptu_status_name(line->process->status) : "-");
}

static void fill_note(struct ptu_grid_cell *cell, const void *arg)
{
	const struct line *line = arg;

	strcpy(cell->text, "-");
	if (!line->process)
		return;
	if (line->process->status != PTU_STATUS_OK && line->process->error[0])
		snprintf(cell->text, sizeof(cell->text), "%s",
			 line->process->error);
	else if (line->row->same_as)
		snprintf(cell->text, sizeof(cell->text),
			 "same address space as %d", (int)line->row->same_as);
	else if (line->process->self)
		strcpy(cell->text, "ptaudit itself");
	else if (line->process->nr_sharing)
		snprintf(cell->text, sizeof(cell->text),
			 "%u more have its address space",
			 line->process->nr_sharing);
}

static const struct ptu_grid_column columns[] = {
	{ "PID", "the process; set: all of them as one", true, fill_pid, NULL,
	  0 },
	{ "COMM", "its name", false, fill_comm, NULL, 0 },
	{ "UID", "its real user", true, fill_uid, NULL, 0 },
	{ "RSS", "pages that are mapped; of the set: each once", true, fill_rss,
	  NULL, 0 },
	{ "PSS", "the same, each mapping as its share of the page", true,
	  fill_pss, NULL, 0 },
	{ "USS", "pages that are mapped nowhere else", true, fill_uss, NULL,
	  0 },
	{ "SWAP", "swapped out; of the set: each slot once", true, fill_swap,
	  NULL, 0 },
	{ "TABLES", "page tables; of the set: each once", true, fill_tables,
	  NULL, 0 },
	{ "TABLES-INSIDE", "of these: shared within the set", true,
	  fill_tables_inside, NULL, 0 },
	{ "TABLES-OUTSIDE", "of these: shared with others", true,
	  fill_tables_outside, NULL, 0 },
	{ "HUGETLB", "hugetlb pages, which are in no RSS", true, fill_hugetlb,
	  NULL, 0 },
	{ "ANON", "of RSS: anonymous memory", true, fill_anon, NULL, 0 },
	{ "FILE", "of RSS: pages of files", true, fill_file, NULL, 0 },
	{ "SHMEM", "of RSS: shared memory and tmpfs", true, fill_shmem, NULL,
	  0 },
	{ "USS-ANON", "of USS: anonymous memory", true, fill_uss_anon, NULL,
	  0 },
	{ "USS-FILE", "of USS: pages of files", true, fill_uss_file, NULL, 0 },
	{ "USS-SHMEM", "of USS: shared memory and tmpfs", true, fill_uss_shmem,
	  NULL, 0 },
	{ "USS-HUGETLB", "of HUGETLB: mapped nowhere else", true,
	  fill_uss_hugetlb, NULL, 0 },
	{ "LARGE", "of RSS: pages of large folios", true, fill_large, NULL, 0 },
	{ "HUGE", "mapped by huge entries, as smaps has it", true, fill_huge,
	  NULL, 0 },
	{ "KSM", "of RSS: pages that KSM merged", true, fill_ksm, NULL, 0 },
	{ "ROUNDED", "of LARGE: whose share is a rounded average", true,
	  fill_rounded, NULL, 0 },
	{ "KERNEL-RSS", "Rss of smaps", true, fill_kernel_rss, NULL, 0 },
	{ "KERNEL-PSS", "Pss of smaps, added up", true, fill_kernel_pss, NULL,
	  0 },
	{ "VMPTE", "VmPTE", true, fill_vmpte, NULL, 0 },
	{ "STATUS", "ok, gone, failed or denied", false, fill_status, NULL, 0 },
	{ "NOTE", "what is special about it", false, fill_note, NULL, 0 },
	{ 0 },
};

static const char plain[] = "PID,COMM,RSS,PSS,USS,SWAP,TABLES";
static const char with_hugetlb[] = "PID,COMM,RSS,PSS,USS,SWAP,HUGETLB,TABLES";

int ptu_render_footprint_check(const struct ptu_render_options *options,
			       struct ptu_err *err)
{
	const struct ptu_grid grid = { .columns = columns, .defaults = plain };

	return ptu_grid_check(&grid, options, err);
}

void ptu_render_footprint_columns(FILE *out)
{
	ptu_grid_help(columns, out);
}

/* How sentences name sizes, several in one. */
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
			"TABLES is VmPTE%s, shared tables in each process: %s\n",
			report->base.level_unfolded[PTAUDIT_PGD] ?
				" and the levels above PUD, which it lacks" :
				"",
			report->tables_note);
		return;
	}
	if (tables->inside_bytes || tables->outside_bytes)
		fprintf(out,
			"page tables: %s shared within the set, %s with processes outside; the set has each once\n",
			in_words(words, tables->inside_bytes),
			in_words(words, tables->outside_bytes));
}

static void say_doubts(const struct ptu_footprint_report *report,
		       struct words *words, FILE *out)
{
	const struct ptu_footprint_sum *set = &report->set;

	if (set->hugetlb_unknown_bytes)
		fprintf(out,
			"of hugetlb memory %s may be mapped by others, too: without the module shared tables are not known\n",
			in_words(words, set->hugetlb_unknown_bytes));
	if (set->rounded_bytes)
		fprintf(out,
			"PSS and USS are estimates for %s in large folios, whose mappings this kernel %scounts as a rounded average\n",
			in_words(words, set->rounded_bytes),
			report->counts == PTU_COUNTS_UNKNOWN ? "perhaps " : "");
	if (set->over_bytes)
		fprintf(out,
			"%s were seen in more mappings than the kernel counts: they came or went meanwhile\n",
			in_words(words, set->over_bytes));
	if (set->migrating_bytes)
		fprintf(out,
			"%s were being migrated, or are a device's, and are left out\n",
			in_words(words, set->migrating_bytes));
	if (!report->spaces_known)
		fputs("processes that share an address space could not be told: what they have is there once for each\n",
		      out);
}

static void say_left_out(const struct ptu_report *base, FILE *out)
{
	size_t gone = ptu_report_with(base, PTU_STATUS_GONE);
	size_t denied = ptu_report_with(base, PTU_STATUS_DENIED);
	size_t failed = ptu_report_with(base, PTU_STATUS_FAILED) +
			ptu_report_with(base, PTU_STATUS_UNSTABLE);

	if (gone || denied || failed || base->nr_kthreads || base->nr_zombies ||
	    base->nr_sharing)
		fprintf(out,
			"not counted: %zu gone, %zu denied, %zu failed, %zu kernel threads, %zu zombies, %zu of an address space counted already\n",
			gone, denied, failed, base->nr_kthreads,
			base->nr_zombies, base->nr_sharing);
}

static void summarise(const struct ptu_footprint_report *report, size_t nr_ok,
		      bool bytes, FILE *out)
{
	const struct ptu_footprint_sum *set = &report->set;
	struct words words = { .bytes = bytes };
	size_t i;

	for (i = 0; i < report->base.nr_processes; i++)
		ptu_prose_thread(report->base.processes[i].pid,
				 report->base.processes[i].tid, out);
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
			"beside it %s of hugetlb memory, of which nobody else maps %s\n",
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
	const struct line last = { .row = &all };
	size_t nr_ok = ptu_report_with(&report->base, PTU_STATUS_OK);
	size_t nr_lines = report->base.nr_processes;
	struct line *lines = calloc(nr_lines + 1, sizeof(*lines));
	struct ptu_grid grid = {
		.columns = columns,
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
		lines[i] = (struct line){ .process = &report->base.processes[i],
					  .row = &report->rows[i] };
	error = ptu_grid_print(&grid, options, out, err);
	free(lines);
	/* what could not be measured is no set of zeros */
	if (!error && ptu_render_prose(options) && nr_ok) {
		fputc('\n', out);
		summarise(report, nr_ok, options->bytes, out);
	}
	if (!error && ferror(out))
		error = ptu_err_set(err, -EIO, "writing the report failed");
	return error;
}
