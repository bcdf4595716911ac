// SPDX-License-Identifier: LGPL-2.1-or-later
/* The columns of a ranking.  Must not decide anything that is not in its rows. */
#include "render/top_columns.h"

#include <stdio.h>

static void fill_name(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_top_row *r = row;

	ptu_grid_words(cell, r->name[0] || cell->json ? r->name : "-");
}

/* Only mappings have an end. */
static void fill_end(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_top_row *r = row;

	if (cell->json)
		ptu_grid_end(cell, r->end);
	else
		ptu_grid_address(cell, r->end);
}

static void fill_processes(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_top_row *r = row;

	ptu_grid_number(cell, r->nr_processes ? r->nr_processes : 1);
}

static void fill_empty(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_top_row *r = row;

	if (!r->has_empty) {
		ptu_grid_unknown(cell);
		return;
	}
	ptu_grid_at_least(cell, r->empty_tables, r->is_part);
}

/* Deposits belong to no mapping, and VmPTE does not tell them from other tables. */
static void fill_deposited(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_top_row *r = row;

	if (r->end || r->source == PTU_TOP_VMPTE) {
		ptu_grid_unknown(cell);
		return;
	}
	ptu_grid_at_least(cell, r->deposited_tables, r->is_part);
}

static void fill_source(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_top_row *r = row;

	snprintf(cell->text, sizeof(cell->text), "%s%s",
		 ptu_top_source_name(r->source),
		 !cell->json && r->is_part && r->source != PTU_TOP_VMPTE ?
			 ",part" :
			 "");
}

#define AT(member) offsetof(struct ptu_top_row, member)

const struct ptu_grid_column ptu_top_columns[] = {
	{ "PID", "process", PTU_RIGHT, ptu_fill_id, "pid", AT(pid) },
	{ "UID", "its user", PTU_RIGHT, ptu_fill_id, "uid", AT(uid) },
	{ "COMM", "its name", 0, ptu_fill_words, "comm", AT(comm) },
	{ "NAME", "the group of --by; with a PID, what is mapped", 0, fill_name,
	  "name", 0 },
	{ "PROCESSES", "processes of the group", PTU_RIGHT, fill_processes,
	  "processes", 0 },
	{ "START", "first address (top PID)", PTU_RIGHT, ptu_fill_address,
	  "start", AT(start) },
	{ "END", "its end, exclusive (top PID)", PTU_RIGHT, fill_end, "end",
	  0 },
	{ "MAPPED", "size of the mappings, without gaps (top PID)", PTU_RIGHT,
	  ptu_fill_size, "mapped_bytes", AT(mapped_bytes) },
	{ "TOTAL", "memory of the tables of all levels, deposited ones too",
	  PTU_RIGHT, ptu_fill_size, "total_bytes", AT(total_bytes) },
	{ "EMPTY", "tables without entries, or with only empty tables",
	  PTU_RIGHT, fill_empty, "empty_tables", 0 },
	{ "DEPOSITED", "PTE tables deposited for huge pages", PTU_RIGHT,
	  fill_deposited, "deposited_tables", 0 },
	{ "FILL", "percent of the entries of PTE tables that are used",
	  PTU_RIGHT, ptu_fill_percent, "fill_percent", AT(fill) },
	{ "VMPTE", "VmPTE, the kernel's own sum", PTU_RIGHT, ptu_fill_size,
	  "vmpte_bytes", AT(vmpte_bytes) },
	{ "RSS", "VmRSS", PTU_RIGHT, ptu_fill_size, "rss_bytes",
	  AT(rss_bytes) },
	{ "SOURCE", "source of the figures: module, bpf, estimate or vmpte", 0,
	  fill_source, "source", 0 },
	{ "WHY", "the mappings that waste most", 0, ptu_fill_words, "why",
	  AT(why) },
	{ "PART", NULL, 0, ptu_fill_bool, "part", AT(is_part) },
	{ 0 },
};

const char *ptu_top_defaults(enum ptu_top_kind kind)
{
	switch (kind) {
	case PTU_TOP_GROUPS:
		return "TOTAL,EMPTY,FILL,PROCESSES,NAME,SOURCE,WHY";
	case PTU_TOP_MAPPINGS:
		return "TOTAL,EMPTY,FILL,START,END,MAPPED,NAME";
	case PTU_TOP_PROCESSES:
		break;
	}
	return "PID,TOTAL,EMPTY,FILL,SOURCE,COMM,WHY";
}

const char *ptu_top_members(enum ptu_top_kind kind)
{
	switch (kind) {
	case PTU_TOP_GROUPS:
		return "NAME,PROCESSES,TOTAL,EMPTY,DEPOSITED,FILL,WHY,SOURCE,PART,VMPTE,RSS";
	case PTU_TOP_MAPPINGS:
		return "NAME,START,END,TOTAL,EMPTY,FILL";
	case PTU_TOP_PROCESSES:
		break;
	}
	return "PID,COMM,UID,TOTAL,EMPTY,DEPOSITED,FILL,WHY,SOURCE,PART,VMPTE,RSS";
}
