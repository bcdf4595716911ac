// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tables that were added or removed between two sets of tables, and the mappings that
 * they belong to.
 */
#include "compare/growth.h"

#include <stdlib.h>

#include "support/build.h"
#include "support/levels.h"
#include "support/unit.h"

#define A UINT64_C(0x7f0000000000)

#define MAX_VMAS 4

static struct moment {
	struct ptu_vma vma[MAX_VMAS];
	struct ptu_vmas vmas;
	struct ptu_tables tables;
} before, after;

static struct ptu_growth growth;

/* The names start at offsets 0, 1 and 4. */
static char names[] = "\0/a\0[heap]";

static void map(struct moment *m, uint64_t start, uint64_t end, size_t path)
{
	struct ptu_vma *vma = &m->vma[m->vmas.nr_vmas++];

	*vma = (struct ptu_vma){ .start = start, .end = end, .path = path };
	strcpy(vma->perms, "rw-p");
	m->vmas.vmas = m->vma;
	m->vmas.names = names;
	m->vmas.names_bytes = sizeof(names);
}

static void claim(struct moment *m, uint64_t addr, enum ptu_claim what)
{
	build_claim(&m->tables, &four_levels, PTE, addr, what);
}

static void grow(void)
{
	const struct ptu_growth_side sides[] = {
		{ &before.tables, &before.vmas },
		{ &after.tables, &after.vmas },
	};

	if (ptu_growth_between(&sides[0], &sides[1], &four_levels, &growth))
		UNIT_FAIL("no memory");
}

static void tear_down(void)
{
	ptu_tables_deinit(&before.tables);
	ptu_tables_deinit(&after.tables);
	ptu_growth_deinit(&growth);
	before = after = (struct moment){ 0 };
	growth = (struct ptu_growth){ 0 };
}

UNIT_TEST(unchanged_tables_are_in_no_row)
{
	map(&before, A, A + 8 * MIB, 0);
	map(&after, A, A + 8 * MIB, 0);
	claim(&before, A, PTU_CERTAIN);
	claim(&after, A, PTU_CERTAIN);
	grow();
	CHECK_EQ(growth.nr_rows, 0);
	CHECK_EQ(growth.before[PTE], 1);
	CHECK_EQ(growth.after[PTE], 1);
	CHECK_EQ(growth.came[PTE] + growth.went[PTE] + growth.came[PGD], 0);
}

/* One table is added and one removed, so their number is unchanged. */
UNIT_TEST(a_table_that_moves_came_and_went)
{
	map(&before, A, A + 8 * MIB, 0);
	map(&after, A, A + 8 * MIB, 0);
	claim(&before, A, PTU_CERTAIN);
	claim(&after, A + 4 * MIB, PTU_CERTAIN);
	grow();
	CHECK_EQ(growth.came[PTE], 1);
	CHECK_EQ(growth.went[PTE], 1);
	CHECK_EQ(growth.came[PMD], 0);
	CHECK_EQ(growth.nr_rows, 1);
	CHECK_EQ(growth.rows[0].came[PTE], 1);
	CHECK_EQ(growth.rows[0].went[PTE], 1);
	CHECK_EQ(growth.rows[0].bytes, 0);
	CHECK_STR(growth.rows[0].name, "[anon]");
}

/* /a is unmapped, and the heap is mapped at its address. */
UNIT_TEST(removed_table_belongs_to_its_former_mapping)
{
	map(&before, A, A + 2 * MIB, 1);
	map(&after, A + 2 * MIB, A + 8 * MIB, 4);
	claim(&before, A, PTU_CERTAIN);
	claim(&after, A + 2 * MIB, PTU_CERTAIN);
	claim(&after, A + 6 * MIB, PTU_CERTAIN);
	grow();
	CHECK_EQ(growth.nr_rows, 2);
	/* the mapping that grew most comes first */
	CHECK_STR(growth.rows[0].name, "[heap]");
	CHECK_EQ(growth.rows[0].came[PTE], 2);
	CHECK_EQ(growth.rows[0].bytes, 2 * 4096);
	CHECK_STR(growth.rows[1].name, "/a");
	CHECK_EQ(growth.rows[1].went[PTE], 1);
	CHECK_EQ(growth.rows[1].bytes, -4096);
	CHECK_EQ(growth.rows[1].start, A);
}

/* The mapping grew downwards by two tables; a third mapping of this name is far away. */
UNIT_TEST(neighbours_of_one_name_share_a_row)
{
	map(&before, A + 8 * MIB, A + 10 * MIB, 0);
	map(&after, A + 2 * MIB, A + 4 * MIB, 0);
	map(&after, A + 6 * MIB, A + 10 * MIB, 0);
	map(&after, A + 4 * GIB, A + 4 * GIB + 2 * MIB, 0);
	claim(&before, A + 8 * MIB, PTU_CERTAIN);
	claim(&after, A + 2 * MIB, PTU_CERTAIN);
	claim(&after, A + 6 * MIB, PTU_CERTAIN);
	claim(&after, A + 4 * GIB, PTU_CERTAIN);
	grow();
	CHECK_EQ(growth.nr_rows, 2);
	/* the distant mapping also has a new PMD table, and comes first */
	CHECK_EQ(growth.rows[0].start, A + 4 * GIB);
	CHECK_EQ(growth.rows[0].bytes, 2 * 4096);
	CHECK_EQ(growth.rows[1].start, A + 2 * MIB);
	CHECK_EQ(growth.rows[1].end, A + 10 * MIB);
	CHECK_EQ(growth.rows[1].came[PTE], 2);
	CHECK_EQ(growth.rows[1].went[PTE], 1);
	CHECK_EQ(growth.rows[1].bytes, 4096);
}

/* Two files in a directory with a long path: 255 bytes of their names are the same. */
UNIT_TEST(neighbours_with_long_names_keep_their_rows)
{
	static char two[2][300];
	size_t i;

	for (i = 0; i < 2; i++) {
		snprintf(two[i], sizeof(two[i]), "/%0296d/%c", 0, 'a' + (int)i);
		map(&after, A + (4 + 4 * i) * MIB, A + (8 + 4 * i) * MIB,
		    i * sizeof(*two));
		claim(&after, A + (4 + 4 * i) * MIB, PTU_CERTAIN);
		claim(&after, A + (6 + 4 * i) * MIB, PTU_CERTAIN);
	}
	after.vmas.names = two[0];
	after.vmas.names_bytes = sizeof(two);
	grow();
	CHECK_EQ(growth.nr_rows, 2);
	/* the first one also has the tables above them */
	for (i = 0; i < 2; i++) {
		CHECK_EQ(growth.rows[i].came[PTE], 2);
		CHECK_EQ(strlen(growth.rows[i].name), 255);
		CHECK(!strncmp(growth.rows[i].name, "...0", 4));
		CHECK_STR(growth.rows[i].name + 253, i ? "/b" : "/a");
	}
}

/*
 * Mappings 1 GiB apart, the reach of a PMD table, get separate rows; a page closer they
 * share one.
 */
UNIT_TEST(a_gib_parts_rows_of_one_name)
{
	uint64_t page;

	for (page = 0; page < 2; page++) {
		tear_down();
		map(&before, A, A + 2 * MIB + page * 4096, 0);
		map(&before, A + GIB + 2 * MIB, A + GIB + 4 * MIB, 0);
		claim(&before, A, PTU_CERTAIN);
		claim(&before, A + GIB + 2 * MIB, PTU_CERTAIN);
		ptu_tables_init(&after.tables, &four_levels);
		grow();
		CHECK_EQ(growth.nr_rows, 2 - page);
		CHECK_EQ(growth.went[PTE], 2);
	}
}

/* Between them, almost 8 GiB without tables are mapped, by the same name or by another one. */
UNIT_TEST(neighbours_without_tables_do_not_part_a_row)
{
	const uint64_t far = A + 8 * GIB;
	unsigned int other;

	for (other = 0; other < 2; other++) {
		tear_down();
		ptu_tables_init(&before.tables, &four_levels);
		map(&after, A, A + 2 * MIB, 0);
		map(&after, A + 2 * MIB, far, other ? 4 : 0);
		map(&after, far, far + 2 * MIB, 0);
		/* the row does not grow by what follows it */
		map(&after, far + 2 * MIB, far + 4 * MIB, 0);
		claim(&after, A, PTU_CERTAIN);
		claim(&after, far, PTU_CERTAIN);
		grow();
		CHECK_EQ(growth.nr_rows, 1 + other);
		CHECK_EQ(growth.rows[0].start, A);
		CHECK_EQ(growth.rows[other].end, far + 2 * MIB);
		CHECK_EQ(growth.rows[0].came[PTE], 2 - other);
	}
}

UNIT_TEST(possible_tables_are_not_counted)
{
	map(&before, A, A + 8 * MIB, 0);
	map(&after, A, A + 8 * MIB, 0);
	claim(&before, A, PTU_CERTAIN);
	claim(&after, A, PTU_CERTAIN);
	claim(&after, A + 4 * MIB, PTU_POSSIBLE);
	grow();
	CHECK_EQ(growth.nr_rows, 0);
	CHECK_EQ(growth.came[PTE], 0);
	CHECK_EQ(growth.after[PTE], 1);
}

/* smaps decided it only at one moment: it is not known that the table came or went. */
UNIT_TEST(a_table_that_is_possible_at_one_moment_is_unchanged)
{
	map(&before, A, A + 8 * MIB, 0);
	map(&after, A, A + 8 * MIB, 0);
	claim(&before, A, PTU_CERTAIN);
	claim(&before, A + 2 * MIB, PTU_POSSIBLE);
	claim(&before, A + 4 * MIB, PTU_POSSIBLE);
	claim(&before, A + 6 * MIB, PTU_MAYBE);
	claim(&after, A, PTU_POSSIBLE);
	claim(&after, A + 2 * MIB, PTU_CERTAIN);
	claim(&after, A + 4 * MIB, PTU_POSSIBLE);
	claim(&after, A + 6 * MIB, PTU_CERTAIN);
	grow();
	CHECK_EQ(growth.nr_rows, 0);
	CHECK_EQ(growth.came[PTE] + growth.went[PTE], 0);
	CHECK_EQ(growth.before[PTE], 3);
	CHECK_EQ(growth.after[PTE], 3);
}

/* It is at the start of its PMD table, and is replaced by a PTE table. */
UNIT_TEST(a_huge_page_is_no_table)
{
	map(&before, A, A + 8 * MIB, 0);
	map(&after, A, A + 8 * MIB, 0);
	build_claim(&before.tables, &four_levels, PMD, A, PTU_LEAF);
	claim(&after, A, PTU_CERTAIN);
	grow();
	CHECK_EQ(growth.came[PTE], 1);
	CHECK_EQ(growth.before[PMD], 1);
	CHECK_EQ(growth.after[PMD], 1);
	CHECK_EQ(growth.came[PMD] + growth.went[PMD], 0);
}

UNIT_TEST(all_tables_of_a_new_process_came)
{
	ptu_tables_init(&before.tables, &four_levels);
	map(&after, A, A + 8 * MIB, 0);
	claim(&after, A, PTU_CERTAIN);
	grow();
	CHECK_EQ(growth.came[PTE], 1);
	CHECK_EQ(growth.came[PMD], 1);
	CHECK_EQ(growth.came[PUD], 1);
	CHECK_EQ(growth.came[PGD], 1);
	/* the PGD belongs to no mapping */
	CHECK_EQ(growth.rows[0].bytes, 3 * 4096);
}

UNIT_MAIN_WITH(NULL, tear_down)
