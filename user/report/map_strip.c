// SPDX-License-Identifier: LGPL-2.1-or-later
/* Puts tables into cells; must not know what a cell looks like. */
#include "report/map_strip.h"

#include <errno.h>
#include <stdlib.h>

/* Of a PTE table or a huge page: what cells are made of. */
static bool is_drawn(const struct ptu_map_table *table)
{
	return table->level == PTAUDIT_PTE || table->flags & PTU_MAP_LEAF;
}

/* Units from the first to the last that it lies in; @shift: of a unit. */
static void span(const struct ptu_map_report *report,
		 const struct ptu_map_table *table, unsigned int shift,
		 uint64_t *first, uint64_t *last)
{
	/* an entry of the PMD is what a PTE table maps */
	const unsigned int level = table->flags & PTU_MAP_LEAF ? table->level :
								 PTAUDIT_PMD;

	*first = table->start >> shift;
	*last = (table->start +
		 ((UINT64_C(1) << report->geo.shift[level]) - 1)) >>
		shift;
}

/* Cells, and gaps between them, with units of that size. */
static size_t count(const struct ptu_map_report *report, unsigned int shift,
		    size_t *nr_cells)
{
	uint64_t first, last, next = 0;
	size_t i, nr = 0, nr_gaps = 0;

	for (i = 0; i < report->nr_tables; i++) {
		if (!is_drawn(&report->tables[i]))
			continue;
		span(report, &report->tables[i], shift, &first, &last);
		if (nr && last < next)
			continue;
		nr_gaps += nr && first > next;
		if (nr && first < next)
			first = next;
		nr += last - first + 1;
		next = last + 1;
	}
	*nr_cells = nr;
	return nr + nr_gaps;
}

static void enter(const struct ptu_map_report *report,
		  const struct ptu_map_table *table, bool is_shared,
		  struct ptu_map_cell *cell)
{
	cell->shared |= is_shared;
	if (table->flags & PTU_MAP_LEAF)
		cell->leaves++;
	else if (table->flags & PTU_MAP_COUNTED)
		ptu_fill_add(&cell->fill, table->entries,
			     report->geo.nr_entries[PTAUDIT_PTE]);
	else
		cell->fill.tables++;
}

static void fill_cells(const struct ptu_map_report *report, unsigned int shift,
		       struct ptu_map_cell *cells)
{
	uint64_t first, last, next = 0;
	size_t i, nr = 0;

	for (i = 0; i < report->nr_tables; i++) {
		const struct ptu_map_table *table = &report->tables[i];
		uint64_t unit;

		if (!is_drawn(table))
			continue;
		span(report, table, shift, &first, &last);
		for (unit = first; unit <= last; unit++) {
			if (!nr || unit >= next) {
				cells[nr].start = unit << shift;
				cells[nr].gap = nr && unit > next;
				nr++;
				next = unit + 1;
			}
			enter(report, table, table->flags & PTU_MAP_SHARED,
			      &cells[nr - 1]);
		}
	}
}

int ptu_map_strip(const struct ptu_map_report *report, size_t most,
		  struct ptu_map_cell **ret, size_t *ret_nr,
		  uint64_t *unit_bytes)
{
	unsigned int shift = report->geo.shift[PTAUDIT_PMD];
	struct ptu_map_cell *cells;
	size_t nr;

	while (count(report, shift, &nr) > most)
		shift++;
	cells = calloc(nr + 1, sizeof(*cells));
	if (!cells)
		return -ENOMEM;
	fill_cells(report, shift, cells);
	*ret = cells;
	*ret_nr = nr;
	*unit_bytes = UINT64_C(1) << shift;
	return 0;
}
