// SPDX-License-Identifier: LGPL-2.1-or-later
/* Distribute tables to cells; must not know how cells are drawn. */
#include "report/map_strip.h"

#include <errno.h>
#include <stdlib.h>

/* Units covered by the item's table or huge page in any map; false for upper tables. */
static bool span(const struct ptu_map_sheet *sheet,
		 const struct ptu_sheet_item *item, unsigned int shift,
		 uint64_t *first, uint64_t *last)
{
	const struct ptu_geometry *geo = &sheet->maps[0]->geo;
	/* a PTE table maps the range of one PMD entry */
	unsigned int level = PTAUDIT_PMD;
	size_t side;

	if (item->level != PTAUDIT_PTE)
		return false;
	for (side = 0; side < sheet->nr_sides; side++) {
		const struct ptu_map_table *table = item->of[side];

		if (table && table->flags & PTU_MAP_LEAF &&
		    table->level > level)
			level = table->level;
	}
	*first = item->start >> shift;
	*last = (item->start + ((UINT64_C(1) << geo->shift[level]) - 1)) >>
		shift;
	return true;
}

/* Count the cells, and the gaps between them, for a unit of this size. */
static size_t count(const struct ptu_map_sheet *sheet, unsigned int shift,
		    size_t *nr_cells)
{
	uint64_t first, last, next = 0;
	size_t i, nr = 0, nr_gaps = 0;

	for (i = 0; i < sheet->nr_items; i++) {
		if (!span(sheet, &sheet->items[i], shift, &first, &last))
			continue;
		if (nr && last < next)
			continue;
		/* spans are aligned to their sizes: this one begins behind the last one */
		nr_gaps += nr && first > next;
		nr += last - first + 1;
		next = last + 1;
	}
	*nr_cells = nr;
	return nr + nr_gaps;
}

static void enter_table(const struct ptu_map_report *map,
			const struct ptu_map_table *table,
			struct ptu_map_part *part)
{
	part->shared |= (table->flags & PTU_MAP_SHARED) != 0;
	if (table->flags & PTU_MAP_LEAF)
		part->leaves++;
	else if (table->flags & PTU_MAP_COUNTED)
		ptu_fill_add(&part->fill, table->entries,
			     map->geo.nr_entries[PTAUDIT_PTE]);
	else
		part->fill.tables++;
}

static void enter(const struct ptu_map_sheet *sheet,
		  const struct ptu_sheet_item *item, struct ptu_map_cell *cell)
{
	size_t side;

	for (side = 0; side < sheet->nr_sides; side++)
		if (item->of[side])
			enter_table(sheet->maps[side], item->of[side],
				    &cell->of[side]);
	cell->came |= item->mark == PTU_MARK_CAME;
	cell->went |= item->mark == PTU_MARK_WENT;
}

static void fill_cells(const struct ptu_map_sheet *sheet, unsigned int shift,
		       struct ptu_map_cell *cells)
{
	uint64_t first, last, unit, next = 0;
	size_t i, nr = 0;

	for (i = 0; i < sheet->nr_items; i++) {
		if (!span(sheet, &sheet->items[i], shift, &first, &last))
			continue;
		for (unit = first; unit <= last; unit++) {
			if (!nr || unit >= next) {
				cells[nr].start = unit << shift;
				cells[nr].gap = nr && unit > next;
				nr++;
				next = unit + 1;
			}
			enter(sheet, &sheet->items[i], &cells[nr - 1]);
		}
	}
}

int ptu_map_strip(const struct ptu_map_sheet *sheet, size_t most,
		  struct ptu_map_cell **ret, size_t *ret_nr,
		  uint64_t *unit_bytes)
{
	unsigned int shift = sheet->maps[0]->geo.shift[PTAUDIT_PMD];
	struct ptu_map_cell *cells;
	size_t nr;

	while (count(sheet, shift, &nr) > most)
		shift++;
	cells = calloc(nr + 1, sizeof(*cells));
	if (!cells)
		return -ENOMEM;
	fill_cells(sheet, shift, cells);
	*ret = cells;
	*ret_nr = nr;
	*unit_bytes = UINT64_C(1) << shift;
	return 0;
}
