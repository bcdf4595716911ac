// SPDX-License-Identifier: LGPL-2.1-or-later
/* The columns of copies.  Must not judge any page. */
#include "render/cow_columns.h"

/* Only the text has a row for the total. */
static bool is_total(const struct ptu_grid_cell *cell,
		     const struct ptu_cow_row *mapping)
{
	return !cell->json && !mapping->end;
}

static void fill_start(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_cow_row *mapping = row;

	if (is_total(cell, mapping))
		ptu_grid_words(cell, "total");
	else
		ptu_grid_address(cell, mapping->start);
}

static void fill_end(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_cow_row *mapping = row;

	if (is_total(cell, mapping))
		ptu_grid_words(cell, "-");
	else
		ptu_grid_end(cell, mapping->end);
}

static void fill_perms(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_cow_row *mapping = row;

	ptu_grid_words(cell, is_total(cell, mapping) ? "-" : mapping->perms);
}

static void fill_path(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_cow_row *mapping = row;

	/* the table escapes unsafe characters */
	ptu_grid_words(cell, is_total(cell, mapping) ? "-" : mapping->path);
}

/* JSON shows the two parts of AMBIGUOUS separately. */
static void fill_ambiguous(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_cow_count *count =
		&((const struct ptu_cow_row *)row)->count;

	ptu_grid_pages(cell, count->maybe_zero +
				     (cell->json ? 0 : count->maybe_markers));
}

#define AT(member) offsetof(struct ptu_cow_row, count.member)
#define KIND(kind) AT(kinds[PTU_COW_##kind])

const struct ptu_grid_column ptu_cow_columns[] = {
	{ "START", "first address of the mapping", PTU_RIGHT, fill_start,
	  "start", 0 },
	{ "END", "end address, exclusive", PTU_RIGHT, fill_end, "end", 0 },
	{ "PERMS", "permissions of the mapping", 0, fill_perms, "perms", 0 },
	{ "PAGES", "pages of the mapping", PTU_RIGHT, ptu_fill_pages, "pages",
	  AT(pages) },
	{ "UNTOUCHED", "without an entry, or with only a marker", PTU_RIGHT,
	  ptu_fill_pages, "untouched", KIND(UNTOUCHED) },
	{ "ORIGINAL", "pages of the file, or the zero page", PTU_RIGHT,
	  ptu_fill_pages, "original", KIND(ORIGINAL) },
	{ "COPIED", "copies that nobody else maps", PTU_RIGHT, ptu_fill_pages,
	  "copied", KIND(COPIED) },
	{ "SHARED", "copies that others map too", PTU_RIGHT, ptu_fill_pages,
	  "copied_shared", KIND(SHARED) },
	{ "SWAPPED", "copies that are swapped out", PTU_RIGHT, ptu_fill_pages,
	  "copied_swapped", KIND(SWAPPED) },
	{ "AMBIGUOUS",
	  "pages in SHARED and SWAPPED that are possibly no copies", PTU_RIGHT,
	  fill_ambiguous, "ambiguous", 0 },
	{ "MARKERS", "pages in UNTOUCHED with a marker", PTU_RIGHT,
	  ptu_fill_pages, "markers", AT(markers) },
	{ "DISAGREE", "pagemap and kpageflags differ", PTU_RIGHT,
	  ptu_fill_pages, "disagree", AT(disagree) },
	{ "PATH", "what is mapped", 0, fill_path, "path", 0 },
	{ "AMBIGUOUS-SWAPPED", NULL, PTU_RIGHT, ptu_fill_pages,
	  "ambiguous_swapped", AT(maybe_markers) },
	{ 0 },
};
