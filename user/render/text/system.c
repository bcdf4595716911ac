// SPDX-License-Identifier: LGPL-2.1-or-later
/* The parts of PageTables as text.  Must not add up anything. */
#include "model/geometry.h"
#include "render/format.h"
#include "render/render.h"
#include "report/system.h"

#include <inttypes.h>
#include <string.h>

#include "base/written.h"
#include "render/system_columns.h"
#include "render/text/grid.h"

static struct ptu_grid part_grid(const struct ptu_system_line *rows,
				 size_t nr_rows)
{
	return (struct ptu_grid){
		.columns = ptu_system_columns,
		.defaults = "PART,SIZE,SOURCE,ABOUT",
		.rows = rows,
		.nr_rows = nr_rows,
		.row_bytes = sizeof(*rows),
	};
}

int ptu_render_system_check(const struct ptu_render_options *options,
			    struct ptu_err *err)
{
	const struct ptu_grid grid = part_grid(NULL, 0);

	return ptu_grid_check(&grid, options, err);
}

void ptu_render_system_columns(FILE *out)
{
	ptu_grid_help(ptu_system_columns, out);
}

/* Leave out parts that were not measured, and a folded P4D level, whose part is 0. */
static bool is_shown(const struct ptu_system_report *report, unsigned int part,
		     const char *source)
{
	if (report->parts[part])
		return true;
	if (part == PTAUDIT_P4D && !report->uncounted_bytes[part])
		return false;
	return strcmp(source, "none") != 0;
}

static int print_parts(const struct ptu_system_report *report,
		       const struct ptu_render_options *options, FILE *out,
		       struct ptu_err *err)
{
	struct ptu_system_line rows[PTU_NR_SYSTEM_PARTS];
	/* printed after the rows, so that --limit does not leave it out */
	const struct ptu_system_line remainder = {
		.part = "remainder",
		.source = "-",
		.about = "PageTables minus the parts",
		.bytes = ptu_system_remainder(report),
	};
	struct ptu_grid grid;
	size_t nr = 0;
	unsigned int i;

	for (i = 0; i < PTU_NR_SYSTEM_PARTS; i++) {
		const struct ptu_system_line line = ptu_system_line(report, i);

		if (is_shown(report, i, line.source))
			rows[nr++] = line;
	}
	grid = part_grid(rows, nr);
	grid.last = &remainder;
	return ptu_grid_print(&grid, options, out, err);
}

static int print_nodes(const struct ptu_system_report *report,
		       const struct ptu_render_options *options, FILE *out,
		       struct ptu_err *err)
{
	const struct ptu_grid grid = {
		.columns = ptu_node_columns,
		.defaults = report->has_flags ? "NODE,PAGETABLES,KPAGEFLAGS" :
						"NODE,PAGETABLES",
		.rows = report->nodes,
		.nr_rows = report->nr_nodes,
		.row_bytes = sizeof(*report->nodes),
	};

	if (!report->nr_nodes)
		return 0;
	fputc('\n', out);
	return ptu_grid_print(&grid, options, out, err);
}

static int print_cgroups(const struct ptu_system_report *report,
			 const struct ptu_render_options *options, FILE *out,
			 struct ptu_err *err)
{
	const struct ptu_grid grid = {
		.columns = ptu_cgroup_columns,
		.defaults = "CHARGED,PROCESSES,CGROUP",
		.rows = report->cgroups,
		.nr_rows = report->nr_cgroups,
		.row_bytes = sizeof(*report->cgroups),
	};

	if (!report->nr_cgroups)
		return 0;
	fputc('\n', out);
	return ptu_grid_print(&grid, options, out, err);
}

static void print_uncounted(const struct ptu_system_report *report,
			    bool in_bytes, FILE *out)
{
	const char *before = "This kernel does not count in PageTables: ";
	char size[PTU_FORMAT_LEN];
	unsigned int level;

	for (level = 0; level < PTAUDIT_NR_LEVELS; level++) {
		if (!ptu_system_is_uncounted(report, level))
			continue;
		fprintf(out, "%s%s in tables of level %s", before,
			ptu_format_exact(report->uncounted_bytes[level],
					 in_bytes, size),
			ptu_level_name(level));
		before = ", ";
	}
	if (*before == ',')
		fputs(".\n", out);
}

static void print_of_recording(const struct ptu_system_report *report,
			       FILE *out)
{
	fprintf(out, "%zu process%s in the recording.\n", report->nr_unwalked,
		report->nr_unwalked == 1 ? "" : "es");
	fputs("Processes are counted by VmPTE, which includes PTE, PMD and PUD tables, and counts a shared table in each process.\n"
	      "Page tables of processes that were not recorded, and the kernel's own, are in the remainder.\n",
	      out);
	if (!report->held_still)
		fputs("PageTables changed while it was recorded.\n", out);
}

static void print_notes(const struct ptu_system_report *report, FILE *out)
{
	if (report->hides)
		fprintf(out,
			"Page tables of processes that are not visible here are in the remainder: %s.\n",
			report->hides);
	if (report->source_note[0])
		fprintf(out,
			"Processes are counted by VmPTE, which includes PTE, PMD and PUD tables, and counts a shared table in each process: %s.\n",
			report->source_note);
	if (!report->has_flags)
		fprintf(out,
			"It is not known which tables this kernel counts, so the kernel's own tables are in the remainder: %s.\n",
			report->flags_note);
	else if (!report->has_kernel)
		fprintf(out,
			"The kernel's own tables are in the remainder: %s.\n",
			report->kernel_note);
	if (!report->has_refresh)
		fputs("Each CPU may have up to 125 pages that the counter does not include yet: only root can update it.\n",
		      out);
	if (!report->held_still)
		fputs("PageTables changed while it was measured.\n", out);
}

static void print_sentences(const struct ptu_system_report *report,
			    bool in_bytes, FILE *out)
{
	char all[PTU_FORMAT_LEN], accounted[PTU_FORMAT_LEN];
	char size[PTU_FORMAT_LEN];
	int64_t remainder = ptu_system_remainder(report);
	uint64_t rest = remainder < 0 ? 0 - (uint64_t)remainder :
					(uint64_t)remainder;

	fprintf(out,
		"\nPageTables is %s, %s of it accounted for; remainder: %s%s.\n",
		ptu_format_exact(report->pagetables_bytes, in_bytes, all),
		ptu_format_exact(ptu_system_accounted(report), in_bytes,
				 accounted),
		remainder < 0 ? "-" : "",
		ptu_format_exact(rest, in_bytes, size));
	if (report->has_flags)
		fprintf(out,
			"Page frames that kpageflags calls page tables: %s.\n",
			ptu_format_exact(report->flagged_bytes, in_bytes,
					 size));
	if (report->shared_bytes)
		fprintf(out,
			"Tables that processes share are counted once; the other processes that map them have %s.\n",
			ptu_format_exact(report->shared_bytes, in_bytes, size));
	if (report->is_recording) {
		print_of_recording(report, out);
		return;
	}
	fprintf(out,
		"%zu address space%s; %zu more process%s one, %zu ended meanwhile.\n",
		report->nr_mms, report->nr_mms == 1 ? "" : "s",
		report->nr_sharing,
		report->nr_sharing == 1 ? " shares" : "es share",
		report->nr_gone);
	if (report->nr_uncompared)
		fprintf(out,
			"%zu process%s could not be compared with others: a shared address space counts for each of them.\n",
			report->nr_uncompared,
			report->nr_uncompared == 1 ? "" : "es");
	print_uncounted(report, in_bytes, out);
	print_notes(report, out);
}

int ptu_render_system_text(const struct ptu_system_report *report,
			   const struct ptu_render_options *options, FILE *out,
			   struct ptu_err *err)
{
	const struct ptu_render_options own = {
		.no_headings = options->no_headings,
		.bytes = options->bytes,
	};
	int error = print_parts(report, options, out, err);

	if (!error && !options->raw)
		error = print_nodes(report, &own, out, err);
	if (!error && !options->raw)
		error = print_cgroups(report, &own, out, err);
	if (!error && ptu_render_prose(options))
		print_sentences(report, options->bytes, out);
	return ptu_written(out, error, err);
}
