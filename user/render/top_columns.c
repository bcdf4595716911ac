// SPDX-License-Identifier: LGPL-2.1-or-later
/* The columns of a ranking.  Must not decide anything that is not in its rows. */
#include "render/top_columns.h"

#include <inttypes.h>
#include <stdio.h>

#include "render/format.h"

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

const struct ptu_grid_column ptu_top_columns[] = {
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

const char *ptu_top_defaults(enum ptu_top_kind kind)
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
