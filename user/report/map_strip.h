/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The address space as a row of cells, without what has no tables.  Pure. */
#ifndef PTU_REPORT_MAP_STRIP_H
#define PTU_REPORT_MAP_STRIP_H

#include "base/err.h"
#include "report/map_sheet.h"

/**
 * struct ptu_map_part - what one map has in a cell
 * @fill: of the PTE tables; those that are only possible count as not counted
 * @leaves: huge pages that lie in it, or in which it lies
 * @shared: some of that is mapped at other places too
 */
struct ptu_map_part {
	struct ptu_fill fill;
	uint64_t leaves;
	bool shared;
};

/**
 * struct ptu_map_cell - addresses of one unit, in which there is something
 * @start: first address
 * @of: [PTU_SHEET_SIDES] by map
 * @came: a PTE table came
 * @went: a PTE table went
 * @gap: addresses without tables lie before it, and a cell before them
 */
struct ptu_map_cell {
	uint64_t start;
	struct ptu_map_part of[PTU_SHEET_SIDES];
	bool came;
	bool went;
	bool gap;
};

/**
 * ptu_map_strip() - Choose a unit, and fill its cells.
 * @most: (in) cells and gaps at most; 2 at least
 * @ret: (out) [*ret_nr] by address; free() it
 * @unit_bytes: (out) a PTE table's reach, or it times a power of two: the smallest
 *	with which there are not more than @most
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_map_strip(const struct ptu_map_sheet *sheet, size_t most,
				 struct ptu_map_cell **ret, size_t *ret_nr,
				 uint64_t *unit_bytes);

#endif
