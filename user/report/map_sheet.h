/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One map, or several maps merged by address with their differences marked.  Pure. */
#ifndef PTU_REPORT_MAP_SHEET_H
#define PTU_REPORT_MAP_SHEET_H

#include "base/err.h"
#include "report/map.h"

/* Maximum number of maps on one sheet: module, BPF and estimate. */
#define PTU_SHEET_SIDES 3

/* Marks of a table: 0, a cause of enum ptu_why, or one of these. */
enum ptu_mark { PTU_MARK_CAME = PTU_NR_WHYS, PTU_MARK_WENT, PTU_NR_MARKS };

enum ptu_sheet_kind {
	PTU_SHEET_MAP,	  /* one map; nothing is marked */
	PTU_SHEET_CHECK,  /* sides of a check, marked with causes */
	PTU_SHEET_CHANGE, /* before and after; added and freed tables are marked */
};

/**
 * struct ptu_sheet_item - the tables of all maps at one place
 * @of: [PTU_SHEET_SIDES] table or huge page of each map, or NULL
 * @start: first address
 * @row: row of the sheet, PTU_MAP_NOWHERE: none
 * @level: PTAUDIT_PTE for PTE tables and huge pages, which exclude each other
 * @mark: the most severe mark
 */
struct ptu_sheet_item {
	const struct ptu_map_table *of[PTU_SHEET_SIDES];
	uint64_t start;
	uint32_t row;
	uint8_t level;
	uint8_t mark;
};

/**
 * struct ptu_sheet_row - adjacent mappings of one kind
 * @of: [PTU_SHEET_SIDES] row of each map, or NULL
 * @marked: number of tables per mark
 */
struct ptu_sheet_row {
	const struct ptu_top_row *of[PTU_SHEET_SIDES];
	uint64_t marked[PTU_NR_MARKS];
};

/**
 * struct ptu_map_sheet - maps of one address space
 * @maps: [nr_sides] owned by the caller; must outlive the sheet
 * @names: [nr_sides] names of the sides; NULL for a single map
 * @last_alone: in text, draw only the last map, with the marks
 * @items: [nr_items] by address, the higher level first
 * @rows: [nr_rows] in the order of the last map, then rows of the other maps
 * @marked: number of tables per mark, over all levels
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
 * ptu_sheet_make() - Merge maps into a sheet.
 * @sheet: (in, out) .kind, .maps, .names and .nr_sides are set by the caller; call
 *	ptu_sheet_deinit() in any case, even after a failure
 *
 * In PTU_SHEET_CHANGE, tables that are certain in only one map are marked.
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_sheet_make(struct ptu_map_sheet *sheet);

/**
 * ptu_sheet_mark() - Mark one table and count the mark.
 * @leaf: (in) mark a huge page, mapped by an entry of a table of @level
 */
void ptu_sheet_mark(struct ptu_map_sheet *sheet, uint64_t start,
		    unsigned int level, bool leaf, unsigned int mark);

/**
 * ptu_sheet_is_drawn() - Is it a PTE table, a huge page, or a marked upper table?
 */
bool ptu_sheet_is_drawn(const struct ptu_sheet_item *item);

/**
 * ptu_sheet_row_first() - The row of the first map that has this row.
 */
const struct ptu_top_row *ptu_sheet_row_first(const struct ptu_sheet_row *row);

/**
 * ptu_mark_name() - "empty", ..., "came", "went".
 */
const char *ptu_mark_name(unsigned int mark);

/**
 * ptu_mark_sentence() - Meaning of a mark: a clause without full stop.
 */
const char *ptu_mark_sentence(unsigned int mark);

void ptu_sheet_deinit(struct ptu_map_sheet *sheet);

#endif
