/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One map, or several above each other by address, with the tables that differ marked.  Pure. */
#ifndef PTU_REPORT_MAP_SHEET_H
#define PTU_REPORT_MAP_SHEET_H

#include "base/err.h"
#include "report/map.h"

/* Maps on one sheet: module, BPF and estimate. */
#define PTU_SHEET_SIDES 3

/* What a table is marked with: 0, a cause of enum ptu_why, or one of these. */
enum ptu_mark { PTU_MARK_CAME = PTU_NR_WHYS, PTU_MARK_WENT, PTU_NR_MARKS };

enum ptu_sheet_kind {
	PTU_SHEET_MAP,	  /* one map; nothing is marked */
	PTU_SHEET_CHECK,  /* sides of a check; causes */
	PTU_SHEET_CHANGE, /* before and after; what came and went */
};

/**
 * struct ptu_sheet_item - what the maps have at one place
 * @of: [PTU_SHEET_SIDES] its table, or huge page, in each of them, or NULL
 * @start: first address
 * @row: of the sheet, PTU_MAP_NOWHERE: none
 * @level: PTAUDIT_PTE for PTE tables and huge pages, which exclude each other
 * @mark: the gravest of its marks
 */
struct ptu_sheet_item {
	const struct ptu_map_table *of[PTU_SHEET_SIDES];
	uint64_t start;
	uint32_t row;
	uint8_t level;
	uint8_t mark;
};

/**
 * struct ptu_sheet_row - neighbouring mappings of one kind
 * @of: [PTU_SHEET_SIDES] their row in each map, or NULL
 * @marked: tables by mark
 */
struct ptu_sheet_row {
	const struct ptu_top_row *of[PTU_SHEET_SIDES];
	uint64_t marked[PTU_NR_MARKS];
};

/**
 * struct ptu_map_sheet - maps of one address space
 * @maps: [nr_sides] they are the caller's, and live longer
 * @names: [nr_sides] of the sides; NULL of a single one
 * @last_alone: text draws the last map alone, with the marks
 * @items: [nr_items] by address, the higher level first
 * @rows: [nr_rows] in the order of the last map, and behind it what others have
 * @marked: tables by mark, of all levels
 */
struct ptu_map_sheet {
	enum ptu_sheet_kind kind;
	const struct ptu_map_report *maps[PTU_SHEET_SIDES];
	const char *names[PTU_SHEET_SIDES];
	size_t nr_sides;
	bool last_alone;
	struct ptu_sheet_item *items;
	size_t nr_items;
	struct ptu_sheet_row *rows;
	size_t nr_rows;
	uint64_t marked[PTU_NR_MARKS];
};

/**
 * ptu_sheet_make() - Put maps above each other.
 * @sheet: (in, out) .kind, .maps, .names and .nr_sides are there; deinit it with
 *	ptu_sheet_deinit(), also on failure
 *
 * In PTU_SHEET_CHANGE a table that is certain in one map alone is marked.
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_sheet_make(struct ptu_map_sheet *sheet);

/**
 * ptu_sheet_mark() - Mark one table, and count it.
 * @leaf: (in) a huge page, mapped by an entry of a table of @level
 */
void ptu_sheet_mark(struct ptu_map_sheet *sheet, uint64_t start,
		    unsigned int level, bool leaf, unsigned int mark);

/**
 * ptu_sheet_is_drawn() - PTE tables, huge pages, and what is marked above them.
 */
bool ptu_sheet_is_drawn(const struct ptu_sheet_item *item);

/**
 * ptu_sheet_row_first() - The row of the first map that has it.
 */
const struct ptu_top_row *ptu_sheet_row_first(const struct ptu_sheet_row *row);

/**
 * ptu_mark_name() - "empty", ..., "came", "went".
 */
const char *ptu_mark_name(unsigned int mark);

/**
 * ptu_mark_sentence() - What it means: a clause without full stop.
 */
const char *ptu_mark_sentence(unsigned int mark);

void ptu_sheet_deinit(struct ptu_map_sheet *sheet);

#endif
