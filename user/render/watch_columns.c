// SPDX-License-Identifier: LGPL-2.1-or-later
/* The columns of growth.  Must not decide anything that is not in the report. */
#include "render/watch_columns.h"

#include <inttypes.h>
#include <stdio.h>

#include "render/format.h"

/* Buffer for "+1023K". */
#define SIGNED_LEN (PTU_FORMAT_LEN + 1)

static const char *format_signed(int64_t bytes, bool in_bytes,
				 char ret[SIGNED_LEN])
{
	char size[PTU_FORMAT_LEN];
	const uint64_t amount = bytes < 0 ? -(uint64_t)bytes : (uint64_t)bytes;

	snprintf(ret, SIGNED_LEN, "%s%s",
		 bytes < 0 ? "-" :
		 bytes	   ? "+" :
			     "",
		 ptu_format_size(amount, in_bytes, size));
	return ret;
}

static double seconds_of(const struct ptu_watch_line *line)
{
	return line->total ? line->total->seconds : line->row->seconds;
}

/* Set a growth.  In text, the first line has none: there is no earlier measurement. */
static void put_growth(struct ptu_grid_cell *cell,
		       const struct ptu_watch_line *line, int64_t number)
{
	if (!cell->json && !seconds_of(line))
		ptu_grid_unknown(cell);
	else
		ptu_grid_signed(cell, number);
}

#define OF_ROW(type)                                                       \
	static void row_##type(struct ptu_grid_cell *cell, const void *at) \
	{                                                                  \
		ptu_fill_##type(cell,                                      \
				((const struct ptu_watch_line *)at)->row); \
	}

OF_ROW(id)
OF_ROW(words)

static void fill_seconds(struct ptu_grid_cell *cell, const void *at)
{
	cell->kind = PTU_CELL_REAL;
	cell->real = seconds_of(at);
	snprintf(cell->text, sizeof(cell->text), "%.3f", cell->real);
}

static void fill_count(struct ptu_grid_cell *cell, const void *at)
{
	const char *total =
		(const void *)((const struct ptu_watch_line *)at)->total;

	ptu_grid_number(cell,
			*(const size_t *)(const void *)(total +
							cell->column->offset));
}

static void fill_vmpte(struct ptu_grid_cell *cell, const void *at)
{
	const struct ptu_watch_line *line = at;

	ptu_grid_size(cell, line->total ? line->total->vmpte_bytes :
					  line->row->vmpte_bytes);
}

static void fill_growth(struct ptu_grid_cell *cell, const void *at)
{
	const struct ptu_watch_line *line = at;
	const int64_t bytes = line->total ? line->total->growth_bytes :
					    line->row->growth_bytes;

	put_growth(cell, line, bytes);
	if (cell->kind == PTU_CELL_NUMBER)
		format_signed(bytes, cell->bytes, cell->text);
}

/* Tables that came minus tables that went; the column's offset is the level. */
static void fill_tables(struct ptu_grid_cell *cell, const void *at)
{
	const struct ptu_watch_line *line = at;
	const struct ptu_growth *growth = &line->row->growth;
	const uint64_t came = growth->came[cell->column->offset];
	const uint64_t went = growth->went[cell->column->offset];

	if (!line->row->has_tables) {
		ptu_grid_unknown(cell);
		return;
	}
	put_growth(cell, line, (int64_t)(came - went));
	if (cell->kind == PTU_CELL_NUMBER)
		ptu_format_diff(came, went, cell->text);
}

static void fill_deposited(struct ptu_grid_cell *cell, const void *at)
{
	const struct ptu_watch_line *line = at;

	if (line->row->has_tables)
		ptu_grid_number(cell, line->row->deposited);
	else
		ptu_grid_unknown(cell);
}

static void fill_source(struct ptu_grid_cell *cell, const void *at)
{
	const struct ptu_watch_line *line = at;

	ptu_grid_words(cell, ptu_top_source_name(line->row->source));
}

static void fill_status(struct ptu_grid_cell *cell, const void *at)
{
	const struct ptu_watch_line *line = at;

	ptu_grid_words(cell, line->row->ended ? "ended" : "ok");
}

/* The mapping that grew most, or shrank most with its process, or why not known, or "-". */
static void put_mapping(char *ret, size_t ret_bytes,
			const struct ptu_watch_row *row, bool in_bytes)
{
	const struct ptu_growth_row *most = row->growth.rows;
	char size[SIGNED_LEN];

	if (row->why[0])
		snprintf(ret, ret_bytes, "(%s)", row->why);
	else if (row->growth.nr_rows &&
		 (row->growth_bytes < 0 ? most->bytes < 0 : most->bytes > 0))
		snprintf(ret, ret_bytes, "%s %s 0x%" PRIx64,
			 format_signed(most->bytes, in_bytes, size), most->name,
			 most->start);
	else
		snprintf(ret, ret_bytes, "-");
}

static void fill_most(struct ptu_grid_cell *cell, const void *at)
{
	const struct ptu_watch_line *line = at;
	const struct ptu_watch_row *row = line->row;
	char size[SIGNED_LEN];
	int used = 0;

	if (line->total && !line->total->has_most) {
		ptu_grid_words(cell, "-");
		return;
	}
	if (row->ended) {
		ptu_grid_words(cell, "ended");
		return;
	}
	if (line->total)
		used = snprintf(cell->text, sizeof(cell->text), "%s %d (%s): ",
				format_signed(row->growth_bytes, cell->bytes,
					      size),
				(int)row->pid, row->comm);
	put_mapping(cell->text + used, sizeof(cell->text) - (size_t)used, row,
		    cell->bytes);
}

/* Columns that also have a value for a process that has ended. */
#define ALWAYS (PTU_OWN << 2)

#define P PTU_COL_WATCH_PID
#define G PTU_COL_WATCH_GROUP
#define R PTU_RIGHT
#define W PTU_WIDTH

#define AT(member) offsetof(struct ptu_watch_row, member)
#define OF_TOTAL(member) offsetof(struct ptu_watch_total, member)

/* clang-format off */
const struct ptu_grid_column ptu_watch_columns[] = {
	{ "TIME", "local time", P | G | R | W(8) | ALWAYS, ptu_fill_string, "time",
	  offsetof(struct ptu_watch_line, time) },
	{ "SECONDS", "seconds since the line before", P | G | R | W(7), fill_seconds, "seconds", 0 },
	{ "PID", "process (PID)", P | R | W(7) | ALWAYS, row_id, "pid", AT(pid) },
	{ "PROCS", "processes of the group, each address space once (--all)", G | R | W(5),
	  fill_count, "processes", OF_TOTAL(nr_processes) },
	{ "NEW", "processes that came (--all)", G | R | W(4), fill_count, "started",
	  OF_TOTAL(nr_started) },
	{ "ENDED", "processes that went (--all)", G | R | W(5), fill_count, "ended",
	  OF_TOTAL(nr_ended) },
	{ "VMPTE", "VmPTE; for a group, the sum", P | G | R | W(6), fill_vmpte, "vmpte_bytes", 0 },
	{ "GROWTH", "VMPTE minus that of the line before", P | G | R | W(7), fill_growth,
	  "growth_bytes", 0 },
	{ "PTE", "PTE tables that came minus those that went (PID)", P | R | W(5), fill_tables,
	  "pte_growth", PTAUDIT_PTE },
	{ "PMD", "PMD tables, likewise (PID)", P | R | W(4), fill_tables, "pmd_growth", PTAUDIT_PMD },
	{ "PUD", "PUD tables, likewise (PID)", P | R | W(4), fill_tables, "pud_growth", PTAUDIT_PUD },
	{ "P4D", "P4D tables, likewise (PID)", P | R | W(4), fill_tables, "p4d_growth", PTAUDIT_P4D },
	{ "DEPOSITED", "PTE tables deposited for huge pages (PID)", P | R | W(9), fill_deposited,
	  "deposited_tables", 0 },
	{ "SOURCE", "module, bpf, estimate or vmpte: where tables come from (PID)", P | W(8),
	  fill_source, "source", 0 },
	{ "STATUS", "ok or ended (PID)", P | W(6) | ALWAYS, fill_status, "status", 0 },
	{ "COMM", "name of the process (PID)", P | W(15) | ALWAYS, row_words, "comm", AT(comm) },
	{ "MOST", "what grew most, or shrank most if VmPTE did", P | G | ALWAYS, fill_most, "where", 0 },
	{ 0 },
};
/* clang-format on */

static bool has(const struct ptu_grid_column *column, const void *at)
{
	const struct ptu_watch_line *line = at;

	return !line->row->ended || column->flags & ALWAYS;
}

struct ptu_grid ptu_watch_table(const struct ptu_watch_line *line,
				bool is_group)
{
	return (struct ptu_grid){
		.columns = ptu_watch_columns,
		.table = is_group ? PTU_COL_WATCH_GROUP : PTU_COL_WATCH_PID,
		.defaults =
			is_group ?
				"TIME,PROCS,NEW,ENDED,VMPTE,GROWTH,MOST" :
				"TIME,PID,VMPTE,GROWTH,PTE,PMD,PUD,COMM,MOST",
		.rows = line,
		.nr_rows = 1,
		.row_bytes = sizeof(*line),
		.has = has,
	};
}
