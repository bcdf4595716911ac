// SPDX-License-Identifier: GPL-2.0-only
/* How full tables are, from the kernel's records and from claims. */
#include "compare/table_fill.h"

#include "support/build.h"
#include "support/levels.h"
#include "support/unit.h"

static struct build b;
static struct ptu_tables tables;
static struct ptu_process p;

static void set_up(void)
{
	build_init(&b, 4, false);
	p = (struct ptu_process){ 0 };
}

static void tear_down(void)
{
	build_deinit(&b);
	ptu_tables_deinit(&tables);
}

static void tally(void)
{
	struct ptu_snapshot snapshot = build_snapshot(&b);

	if (ptu_fill_of_kernel(&snapshot, &b.geo, &tables))
		UNIT_FAIL("no memory");
	else
		ptu_tally_empty(&tables, &b.geo, true, &p);
	ptu_snapshot_deinit(&snapshot);
}

UNIT_TEST(records_say_how_many_entries_are_used)
{
	build_pte(&b, 0x400000, 512);
	build_pte(&b, 0x600000, 7);
	build_pte(&b, 0x800000, 0);
	build_pte(&b, 0xa00000, 1)->swap = 64;
	build_pte(&b, 0xc00000, 0)->guard = 4;
	build_pte(&b, 0xe00000, 2)->uffd_wp = 5;
	tally();
	CHECK_EQ(p.fill.tables, 6);
	CHECK_EQ(p.fill.counted, 6);
	/* swap entries and markers are used entries */
	CHECK_EQ(p.fill.entries, 512 + 7 + 0 + 65 + 4 + 7);
	CHECK_EQ(p.fill.markers, 4 + 5);
	CHECK_EQ(p.fill.in_class[PTU_FILL_EMPTY], 1);
	CHECK_EQ(p.fill.in_class[PTU_FILL_8], 3);
	CHECK_EQ(p.fill.in_class[PTU_FILL_SOME], 1);
	CHECK_EQ(p.fill.in_class[PTU_FILL_ALL], 1);
	CHECK(p.sees_empty);
	CHECK_EQ(p.empty[PTE], 1);
	/* the PMD table has other tables below it */
	CHECK_EQ(p.empty[PMD], 0);
}

UNIT_TEST(a_table_of_nothing_but_empty_tables_is_empty)
{
	/* three in one PMD table, one in the next; both PMD tables are in one PUD table */
	build_pte(&b, 16 * GIB, 0);
	build_pte(&b, 16 * GIB + 2 * MIB, 0);
	build_pte(&b, 16 * GIB + 4 * MIB, 0);
	build_pte(&b, 17 * GIB, 0);
	/* another PUD table has a used entry */
	build_pte(&b, 1024 * GIB, 1);
	tally();
	CHECK_EQ(p.empty[PTE], 4);
	CHECK_EQ(p.empty[PMD], 2);
	CHECK_EQ(p.empty[PUD], 1);
	CHECK_EQ(p.empty[PTAUDIT_PGD], 0);
	CHECK_EQ(ptu_process_empty(&p), 7);
	CHECK_EQ(p.fill.hollow, 3);
}

UNIT_TEST(five_levels_have_empty_p4d_tables)
{
	tear_down();
	build_init(&b, 5, false);
	build_pte(&b, 16 * GIB, 0);
	tally();
	CHECK_EQ(p.empty[PTE], 1);
	CHECK_EQ(p.empty[PMD], 1);
	CHECK_EQ(p.empty[PUD], 1);
	CHECK_EQ(p.empty[PTAUDIT_P4D], 1);
}

UNIT_TEST(a_huge_page_keeps_a_table_from_being_empty)
{
	build_pte(&b, 16 * GIB, 0);
	build_entries(&b, PMD, 16 * GIB + 4 * MIB, 2, PTAUDIT_K_LEAF, 0);
	tally();
	CHECK_EQ(p.empty[PTE], 1);
	CHECK_EQ(p.empty[PMD], 0);
	CHECK_EQ(p.empty[PUD], 0);
}

UNIT_TEST(an_entry_that_is_swapped_out_keeps_an_upper_table_from_being_empty)
{
	build_entries(&b, PMD, 16 * GIB, 1, PTAUDIT_K_MIGRATION, 0);
	tally();
	CHECK_EQ(p.empty[PMD], 0);
}

UNIT_TEST(a_hugetlb_marker_keeps_its_table_from_being_empty)
{
	build_claim(&tables, &b.geo, PMD, 16 * GIB, PTU_CERTAIN);
	ptu_tables_count_absent(&tables, PMD, 16 * GIB);
	/* all entries of another PMD table are none, and so are those above it */
	build_claim(&tables, &b.geo, PMD, 1024 * GIB, PTU_CERTAIN);
	ptu_tally_empty(&tables, &b.geo, true, &p);
	CHECK_EQ(p.empty[PMD], 1);
	CHECK_EQ(p.empty[PUD], 1);
	CHECK_EQ(p.fill.hollow, 2);
}

UNIT_TEST(a_claim_that_nobody_counted_is_not_empty)
{
	build_claim(&tables, &b.geo, PTE, 16 * GIB, PTU_CERTAIN);
	build_claim(&tables, &b.geo, PTE, 17 * GIB, PTU_CERTAIN);
	ptu_tables_count_entries(&tables, 0);
	build_claim(&tables, &b.geo, PTE, 18 * GIB, PTU_CERTAIN);
	ptu_tables_leave_open(&tables);
	/* PTU_POSSIBLE: there may be a table; no sum includes it */
	build_claim(&tables, &b.geo, PTE, 19 * GIB, PTU_POSSIBLE);
	build_claim(&tables, &b.geo, PTE, 20 * GIB, PTU_MAYBE);
	ptu_tables_count_entries(&tables, 0);
	ptu_tally_empty(&tables, &b.geo, true, &p);
	CHECK_EQ(p.fill.tables, 3);
	CHECK_EQ(p.fill.counted, 1);
	CHECK_EQ(p.fill.unasked, 1);
	CHECK_EQ(p.fill.in_class[PTU_FILL_EMPTY], 1);
	CHECK_EQ(p.empty[PTE], 1);
	CHECK_EQ(p.empty[PMD], 1);
}

UNIT_MAIN_WITH(set_up, tear_down)
