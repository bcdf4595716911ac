// SPDX-License-Identifier: LGPL-2.1-or-later
/* Draw cells with characters and colours; must not choose the contents of a cell. */
#include "render/text/map_picture.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "render/format.h"
#include "report/map_strip.h"

#define NR_LINES 4
#define LEAST_COLUMNS 60
/* If there are at most this many regions, each one begins a new line. */
#define MOST_REGIONS 8

/* Appearances of a cell. */
enum look {
	LOOK_GAP,
	LOOK_SHARED,
	LOOK_HUGE,
	LOOK_UNKNOWN,
	LOOK_EMPTY,
	LOOK_QUARTER, /* up to a quarter; the next three: up to two, three, four quarters */
	LOOK_HALF,
	LOOK_MOST,
	LOOK_FULL,
	LOOK_CAME, /* only in the line of marks */
	LOOK_WENT,
	LOOK_BOTH,
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
	[LOOK_FULL] = { "█", "#", "\033[32m", "above 75 %" },
	[LOOK_CAME] = { "^", "^", "\033[1;32m", "came" },
	[LOOK_WENT] = { "x", "x", "\033[1;31m", "went" },
	[LOOK_BOTH] = { "*", "*", "\033[1;33m", "came and went" },
};

static enum look look_of(const struct ptu_map_part *part)
{
	unsigned int permille;

	if (part->shared)
		return LOOK_SHARED;
	if (!part->fill.tables)
		return part->leaves ? LOOK_HUGE : LOOK_GAP;
	if (!part->fill.counted)
		return LOOK_UNKNOWN;
	if (!part->fill.entries)
		return LOOK_EMPTY;
	permille = ptu_fill_permille(&part->fill);
	return permille <= 250 ? LOOK_QUARTER :
	       permille <= 500 ? LOOK_HALF :
	       permille <= 750 ? LOOK_MOST :
				 LOOK_FULL;
}

static enum look look_of_mark(const struct ptu_map_cell *cell)
{
	return cell->came && cell->went ? LOOK_BOTH :
	       cell->came		? LOOK_CAME :
	       cell->went		? LOOK_WENT :
					  LOOK_GAP;
}

static void put(const struct ptu_picture *picture, enum look look, FILE *out)
{
	const char *colour = picture->colours ? looks[look].colour : "";

	fprintf(out, "%s%s%s", colour,
		picture->utf8 ? looks[look].utf8 : looks[look].ascii,
		colour[0] ? "\033[0m" : "");
}

/* Print the legend of the symbols that were drawn, broken before the last column. */
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
		const size_t width = strlen(looks[which].meaning) +
				     strlen(which == LOOK_GAP ? "blank " :
								"x ");

		if (!drawn[which])
			continue;
		if (column + 2 + width > picture->columns) {
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

/* Width of the largest address at the start of a line, with "0x". */
static int address_width(const struct ptu_map_cell *cells, size_t nr_cells)
{
	uint64_t addr = nr_cells ? cells[nr_cells - 1].start : 0;
	int digits = 1;

	while (addr >>= 4)
		digits++;
	return digits + 2;
}

/* Does a region begin here, more than a PUD table's reach behind the previous cell? */
static bool is_far(const struct ptu_geometry *geo,
		   const struct ptu_map_cell *cells, size_t i)
{
	return i && cells[i].start - cells[i - 1].start >=
			    ptu_geometry_reach(geo, PTAUDIT_PUD);
}

static size_t count_regions(const struct ptu_geometry *geo,
			    const struct ptu_map_cell *cells, size_t nr_cells)
{
	size_t i, nr = 1;

	for (i = 0; i < nr_cells; i++)
		nr += is_far(geo, cells, i);
	return nr;
}

/* Number of cells in the line that begins with the first one. */
static size_t line_length(const struct ptu_geometry *geo,
			  const struct ptu_map_cell *cells, size_t nr_cells,
			  size_t first, size_t room, bool by_region)
{
	size_t i, at = 1;

	for (i = first + 1; i < nr_cells; i++) {
		/* omit gaps at the start and end of a line */
		if (at + cells[i].gap >= room ||
		    (by_region && is_far(geo, cells, i)))
			break;
		at += 1 + cells[i].gap;
	}
	return i - first;
}

/* Draw a line of one map (marks if @side == nr_sides), without trailing blanks. */
static void draw_line(const struct ptu_map_sheet *sheet,
		      const struct ptu_picture *picture,
		      const struct ptu_map_cell *cells, size_t nr, size_t side,
		      bool *drawn, FILE *out)
{
	size_t i, blanks = 0;

	for (i = 0; i < nr; i++) {
		const enum look look = side == sheet->nr_sides ?
					       look_of_mark(&cells[i]) :
					       look_of(&cells[i].of[side]);

		blanks += i && cells[i].gap;
		if (look == LOOK_GAP) {
			blanks++;
			continue;
		}
		if (blanks && side < sheet->nr_sides)
			drawn[LOOK_GAP] = true;
		fprintf(out, "%*s", (int)blanks, "");
		blanks = 0;
		put(picture, look, out);
		drawn[look] = true;
	}
	fputc('\n', out);
}

static bool is_marked(const struct ptu_map_cell *cells, size_t nr)
{
	while (nr-- > 0)
		if (cells[nr].came || cells[nr].went)
			return true;
	return false;
}

int ptu_picture_draw(const struct ptu_map_sheet *sheet,
		     const struct ptu_picture *picture, FILE *out)
{
	const struct ptu_geometry *geo = &sheet->maps[0]->geo;
	const size_t columns = picture->columns > LEAST_COLUMNS ?
				       picture->columns :
				       LEAST_COLUMNS;
	const size_t most_digits = 2 + 64 / 4;
	const size_t room = columns - most_digits - 1;
	const size_t first_side = sheet->last_alone ? sheet->nr_sides - 1 : 0;
	bool drawn[NR_LOOKS] = { false };
	struct ptu_map_cell *cells;
	size_t nr_cells, nr, i, side;
	bool by_region;
	uint64_t unit_bytes;
	int digits;
	int error = ptu_map_strip(sheet, NR_LINES * room, &cells, &nr_cells,
				  &unit_bytes);

	if (error)
		return error;
	digits = address_width(cells, nr_cells);
	by_region = count_regions(geo, cells, nr_cells) <= MOST_REGIONS;
	for (i = 0; i < nr_cells; i += nr) {
		nr = line_length(geo, cells, nr_cells, i, room, by_region);
		fprintf(out, "%#*" PRIx64 " ", digits, cells[i].start);
		for (side = first_side; side < sheet->nr_sides; side++) {
			if (side > first_side)
				fprintf(out, "%*s ", digits,
					sheet->names[side]);
			draw_line(sheet, picture, &cells[i], nr, side, drawn,
				  out);
		}
		if (is_marked(&cells[i], nr)) {
			fprintf(out, "%*s ", digits, "");
			draw_line(sheet, picture, &cells[i], nr,
				  sheet->nr_sides, drawn, out);
		}
	}
	if (nr_cells)
		put_legend(picture, drawn, unit_bytes,
			   unit_bytes == UINT64_C(1) << geo->shift[PTAUDIT_PMD],
			   out);
	free(cells);
	return 0;
}
