// SPDX-License-Identifier: LGPL-2.1-or-later
/* The columns of a ranking.  Must not decide anything that is not in its rows. */
#include "render/top_columns.h"

#include <stdio.h>

#include "base/escape.h"
#include "render/format.h"

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

static void fill_deposited(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_top_row *r = row;

	if (!r->has_deposited) {
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

/* Flags of a column: the kinds of rows that have it. */
#define TABLE(kind) (PTU_OWN << (kind))
#define P TABLE(PTU_TOP_PROCESSES)
#define G TABLE(PTU_TOP_GROUPS)
#define M TABLE(PTU_TOP_MAPPINGS)
#define R PTU_RIGHT

/* a line for each column */
/* clang-format off */
const struct ptu_grid_column ptu_top_columns[] = {
	{ "PID", "process; for a group, its largest one", P | G | R, ptu_fill_id, "pid", AT(pid) },
	{ "UID", "real UID of the process", P | R, ptu_fill_id, "uid", AT(uid) },
	{ "COMM", "process name", P, ptu_fill_words, "comm", AT(comm) },
	{ "NAME", "the group (--by), or what is mapped (top PID)", G | M, fill_name, "name", 0 },
	{ "PROCESSES", "processes of the group (--by)", G | R, fill_processes, "processes", 0 },
	{ "START", "first address (top PID)", M | R, ptu_fill_address, "start", AT(start) },
	{ "END", "end address, exclusive (top PID)", M | R, fill_end, "end", 0 },
	{ "MAPPED", "size of the mappings, without gaps (top PID)", M | R, ptu_fill_size,
	  "mapped_bytes", AT(mapped_bytes) },
	{ "MAPPINGS", "number of mappings, with those without tables (top PID)", M | R,
	  ptu_fill_number, "mappings", AT(nr_mappings) },
	{ "TOTAL", "memory of the tables of all levels, deposited ones too", P | G | M | R,
	  ptu_fill_size, "total_bytes", AT(total_bytes) },
	{ "EMPTY", "tables without entries, or with only empty tables", P | G | M | R, fill_empty,
	  "empty_tables", 0 },
	{ "DEPOSITED", "PTE tables deposited for huge pages", P | G | M | R, fill_deposited,
	  "deposited_tables", 0 },
	{ "HUGE", "huge pages (top PID)", M | R, ptu_fill_number, "huge_pages", AT(leaves) },
	{ "FILL", "percent of the entries of PTE tables that are used", P | G | M | R,
	  ptu_fill_percent, "fill_percent", AT(fill) },
	{ "VMPTE", "VmPTE, the kernel's own sum", P | G | R, ptu_fill_size, "vmpte_bytes",
	  AT(vmpte_bytes) },
	{ "RSS", "VmRSS", P | G | R, ptu_fill_size, "rss_bytes", AT(rss_bytes) },
	{ "SOURCE", "source of the figures: module, bpf, estimate or vmpte", P | G, fill_source,
	  "source", 0 },
	{ "WHY", "the mappings that waste most", P | G, ptu_fill_words, "why", AT(why) },
	{ "PART", NULL, P | G, ptu_fill_bool, "part", AT(is_part) },
	{ 0 },
};
/* clang-format on */

struct ptu_grid ptu_top_table(enum ptu_top_kind kind)
{
	static const char *const defaults[] = {
		[PTU_TOP_PROCESSES] = "PID,TOTAL,EMPTY,FILL,SOURCE,COMM,WHY",
		[PTU_TOP_GROUPS] =
			"TOTAL,EMPTY,FILL,PROCESSES,NAME,SOURCE,PID,WHY",
		[PTU_TOP_MAPPINGS] =
			"TOTAL,EMPTY,DEPOSITED,FILL,START,END,MAPPED,NAME",
	};

	return (struct ptu_grid){
		.columns = ptu_top_columns,
		.table = TABLE(kind),
		.defaults = defaults[kind],
		.row_bytes = sizeof(struct ptu_top_row),
	};
}

const char *ptu_top_members(enum ptu_top_kind kind)
{
	switch (kind) {
	case PTU_TOP_GROUPS:
		return "NAME,PROCESSES,PID,TOTAL,EMPTY,DEPOSITED,FILL,WHY,SOURCE,PART,VMPTE,RSS";
	case PTU_TOP_MAPPINGS:
		return "NAME,START,END,MAPPINGS,TOTAL,EMPTY,DEPOSITED,HUGE,FILL";
	case PTU_TOP_PROCESSES:
		break;
	}
	return "PID,COMM,UID,TOTAL,EMPTY,DEPOSITED,FILL,WHY,SOURCE,PART,VMPTE,RSS";
}

void ptu_top_process(const struct ptu_top_report *report, bool bytes, char *ret,
		     size_t ret_bytes)
{
	const struct ptu_top_row *process = &report->process;
	const uint64_t deposited_bytes = process->deposited_tables *
					 report->host.page_bytes;
	char comm[PTU_ESCAPE_BYTES(sizeof(process->comm))];
	char all[PTU_FORMAT_LEN], deposited[PTU_FORMAT_LEN];

	ptu_format_size(deposited_bytes, bytes, deposited);
	snprintf(ret, ret_bytes, "PID %d (%s): VmPTE %s, %s%sby %s%s",
		 (int)process->pid,
		 ptu_escape(process->comm, true, comm, sizeof(comm)),
		 ptu_format_size(report->all_bytes, bytes, all),
		 deposited_bytes ? deposited : "",
		 deposited_bytes ? " of it deposited for huge pages, " : "",
		 ptu_top_source_name(process->source),
		 process->is_part ? "; only a part was read" : "");
}
