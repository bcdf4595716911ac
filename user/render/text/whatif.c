// SPDX-License-Identifier: LGPL-2.1-or-later
/* Tables that could be freed, as text.  Must not add up figures that the report has. */
#include "render/render.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/written.h"
#include "render/format.h"
#include "render/text/grid.h"
#include "render/text/whatif_text.h"
#include "render/whatif_columns.h"

#define MOST_ROWS 20 /* maximum number of listed ranges of empty tables */
#define MOST_UNMAPS 5
/* Nearly every program has a few tables more than its anonymous pages need. */
#define LEAST_EXCESS 16

void ptu_whatif_say_name(const struct ptu_whatif_text *t, const char *name)
{
	const size_t room = PTU_ESCAPE_BYTES(strlen(name));
	char *shown = malloc(room);

	fputs(shown && *name ? ptu_escape(name, true, shown, room) :
			       "(anonymous)",
	      t->out);
	free(shown);
}

const char *ptu_whatif_tables_bytes(const struct ptu_whatif_text *t,
				    uint64_t tables, char ret[PTU_FORMAT_LEN])
{
	return ptu_format_exact(tables * t->report->base.page_bytes, t->bytes,
				ret);
}

void ptu_whatif_say_more(const struct ptu_whatif_text *t, size_t nr,
			 size_t most)
{
	if (nr > most)
		fprintf(t->out, "  and %zu more; --json has all\n", nr - most);
}

static void say_ranges(const struct ptu_whatif_text *t)
{
	const struct ptu_whatif_report *report = t->report;
	size_t i;

	for (i = 0; i < report->nr_empties && i < MOST_ROWS; i++) {
		const struct ptu_whatif_empty *row = &report->empties[i];

		fprintf(t->out,
			"  PID %d 0x%" PRIx64 "-0x%" PRIx64 " %" PRIu64
			" table%s, %s: ",
			(int)report->mms[row->mm].pid, row->start, row->end,
			row->tables, ptu_plural(row->tables),
			ptu_whatif_call_name(row->call));
		ptu_whatif_say_name(t, row->path);
		fputc('\n', t->out);
	}
	ptu_whatif_say_more(t, report->nr_empties, MOST_ROWS);
}

/* Ranges are grouped by address space, in descending order of tables. */
static void say_by_process(const struct ptu_whatif_text *t)
{
	const struct ptu_whatif_report *report = t->report;
	size_t i, end, nr = 0;

	for (i = 0; i < report->nr_empties; i = end) {
		const struct ptu_whatif_mm *mm =
			&report->mms[report->empties[i].mm];
		char size[PTU_FORMAT_LEN];

		for (end = i; end < report->nr_empties &&
			      report->empties[end].mm == report->empties[i].mm;
		     end++)
			;
		if (nr++ >= MOST_ROWS)
			continue;
		fprintf(t->out, "  PID %d ", (int)mm->pid);
		ptu_whatif_say_name(t, mm->comm);
		fprintf(t->out, ": %" PRIu64 " (%s) in %zu range%s\n",
			mm->empty_tables,
			ptu_whatif_tables_bytes(t, mm->empty_tables, size),
			end - i, ptu_plural(end - i));
	}
	ptu_whatif_say_more(t, nr, MOST_ROWS);
	if (nr)
		fputs("  the ranges: ptaudit whatif PID\n", t->out);
}

/* What frees empty tables, and how many. */
static void say_call(const struct ptu_whatif_text *t, enum ptu_whatif_call call)
{
	const uint64_t tables = ptu_whatif_empty_tables(t->report, call);
	const char *name = ptu_whatif_call_name(call);

	if (!tables)
		return;
	switch (call) {
	case PTU_BY_MADVISE:
	case PTU_BY_MADVISE_LOCKED:
		fprintf(t->out,
			"  %s: madvise(%s) over these whole %" PRIu64
			" KiB slots frees %" PRIu64 " table%s on this kernel\n",
			name,
			call == PTU_BY_MADVISE ? "MADV_DONTNEED" :
						 "MADV_DONTNEED_LOCKED",
			t->report->slot_bytes / 1024, tables,
			ptu_plural(tables));
		break;
	case PTU_BY_MUNMAP:
		fprintf(t->out,
			"  %s: only munmap() of all mappings in the slot frees %" PRIu64
			" table%s%s\n",
			name, tables, ptu_plural(tables),
			t->report->madvise_frees ?
				"" :
				" (6.14 and later: also MADV_DONTNEED)");
		break;
	case PTU_NR_CALLS:
		break;
	}
}

static void say_empties(const struct ptu_whatif_text *t)
{
	const struct ptu_whatif_report *report = t->report;
	uint64_t tables = ptu_whatif_all_empty_tables(report);
	uint64_t sealed = ptu_whatif_sealed_tables(report);
	char size[PTU_FORMAT_LEN];
	enum ptu_whatif_call call;

	if (!report->empties_known) {
		fputs("empty PTE tables: not known; this needs Linux 6.7 to 7.2, the module or BPF\n",
		      t->out);
		return;
	}
	fprintf(t->out, "empty PTE tables: %" PRIu64 " (%s)\n", tables,
		ptu_whatif_tables_bytes(t, tables, size));
	if (t->nr_named > 1)
		say_by_process(t);
	else
		say_ranges(t);
	for (call = 0; call < PTU_NR_CALLS; call++)
		say_call(t, call);
	if (sealed)
		fprintf(t->out,
			"  sealed: %" PRIu64
			" more empty table%s (%s) stay: mseal() forbids the calls that would free them\n",
			sealed, ptu_plural(sealed),
			ptu_whatif_tables_bytes(t, sealed, size));
	if (tables)
		fputs("  data that is written between this measurement and the call is lost: only the program itself can prevent that\n",
		      t->out);
}

static void say_changed(const struct ptu_whatif_text *t)
{
	uint64_t tables = 0;
	size_t i;

	for (i = 0; i < t->report->nr_mms; i++)
		tables += t->report->mms[i].changed_tables;
	if (tables)
		fprintf(t->out,
			"not examined: %" PRIu64
			" further table%s, because mappings in %s address range changed meanwhile\n",
			tables, ptu_plural(tables),
			tables == 1 ? "its" : "their");
}

static void say_unseen(const struct ptu_whatif_text *t)
{
	uint64_t tables = 0;
	char size[PTU_FORMAT_LEN];
	size_t i;

	for (i = 0; i < t->report->nr_mms; i++)
		tables += t->report->mms[i].unseen_tables;
	if (tables >= LEAST_EXCESS)
		fprintf(t->out,
			"not found: %" PRIu64
			" further tables in VmPTE (%s): tables that hold nothing, which munmap() of their mappings frees, or tables of device memory or userfaultfd; ptaudit map PID shows them\n",
			tables, ptu_whatif_tables_bytes(t, tables, size));
}

/* Of several processes, list those with at least a tenth of the excess tables. */
static void say_scattered(const struct ptu_whatif_text *t)
{
	const struct ptu_whatif_report *report = t->report;
	struct ptu_whatif_anon anon = ptu_whatif_anonymous(report, true);
	const uint64_t excess = anon.counted - anon.dense_tables;
	char size[PTU_FORMAT_LEN];
	size_t i;

	if (excess < LEAST_EXCESS)
		return;
	fprintf(t->out,
		"  scattered: %" PRIu64 " page%s in %" PRIu64
		" of these tables; %" PRIu64
		" (%s) would suffice side by side; only the program or its allocator can move them\n",
		anon.entries, ptu_plural(anon.entries), anon.counted,
		anon.dense_tables,
		ptu_whatif_tables_bytes(t, anon.dense_tables, size));
	for (i = 0; t->nr_named > 1 && i < report->nr_mms; i++) {
		const struct ptu_whatif_mm *mm = &report->mms[i];
		uint64_t dense = ptu_whatif_dense_tables(report, mm);

		if (!ptu_whatif_is_scattered(report, mm) ||
		    (mm->anon_counted - dense) * 10 < excess)
			continue;
		fprintf(t->out, "    PID %d ", (int)mm->pid);
		ptu_whatif_say_name(t, mm->comm);
		fprintf(t->out,
			": %" PRIu64 " page%s in %" PRIu64 " tables; %" PRIu64
			" would suffice side by side\n",
			mm->anon_entries, ptu_plural(mm->anon_entries),
			mm->anon_counted, dense);
	}
}

static void say_anonymous(const struct ptu_whatif_text *t)
{
	struct ptu_whatif_anon anon = ptu_whatif_anonymous(t->report, false);
	char size[PTU_FORMAT_LEN];

	fprintf(t->out,
		"anonymous memory: huge pages free none of %" PRIu64
		" PTE table%s: the kernel deposits one for each huge page there",
		anon.tables, ptu_plural(anon.tables));
	if (anon.huge_pages)
		fprintf(t->out, ", now %" PRIu64 " (%s)", anon.huge_pages,
			ptu_whatif_tables_bytes(t, anon.huge_pages, size));
	fputc('\n', t->out);
	say_scattered(t);
	if (anon.zero_tables)
		fprintf(t->out,
			"  zero pages: %" PRIu64
			" of these tables (%s) map no memory: the program has read there, but not written; %s frees them\n",
			anon.zero_tables,
			ptu_whatif_tables_bytes(t, anon.zero_tables, size),
			t->report->madvise_frees ?
				"madvise(MADV_DONTNEED) over whole slots" :
				"munmap()");
	if (anon.marker_tables)
		fprintf(t->out,
			"  markers: %" PRIu64
			" more table%s (%s) %s only guard regions or protection by userfaultfd\n",
			anon.marker_tables, ptu_plural(anon.marker_tables),
			ptu_whatif_tables_bytes(t, anon.marker_tables, size),
			anon.marker_tables == 1 ? "maps no page: it holds" :
						  "map no page: they hold");
}

static void say_unmaps(const struct ptu_whatif_text *t)
{
	const struct ptu_whatif_report *report = t->report;
	char size[PTU_FORMAT_LEN];
	size_t i;

	if (report->nr_unmaps)
		fputs("unmapping: munmap() of all mappings of one of these files frees\n",
		      t->out);
	for (i = 0; i < report->nr_unmaps && i < MOST_UNMAPS; i++) {
		const struct ptu_whatif_unmap *row = &report->unmaps[i];

		fprintf(t->out,
			"  %" PRIu64 " PTE table%s and %" PRIu64
			" above (%s) of %" PRIu64 " process%s: ",
			row->tables, ptu_plural(row->tables), row->upper_tables,
			ptu_whatif_tables_bytes(t,
						row->tables + row->upper_tables,
						size),
			row->nr_mms, row->nr_mms == 1 ? "" : "es");
		ptu_whatif_say_name(t, row->path);
		fputc('\n', t->out);
		if (row->madvise_tables)
			fprintf(t->out,
				"    madvise(MADV_DONTNEED) over its whole shared mappings frees %" PRIu64
				" of these PTE tables, and keeps addresses and data\n",
				row->madvise_tables);
	}
	ptu_whatif_say_more(t, report->nr_unmaps, MOST_UNMAPS);
	if (report->nr_unmaps)
		fputs("  this loses what private mappings have written, and a deleted file that nothing else keeps\n",
		      t->out);
}

static void say_doubled(const struct ptu_whatif_text *t)
{
	const struct ptu_whatif_report *report = t->report;
	size_t i;

	if (report->nr_doubled)
		fputs("fewer mappings: the same memory is mapped twice; munmap() of one mapping frees\n",
		      t->out);
	for (i = 0; i < report->nr_doubled && i < MOST_ROWS; i++) {
		const struct ptu_whatif_doubled *row = &report->doubled[i];

		fprintf(t->out,
			"  PID %d 0x%" PRIx64 "-0x%" PRIx64 " %" PRIu64
			" PTE table%s and %" PRIu64
			" above, the same as at 0x%" PRIx64 ": ",
			(int)report->mms[row->mm].pid, row->start, row->end,
			row->tables, ptu_plural(row->tables), row->upper_tables,
			row->kept_start);
		ptu_whatif_say_name(t, row->path);
		fputc('\n', t->out);
	}
	ptu_whatif_say_more(t, report->nr_doubled, MOST_ROWS);
}

static void say_plan(const struct ptu_whatif_text *t)
{
	const struct ptu_whatif_report *report = t->report;
	char reason[PTU_ESCAPE_BYTES(PTU_ERR_LEN)];

	fputs("nothing was changed; --do ", t->out);
	if (report->refusal[0])
		fprintf(t->out, "would do nothing: %s\n",
			ptu_escape_sentence(report->refusal, reason,
					    sizeof(reason)));
	else
		fputs(ptu_whatif_shared_tables(report) ?
			      "frees the tables\n" :
			      "would free no table\n",
		      t->out);
}

static void say_result(const struct ptu_whatif_text *t)
{
	const struct ptu_whatif_report *report = t->report;
	const struct ptu_reclaim_result *result = &report->reclaim;
	uint64_t before = 0, after = 0;
	char a[PTU_FORMAT_LEN], b[PTU_FORMAT_LEN], ended[64] = "";
	size_t i, nr = 0;

	for (i = 0; i < report->nr_mms; i++) {
		const struct ptu_whatif_mm *mm = &report->mms[i];

		/* an address space has tables until it ends */
		if (!mm->vmpte_after_bytes)
			continue;
		nr++;
		before += mm->vmpte_bytes;
		after += mm->vmpte_after_bytes;
	}
	if (nr < report->nr_mms)
		snprintf(ended, sizeof(ended), ", %zu more %s ended",
			 report->nr_mms - nr,
			 report->nr_mms - nr == 1 ? "has" : "have");
	fprintf(t->out,
		"predicted %" PRIu64 " tables, freed %" PRIu64
		"; VmPTE of %zu process%s %s -> %s%s; filled %s; %" PRIu64
		".%03" PRIu64 " s\n",
		ptu_whatif_shared_tables(report), result->returned_tables, nr,
		nr == 1 ? "" : "es", ptu_format_exact(before, t->bytes, a),
		ptu_format_exact(after, t->bytes, b), ended,
		ptu_format_exact(result->filled_bytes, t->bytes,
				 (char[PTU_FORMAT_LEN]){ "" }),
		result->took_ns / 1000000000, result->took_ns / 1000000 % 1000);
	if (result->more_tables)
		fprintf(t->out,
			"%" PRIu64
			" tables that were not predicted were freed, too; the kernel may allocate them again\n",
			result->more_tables);
	for (i = 0; i < report->nr_windows; i++) {
		const struct ptu_whatif_window *window = &report->windows[i];

		if (window->block || !window->error)
			continue;
		fprintf(t->out, "no huge page at byte 0x%" PRIx64 " of ",
			window->offset);
		ptu_whatif_say_name(t, report->files[window->file].path);
		fprintf(t->out, ": %s\n", strerror(-window->error));
	}
}

int ptu_render_whatif_check(const struct ptu_render_options *options,
			    struct ptu_err *err)
{
	return ptu_grid_check(&ptu_whatif_table, options, err);
}

void ptu_render_whatif_columns(FILE *out)
{
	ptu_grid_help(ptu_whatif_table.columns, out);
}

static int print_table(const struct ptu_whatif_report *report,
		       const struct ptu_render_options *options, FILE *out,
		       struct ptu_err *err)
{
	struct ptu_grid grid = ptu_whatif_table;
	struct ptu_whatif_line *lines = ptu_whatif_lines(report, &grid.nr_rows);
	int error;

	if (!lines)
		return ptu_err_set(err, -ENOMEM, "no memory for the table");
	grid.rows = lines;
	grid.page_bytes = report->base.page_bytes;
	error = ptu_grid_print(&grid, options, out, err);
	free(lines);
	return error;
}

int ptu_render_whatif_text(const struct ptu_whatif_report *report,
			   const struct ptu_render_options *options, FILE *out,
			   struct ptu_err *err)
{
	struct ptu_whatif_text t = { .report = report,
				     .out = out,
				     .bytes = options->bytes };
	uint64_t tables = 0;
	int error = 0;
	size_t i;

	for (i = 0; i < report->nr_mms; i++) {
		if (!report->mms[i].named)
			continue;
		t.nr_named++;
		tables += report->mms[i].pte_tables;
	}
	if (report->reclaim.done) {
		if (ptu_render_prose(options))
			say_result(&t);
	} else if (ptu_whatif_wants_table(options)) {
		error = print_table(report, options, out, err);
	} else if (t.nr_named) {
		if (!report->is_reclaim) {
			fprintf(out,
				"%zu process%s, %" PRIu64
				" PTE table%s (estimator: %s)\n",
				t.nr_named, t.nr_named == 1 ? "" : "es", tables,
				ptu_plural(tables), report->source);
			say_empties(&t);
		}
		ptu_whatif_say_shared(&t);
		if (!report->is_reclaim) {
			say_anonymous(&t);
			say_unmaps(&t);
			say_doubled(&t);
			say_unseen(&t);
		}
		say_changed(&t);
		if (report->is_reclaim && !report->is_acting)
			say_plan(&t);
	}
	return ptu_written(out, error, err);
}
