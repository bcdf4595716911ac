/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The address space as a row of cells; addresses without tables are left out.  Pure. */
#ifndef PTU_REPORT_MAP_STRIP_H
#define PTU_REPORT_MAP_STRIP_H

#include "base/err.h"
#include "report/map_sheet.h"

/**
 * struct ptu_map_part - contents of one map in a cell
 * @fill: fill of the PTE tables; tables that are only possible are not counted
 * @leaves: huge pages that overlap the cell
 * @shared: some of it is mapped at other places too
 */
struct ptu_map_part {
	struct ptu_fill fill;
	uint64_t leaves;
	bool shared;
};

/**
 * struct ptu_map_cell - one unit of addresses with tables
 * @start: first address
 * @of: [PTU_SHEET_SIDES] contents by map
 * @came: a PTE table was added
 * @went: a PTE table was freed
 * @gap: there are addresses without tables between the previous cell and this one
 */
struct ptu_map_cell {
	uint64_t start;
	struct ptu_map_part of[PTU_SHEET_SIDES];
	bool came;
	bool went;
	bool gap;
};

/**
 * ptu_map_strip() - Choose a unit and fill its cells.
 * @most: (in) maximum number of cells and gaps; at least 2
 * @ret: (out) [*ret_nr] by address; free() it
 * @unit_bytes: (out) a PTE table's reach times a power of two: the smallest unit that
 *	needs at most @most cells and gaps
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_map_strip(const struct ptu_map_sheet *sheet, size_t most,
				 struct ptu_map_cell **ret, size_t *ret_nr,
				 uint64_t *unit_bytes);

#endif
