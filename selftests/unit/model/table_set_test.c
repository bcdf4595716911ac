// SPDX-License-Identifier: GPL-2.0-only
/* The set of claims: its order, the tables above a claim, and duplicates. */
#include "model/table_set.h"

#include <errno.h>
#include <stdlib.h>

#include "support/claims.h"
#include "support/unit.h"

/* Starts with four levels. */
static struct ptu_tables set;

static void set_up(void)
{
	ptu_tables_init(&set, &four_levels);
}

static void tear_down(void)
{
	ptu_tables_deinit(&set);
}

#define CHECK_SET(...) CHECK_CLAIMS(set, __VA_ARGS__)

static void add(unsigned int level, uint64_t addr, enum ptu_claim claim)
{
	int error = ptu_tables_add(&set, level, addr, claim);

	if (error)
		UNIT_FAIL("adding 0x%llx at level %u returned %d",
			  (unsigned long long)addr, level, error);
}

UNIT_TEST(an_empty_mm_has_its_pgd)
{
	CHECK_EQ(set.nr_tables, 0);
	CHECK_EQ(ptu_tables_add_pgd(&set), 0);
	CHECK_EQ(ptu_tables_add_pgd(&set), 0);
	CHECK_SET({ 0, PGD, PTU_CERTAIN });
}

UNIT_TEST(tables_above_come_first_at_address_0)
{
	add(PTE, 0, PTU_CERTAIN);
	CHECK_SET({ 0, PGD, PTU_CERTAIN }, { 0, PUD, PTU_CERTAIN },
		  { 0, PMD, PTU_CERTAIN }, { 0, PTE, PTU_CERTAIN });
}

UNIT_TEST(tables_above_come_first_at_the_last_page)
{
	add(PTE, 0x7fffffffe000, PTU_CERTAIN);
	CHECK_SET({ 0, PGD, PTU_CERTAIN }, { 0x7f8000000000, PUD, PTU_CERTAIN },
		  { 0x7fffc0000000, PMD, PTU_CERTAIN },
		  { 0x7fffffe00000, PTE, PTU_CERTAIN });
}

UNIT_TEST(five_levels_have_p4d_tables)
{
	ptu_tables_init(&set, &five_levels);
	add(PTE, 0x400000, PTU_CERTAIN);
	add(PTE, 0x1000000001000, PTU_CERTAIN);
	CHECK_SET({ 0, PGD, PTU_CERTAIN }, { 0, P4D, PTU_CERTAIN },
		  { 0, PUD, PTU_CERTAIN }, { 0, PMD, PTU_CERTAIN },
		  { 0x400000, PTE, PTU_CERTAIN },
		  { 0x1000000000000, P4D, PTU_CERTAIN },
		  { 0x1000000000000, PUD, PTU_CERTAIN },
		  { 0x1000000000000, PMD, PTU_CERTAIN },
		  { 0x1000000000000, PTE, PTU_CERTAIN });
}

UNIT_TEST(neighbours_share_what_is_above)
{
	add(PTE, 0x3fe00000, PTU_CERTAIN);
	add(PTE, 0x3ffff000, PTU_CERTAIN);
	add(PTE, 0x40000000, PTU_CERTAIN);
	CHECK_SET({ 0, PGD, PTU_CERTAIN }, { 0, PUD, PTU_CERTAIN },
		  { 0, PMD, PTU_CERTAIN }, { 0x3fe00000, PTE, PTU_CERTAIN },
		  { 0x40000000, PMD, PTU_CERTAIN },
		  { 0x40000000, PTE, PTU_CERTAIN });
}

UNIT_TEST(certain_overrules_possible_in_either_order)
{
	add(PTE, 0x200000, PTU_POSSIBLE);
	add(PTE, 0x300000, PTU_CERTAIN);
	add(PTE, 0x400000, PTU_CERTAIN);
	add(PTE, 0x500000, PTU_POSSIBLE);
	add(PTE, 0x600000, PTU_POSSIBLE);
	add(PTE, 0x800000, PTU_POSSIBLE);
	add(PTE, 0x9ff000, PTU_CERTAIN);
	CHECK_SET({ 0, PGD, PTU_CERTAIN }, { 0, PUD, PTU_CERTAIN },
		  { 0, PMD, PTU_CERTAIN }, { 0x200000, PTE, PTU_CERTAIN },
		  { 0x400000, PTE, PTU_CERTAIN },
		  { 0x600000, PTE, PTU_POSSIBLE },
		  { 0x800000, PTE, PTU_CERTAIN });
}

UNIT_TEST(a_possible_upper_table_becomes_certain_with_what_is_in_it)
{
	add(PMD, 0x40000000, PTU_POSSIBLE);
	add(PMD, 0x80000000, PTU_POSSIBLE);
	add(PTE, 0x80200000, PTU_POSSIBLE);
	CHECK_SET({ 0, PGD, PTU_CERTAIN }, { 0, PUD, PTU_CERTAIN },
		  { 0x40000000, PMD, PTU_POSSIBLE },
		  { 0x80000000, PMD, PTU_CERTAIN },
		  { 0x80200000, PTE, PTU_POSSIBLE });
}

UNIT_TEST(a_leaf_lies_in_a_table_of_its_level)
{
	add(PMD, 0x40000000, PTU_LEAF);
	add(PMD, 0x40200000, PTU_LEAF);
	add(PTE, 0x40400000, PTU_CERTAIN);
	CHECK_SET({ 0, PGD, PTU_CERTAIN }, { 0, PUD, PTU_CERTAIN },
		  { 0x40000000, PMD, PTU_CERTAIN },
		  { 0x40000000, PMD, PTU_LEAF }, { 0x40200000, PMD, PTU_LEAF },
		  { 0x40400000, PTE, PTU_CERTAIN });
}

UNIT_TEST(a_1g_leaf_stands_once_for_all_its_slots)
{
	add(PUD, 0x40000000, PTU_LEAF);
	add(PUD, 0x40200000, PTU_LEAF);
	add(PUD, 0x7fe00000, PTU_LEAF);
	add(PUD, 0x80000000, PTU_LEAF);
	CHECK_SET({ 0, PGD, PTU_CERTAIN }, { 0, PUD, PTU_CERTAIN },
		  { 0x40000000, PUD, PTU_LEAF }, { 0x80000000, PUD, PTU_LEAF });
}

UNIT_TEST(a_leaf_and_a_table_at_one_address_keep_the_order)
{
	add(PTE, 0x200000, PTU_CERTAIN);
	add(PMD, 0x200000, PTU_LEAF);
	add(PMD, 0x200000, PTU_LEAF);
	CHECK_SET({ 0, PGD, PTU_CERTAIN }, { 0, PUD, PTU_CERTAIN },
		  { 0, PMD, PTU_CERTAIN }, { 0x200000, PMD, PTU_LEAF },
		  { 0x200000, PTE, PTU_CERTAIN });
}

UNIT_TEST(an_address_out_of_order_is_refused)
{
	add(PTE, 0x400000, PTU_CERTAIN);
	CHECK_EQ(ptu_tables_add(&set, PTE, 0x3ff000, PTU_CERTAIN), -EINVAL);
	CHECK_EQ(ptu_tables_add(&set, P4D, 0x400000, PTU_CERTAIN), -EINVAL);
	CHECK_EQ(ptu_tables_add(&set, PTAUDIT_NR_LEVELS, 0x400000, PTU_CERTAIN),
		 -EINVAL);
	CHECK_EQ(ptu_tables_add(&set, PTE, 0x400000, PTU_CERTAIN), 0);
	CHECK_EQ(set.nr_tables, 4);
	ptu_tables_deinit(&set);
	CHECK_EQ(set.nr_tables, 0);
}

UNIT_TEST(claims_are_counted_by_kind_and_level)
{
	uint64_t counts[PTAUDIT_NR_LEVELS];
	uint64_t i;

	/* 700 slots from 0: PMD tables at 0 and at 1 GiB */
	for (i = 0; i < 700; i++) {
		if (ptu_tables_add(&set, PTE, i * 0x200000,
				   i % 7 ? PTU_CERTAIN : PTU_POSSIBLE))
			UNIT_FAIL("cannot add slot %llu",
				  (unsigned long long)i);
	}
	add(PMD, 0x80000000, PTU_LEAF);
	ptu_tables_count(&set, PTU_CERTAIN, counts);
	CHECK_EQ(counts[PTE], 600);
	CHECK_EQ(counts[PMD], 3);
	CHECK_EQ(counts[PUD], 1);
	CHECK_EQ(counts[P4D], 0);
	CHECK_EQ(counts[PGD], 1);
	ptu_tables_count(&set, PTU_POSSIBLE, counts);
	CHECK_EQ(counts[PTE], 100);
	CHECK_EQ(counts[PMD], 0);
	ptu_tables_count(&set, PTU_LEAF, counts);
	CHECK_EQ(counts[PTE], 0);
	CHECK_EQ(counts[PMD], 1);
}

#define DOUBT(from, to)                                                    \
	ptu_tables_doubt(&set,                                             \
			 &(struct ptu_spans){                              \
				 .spans = (struct ptu_span[]){ { (from),   \
								 (to) } }, \
				 .nr_spans = 1 })

/* Two PTE tables below one PMD table, 2 MiB apart, and a third below another one. */
static void put_three(void)
{
	CHECK_EQ(ptu_tables_add(&set, PTE, 0, PTU_CERTAIN), 0);
	CHECK_EQ(ptu_tables_add(&set, PTE, 0x200000, PTU_POSSIBLE), 0);
	CHECK_EQ(ptu_tables_add(&set, PTE, 0x40000000, PTU_CERTAIN), 0);
}

UNIT_TEST(a_table_where_mappings_changed_is_in_doubt)
{
	put_three();
	CHECK_EQ(DOUBT(0x3ff000, 0x400000), 1);
	CHECK_SET({ 0, PGD, PTU_CERTAIN }, { 0, PUD, PTU_CERTAIN },
		  { 0, PMD, PTU_CERTAIN }, { 0, PTE, PTU_CERTAIN },
		  { 0x200000, PTE, PTU_MAYBE },
		  { 0x40000000, PMD, PTU_CERTAIN },
		  { 0x40000000, PTE, PTU_CERTAIN });
	/* it is already */
	CHECK_EQ(DOUBT(0x3ff000, 0x400000), 0);
}

UNIT_TEST(a_table_above_is_in_doubt_with_all_below_it)
{
	put_three();
	CHECK_EQ(DOUBT(0x40000000, 0x40001000), 2);
	CHECK_SET({ 0, PGD, PTU_CERTAIN }, { 0, PUD, PTU_CERTAIN },
		  { 0, PMD, PTU_CERTAIN }, { 0, PTE, PTU_CERTAIN },
		  { 0x200000, PTE, PTU_POSSIBLE },
		  { 0x40000000, PMD, PTU_MAYBE },
		  { 0x40000000, PTE, PTU_MAYBE });
	tear_down();
	put_three();
	CHECK_EQ(DOUBT(0, 0x80000000), 6);
	CHECK_SET({ 0, PGD, PTU_CERTAIN }, { 0, PUD, PTU_MAYBE },
		  { 0, PMD, PTU_MAYBE }, { 0, PTE, PTU_MAYBE },
		  { 0x200000, PTE, PTU_MAYBE }, { 0x40000000, PMD, PTU_MAYBE },
		  { 0x40000000, PTE, PTU_MAYBE });
}

/* A leaf proves the table that holds it; a possible leaf proves nothing. */
UNIT_TEST(a_leaf_holds_its_table_unless_it_is_in_doubt_itself)
{
	CHECK_EQ(ptu_tables_add(&set, PMD, 0x200000, PTU_LEAF), 0);
	CHECK_EQ(DOUBT(0, 0x200000), 0);
	CHECK_EQ(DOUBT(0x200000, 0x201000), 2);
	CHECK_SET({ 0, PGD, PTU_CERTAIN }, { 0, PUD, PTU_MAYBE },
		  { 0, PMD, PTU_MAYBE }, { 0x200000, PMD, PTU_LEAF });
}

UNIT_TEST(without_changed_mappings_no_table_is_in_doubt)
{
	const struct ptu_spans none = { 0 };

	put_three();
	CHECK_EQ(ptu_tables_doubt(&set, &none), 0);
	CHECK_EQ(DOUBT(0x7f0000000000, 0x7f0000001000), 0);
	CHECK_EQ(set.tables[6].claim, PTU_CERTAIN);
}

UNIT_TEST(appended_tables_are_in_order_and_differ)
{
	const struct ptu_table first = { .start = 0x200000,
					 .level = PTE,
					 .claim = PTU_CERTAIN };
	struct ptu_table next = first;

	CHECK_EQ(ptu_tables_append(&set, &first), 0);
	CHECK_EQ(ptu_tables_append(&set, &first), 0);
	CHECK_SET({ 0x200000, PTE, PTU_CERTAIN });
	next.start = 0x400000;
	CHECK_EQ(ptu_tables_append(&set, &next), 0);
	CHECK_SET({ 0x200000, PTE, PTU_CERTAIN },
		  { 0x400000, PTE, PTU_CERTAIN });
	CHECK_EQ(ptu_tables_append(&set, &first), -EINVAL);
	/* a table above belongs before those below it */
	next.level = PMD;
	CHECK_EQ(ptu_tables_append(&set, &next), -EINVAL);
}

UNIT_MAIN_WITH(set_up, tear_down)
