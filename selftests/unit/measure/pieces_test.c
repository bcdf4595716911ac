// SPDX-License-Identifier: GPL-2.0-only
/* Pieces of the mapped ranges.  The addresses were computed by hand. */
#include "measure/pieces.h"

#include "support/build.h"
#include "support/unit.h"

#define PIECE (64 * GIB)
#define USER_END (128 * TIB)
#define MOST 8

struct seen {
	unsigned int nr;
	uint64_t starts[MOST];
	unsigned int last; /* refuse the piece of this number */
};

static int see(void *arg, uint64_t start, uint64_t end)
{
	struct seen *seen = arg;

	if (seen->nr == MOST || end != start + PIECE)
		UNIT_FAIL("there is a further piece, or it has the wrong size");
	seen->starts[seen->nr++] = start;
	return seen->nr == seen->last ? -7 : 0;
}

static void map_three(struct build *b)
{
	build_init(b, 4, false);
	/* two mappings in one piece; one across the border of two; one at the end */
	build_map(b, GIB, 2 * GIB, 0);
	build_map(b, 3 * GIB, 4 * GIB, 0);
	build_map(b, 10 * PIECE - GIB, 10 * PIECE + GIB, 0);
	build_map(b, USER_END - GIB, USER_END, 0);
}

UNIT_TEST(each_mapped_piece_is_passed_once)
{
	struct seen seen = { 0 };
	struct build b;

	map_three(&b);
	CHECK_EQ(ptu_pieces_each(&b.vmas, &b.geo, see, &seen), 0);
	CHECK_EQ(seen.nr, 4);
	CHECK_EQ(seen.starts[0], 0);
	CHECK_EQ(seen.starts[1], 9 * PIECE);
	CHECK_EQ(seen.starts[2], 10 * PIECE);
	CHECK_EQ(seen.starts[3], USER_END - PIECE);
	build_deinit(&b);
}

UNIT_TEST(an_error_ends_the_pieces)
{
	struct seen seen = { .last = 2 };
	struct build b;

	map_three(&b);
	CHECK_EQ(ptu_pieces_each(&b.vmas, &b.geo, see, &seen), -7);
	CHECK_EQ(seen.nr, 2);
	build_deinit(&b);
}

/* vsyscall is beyond user space. */
UNIT_TEST(mappings_of_the_kernel_half_have_no_piece)
{
	struct seen seen = { 0 };
	struct build b;

	build_init(&b, 4, false);
	build_map(&b, UINT64_C(0xffffffffff600000),
		  UINT64_C(0xffffffffff601000), 0);
	CHECK_EQ(ptu_pieces_each(&b.vmas, &b.geo, see, &seen), 0);
	CHECK_EQ(seen.nr, 0);
	build_deinit(&b);
}

UNIT_TEST(a_table_of_several_pieces_is_new_once)
{
	struct ptu_pieces pieces = { 0 };

	CHECK(ptu_pieces_is_new(&pieces, PTAUDIT_PGD, 0));
	CHECK(ptu_pieces_is_new(&pieces, PTAUDIT_PUD, 0));
	CHECK(ptu_pieces_is_new(&pieces, PTAUDIT_PMD, 0));
	CHECK(ptu_pieces_is_new(&pieces, PTAUDIT_PTE, 0));
	/* the next piece begins below tables that the first one had */
	CHECK(!ptu_pieces_is_new(&pieces, PTAUDIT_PGD, 0));
	CHECK(!ptu_pieces_is_new(&pieces, PTAUDIT_PUD, 0));
	CHECK(ptu_pieces_is_new(&pieces, PTAUDIT_PUD, 512 * GIB));
	CHECK(!ptu_pieces_is_new(&pieces, PTAUDIT_PUD, 512 * GIB));
}

UNIT_TEST(more_tables_than_a_piece_has_are_large)
{
	struct build b;

	build_init(&b, 4, false);
	CHECK(!ptu_is_large(&b.geo, 128 * MIB));
	CHECK(ptu_is_large(&b.geo, 128 * MIB + 4 * KIB));
	build_deinit(&b);
}

UNIT_MAIN
