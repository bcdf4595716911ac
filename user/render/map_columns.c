// SPDX-License-Identifier: LGPL-2.1-or-later
/* The columns of maps.  Must not decide anything that is not in the report. */
#include "render/map_columns.h"

#include <inttypes.h>
#include <stdio.h>

#include "report/map_sheet.h"

static const struct ptu_fill *fill_of(const void *at)
{
	const struct ptu_map_line *line = at;

	return line->row ? &line->row->fill : &line->report->fills[line->level];
}

static void fill_used(struct ptu_grid_cell *cell, const void *at)
{
	if (fill_of(at)->counted)
		ptu_grid_number(cell, fill_of(at)->entries);
	else
		ptu_grid_unknown(cell);
}

static void fill_room(struct ptu_grid_cell *cell, const void *at)
{
	if (fill_of(at)->counted)
		ptu_grid_number(cell, fill_of(at)->room);
	else
		ptu_grid_unknown(cell);
}

static void fill_percent(struct ptu_grid_cell *cell, const void *at)
{
	ptu_grid_percent(cell, fill_of(at));
}

static void fill_tables(struct ptu_grid_cell *cell, const void *at)
{
	ptu_grid_number(cell, fill_of(at)->tables);
}

/* The number of empty tables, if the source sees them. */
static void fill_empty(struct ptu_grid_cell *cell, const void *at)
{
	const struct ptu_map_line *line = at;
	const struct ptu_process *process = &line->report->process;

	if (!(line->row ? line->row->has_empty : process->sees_empty))
		ptu_grid_unknown(cell);
	else
		ptu_grid_number(cell,
				line->row ? line->row->fill
						    .in_class[PTU_FILL_EMPTY] :
					    process->empty[line->level]);
}

static void fill_huge(struct ptu_grid_cell *cell, const void *at)
{
	const struct ptu_map_line *line = at;

	ptu_grid_number(cell, line->row ? line->row->leaves :
					  line->report->leaves[line->level]);
}

static void row_deposited(struct ptu_grid_cell *cell, const void *at)
{
	const struct ptu_top_row *row = ((const struct ptu_map_line *)at)->row;

	if (row->has_deposited)
		ptu_grid_number(cell, row->deposited_tables);
	else
		ptu_grid_unknown(cell);
}

static void level_name(struct ptu_grid_cell *cell, const void *at)
{
	const struct ptu_map_line *line = at;
	unsigned int above = line->level;
	int depth = 0;

	while (!cell->json &&
	       (above = ptu_geometry_above(&line->report->geo, above)) <
		       PTAUDIT_NR_LEVELS)
		depth++;
	snprintf(cell->text, sizeof(cell->text), "%*s%s", depth, "",
		 ptu_level_name(line->level));
}

static void level_possible(struct ptu_grid_cell *cell, const void *at)
{
	const struct ptu_map_line *line = at;

	ptu_grid_number(cell, line->report->possible[line->level]);
}

static void level_tables(struct ptu_grid_cell *cell, const void *at)
{
	const struct ptu_map_line *line = at;
	const uint64_t low = fill_of(at)->tables;

	/* JSON shows possible tables separately */
	if (cell->json)
		ptu_grid_number(cell, low);
	else
		ptu_grid_span(cell, low,
			      low + line->report->possible[line->level]);
}

static void level_size(struct ptu_grid_cell *cell, const void *at)
{
	const struct ptu_map_line *line = at;

	ptu_grid_size(cell, fill_of(at)->tables *
				    ptu_geometry_table_bytes(&line->report->geo,
							     line->level));
}

const struct ptu_grid_column ptu_map_level_columns[] = {
	{ "LEVEL", "", 0, level_name, "level", 0 },
	{ "TABLES", "", PTU_RIGHT, level_tables, "tables", 0 },
	{ "SIZE", "", PTU_RIGHT, level_size, "bytes", 0 },
	{ "USED", "", PTU_RIGHT, fill_used, "used_entries", 0 },
	{ "FILL", "", PTU_RIGHT | PTU_UP, fill_percent, "fill_percent", 0 },
	{ "EMPTY", "", PTU_RIGHT, fill_empty, "empty_tables", 0 },
	{ "HUGE", "", PTU_RIGHT, fill_huge, "huge_pages", 0 },
	{ "ENTRIES", NULL, PTU_RIGHT, fill_room, "entries", 0 },
	{ "POSSIBLE", NULL, PTU_RIGHT, level_possible, "possible_tables", 0 },
	{ 0 },
};

static void row_waste(struct ptu_grid_cell *cell, const void *at)
{
	const struct ptu_map_line *line = at;

	if (line->row->fill.counted || line->row->fill.hollow)
		ptu_grid_size(cell, ptu_map_waste_bytes(line->report,
							&line->row->fill));
	else
		ptu_grid_unknown(cell);
}

static void row_span(struct ptu_grid_cell *cell, const void *at)
{
	const struct ptu_top_row *row = ((const struct ptu_map_line *)at)->row;

	ptu_grid_size(cell, row->end - row->start);
}

static void put_mark(struct ptu_grid_cell *cell, const void *at,
		     enum ptu_mark mark)
{
	const struct ptu_map_line *line = at;

	if (line->marked)
		ptu_grid_number(cell, line->marked[mark]);
	else
		ptu_grid_unknown(cell);
}

static void row_came(struct ptu_grid_cell *cell, const void *at)
{
	put_mark(cell, at, PTU_MARK_CAME);
}

static void row_went(struct ptu_grid_cell *cell, const void *at)
{
	put_mark(cell, at, PTU_MARK_WENT);
}

/* Fields that are a member of the row. */
#define OF_ROW(type)                                                           \
	static void row_##type(struct ptu_grid_cell *cell, const void *at)     \
	{                                                                      \
		ptu_fill_##type(cell, ((const struct ptu_map_line *)at)->row); \
	}

OF_ROW(size)
OF_ROW(address)
OF_ROW(end)
OF_ROW(words)

#define AT(member) offsetof(struct ptu_top_row, member)

const struct ptu_grid_column ptu_map_row_columns[] = {
	{ "WASTE",
	  "unused entries of PTE tables, and upper tables that hold nothing",
	  PTU_RIGHT, row_waste, "waste_bytes", 0 },
	{ "SIZE", "memory of the tables, PTE to P4D", PTU_RIGHT, row_size,
	  "total_bytes", AT(total_bytes) },
	{ "TABLES", "PTE tables", PTU_RIGHT, fill_tables, "tables", 0 },
	{ "EMPTY", "PTE tables without entries", PTU_RIGHT, fill_empty,
	  "empty_tables", 0 },
	{ "USED", "used entries of PTE tables", PTU_RIGHT, fill_used,
	  "used_entries", 0 },
	{ "FILL", "percent of PTE table entries that are used",
	  PTU_RIGHT | PTU_UP, fill_percent, "fill_percent", 0 },
	{ "HUGE", "huge pages", PTU_RIGHT, fill_huge, "huge_pages", 0 },
	{ "DEPOSITED", "PTE tables deposited for huge pages", PTU_RIGHT,
	  row_deposited, "deposited_tables", 0 },
	{ "START", "first address", PTU_RIGHT, row_address, "start",
	  AT(start) },
	{ "END", "end address, exclusive", PTU_RIGHT, row_end, "end", AT(end) },
	{ "SPAN", "distance from START to END, including gaps", PTU_RIGHT,
	  row_span, "span_bytes", 0 },
	{ "MAPPED", "size of the mappings, without gaps between them",
	  PTU_RIGHT, row_size, "mapped_bytes", AT(mapped_bytes) },
	{ "CAME", "tables that came, with --watch and --diff", PTU_RIGHT,
	  row_came, "came_tables", 0 },
	{ "WENT", "tables that went, likewise", PTU_RIGHT, row_went,
	  "went_tables", 0 },
	{ "NAME", "what is mapped", 0, row_words, "name", AT(name) },
	{ "ENTRIES", NULL, PTU_RIGHT, fill_room, "entries", 0 },
	{ 0 },
};
