// SPDX-License-Identifier: GPL-2.0-only
/* Each table of an estimate is counted with one mapping: the first one that it maps. */
#include "compare/mappings.h"

#include <stdlib.h>

#include "support/build.h"
#include "support/unit.h"

#define PTE PTAUDIT_PTE
#define PMD PTAUDIT_PMD
#define PUD PTAUDIT_PUD
#define P4D PTAUDIT_P4D

#define MAX_VMAS 8

/* The mappings and claims of one test, and the resulting rows. */
struct setup {
	const struct ptu_geometry *geo;
	struct ptu_vma vma[MAX_VMAS];
	struct ptu_vmas vmas;
	struct ptu_tables claims;
	struct ptu_mapping_row *rows;
	size_t nr_rows;
};

static char names[] = "\0/lib/a\0[heap]";

static void begin(struct setup *s, const struct ptu_geometry *geo)
{
	memset(s, 0, sizeof(*s));
	s->geo = geo;
	s->vmas.vmas = s->vma;
	s->vmas.names = names;
	s->vmas.names_bytes = sizeof(names);
}

static void map(struct setup *s, uint64_t start, uint64_t end)
{
	struct ptu_vma *vma = &s->vma[s->vmas.nr_vmas++];

	vma->start = start;
	vma->end = end;
	strcpy(vma->perms, "rw-p");
}

/* Make a claim and the claims of the tables above it, as estimators do. */
static void claim(struct setup *s, unsigned int level, uint64_t addr,
		  enum ptu_claim kind)
{
	build_claim(&s->claims, s->geo, level, addr, kind);
}

static void tally(struct setup *s)
{
	int error = ptu_tally_mappings(&s->claims, &s->vmas, s->geo, &s->rows,
				       &s->nr_rows);

	if (error)
		UNIT_FAIL("the tally failed: %d", error);
}

static void end(struct setup *s)
{
	free(s->rows);
	ptu_tables_deinit(&s->claims);
}

/* Check a row: certain tables by level up to the PUD, and leaves. */
static void counted(const struct setup *s, size_t row, unsigned int pte,
		    unsigned int pmd, unsigned int pud, unsigned int leaves)
{
	const struct ptu_mapping_row *r;

	if (row >= s->nr_rows) {
		UNIT_FAIL("there is no row %zu", row);
		return;
	}
	r = &s->rows[row];
	if (r->low[PTE] != pte || r->low[PMD] != pmd || r->low[PUD] != pud ||
	    r->leaves != leaves)
		UNIT_FAIL("row %zu has %u PTE, %u PMD, %u PUD tables, %u leaves, not %u, %u, %u, %u",
			  row, (unsigned int)r->low[PTE],
			  (unsigned int)r->low[PMD], (unsigned int)r->low[PUD],
			  (unsigned int)r->leaves, pte, pmd, pud, leaves);
}

UNIT_TEST(a_mapping_has_the_tables_in_whose_reach_it_lies)
{
	struct setup s;

	begin(&s, &four_levels);
	map(&s, 0x400000, 0xa00000);
	claim(&s, PTE, 0x400000, PTU_CERTAIN);
	claim(&s, PTE, 0x800000, PTU_CERTAIN);
	tally(&s);
	CHECK_EQ(s.nr_rows, 1);
	counted(&s, 0, 2, 1, 1, 0);
	CHECK_EQ(s.rows[0].start, 0x400000);
	CHECK_EQ(s.rows[0].end, 0xa00000);
	CHECK_STR(s.rows[0].perms, "rw-p");
	/* the PGD is in no row */
	CHECK_EQ(s.rows[0].low[PTAUDIT_PGD], 0);
	CHECK_EQ(s.rows[0].high[PTAUDIT_PGD], 0);
	end(&s);
}

UNIT_TEST(a_table_of_two_mappings_is_counted_with_the_first)
{
	struct setup s;

	/* both start in the slot at 0x400000; the second continues in 0x600000 */
	begin(&s, &four_levels);
	map(&s, 0x401000, 0x402000);
	map(&s, 0x5ff000, 0x601000);
	claim(&s, PTE, 0x5ff000, PTU_CERTAIN);
	claim(&s, PTE, 0x600000, PTU_CERTAIN);
	tally(&s);
	counted(&s, 0, 1, 1, 1, 0);
	counted(&s, 1, 1, 0, 0, 0);
	CHECK_EQ(s.nr_rows, 2);
	end(&s);
}

UNIT_TEST(upper_tables_have_the_first_mapping_of_their_own_reach)
{
	struct setup s;

	/*
	 * The last page below 1 GiB, the first above it, and one above 512 GiB: 2 PMD tables
	 * in one PUD table, then a new table of each level.
	 */
	begin(&s, &four_levels);
	map(&s, 0x1000, 0x2000);
	map(&s, 0x3ffff000, 0x40000000);
	map(&s, 0x40000000, 0x40001000);
	map(&s, 0x8000001000, 0x8000002000);
	claim(&s, PTE, 0x3ffff000, PTU_CERTAIN);
	claim(&s, PTE, 0x40000000, PTU_CERTAIN);
	claim(&s, PTE, 0x8000001000, PTU_CERTAIN);
	tally(&s);
	/*
	 * the upper tables count with the first mapping, although no page of it is populated
	 */
	counted(&s, 0, 0, 1, 1, 0);
	counted(&s, 1, 1, 0, 0, 0);
	counted(&s, 2, 1, 1, 0, 0);
	counted(&s, 3, 1, 1, 1, 0);
	end(&s);
}

UNIT_TEST(a_mapping_that_ends_where_a_table_begins_has_no_part_in_it)
{
	struct setup s;

	begin(&s, &four_levels);
	map(&s, 0x1ff000, 0x200000);
	map(&s, 0x3ff000, 0x400000);
	map(&s, 0x400000, 0x401000);
	claim(&s, PTE, 0x3ff000, PTU_CERTAIN);
	claim(&s, PTE, 0x400000, PTU_CERTAIN);
	tally(&s);
	counted(&s, 0, 0, 1, 1, 0);
	counted(&s, 1, 1, 0, 0, 0);
	counted(&s, 2, 1, 0, 0, 0);
	end(&s);
}

UNIT_TEST(possible_tables_count_only_in_high)
{
	struct setup s;

	begin(&s, &four_levels);
	map(&s, 0x40000000, 0x40800000);
	map(&s, 0x80000000, 0x80200000);
	claim(&s, PTE, 0x40000000, PTU_CERTAIN);
	claim(&s, PTE, 0x40200000, PTU_POSSIBLE);
	claim(&s, PTE, 0x40400000, PTU_POSSIBLE);
	/* PTU_MAYBE: a table or nothing; the tables above are not certain either */
	claim(&s, PTE, 0x80000000, PTU_MAYBE);
	tally(&s);
	counted(&s, 0, 1, 1, 1, 0);
	CHECK_EQ(s.rows[0].high[PTE], 3);
	CHECK_EQ(s.rows[0].high[PMD], 1);
	CHECK_EQ(s.rows[0].high[PUD], 1);
	counted(&s, 1, 0, 0, 0, 0);
	CHECK_EQ(s.rows[1].high[PTE], 1);
	CHECK_EQ(s.rows[1].high[PMD], 1);
	CHECK_EQ(s.rows[1].high[PUD], 0);
	CHECK(ptu_mapping_has_any(&s.rows[1]));
	end(&s);
}

UNIT_TEST(leaves_of_2_mib_and_of_1_gib)
{
	struct setup s;

	begin(&s, &four_levels);
	map(&s, 0x200000, 0x600000);
	map(&s, 0x40000000, 0xc0000000);
	map(&s, 0xc0000000, 0x100000000);
	claim(&s, PMD, 0x200000, PTU_LEAF);
	claim(&s, PMD, 0x400000, PTU_LEAF);
	claim(&s, PUD, 0x40000000, PTU_LEAF);
	claim(&s, PUD, 0x80000000, PTU_LEAF);
	claim(&s, PUD, 0xc0000000, PTU_LEAF);
	tally(&s);
	counted(&s, 0, 0, 1, 1, 2);
	counted(&s, 1, 0, 0, 0, 2);
	counted(&s, 2, 0, 0, 0, 1);
	CHECK(ptu_mapping_has_any(&s.rows[1]));
	CHECK_EQ(s.rows[0].high[PMD], 1);
	CHECK_EQ(s.rows[0].high[PUD], 1);
	CHECK_EQ(s.rows[1].high[PUD], 0);
	end(&s);
}

UNIT_TEST(a_leaf_reaches_no_farther_than_it_maps)
{
	struct setup s;

	/*
	 * leaves at 2 MiB and at 1 GiB, each in a mapping directly after the previous one
	 */
	begin(&s, &four_levels);
	map(&s, 0x400000, 0x401000);
	map(&s, 0x7ffff000, 0x80000000);
	map(&s, 0x100000000, 0x100001000);
	claim(&s, PMD, 0x200000, PTU_LEAF);
	claim(&s, PUD, 0x40000000, PTU_LEAF);
	claim(&s, PUD, 0xc0000000, PTU_LEAF);
	tally(&s);
	CHECK_EQ(s.nr_rows, 4);
	counted(&s, 0, 0, 1, 1, 0);
	counted(&s, 1, 0, 0, 0, 1);
	counted(&s, 2, 0, 0, 0, 0);
	counted(&s, 3, 0, 0, 0, 2);
	CHECK_EQ(s.rows[3].start, 0x200000);
	CHECK_EQ(s.rows[3].end, 0x100000000);
	end(&s);
}

UNIT_TEST(five_levels_have_p4d_tables)
{
	struct setup s;

	/* the second P4D table starts at 2^48 */
	begin(&s, &five_levels);
	map(&s, 0xfffffffff000, 0x1000000000000);
	map(&s, 0x1000000000000, 0x1000000001000);
	claim(&s, PTE, 0xfffffffff000, PTU_CERTAIN);
	claim(&s, PTE, 0x1000000000000, PTU_CERTAIN);
	tally(&s);
	counted(&s, 0, 1, 1, 1, 0);
	counted(&s, 1, 1, 1, 1, 0);
	CHECK_EQ(s.rows[0].low[P4D], 1);
	CHECK_EQ(s.rows[1].low[P4D], 1);
	end(&s);
}

UNIT_TEST(a_mapping_without_tables_has_a_row_all_the_same)
{
	struct setup s;

	begin(&s, &four_levels);
	map(&s, 0x400000, 0x401000);
	map(&s, 0x402000, 0x403000);
	map(&s, 0xffffffffff600000, 0xffffffffff601000);
	claim(&s, PTE, 0x402000, PTU_CERTAIN);
	tally(&s);
	CHECK_EQ(s.nr_rows, 3);
	counted(&s, 0, 1, 1, 1, 0);
	CHECK(!ptu_mapping_has_any(&s.rows[1]));
	CHECK(!ptu_mapping_has_any(&s.rows[2]));
	end(&s);
}

UNIT_TEST(tables_where_no_mapping_is_have_a_row_of_their_own)
{
	struct setup s;

	/* PTE tables at 6 and 10 MiB; the row of the second one ends at the next mapping */
	begin(&s, &four_levels);
	map(&s, 0x400000, 0x401000);
	map(&s, 0xc00000, 0xc01000);
	claim(&s, PTE, 0x400000, PTU_CERTAIN);
	claim(&s, PTE, 0x600000, PTU_CERTAIN);
	claim(&s, PTE, 0xa00000, PTU_POSSIBLE);
	tally(&s);
	CHECK_EQ(s.nr_rows, 3);
	counted(&s, 0, 1, 1, 1, 0);
	counted(&s, 1, 0, 0, 0, 0);
	counted(&s, 2, 1, 0, 0, 0);
	CHECK_EQ(s.rows[2].high[PTE], 2);
	CHECK_EQ(s.rows[2].start, 0x600000);
	CHECK_EQ(s.rows[2].end, 0xc00000);
	CHECK_STR(s.rows[2].perms, "");
	CHECK_STR(s.rows[2].path, "");
	end(&s);
}

UNIT_TEST(tables_between_mappings_are_nobodys)
{
	struct setup s;

	/* a smaller table inside must not shorten the row */
	begin(&s, &four_levels);
	map(&s, 0x400000, 0x401000);
	map(&s, 0x8000000000, 0x8000001000);
	claim(&s, PTE, 0x400000, PTU_CERTAIN);
	claim(&s, PTE, 0x40000000, PTU_CERTAIN);
	claim(&s, PTE, 0x8000000000, PTU_CERTAIN);
	tally(&s);
	CHECK_EQ(s.nr_rows, 3);
	counted(&s, 0, 1, 1, 1, 0);
	counted(&s, 1, 1, 1, 1, 0);
	counted(&s, 2, 1, 1, 0, 0);
	CHECK_EQ(s.rows[2].start, 0x40000000);
	CHECK_EQ(s.rows[2].end, 0x80000000);
	end(&s);
}

UNIT_TEST(rows_outlive_the_mappings_that_they_name)
{
	static const char text[] = "\0/lib/a\0[heap]";
	struct setup s;

	begin(&s, &four_levels);
	map(&s, 0x400000, 0x401000);
	map(&s, 0x600000, 0x601000);
	map(&s, 0x800000, 0x801000);
	s.vma[0].path = 1;
	s.vma[2].path = 8;
	claim(&s, PTE, 0x400000, PTU_CERTAIN);
	tally(&s);
	memset(names, 'x', sizeof(names) - 1);
	CHECK_STR(s.rows[0].path, "/lib/a");
	CHECK_STR(s.rows[1].path, "");
	CHECK_STR(s.rows[2].path, "[heap]");
	memcpy(names, text, sizeof(names));
	end(&s);
}

UNIT_TEST(no_mapping_and_no_name_at_all)
{
	struct setup s;

	begin(&s, &four_levels);
	s.vmas.names = NULL;
	s.vmas.names_bytes = 0;
	tally(&s);
	CHECK_EQ(s.nr_rows, 0);
	free(s.rows);
	s.rows = NULL;
	claim(&s, PTE, 0x400000, PTU_CERTAIN);
	tally(&s);
	CHECK_EQ(s.nr_rows, 1);
	counted(&s, 0, 1, 1, 1, 0);
	/* the PUD table has the largest reach */
	CHECK_EQ(s.rows[0].start, 0);
	CHECK_EQ(s.rows[0].end, 0x8000000000);
	end(&s);
}

UNIT_TEST(a_mapping_knows_how_full_its_tables_are)
{
	struct setup s;

	begin(&s, &four_levels);
	map(&s, 0x400000, 0xa00000);
	/* its first page is in the table of the previous mapping */
	map(&s, 0xa00000 - 0x1000, 0xe00000);
	s.vma[0].end = 0xa00000 - 0x1000;
	claim(&s, PTE, 0x400000, PTU_CERTAIN);
	ptu_tables_count_entries(&s.claims, 0);
	claim(&s, PTE, 0x800000, PTU_CERTAIN);
	ptu_tables_count_entries(&s.claims, 512);
	claim(&s, PTE, 0xc00000, PTU_CERTAIN);
	ptu_tables_count_entries(&s.claims, 9);
	tally(&s);
	CHECK_EQ(s.rows[0].fill.tables, 2);
	CHECK_EQ(s.rows[0].fill.entries, 512);
	CHECK_EQ(s.rows[0].fill.in_class[PTU_FILL_EMPTY], 1);
	CHECK_EQ(s.rows[0].fill.in_class[PTU_FILL_ALL], 1);
	CHECK_EQ(s.rows[1].fill.tables, 1);
	CHECK_EQ(s.rows[1].fill.entries, 9);
	CHECK_EQ(s.rows[1].fill.in_class[PTU_FILL_64], 1);
	end(&s);
}

UNIT_MAIN
