// SPDX-License-Identifier: GPL-2.0-only
/* Tables of both sides on a map, and the map as a strip of cells. */
#include "compare/map.h"

#include <stdlib.h>

#include "compare/map_check.h"
#include "compare/table_fill.h"
#include "report/map_sheet.h"
#include "report/map_strip.h"
#include "support/build.h"
#include "support/levels.h"
#include "support/unit.h"

static void draw(struct build *b, struct ptu_map_report *ret)
{
	struct ptu_snapshot snapshot = build_snapshot(b);
	struct ptu_tables tables;

	memset(ret, 0, sizeof(*ret));
	ret->geo = b->geo;
	if (ptu_fill_of_kernel(&snapshot, &b->geo, &tables) ||
	    ptu_map_draw(&tables, &snapshot, &b->vmas, true, ret))
		UNIT_FAIL("no memory");
	ptu_tables_deinit(&tables);
	ptu_snapshot_deinit(&snapshot);
}

/* Two PTE tables with 512 and 3 entries, an empty one, and two huge pages. */
static void some(struct build *b)
{
	build_init(b, 4, false);
	build_map(b, GIB, GIB + 16 * MIB, 0);
	build_pte(b, GIB, 512);
	build_pte(b, GIB + 2 * MIB, 3);
	build_pte(b, GIB + 6 * MIB, 0);
	build_entries(b, PMD, GIB + 8 * MIB, 2, PTAUDIT_K_LEAF, 0);
}

UNIT_TEST(each_level_has_its_used_entries)
{
	struct ptu_map_report map;
	struct build b;

	some(&b);
	draw(&b, &map);
	CHECK_EQ(map.fills[PTE].tables, 3);
	CHECK_EQ(map.fills[PTE].entries, 515);
	CHECK_EQ(map.fills[PTE].in_class[PTU_FILL_EMPTY], 1);
	/* three tables and two huge pages */
	CHECK_EQ(map.fills[PMD].entries, 5);
	CHECK_EQ(map.leaves[PMD], 2);
	CHECK_EQ(map.fills[PUD].entries, 1);
	CHECK_EQ(map.fills[PGD].entries, 1);
	CHECK_EQ(map.fills[PGD].room, 512);
	CHECK_EQ(ptu_map_total_bytes(&map), 6 * 4096);
	CHECK_EQ(ptu_map_waste_bytes(&map, &map.process.fill),
		 (3 * 512 - 515) * 8);
	CHECK_EQ(map.nr_rows, 1);
	CHECK_EQ(map.rows[0].leaves, 2);
	ptu_map_report_deinit(&map);
	build_deinit(&b);
}

/* Two huge pages, of the kernel and of an estimate. */
UNIT_TEST(rows_of_both_sides_have_deposits)
{
	struct ptu_tables claims = { 0 };
	struct ptu_map_report map;
	struct build b;

	some(&b);
	build_table(&b, PMD, GIB)->deposited = 2;
	draw(&b, &map);
	CHECK(map.rows[0].has_deposited);
	CHECK_EQ(map.rows[0].deposited_tables, 2);
	ptu_map_report_deinit(&map);
	memset(&map, 0, sizeof(map));
	map.geo = b.geo;
	build_claim(&claims, &b.geo, PMD, GIB + 8 * MIB, PTU_LEAF);
	build_claim(&claims, &b.geo, PMD, GIB + 10 * MIB, PTU_LEAF);
	claims.geo = &b.geo;
	CHECK_EQ(ptu_map_draw(&claims, NULL, &b.vmas, true, &map), 0);
	CHECK(map.rows[0].has_deposited);
	CHECK_EQ(map.rows[0].deposited_tables, 2);
	ptu_tables_deinit(&claims);
	ptu_map_report_deinit(&map);
	build_deinit(&b);
}

/* The strip of one map. */
static int strip(const struct ptu_map_report *map, size_t most,
		 struct ptu_map_cell **cells, size_t *nr, uint64_t *unit)
{
	struct ptu_map_sheet sheet = { .maps = { map }, .nr_sides = 1 };
	int error = ptu_sheet_make(&sheet);

	if (!error)
		error = ptu_map_strip(&sheet, most, cells, nr, unit);
	ptu_sheet_deinit(&sheet);
	return error;
}

UNIT_TEST(a_shared_table_marks_what_lies_in_it)
{
	struct ptaudit_table *shared;
	struct ptu_map_report map;
	struct build b;
	size_t i, nr_shared = 0;

	some(&b);
	build_map(&b, 5 * GIB, 6 * GIB, PTU_VM_HUGETLB);
	shared = build_entries(&b, PMD, 5 * GIB, 3, PTAUDIT_K_LEAF, 0);
	shared->flags = PTAUDIT_T_HUGETLB;
	shared->sharers = 1;
	/* the table behind it is not shared */
	build_map(&b, 6 * GIB, 6 * GIB + 2 * MIB, 0);
	build_pte(&b, 6 * GIB, 1);
	draw(&b, &map);
	for (i = 0; i < map.nr_tables; i++) {
		if (!(map.tables[i].flags & PTU_MAP_SHARED))
			continue;
		nr_shared++;
		CHECK(map.tables[i].start >= 5 * GIB);
		CHECK(map.tables[i].start < 6 * GIB);
		CHECK_EQ(map.tables[i].level, PMD);
	}
	/* the table, and its three huge pages */
	CHECK_EQ(nr_shared, 4);
	ptu_map_report_deinit(&map);
	build_deinit(&b);
}

/*
 * Like some(), without the table of 3 entries, but with another one in a mapping of its
 * own.
 */
static void others(struct build *b)
{
	build_init(b, 4, false);
	build_map(b, GIB, GIB + 16 * MIB, 0);
	build_map(b, 9 * GIB, 9 * GIB + 2 * MIB, 0);
	build_pte(b, GIB, 512);
	build_pte(b, GIB + 6 * MIB, 1);
	build_entries(b, PMD, GIB + 8 * MIB, 2, PTAUDIT_K_LEAF, 0);
	build_pte(b, 9 * GIB, 7);
}

static void draw_two(struct ptu_map_report *maps, enum ptu_sheet_kind kind,
		     struct ptu_map_sheet *ret)
{
	struct build b;

	some(&b);
	draw(&b, &maps[0]);
	build_deinit(&b);
	others(&b);
	draw(&b, &maps[1]);
	build_deinit(&b);
	*ret = (struct ptu_map_sheet){ .kind = kind,
				       .maps = { &maps[0], &maps[1] },
				       .names = { "a", "b" },
				       .nr_sides = 2 };
	CHECK(!ptu_sheet_make(ret));
}

static void forget_two(struct ptu_map_report *maps, struct ptu_map_sheet *sheet)
{
	ptu_sheet_deinit(sheet);
	ptu_map_report_deinit(&maps[0]);
	ptu_map_report_deinit(&maps[1]);
}

UNIT_TEST(a_sheet_marks_what_came_and_went)
{
	struct ptu_map_report maps[2];
	struct ptu_map_sheet sheet;
	size_t i, nr_drawn = 0;

	draw_two(maps, PTU_SHEET_CHANGE, &sheet);
	/* the PTE table and its PMD table; the PUD table at 9 GiB is the same */
	CHECK_EQ(sheet.marked[PTU_MARK_CAME], 2);
	CHECK_EQ(sheet.marked[PTU_MARK_WENT], 1);
	for (i = 0; i < sheet.nr_items; i++) {
		const struct ptu_sheet_item *item = &sheet.items[i];

		nr_drawn += ptu_sheet_is_drawn(item);
		if (item->start == GIB + 2 * MIB && item->level == PTE) {
			CHECK_EQ(item->mark, PTU_MARK_WENT);
			CHECK(item->of[0] && !item->of[1]);
		}
	}
	/* 4 PTE tables, 2 huge pages, and the new PMD table */
	CHECK_EQ(nr_drawn, 7);
	CHECK_EQ(sheet.nr_rows, 2);
	for (i = 0; i < sheet.nr_rows; i++) {
		const struct ptu_sheet_row *row = &sheet.rows[i];
		const bool is_new = row->of[1]->start == 9 * GIB;

		CHECK_EQ(row->of[0] == NULL, is_new);
		CHECK_EQ(row->marked[PTU_MARK_CAME], is_new ? 2 : 0);
		CHECK_EQ(row->marked[PTU_MARK_WENT], is_new ? 0 : 1);
	}
	forget_two(maps, &sheet);
}

UNIT_TEST(a_sheet_marks_the_causes_of_a_check)
{
	struct ptu_diff diffs[] = {
		{ .start = GIB + 2 * MIB,
		  .level = PTE,
		  .kernel = true,
		  .why = PTU_WHY_EMPTY },
		/* an explained leaf is in no row of causes */
		{ .start = GIB + 8 * MIB,
		  .level = PMD,
		  .leaf = true,
		  .kernel = true,
		  .why = PTU_WHY_HUGE_LEAF },
		{ .start = GIB + 10 * MIB,
		  .level = PMD,
		  .leaf = true,
		  .kernel = true,
		  .why = PTU_WHY_UNEXPLAINED },
		{ .start = 9 * GIB,
		  .level = PTE,
		  .claim = PTU_CERTAIN,
		  .why = PTU_WHY_UNEXPLAINED },
		{ .start = 9 * GIB + 2 * MIB,
		  .level = PTE,
		  .claim = PTU_POSSIBLE,
		  .why = PTU_WHY_UNDECIDED },
	};
	const struct ptu_diffs all = { .diffs = diffs, .nr_diffs = 5 };
	struct ptu_unexplained by_bpf = { .level = PTE,
					  .start = GIB,
					  .side = PTU_SIDE_KERNEL_BPF,
					  .why = PTU_WHY_UNEXPLAINED };
	const struct ptu_process process = { .unexplained = &by_bpf,
					     .nr_unexplained = 1 };
	struct ptu_map_report maps[2];
	struct ptu_map_sheet sheet;
	size_t i, nr_open = 0;

	draw_two(maps, PTU_SHEET_CHECK, &sheet);
	CHECK_EQ(sheet.marked[PTU_MARK_CAME] + sheet.marked[PTU_MARK_WENT], 0);
	ptu_map_mark_check(&all, &process, &sheet);
	CHECK_EQ(sheet.marked[PTU_WHY_EMPTY], 1);
	CHECK_EQ(sheet.marked[PTU_WHY_HUGE_LEAF], 0);
	CHECK_EQ(sheet.marked[PTU_WHY_UNEXPLAINED], 3);
	CHECK_EQ(sheet.marked[PTU_WHY_UNDECIDED], 1);
	for (i = 0; i < sheet.nr_items; i++) {
		const struct ptu_sheet_item *item = &sheet.items[i];

		if (item->mark != PTU_WHY_UNEXPLAINED)
			continue;
		nr_open++;
		CHECK(item->start == GIB || item->start == GIB + 10 * MIB ||
		      item->start == 9 * GIB);
		CHECK_EQ(item->level, PTE);
	}
	CHECK_EQ(nr_open, 3);
	forget_two(maps, &sheet);
}

UNIT_TEST(an_estimate_counts_upper_entries_by_what_it_claims)
{
	struct ptu_map_report map = { 0 };
	struct ptu_tables set = { 0 };
	struct ptu_vmas vmas = { 0 };
	struct build b;

	some(&b);
	map.geo = b.geo;
	build_claim(&set, &b.geo, PTE, GIB, PTU_CERTAIN);
	build_claim(&set, &b.geo, PTE, GIB + 2 * MIB, PTU_POSSIBLE);
	build_claim(&set, &b.geo, PMD, GIB + 4 * MIB, PTU_LEAF);
	build_claim(&set, &b.geo, PTE, GIB + 6 * MIB, PTU_MAYBE);
	set.geo = &b.geo;
	CHECK(!ptu_map_draw(&set, NULL, &vmas, false, &map));
	CHECK_EQ(map.fills[PTE].tables, 1);
	CHECK_EQ(map.fills[PTE].counted, 0);
	CHECK_EQ(map.possible[PTE], 2);
	/* an entry that may be a table or nothing is not counted */
	CHECK_EQ(map.fills[PMD].entries, 3);
	CHECK_EQ(map.leaves[PMD], 1);
	CHECK_STR(ptu_map_name(&map, &map.tables[map.nr_tables - 1]),
		  "(no mapping)");
	ptu_map_report_deinit(&map);
	ptu_tables_deinit(&set);
	build_deinit(&b);
}

UNIT_TEST(a_cell_for_each_table_where_there_is_room)
{
	struct ptu_map_cell *cells;
	struct ptu_map_report map;
	struct build b;
	uint64_t unit;
	size_t nr;

	some(&b);
	draw(&b, &map);
	/* 1G, 1G+2M, gap, 1G+6M, 1G+8M, 1G+10M */
	CHECK(!strip(&map, 6, &cells, &nr, &unit));
	CHECK_EQ(unit, 2 * MIB);
	CHECK_EQ(nr, 5);
	CHECK_EQ(cells[0].of[0].fill.entries, 512);
	CHECK_EQ(cells[1].of[0].fill.entries, 3);
	CHECK(!cells[1].gap);
	CHECK(cells[2].gap);
	CHECK_EQ(cells[2].start, GIB + 6 * MIB);
	CHECK_EQ(cells[2].of[0].fill.entries, 0);
	CHECK_EQ(cells[2].of[0].fill.counted, 1);
	CHECK_EQ(cells[3].of[0].leaves, 1);
	CHECK_EQ(cells[4].of[0].fill.tables, 0);
	free(cells);
	/* one cell fewer: three units of 4 MiB */
	CHECK(!strip(&map, 5, &cells, &nr, &unit));
	CHECK_EQ(unit, 4 * MIB);
	CHECK_EQ(nr, 3);
	CHECK_EQ(cells[0].of[0].fill.entries, 515);
	CHECK_EQ(cells[2].of[0].leaves, 2);
	CHECK(!cells[1].gap);
	free(cells);
	ptu_map_report_deinit(&map);
	build_deinit(&b);
}

UNIT_TEST(a_huge_page_of_1_gib_fills_all_cells_that_it_maps)
{
	struct ptu_map_cell *cells;
	struct ptu_map_report map;
	struct build b;
	uint64_t unit;
	size_t nr;

	build_init(&b, 4, false);
	build_map(&b, 4 * GIB, 8 * GIB, 0);
	build_entries(&b, PUD, 4 * GIB, 1, PTAUDIT_K_LEAF, 0);
	build_pte(&b, 5 * GIB, 1);
	draw(&b, &map);
	CHECK(!strip(&map, 1000, &cells, &nr, &unit));
	CHECK_EQ(unit, 2 * MIB);
	CHECK_EQ(nr, 512 + 1);
	CHECK_EQ(cells[511].of[0].leaves, 1);
	CHECK_EQ(cells[512].of[0].fill.entries, 1);
	CHECK(!cells[512].gap);
	free(cells);
	CHECK(!strip(&map, 2, &cells, &nr, &unit));
	CHECK_EQ(unit, GIB);
	CHECK_EQ(nr, 2);
	free(cells);
	ptu_map_report_deinit(&map);
	build_deinit(&b);
}

UNIT_MAIN
