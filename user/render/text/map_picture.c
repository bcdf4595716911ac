// SPDX-License-Identifier: LGPL-2.1-or-later
/* Gives cells a character and a colour; must not choose what is in a cell. */
#include "render/text/map_picture.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "render/format.h"
#include "report/map_strip.h"

#define NR_LINES 4
#define LEAST_COLUMNS 60
/* Regions that begin a line of their own, if there are not more. */
#define MOST_REGIONS 8

/* What a cell shows. */
enum look {
	LOOK_GAP,
	LOOK_SHARED,
	LOOK_HUGE,
	LOOK_UNKNOWN,
	LOOK_EMPTY,
	LOOK_QUARTER, /* and the three behind it: up to two, three, four quarters */
	LOOK_HALF,
	LOOK_MOST,
	LOOK_FULL,
	NR_LOOKS
};

static const struct {
	const char *utf8;
	const char *ascii;
	const char *colour;
	const char *meaning;
} looks[NR_LOOKS] = {
	[LOOK_GAP] = { " ", " ", "", "no tables" },
	[LOOK_SHARED] = { "S", "S", "\033[35m", "shared table" },
	[LOOK_HUGE] = { "H", "H", "\033[36m", "huge pages" },
	[LOOK_UNKNOWN] = { "?", "?", "", "not counted" },
	[LOOK_EMPTY] = { "o", "o", "\033[31m", "empty" },
	[LOOK_QUARTER] = { "░", ".", "\033[33m", "to 25 %" },
	[LOOK_HALF] = { "▒", "-", "", "to 50 %" },
	[LOOK_MOST] = { "▓", "+", "", "to 75 %" },
	[LOOK_FULL] = { "█", "#", "\033[32m", "full" },
};

static enum look look_of(const struct ptu_map_cell *cell)
{
	unsigned int permille;

	if (cell->shared)
		return LOOK_SHARED;
	if (!cell->fill.tables)
		return LOOK_HUGE;
	if (!cell->fill.counted)
		return LOOK_UNKNOWN;
	if (!cell->fill.entries)
		return LOOK_EMPTY;
	permille = ptu_fill_permille(&cell->fill);
	return permille <= 250 ? LOOK_QUARTER :
	       permille <= 500 ? LOOK_HALF :
	       permille <= 750 ? LOOK_MOST :
				 LOOK_FULL;
}

static void put(const struct ptu_picture *picture, enum look look, FILE *out)
{
	const char *colour = picture->colours ? looks[look].colour : "";

	fprintf(out, "%s%s%s", colour,
		picture->utf8 ? looks[look].utf8 : looks[look].ascii,
		colour[0] ? "\033[0m" : "");
}

/* What was drawn, and no more, broken before the last column. */
static void put_legend(const struct ptu_picture *picture, const bool *drawn,
		       uint64_t unit_bytes, bool is_table, FILE *out)
{
	char size[PTU_FORMAT_LEN];
	enum look look;
	size_t column;

	column = (size_t)fprintf(out, "a cell: %s%s",
				 ptu_format_size(unit_bytes, false, size),
				 is_table ? ", the reach of a PTE table" :
					    " of addresses");
	for (look = LOOK_SHARED; look < NR_LOOKS + 1; look++) {
		const enum look which = look < NR_LOOKS ? look : LOOK_GAP;
		const size_t width = strlen(looks[which].meaning) + 4;

		if (!drawn[which])
			continue;
		if (column + width > picture->columns) {
			fputc('\n', out);
			column = 0;
		} else {
			fputs("  ", out);
			column += 2;
		}
		if (which == LOOK_GAP)
			fputs("blank", out);
		else
			put(picture, which, out);
		fprintf(out, " %s", looks[which].meaning);
		column += width;
	}
	fputc('\n', out);
}

/* Digits of the highest address that begins a line, "0x" too. */
static int address_width(const struct ptu_map_cell *cells, size_t nr_cells)
{
	uint64_t addr = nr_cells ? cells[nr_cells - 1].start : 0;
	int digits = 1;

	while (addr >>= 4)
		digits++;
	return digits + 2;
}

/* Does a region begin here: far from the cell before, by a PUD table's reach? */
static bool is_far(const struct ptu_map_report *report,
		   const struct ptu_map_cell *cells, size_t i)
{
	return i && cells[i].start - cells[i - 1].start >=
			    ptu_geometry_reach(&report->geo, PTAUDIT_PUD);
}

static size_t count_regions(const struct ptu_map_report *report,
			    const struct ptu_map_cell *cells, size_t nr_cells)
{
	size_t i, nr = 1;

	for (i = 0; i < nr_cells; i++)
		nr += is_far(report, cells, i);
	return nr;
}

int ptu_picture_draw(const struct ptu_map_report *report,
		     const struct ptu_picture *picture, FILE *out)
{
	const size_t columns = picture->columns > LEAST_COLUMNS ?
				       picture->columns :
				       LEAST_COLUMNS;
	const size_t most_digits = 2 + 64 / 4;
	const size_t room = columns - most_digits - 1;
	bool drawn[NR_LOOKS] = { false };
	struct ptu_map_cell *cells;
	size_t nr_cells, at = 0, i;
	bool by_region;
	uint64_t unit_bytes;
	int digits;
	int error = ptu_map_strip(report, NR_LINES * room, &cells, &nr_cells,
				  &unit_bytes);

	if (error)
		return error;
	digits = address_width(cells, nr_cells);
	by_region = count_regions(report, cells, nr_cells) <= MOST_REGIONS;
	for (i = 0; i < nr_cells; i++) {
		/* no gap at the end of a line, nor at its start */
		if (at + cells[i].gap >= room ||
		    (by_region && is_far(report, cells, i)))
			at = 0;
		if (!at) {
			fprintf(out, "%s%#*" PRIx64 " ", i ? "\n" : "", digits,
				cells[i].start);
		} else if (cells[i].gap) {
			put(picture, LOOK_GAP, out);
			drawn[LOOK_GAP] = true;
			at++;
		}
		put(picture, look_of(&cells[i]), out);
		drawn[look_of(&cells[i])] = true;
		at++;
	}
	if (nr_cells) {
		fputc('\n', out);
		put_legend(picture, drawn, unit_bytes,
			   unit_bytes ==
				   UINT64_C(1)
					   << report->geo.shift[PTAUDIT_PMD],
			   out);
	}
	free(cells);
	return 0;
}
