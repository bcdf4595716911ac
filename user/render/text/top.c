// SPDX-License-Identifier: LGPL-2.1-or-later
/* A ranking as text.  Must not decide anything that is not in the report. */
#include "report/top.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/escape.h"
#include "render/format.h"
#include "render/render.h"
#include "render/text/grid.h"

static void size(struct ptu_grid_cell *cell, uint64_t bytes)
{
	char text[PTU_FORMAT_LEN];

	snprintf(cell->text, sizeof(cell->text), "%s",
		 ptu_format_size(bytes, cell->bytes, text));
}

static void fill_pid(struct ptu_grid_cell *cell, const void *row)
{
	snprintf(cell->text, sizeof(cell->text), "%d",
		 (int)((const struct ptu_top_row *)row)->pid);
}

static void fill_uid(struct ptu_grid_cell *cell, const void *row)
{
	snprintf(cell->text, sizeof(cell->text), "%u",
		 (unsigned int)((const struct ptu_top_row *)row)->uid);
}

static void fill_comm(struct ptu_grid_cell *cell, const void *row)
{
	snprintf(cell->text, sizeof(cell->text), "%s",
		 ((const struct ptu_top_row *)row)->comm);
}

static void fill_name(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_top_row *r = row;

	snprintf(cell->text, sizeof(cell->text), "%s",
		 r->name[0] ? r->name : "-");
}

static void fill_processes(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_top_row *r = row;

	snprintf(cell->text, sizeof(cell->text), "%zu",
		 r->nr_processes ? r->nr_processes : 1);
}

static void fill_start(struct ptu_grid_cell *cell, const void *row)
{
	ptu_grid_address(cell, ((const struct ptu_top_row *)row)->start);
}

static void fill_end(struct ptu_grid_cell *cell, const void *row)
{
	ptu_grid_address(cell, ((const struct ptu_top_row *)row)->end);
}

static void fill_total(struct ptu_grid_cell *cell, const void *row)
{
	size(cell, ((const struct ptu_top_row *)row)->total_bytes);
}

static void fill_vmpte(struct ptu_grid_cell *cell, const void *row)
{
	size(cell, ((const struct ptu_top_row *)row)->vmpte_bytes);
}

static void fill_rss(struct ptu_grid_cell *cell, const void *row)
{
	size(cell, ((const struct ptu_top_row *)row)->rss_bytes);
}

static void fill_empty(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_top_row *r = row;
	char text[PTU_FORMAT_LEN];

	snprintf(cell->text, sizeof(cell->text), "%s",
		 r->has_empty ? ptu_format_at_least(r->empty_tables, r->is_part,
						    text) :
				"-");
}

static void fill_full(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_top_row *r = row;
	char text[PTU_FORMAT_LEN];

	snprintf(cell->text, sizeof(cell->text), "%s",
		 r->fill.counted ?
			 ptu_format_percent(ptu_fill_permille(&r->fill), text) :
			 "-");
}

static void fill_source(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_top_row *r = row;

	snprintf(cell->text, sizeof(cell->text), "%s%s",
		 ptu_top_source_name(r->source),
		 r->is_part && r->source != PTU_TOP_VMPTE ? ",part" : "");
}

static void fill_why(struct ptu_grid_cell *cell, const void *row)
{
	snprintf(cell->text, sizeof(cell->text), "%s",
		 ((const struct ptu_top_row *)row)->why);
}

static const struct ptu_grid_column columns[] = {
	{ "PID", "process", true, fill_pid },
	{ "UID", "its user", true, fill_uid },
	{ "COMM", "its name", false, fill_comm },
	{ "NAME", "the group of --by; with a PID, what is mapped", false,
	  fill_name },
	{ "PROCESSES", "processes of the group", true, fill_processes },
	{ "START", "first address (top PID)", true, fill_start },
	{ "END", "its end, exclusive (top PID)", true, fill_end },
	{ "TOTAL", "memory of the tables of all levels, deposited ones too",
	  true, fill_total },
	{ "EMPTY", "PTE tables that hold nothing", true, fill_empty },
	{ "FILL", "percent of the entries of PTE tables that are used", true,
	  fill_full },
	{ "VMPTE", "VmPTE, the kernel's own sum", true, fill_vmpte },
	{ "RSS", "VmRSS", true, fill_rss },
	{ "SOURCE", "module, bpf, estimate or vmpte: where figures come from",
	  false, fill_source },
	{ "WHY", "the mappings that waste most", false, fill_why },
	{ 0 },
};

static const char *defaults(enum ptu_top_kind kind)
{
	switch (kind) {
	case PTU_TOP_GROUPS:
		return "TOTAL,EMPTY,FILL,PROCESSES,NAME,SOURCE,WHY";
	case PTU_TOP_MAPPINGS:
		return "TOTAL,EMPTY,FILL,START,END,NAME";
	case PTU_TOP_PROCESSES:
		break;
	}
	return "PID,TOTAL,EMPTY,FILL,SOURCE,COMM,WHY";
}

int ptu_render_top_check(const struct ptu_render_options *options,
			 struct ptu_err *err)
{
	const struct ptu_grid grid = { .columns = columns, .defaults = "PID" };

	return ptu_grid_check(&grid, options, err);
}

void ptu_render_top_columns(FILE *out)
{
	ptu_grid_help(columns, out);
}

int ptu_render_top_text(const struct ptu_top_report *report,
			const struct ptu_render_options *options, FILE *out,
			struct ptu_err *err)
{
	const struct ptu_top_row *process = &report->process;
	const struct ptu_grid grid = {
		.columns = columns,
		.defaults = defaults(report->kind),
		.rows = report->rows,
		.nr_rows = report->nr_rows,
		.row_bytes = sizeof(*report->rows),
		.page_bytes = report->host.page_bytes,
	};
	char comm[PTU_ESCAPE_BYTES(sizeof(process->comm))];
	char all[PTU_FORMAT_LEN];
	int error;

	if (ptu_render_prose(options) && report->kind == PTU_TOP_MAPPINGS)
		fprintf(out, "PID %d (%s): VmPTE %s, by %s%s\n",
			(int)process->pid,
			ptu_escape(process->comm, true, comm, sizeof(comm)),
			ptu_format_size(report->all_bytes, options->bytes, all),
			ptu_top_source_name(process->source),
			process->is_part ? "; only a part was looked at" : "");
	error = ptu_grid_print(&grid, options, out, err);
	if (!error && ptu_render_prose(options) &&
	    report->kind != PTU_TOP_MAPPINGS)
		fprintf(out, "\n%zu of %zu %s; VmPTE of all: %s\n",
			report->nr_rows, report->nr_all,
			report->kind == PTU_TOP_GROUPS ? "groups" : "processes",
			ptu_format_size(report->all_bytes, options->bytes,
					all));
	if (!error && ferror(out))
		error = ptu_err_set(err, -EIO, "writing the report failed");
	return error;
}
