// SPDX-License-Identifier: GPL-2.0-only
/* The picture of a map: what a cell looks like, and where its lines and its legend break. */
#include <stdlib.h>
#include <string.h>

#include "report/map_strip.h"
#include "support/build.h"
#include "support/printed.h"
#include "support/unit.h"

static int fake_strip(struct ptu_map_cell **ret, size_t *nr_ret,
		      uint64_t *unit_bytes);

#define ptu_map_strip(sheet, most, ret, nr, unit) fake_strip(ret, nr, unit)
#include "render/text/map_picture.c"

#define SLOT (UINT64_C(2) << 20)
#define FAR (UINT64_C(512) << 30) /* what a PUD table maps */
#define HEAD "a cell: 2M, the reach of a PTE table"

static struct ptu_map_cell cells[64];
static size_t nr_cells;
static struct ptu_geometry geo;

static int fake_strip(struct ptu_map_cell **ret, size_t *nr_ret,
		      uint64_t *unit_bytes)
{
	*ret = malloc(sizeof(cells));
	memcpy(*ret, cells, sizeof(cells));
	*nr_ret = nr_cells;
	*unit_bytes = SLOT;
	return 0;
}

static void add(uint64_t start, unsigned int entries, bool gap)
{
	cells[nr_cells++] = (struct ptu_map_cell){
		.start = start,
		.gap = gap,
		.of = { { .fill = { .tables = 1,
				    .counted = 1,
				    .entries = entries,
				    .room = 512 } } },
	};
}

static void add_full(size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		add(nr_cells * SLOT, 512, false);
}

static const char *draw(size_t columns)
{
	const struct ptu_map_report map = { .geo = geo };
	const struct ptu_map_sheet sheet = { .maps = { &map }, .nr_sides = 1 };
	const struct ptu_picture picture = { .columns = columns };
	struct printed *p = printed_begin();

	if (ptu_picture_draw(&sheet, &picture, p->out))
		UNIT_FAIL("nothing is drawn");
	return printed_end(p);
}

/* Number of lines before the legend. */
static size_t nr_lines(const char *text)
{
	const char *end = strstr(text, HEAD);
	size_t nr = 0;

	for (; end && text < end; text++)
		nr += *text == '\n';
	return nr;
}

static void set_up(void)
{
	nr_cells = 0;
	geo = four_levels;
}

/* Of 512 entries, 128 are 25 %, 256 are 50 % and 384 are 75 %. */
UNIT_TEST(quarters_include_their_upper_ends)
{
	static const unsigned int entries[] = { 0,   1,	  128, 129, 256,
						257, 384, 385, 512 };

	for (size_t i = 0; i < 9; i++)
		add(i * SLOT, entries[i], false);
	CHECK(strstr(draw(200), " o..--++##\n"));
}

/* 60 columns are 18 for an address of 64 bits, a blank and 41 cells. */
UNIT_TEST(lines_end_where_the_terminal_ends)
{
	char line[64];

	memset(line, '#', 41);
	strcpy(line + 41, "\n");
	add_full(41);
	CHECK(strstr(draw(60), line));
	CHECK_EQ(nr_lines(draw(60)), 1);
	add_full(1);
	CHECK(strstr(draw(60), line));
	CHECK_EQ(nr_lines(draw(60)), 2);
	/* the gap needs a column too */
	nr_cells = 0;
	add_full(39);
	add(100 * SLOT, 512, true);
	CHECK_EQ(nr_lines(draw(60)), 1);
	nr_cells = 0;
	add_full(40);
	add(100 * SLOT, 512, true);
	CHECK_EQ(nr_lines(draw(60)), 2);
}

UNIT_TEST(eight_regions_have_a_line_each)
{
	for (size_t i = 0; i < 8; i++)
		add(i * FAR, 512, true);
	CHECK_EQ(nr_lines(draw(80)), 8);
	add(8 * FAR, 512, true);
	CHECK_EQ(nr_lines(draw(80)), 1);
}

/* The head has 36 columns, then come 14 and 17. */
UNIT_TEST(the_legend_fits_the_terminal)
{
	add(0, 512, false);
	add(2 * SLOT, 512, true);
	CHECK(strstr(draw(67), HEAD "  # above 75 %  blank no tables\n"));
	CHECK(strstr(draw(66), HEAD "  # above 75 %\nblank no tables\n"));
	CHECK(strstr(draw(65), HEAD "  # above 75 %\nblank no tables\n"));
}

UNIT_MAIN_WITH(set_up, NULL)
