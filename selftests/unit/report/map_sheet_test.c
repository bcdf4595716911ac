// SPDX-License-Identifier: GPL-2.0-only
/* Maps that are merged by address: tables, rows, and marks. */
#include "report/map_sheet.h"

#include <stdlib.h>
#include <string.h>

#include "support/levels.h"
#include "support/unit.h"

#define LEAF PTU_MAP_LEAF
#define MIB UINT64_C(0x100000)

/* Three maps with room for what a test puts in. */
static struct ptu_map_report maps[3];
static struct ptu_map_table tables[3][8];
static struct ptu_top_row rows[3][8];
static struct ptu_mapping_row mappings[3][8];
static struct ptu_map_sheet sheet;

static void set_up(void)
{
	memset(tables, 0, sizeof(tables));
	memset(rows, 0, sizeof(rows));
	memset(mappings, 0, sizeof(mappings));
	for (size_t i = 0; i < 3; i++)
		maps[i] = (struct ptu_map_report){
			.tables = tables[i],
			.rows = rows[i],
			.process.mappings = mappings[i],
		};
	sheet = (struct ptu_map_sheet){ .kind = PTU_SHEET_CHECK,
					.maps = { &maps[0], &maps[1],
						  &maps[2] },
					.nr_sides = 3 };
}

static void tear_down(void)
{
	ptu_sheet_deinit(&sheet);
}

/* Add a table in no mapping; its address in MiB. */
static struct ptu_map_table *put_table(size_t side, uint64_t mib,
				       unsigned int level, unsigned int flags)
{
	struct ptu_map_table *table = &tables[side][maps[side].nr_tables++];

	*table = (struct ptu_map_table){ .start = mib * MIB,
					 .mapping = PTU_MAP_NOWHERE,
					 .level = (uint8_t)level,
					 .flags = (uint8_t)flags };
	return table;
}

static struct ptu_top_row *put_row(size_t side, uint64_t start_mib,
				   uint64_t end_mib, const char *name)
{
	struct ptu_top_row *row = &rows[side][maps[side].nr_rows++];

	row->start = start_mib * MIB;
	row->end = end_mib * MIB;
	strcpy(row->name, name);
	return row;
}

/* The items as "address level sides", with a digit for each map that has the table. */
static const char *items(void)
{
	static char text[400];
	size_t i, side, n = 0;

	text[0] = '\0';
	for (i = 0; i < sheet.nr_items; i++) {
		const struct ptu_sheet_item *item = &sheet.items[i];

		n += (size_t)snprintf(text + n, sizeof(text) - n,
				      "%s%u/%u:", i ? " " : "",
				      (unsigned int)(item->start / MIB),
				      item->level);
		for (side = 0; side < 3; side++)
			if (item->of[side])
				n += (size_t)snprintf(text + n,
						      sizeof(text) - n, "%zu",
						      side);
	}
	return text;
}

/* The rows as the addresses of their parts; "-" for a map that does not have it. */
static const char *joined(void)
{
	static char text[400];
	size_t i, side, n = 0;

	text[0] = '\0';
	for (i = 0; i < sheet.nr_rows; i++) {
		for (side = 0; side < sheet.nr_sides; side++) {
			const struct ptu_top_row *row = sheet.rows[i].of[side];

			if (i + side)
				text[n++] = side ? ',' : ' ';
			if (row)
				n += (size_t)snprintf(text + n,
						      sizeof(text) - n, "%u",
						      (unsigned int)(row->start /
								     MIB));
			else
				text[n++] = '-';
		}
	}
	text[n] = '\0';
	return text;
}

/*
 * Merge maps with the rows "SIDE START-END NAME ...", whose addresses are in MiB.
 * Return: joined()
 */
static const char *join(size_t nr_sides, const char *text)
{
	unsigned int side, start, end;
	char name[16];
	int n;

	for (; sscanf(text, "%u %u-%u %15s%n", &side, &start, &end, name, &n) ==
	       4;
	     text += n)
		put_row(side, start, end, name);
	sheet.nr_sides = nr_sides;
	if (ptu_sheet_make(&sheet))
		abort();
	return joined();
}

UNIT_TEST(tables_at_one_place_are_one_item)
{
	put_table(0, 0, PUD, 0);
	put_table(0, 0, PMD, 0);
	put_table(0, 0, PTE, 0);
	put_table(0, 4, PTE, 0);
	put_table(1, 0, PMD, 0);
	put_table(1, 2, PTE, 0);
	put_table(2, 0, PUD, 0);
	put_table(2, 0, PTE, 0);
	put_table(2, 6, PTE, 0);
	CHECK(!ptu_sheet_make(&sheet));
	CHECK_STR(items(), "0/2:02 0/1:01 0/0:02 2/0:1 4/0:0 6/0:2");
	CHECK(sheet.items[0].of[0] == &tables[0][0]);
	CHECK(sheet.items[1].of[1] == &tables[1][0]);
	CHECK(sheet.items[5].of[2] == &tables[2][2]);
	CHECK_EQ(sheet.items[0].row, PTU_MAP_NOWHERE);
}

/* A huge page is in place of a PTE table; its level is that of the table above. */
UNIT_TEST(a_huge_page_is_at_the_place_of_a_pte_table)
{
	put_table(0, 2, PTE, 0);
	put_table(1, 0, PMD, 0);
	put_table(1, 2, PMD, LEAF);
	put_table(2, 2, PMD, LEAF);
	put_table(2, 4, PMD, LEAF);
	CHECK(!ptu_sheet_make(&sheet));
	CHECK_STR(items(), "0/1:1 2/0:012 4/0:2");
}

UNIT_TEST(a_map_whose_tables_are_all_merged_adds_nothing)
{
	put_table(0, 0, PTE, 0);
	put_table(1, 0, PMD, 0);
	CHECK(!ptu_sheet_make(&sheet));
	CHECK_STR(items(), "0/1:1 0/0:0");
}

UNIT_TEST(a_sheet_of_maps_without_tables_is_empty)
{
	CHECK(!ptu_sheet_make(&sheet));
	CHECK_EQ(sheet.nr_items, 0);
	CHECK_EQ(sheet.nr_rows, 0);
	ptu_sheet_deinit(&sheet);
	CHECK(!sheet.items);
	CHECK(!sheet.rows);
}

/* The rows of each map are in the order of their waste. */
UNIT_TEST(rows_are_in_the_order_of_the_last_map)
{
	CHECK_STR(join(2, "0 50-60 gone 0 10-20 a 0 30-40 b 0 0-2 first "
			  "1 30-40 b 1 70-80 new 1 10-20 a"),
		  "30,30 -,70 10,10 50,- 0,-");
	CHECK(ptu_sheet_row_first(&sheet.rows[0]) == &rows[0][2]);
	CHECK(ptu_sheet_row_first(&sheet.rows[1]) == &rows[1][1]);
}

UNIT_TEST(rows_of_one_name_are_joined_if_they_overlap)
{
	/* these overlap in part, are adjacent, begin below, and have another name */
	CHECK_STR(join(2, "0 10-20 a 0 30-40 b 0 50-60 c 0 70-80 d "
			  "1 19-25 a 1 40-45 b 1 48-51 c 1 70-80 e"),
		  "10,19 -,40 50,48 -,70 30,- 70,-");
}

/* The third "a" overlaps only the second one, which is joined with the first one. */
UNIT_TEST(rows_are_joined_over_three_maps)
{
	/* rows at the same address, with a row of another name between them */
	CHECK_STR(join(3, "0 10-20 a 1 15-30 a 2 25-40 a "
			  "0 50-60 x 1 50-60 y 2 50-60 x"),
		  "10,15,25 50,-,50 -,50,-");
}

/* The third map's row overlaps one of each other map, and these two are not joined. */
UNIT_TEST(a_row_is_joined_with_the_nearest_one)
{
	CHECK_STR(join(3, "0 0-100 a 1 0-10 a 1 50-100 a 2 60-100 a"),
		  "-,50,60 0,0,-");
}

UNIT_TEST(two_rows_of_one_map_stay_two)
{
	CHECK_STR(join(2, "0 10-40 a 1 10-20 a 1 30-40 a"), "10,10 -,30");
}

/* Other mappings took the place of its middle. */
UNIT_TEST(a_row_is_joined_over_any_number_of_other_rows)
{
	CHECK_STR(join(2, "0 10-80 a 1 20-30 b 1 30-40 c "
			  "1 40-50 d 1 50-60 e 1 60-80 a"),
		  "-,20 -,30 -,40 -,50 10,60");
}

static void put_mapping(size_t side, uint64_t mib)
{
	struct ptu_process *process = &maps[side].process;

	mappings[side][process->nr_mappings++].start = mib * MIB;
}

/* Rows are in the order of their waste, not of their addresses. */
UNIT_TEST(a_table_is_in_the_row_of_its_mapping)
{
	sheet.nr_sides = 1;
	put_row(0, 40, 50, "c");
	put_row(0, 10, 20, "a");
	put_row(0, 60, 70, "d");
	put_row(0, 20, 30, "b");
	/* the first and the last address of a row, and one in none */
	put_mapping(0, 10);
	put_mapping(0, 19);
	put_mapping(0, 20);
	put_mapping(0, 30);
	put_mapping(0, 49);
	put_mapping(0, 60);
	put_mapping(0, 9);
	put_table(0, 0, PMD, 0)->mapping = 0;
	put_table(0, 18, PTE, 0)->mapping = 1;
	put_table(0, 20, PTE, 0)->mapping = 2;
	put_table(0, 30, PTE, 0)->mapping = 3;
	put_table(0, 48, PTE, 0)->mapping = 4;
	put_table(0, 60, PTE, 0)->mapping = 5;
	put_table(0, 62, PTE, 0)->mapping = 6;
	put_table(0, 64, PTE, 0);
	CHECK(!ptu_sheet_make(&sheet));
	CHECK_STR(joined(), "40 10 60 20");
	CHECK_EQ(sheet.items[0].row, 1);
	CHECK_EQ(sheet.items[1].row, 1);
	CHECK_EQ(sheet.items[2].row, 3);
	CHECK_EQ(sheet.items[3].row, PTU_MAP_NOWHERE);
	CHECK_EQ(sheet.items[4].row, 0);
	CHECK_EQ(sheet.items[5].row, 2);
	CHECK_EQ(sheet.items[6].row, PTU_MAP_NOWHERE);
	CHECK_EQ(sheet.items[7].row, PTU_MAP_NOWHERE);
}

UNIT_TEST(the_first_map_with_a_mapping_decides)
{
	sheet.nr_sides = 2;
	put_row(0, 10, 20, "a");
	put_row(0, 30, 40, "b");
	put_row(1, 30, 40, "b");
	put_row(1, 10, 20, "a");
	put_mapping(0, 10);
	put_mapping(1, 30);
	/* tables of both maps, of the first one, of the second one, and without a mapping */
	put_table(0, 10, PTE, 0)->mapping = 0;
	put_table(0, 12, PTE, 0)->mapping = 0;
	put_table(0, 16, PTE, 0);
	put_table(1, 10, PTE, 0)->mapping = 0;
	put_table(1, 14, PTE, 0)->mapping = 0;
	put_table(1, 16, PTE, 0)->mapping = 0;
	CHECK(!ptu_sheet_make(&sheet));
	CHECK_STR(joined(), "30,30 10,10");
	CHECK_STR(items(), "10/0:01 12/0:0 14/0:1 16/0:01");
	CHECK_EQ(sheet.items[0].row, 1);
	CHECK_EQ(sheet.items[1].row, 1);
	CHECK_EQ(sheet.items[2].row, 0);
	CHECK_EQ(sheet.items[3].row, 0);
}

/* A huge page is no table, and a possible one may be the table of the other side. */
UNIT_TEST(tables_on_one_side_of_a_change_are_marked)
{
	static const struct {
		unsigned int before, after, mark;
	} cases[] = {
		{ 0, 0, 0 },
		{ 0, LEAF, PTU_MARK_WENT },
		{ LEAF, 0, PTU_MARK_CAME },
		{ LEAF, LEAF, 0 },
		{ PTU_MAP_POSSIBLE, 0, 0 },
		{ 0, PTU_MAP_POSSIBLE, 0 },
		{ PTU_MAP_POSSIBLE, LEAF, 0 },
		{ LEAF, PTU_MAP_POSSIBLE, 0 },
		{ PTU_MAP_SHARED, PTU_MAP_COUNTED, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		set_up();
		sheet.kind = PTU_SHEET_CHANGE;
		sheet.nr_sides = 2;
		put_table(0, 2, cases[i].before & LEAF ? PMD : PTE,
			  cases[i].before);
		put_table(1, 2, cases[i].after & LEAF ? PMD : PTE,
			  cases[i].after);
		CHECK(!ptu_sheet_make(&sheet));
		CHECK_EQ(sheet.nr_items, 1);
		CHECK_EQ(sheet.items[0].mark, cases[i].mark);
		CHECK_EQ(sheet.marked[PTU_MARK_CAME],
			 cases[i].mark == PTU_MARK_CAME);
		CHECK_EQ(sheet.marked[PTU_MARK_WENT],
			 cases[i].mark == PTU_MARK_WENT);
		ptu_sheet_deinit(&sheet);
	}
}

UNIT_TEST(each_table_of_a_change_is_looked_at)
{
	sheet.kind = PTU_SHEET_CHANGE;
	sheet.nr_sides = 2;
	put_table(0, 0, PTE, 0);
	put_table(0, 2, PTE, 0);
	put_table(0, 4, PTE, 0);
	put_table(1, 0, PTE, 0);
	put_table(1, 6, PTE, 0);
	CHECK(!ptu_sheet_make(&sheet));
	CHECK_EQ(sheet.nr_items, 4);
	CHECK_EQ(sheet.items[0].mark, 0);
	CHECK_EQ(sheet.items[1].mark, PTU_MARK_WENT);
	CHECK_EQ(sheet.items[2].mark, PTU_MARK_WENT);
	CHECK_EQ(sheet.items[3].mark, PTU_MARK_CAME);
	CHECK_EQ(sheet.marked[PTU_MARK_WENT], 2);
	CHECK_EQ(sheet.marked[PTU_MARK_CAME], 1);
}

UNIT_TEST(only_a_change_is_marked_by_itself)
{
	sheet.nr_sides = 2;
	put_table(0, 2, PTE, 0);
	put_row(0, 2, 4, "a");
	put_mapping(0, 2);
	tables[0][0].mapping = 0;
	CHECK(!ptu_sheet_make(&sheet));
	CHECK_EQ(sheet.items[0].mark, 0);
	ptu_sheet_deinit(&sheet);
	sheet.nr_items = sheet.nr_rows = 0;
	sheet.kind = PTU_SHEET_CHANGE;
	CHECK(!ptu_sheet_make(&sheet));
	CHECK_EQ(sheet.items[0].mark, PTU_MARK_WENT);
	CHECK_EQ(sheet.rows[0].marked[PTU_MARK_WENT], 1);
	CHECK_EQ(sheet.rows[0].marked[PTU_MARK_CAME], 0);
}

/* Eight tables, so that each half is searched. */
UNIT_TEST(a_mark_finds_its_table)
{
	sheet.nr_sides = 1;
	put_row(0, 0, 20, "a");
	put_mapping(0, 0);
	put_table(0, 0, PUD, 0);
	put_table(0, 0, PMD, 0);
	for (unsigned int i = 0; i < 5; i++)
		put_table(0, 2 * i, PTE, 0)->mapping = 0;
	put_table(0, 10, PMD, LEAF);
	CHECK(!ptu_sheet_make(&sheet));
	CHECK_EQ(sheet.nr_items, 8);
	for (unsigned int i = 0; i < 5; i++)
		ptu_sheet_mark(&sheet, 2 * i * MIB, PTE, false, 1 + i);
	ptu_sheet_mark(&sheet, 10 * MIB, PMD, true, 6);
	ptu_sheet_mark(&sheet, 0, PMD, false, 7);
	ptu_sheet_mark(&sheet, 0, PUD, false, 8);
	CHECK_EQ(sheet.items[0].mark, 8);
	CHECK_EQ(sheet.items[1].mark, 7);
	for (unsigned int i = 2; i < 8; i++)
		CHECK_EQ(sheet.items[i].mark, i - 1);
	/* only those of a mapping */
	CHECK_EQ(sheet.rows[0].marked[5], 1);
	CHECK_EQ(sheet.rows[0].marked[6], 0);
	CHECK_EQ(sheet.marked[6], 1);
}

UNIT_TEST(a_mark_without_an_item_is_only_counted)
{
	sheet.nr_sides = 1;
	put_table(0, 4, PTE, 0);
	CHECK(!ptu_sheet_make(&sheet));
	/* no table is at the first two addresses, and none of this level at the third one */
	ptu_sheet_mark(&sheet, 2 * MIB, PTE, false, PTU_WHY_EMPTY);
	ptu_sheet_mark(&sheet, 6 * MIB, PTE, false, PTU_WHY_EMPTY);
	ptu_sheet_mark(&sheet, 4 * MIB, PMD, false, PTU_WHY_EMPTY);
	CHECK_EQ(sheet.marked[PTU_WHY_EMPTY], 3);
	CHECK_EQ(sheet.items[0].mark, 0);
	/* a leaf is at the place of a PTE table */
	ptu_sheet_mark(&sheet, 4 * MIB, PMD, true, PTU_WHY_EMPTY);
	CHECK_EQ(sheet.marked[PTU_WHY_EMPTY], 4);
	CHECK_EQ(sheet.items[0].mark, PTU_WHY_EMPTY);
}

UNIT_TEST(an_item_keeps_its_most_severe_mark)
{
	sheet.nr_sides = 1;
	put_table(0, 4, PTE, 0);
	CHECK(!ptu_sheet_make(&sheet));
	ptu_sheet_mark(&sheet, 4 * MIB, PTE, false, PTU_WHY_LDT);
	ptu_sheet_mark(&sheet, 4 * MIB, PTE, false, PTU_WHY_EMPTY);
	CHECK_EQ(sheet.items[0].mark, PTU_WHY_LDT);
	ptu_sheet_mark(&sheet, 4 * MIB, PTE, false, PTU_WHY_UNEXPLAINED);
	CHECK_EQ(sheet.items[0].mark, PTU_WHY_UNEXPLAINED);
}

UNIT_TEST(an_upper_table_is_drawn_if_it_is_marked)
{
	CHECK(ptu_sheet_is_drawn(&(struct ptu_sheet_item){ .level = PTE }));
	CHECK(!ptu_sheet_is_drawn(&(struct ptu_sheet_item){ .level = PMD }));
	CHECK(ptu_sheet_is_drawn(
		&(struct ptu_sheet_item){ .level = PMD, .mark = 1 }));
}

UNIT_TEST(marks_have_names_and_sentences)
{
	CHECK_STR(ptu_mark_name(PTU_MARK_CAME), "came");
	CHECK_STR(ptu_mark_name(PTU_MARK_WENT), "went");
	CHECK_STR(ptu_mark_name(PTU_WHY_EMPTY), "empty");
	CHECK(strstr(ptu_mark_sentence(PTU_MARK_CAME), "second side"));
	CHECK(strstr(ptu_mark_sentence(PTU_MARK_WENT), "first side"));
	CHECK_STR(ptu_mark_sentence(PTU_WHY_EMPTY),
		  "a PTE table without any entry");
}

UNIT_MAIN_WITH(set_up, tear_down)
