// SPDX-License-Identifier: GPL-2.0-only
/* Each table of an estimate is counted with one mapping: the first one that it maps. */
#include "compare/mappings.h"

#include <stdlib.h>
#include <string.h>

#include "support/build.h"
#include "support/levels.h"
#include "support/unit.h"

#define MAX_VMAS 8

/* The mappings and claims of one test, and the resulting rows. */
static const struct ptu_geometry *geo;
static struct ptu_vma vma[MAX_VMAS];
static struct ptu_vmas vmas;
static struct ptu_tables claims;
static struct ptu_mapping_row *rows;
static size_t nr_rows;

static char names[] = "\0/lib/a\0[heap]";

static void set_up(void)
{
	geo = &four_levels;
	vmas = (struct ptu_vmas){ .vmas = vma,
				  .names = names,
				  .names_bytes = sizeof(names) };
}

static void map(uint64_t start, uint64_t end)
{
	vma[vmas.nr_vmas++] = (struct ptu_vma){ .start = start,
						.end = end,
						.perms = "rw-p" };
}

/* Make a claim and the claims of the tables above it, as estimators do. */
static void claim(unsigned int level, uint64_t addr, enum ptu_claim kind)
{
	build_claim(&claims, geo, level, addr, kind);
}

static void tally(void)
{
	int error = ptu_tally_mappings(&claims, &vmas, geo, &rows, &nr_rows);

	if (error)
		UNIT_FAIL("the tally failed: %d", error);
}

static void tear_down(void)
{
	free(rows);
	rows = NULL;
	ptu_tables_deinit(&claims);
}

/* Numbers of certain tables, without the PGD, and of leaves. */
struct expected {
	unsigned int pte, pmd, pud, leaves;
};

/* Make the rows, which must be these. */
static void check_rows(const struct expected *expected, size_t nr)
{
	tally();
	if (nr_rows != nr)
		UNIT_FAIL("there are %zu rows, not %zu", nr_rows, nr);
	for (size_t i = 0; i < nr_rows && i < nr; i++) {
		const struct ptu_mapping_row *r = &rows[i];
		const struct expected *e = &expected[i];

		if (r->low[PTE] != e->pte || r->low[PMD] != e->pmd ||
		    r->low[PUD] != e->pud || r->leaves != e->leaves)
			UNIT_FAIL("row %zu has %u PTE, %u PMD, %u PUD tables, %u leaves, not %u, %u, %u, %u",
				  i, (unsigned int)r->low[PTE],
				  (unsigned int)r->low[PMD],
				  (unsigned int)r->low[PUD],
				  (unsigned int)r->leaves, e->pte, e->pmd,
				  e->pud, e->leaves);
	}
}

#define CHECK_ROWS(...)                                              \
	do {                                                         \
		const struct expected rows_[] = { __VA_ARGS__ };     \
                                                                     \
		check_rows(rows_, sizeof(rows_) / sizeof(rows_[0])); \
		if (unit_failed)                                     \
			return;                                      \
	} while (0)

UNIT_TEST(a_mapping_has_the_tables_in_whose_reach_it_lies)
{
	map(0x400000, 0xa00000);
	claim(PTE, 0x400000, PTU_CERTAIN);
	claim(PTE, 0x800000, PTU_CERTAIN);
	CHECK_ROWS({ 2, 1, 1, 0 });
	CHECK_EQ(rows[0].start, 0x400000);
	CHECK_EQ(rows[0].end, 0xa00000);
	CHECK_STR(rows[0].perms, "rw-p");
	/* the PGD is in no row */
	CHECK_EQ(rows[0].low[PTAUDIT_PGD], 0);
	CHECK_EQ(rows[0].high[PTAUDIT_PGD], 0);
}

UNIT_TEST(a_table_of_two_mappings_is_counted_with_the_first)
{
	/* both start in the slot at 0x400000; the second continues in 0x600000 */
	map(0x401000, 0x402000);
	map(0x5ff000, 0x601000);
	claim(PTE, 0x5ff000, PTU_CERTAIN);
	claim(PTE, 0x600000, PTU_CERTAIN);
	CHECK_ROWS({ 1, 1, 1, 0 }, { 1, 0, 0, 0 });
}

UNIT_TEST(upper_tables_have_the_first_mapping_of_their_own_reach)
{
	/*
	 * The last page below 1 GiB, the first above it, and one above 512 GiB: 2 PMD tables
	 * in one PUD table, then a new table of each level.
	 */
	map(0x1000, 0x2000);
	map(0x3ffff000, 0x40000000);
	map(0x40000000, 0x40001000);
	map(0x8000001000, 0x8000002000);
	claim(PTE, 0x3ffff000, PTU_CERTAIN);
	claim(PTE, 0x40000000, PTU_CERTAIN);
	claim(PTE, 0x8000001000, PTU_CERTAIN);
	/*
	 * the upper tables count with the first mapping, although no page of it is populated
	 */
	CHECK_ROWS({ 0, 1, 1, 0 }, { 1, 0, 0, 0 }, { 1, 1, 0, 0 },
		   { 1, 1, 1, 0 });
}

UNIT_TEST(a_mapping_that_ends_where_a_table_begins_has_no_part_in_it)
{
	map(0x1ff000, 0x200000);
	map(0x3ff000, 0x400000);
	map(0x400000, 0x401000);
	claim(PTE, 0x3ff000, PTU_CERTAIN);
	claim(PTE, 0x400000, PTU_CERTAIN);
	CHECK_ROWS({ 0, 1, 1, 0 }, { 1, 0, 0, 0 }, { 1, 0, 0, 0 });
}

UNIT_TEST(possible_tables_count_only_in_high)
{
	map(0x40000000, 0x40800000);
	map(0x80000000, 0x80200000);
	claim(PTE, 0x40000000, PTU_CERTAIN);
	claim(PTE, 0x40200000, PTU_POSSIBLE);
	claim(PTE, 0x40400000, PTU_POSSIBLE);
	/* PTU_MAYBE: a table or nothing; the tables above are not certain either */
	claim(PTE, 0x80000000, PTU_MAYBE);
	CHECK_ROWS({ 1, 1, 1, 0 }, { 0, 0, 0, 0 });
	CHECK_EQ(rows[0].high[PTE], 3);
	CHECK_EQ(rows[0].high[PMD], 1);
	CHECK_EQ(rows[0].high[PUD], 1);
	CHECK_EQ(rows[1].high[PTE], 1);
	CHECK_EQ(rows[1].high[PMD], 1);
	CHECK_EQ(rows[1].high[PUD], 0);
	CHECK(ptu_mapping_has_any(&rows[1]));
}

UNIT_TEST(leaves_are_counted_with_the_mapping_that_they_map)
{
	map(0x200000, 0x600000);
	map(0x40000000, 0xc0000000);
	map(0xc0000000, 0x100000000);
	claim(PMD, 0x200000, PTU_LEAF);
	claim(PMD, 0x400000, PTU_LEAF);
	claim(PUD, 0x40000000, PTU_LEAF);
	claim(PUD, 0x80000000, PTU_LEAF);
	claim(PUD, 0xc0000000, PTU_LEAF);
	CHECK_ROWS({ 0, 1, 1, 2 }, { 0, 0, 0, 2 }, { 0, 0, 0, 1 });
	CHECK(ptu_mapping_has_any(&rows[1]));
	CHECK_EQ(rows[0].high[PMD], 1);
	CHECK_EQ(rows[0].high[PUD], 1);
	CHECK_EQ(rows[1].high[PUD], 0);
}

UNIT_TEST(a_leaf_reaches_no_farther_than_it_maps)
{
	/*
	 * leaves at 2 MiB and at 1 GiB, each in a mapping directly after the previous one
	 */
	map(0x400000, 0x401000);
	map(0x7ffff000, 0x80000000);
	map(0x100000000, 0x100001000);
	claim(PMD, 0x200000, PTU_LEAF);
	claim(PUD, 0x40000000, PTU_LEAF);
	claim(PUD, 0xc0000000, PTU_LEAF);
	CHECK_ROWS({ 0, 1, 1, 0 }, { 0, 0, 0, 1 }, { 0, 0, 0, 0 },
		   { 0, 0, 0, 2 });
	CHECK_EQ(rows[3].start, 0x200000);
	CHECK_EQ(rows[3].end, 0x100000000);
}

UNIT_TEST(five_levels_have_p4d_tables)
{
	/* the second P4D table starts at 2^48 */
	geo = &five_levels;
	map(0xfffffffff000, 0x1000000000000);
	map(0x1000000000000, 0x1000000001000);
	claim(PTE, 0xfffffffff000, PTU_CERTAIN);
	claim(PTE, 0x1000000000000, PTU_CERTAIN);
	CHECK_ROWS({ 1, 1, 1, 0 }, { 1, 1, 1, 0 });
	CHECK_EQ(rows[0].low[P4D], 1);
	CHECK_EQ(rows[1].low[P4D], 1);
}

UNIT_TEST(a_mapping_without_tables_has_a_row_all_the_same)
{
	map(0x400000, 0x401000);
	map(0x402000, 0x403000);
	map(0xffffffffff600000, 0xffffffffff601000);
	claim(PTE, 0x402000, PTU_CERTAIN);
	CHECK_ROWS({ 1, 1, 1, 0 }, { 0, 0, 0, 0 }, { 0, 0, 0, 0 });
	CHECK(!ptu_mapping_has_any(&rows[1]));
	CHECK(!ptu_mapping_has_any(&rows[2]));
}

UNIT_TEST(tables_where_no_mapping_is_have_a_row_of_their_own)
{
	/* PTE tables at 6 and 10 MiB; the row of the second one ends at the next mapping */
	map(0x400000, 0x401000);
	map(0xc00000, 0xc01000);
	claim(PTE, 0x400000, PTU_CERTAIN);
	claim(PTE, 0x600000, PTU_CERTAIN);
	claim(PTE, 0xa00000, PTU_POSSIBLE);
	CHECK_ROWS({ 1, 1, 1, 0 }, { 0, 0, 0, 0 }, { 1, 0, 0, 0 });
	CHECK_EQ(rows[2].high[PTE], 2);
	CHECK_EQ(rows[2].start, 0x600000);
	CHECK_EQ(rows[2].end, 0xc00000);
	CHECK_STR(rows[2].perms, "");
	CHECK_STR(rows[2].path, "");
}

UNIT_TEST(tables_between_mappings_belong_to_no_mapping)
{
	/* a smaller table inside must not shorten the row */
	map(0x400000, 0x401000);
	map(0x8000000000, 0x8000001000);
	claim(PTE, 0x400000, PTU_CERTAIN);
	claim(PTE, 0x40000000, PTU_CERTAIN);
	claim(PTE, 0x8000000000, PTU_CERTAIN);
	CHECK_ROWS({ 1, 1, 1, 0 }, { 1, 1, 1, 0 }, { 1, 1, 0, 0 });
	CHECK_EQ(rows[2].start, 0x40000000);
	CHECK_EQ(rows[2].end, 0x80000000);
}

UNIT_TEST(rows_outlive_the_mappings_that_they_name)
{
	static const char text[] = "\0/lib/a\0[heap]";

	map(0x400000, 0x401000);
	map(0x600000, 0x601000);
	map(0x800000, 0x801000);
	vma[0].path = 1;
	vma[2].path = 8;
	claim(PTE, 0x400000, PTU_CERTAIN);
	tally();
	memset(names, 'x', sizeof(names) - 1);
	CHECK_STR(rows[0].path, "/lib/a");
	CHECK_STR(rows[1].path, "");
	CHECK_STR(rows[2].path, "[heap]");
	memcpy(names, text, sizeof(names));
}

UNIT_TEST(without_mappings_all_tables_are_in_one_row)
{
	vmas.names = NULL;
	vmas.names_bytes = 0;
	tally();
	CHECK_EQ(nr_rows, 0);
	free(rows);
	claim(PTE, 0x400000, PTU_CERTAIN);
	CHECK_ROWS({ 1, 1, 1, 0 });
	/* the PUD table has the largest reach */
	CHECK_EQ(rows[0].start, 0);
	CHECK_EQ(rows[0].end, 0x8000000000);
}

UNIT_TEST(a_mapping_knows_how_full_its_tables_are)
{
	map(0x400000, 0xa00000);
	/* its first page is in the table of the previous mapping */
	map(0xa00000 - 0x1000, 0xe00000);
	vma[0].end = 0xa00000 - 0x1000;
	claim(PTE, 0x400000, PTU_CERTAIN);
	ptu_tables_count_entries(&claims, 0);
	claim(PTE, 0x800000, PTU_CERTAIN);
	ptu_tables_count_entries(&claims, 512);
	claim(PTE, 0xc00000, PTU_CERTAIN);
	ptu_tables_count_entries(&claims, 9);
	tally();
	CHECK_EQ(rows[0].fill.tables, 2);
	CHECK_EQ(rows[0].fill.entries, 512);
	CHECK_EQ(rows[0].fill.in_class[PTU_FILL_EMPTY], 1);
	CHECK_EQ(rows[0].fill.in_class[PTU_FILL_ALL], 1);
	CHECK_EQ(rows[1].fill.tables, 1);
	CHECK_EQ(rows[1].fill.entries, 9);
	CHECK_EQ(rows[1].fill.in_class[PTU_FILL_64], 1);
}

/* Check the deposits of a row; @sure: it is known that they are all. */
static void deposits(size_t row, unsigned int deposited, bool sure)
{
	if (rows[row].deposited != deposited ||
	    rows[row].deposited_unsure == sure)
		UNIT_FAIL("row %zu has %u deposits (sure: %d), not %u (%d)",
			  row, (unsigned int)rows[row].deposited,
			  !rows[row].deposited_unsure, deposited, sure);
}

/* smaps shows one copy in the file, and does not show huge zero pages. */
UNIT_TEST(estimated_deposits_belong_to_the_mapping_of_the_leaf)
{
	map(0x400000, 0xa00000);
	map(0xa00000, 0xe00000);
	map(0xe00000, 0x1200000);
	vma[1].inode = 7;
	vma[1].anon_huge_bytes = 2 * MIB;
	claim(PMD, 0x400000, PTU_LEAF);
	claim(PMD, 0x600000, PTU_LEAF);
	claim(PMD, 0xa00000, PTU_LEAF);
	claim(PMD, 0xc00000, PTU_LEAF);
	claim(PMD, 0x1000000, PTU_LEAF);
	tally();
	CHECK_EQ(ptu_mappings_estimate_deposited(&vmas, geo, rows), 2 + 1 + 1);
	deposits(0, 2, true);
	deposits(1, 1, true);
	deposits(2, 1, true);
	/* the estimator did not see which pages are huge */
	vma[0].anon_huge_bytes = 6 * MIB;
	CHECK_EQ(ptu_mappings_estimate_deposited(&vmas, geo, rows), 3 + 1 + 1);
}

/* Add up a walk in which the PMD table at @addr has @deposited tables. */
static void share(struct build *b, uint64_t addr, unsigned int deposited)
{
	struct ptu_snapshot kernel;

	build_table(b, PMD, addr)->deposited = (uint16_t)deposited;
	kernel = build_snapshot(b);
	free(rows);
	tally();
	CHECK_EQ(ptu_mappings_deposited(&kernel, &vmas, geo, rows), 0);
	ptu_snapshot_deinit(&kernel);
}

/*
 * Below one PMD table: three anonymous huge pages, one of which migrates, two of a file, and
 * tables; the entries of two mappings are adjacent.  Below the next one: another two of the file.
 */
UNIT_TEST(deposits_of_a_pmd_table_are_shared_out)
{
	struct build b;

	build_init(&b, 4, false);
	map(GIB, GIB + 4 * MIB);
	map(GIB + 4 * MIB, GIB + 8 * MIB);
	map(GIB + 1022 * MIB, 2 * GIB);
	map(2 * GIB, 2 * GIB + 4 * MIB);
	/* System V shared memory with the ID 0 has the inode 0 */
	vma[1].device = vma[3].device = 7;
	build_entries(&b, PMD, GIB, 4, PTAUDIT_K_LEAF, 0);
	build_pte(&b, GIB + 8 * MIB, 1);
	build_entries(&b, PMD, GIB + 10 * MIB, 1, PTAUDIT_K_UNWALKED, 0);
	build_entries(&b, PMD, GIB + 1022 * MIB, 1, PTAUDIT_K_MIGRATION, 0);
	build_entries(&b, PMD, 2 * GIB, 2, PTAUDIT_K_LEAF, 0);
	/* pages of a file need none */
	share(&b, GIB, 3);
	deposits(0, 2, true);
	deposits(1, 0, true);
	deposits(2, 1, true);
	deposits(3, 0, true);
	/* all of its pages are copies */
	share(&b, GIB, 5);
	deposits(0, 2, true);
	deposits(1, 2, true);
	deposits(2, 1, true);
	deposits(3, 0, true);
	/* one of two is: several files may share a PMD table */
	share(&b, GIB, 4);
	CHECK(!rows[0].deposited_unsure);
	CHECK(rows[1].deposited_unsure);
	CHECK(!rows[2].deposited_unsure);
	deposits(3, 0, true);
	/* too few or too many: the mappings have changed meanwhile */
	share(&b, GIB, 2);
	CHECK(rows[0].deposited_unsure && rows[1].deposited_unsure);
	CHECK(rows[2].deposited_unsure);
	share(&b, GIB, 6);
	CHECK(rows[0].deposited_unsure && rows[1].deposited_unsure);
	CHECK(rows[2].deposited_unsure);
	deposits(3, 0, true);
	/* a huge page without a mapping may be one of a file */
	build_entries(&b, PMD, GIB + 12 * MIB, 1, PTAUDIT_K_LEAF, 0);
	share(&b, GIB, 3);
	deposits(0, 2, true);
	deposits(4, 0, true);
	build_deinit(&b);
}

/* Nothing shows whether the huge page is anonymous. */
UNIT_TEST(a_huge_page_without_a_mapping_has_a_deposit_if_one_is_left)
{
	struct build b;

	build_init(&b, 4, false);
	map(3 * GIB, 3 * GIB + 2 * MIB);
	build_entries(&b, PMD, 3 * GIB, 2, PTAUDIT_K_LEAF, 0);
	claim(PMD, 3 * GIB, PTU_LEAF);
	claim(PMD, 3 * GIB + 2 * MIB, PTU_LEAF);
	share(&b, 3 * GIB, 1);
	CHECK_EQ(nr_rows, 2);
	deposits(0, 1, true);
	deposits(1, 0, true);
	share(&b, 3 * GIB, 2);
	deposits(0, 1, true);
	deposits(1, 1, true);
	build_deinit(&b);
}

UNIT_MAIN_WITH(set_up, tear_down)
