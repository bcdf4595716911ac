// SPDX-License-Identifier: GPL-2.0-only
/* What the mappings tell about a range, and which of them have known flags. */
#include "model/place.h"

#include "support/build.h"
#include "support/unit.h"

#define A UINT64_C(0x7f0000000000)

/* [A, +8K) PFN, [A+8K, +12K) plain, a gap of 4K, [A+16K, +20K) plain. */
static void put(struct build *b)
{
	build_init(b, 4, false);
	build_map(b, A, A + 8 * KIB, PTU_VM_PFNMAP);
	build_map(b, A + 8 * KIB, A + 12 * KIB, 0);
	build_map(b, A + 16 * KIB, A + 20 * KIB, 0);
}

UNIT_TEST(bytes_in_mappings_are_counted_to_the_edges)
{
	struct build b;

	put(&b);
	CHECK_EQ(ptu_place_bytes(&b.vmas, A, A + 20 * KIB, 0), 16 * KIB);
	CHECK_EQ(ptu_place_bytes(&b.vmas, A + 4 * KIB, A + 18 * KIB, 0),
		 10 * KIB);
	CHECK_EQ(ptu_place_bytes(&b.vmas, 0, UINT64_MAX, 0), 16 * KIB);
	CHECK_EQ(ptu_place_bytes(&b.vmas, A + 12 * KIB, A + 16 * KIB, 0), 0);
	CHECK_EQ(ptu_place_bytes(&b.vmas, A - MIB, A, 0), 0);
	CHECK_EQ(ptu_place_bytes(&b.vmas, A + 20 * KIB, A + MIB, 0), 0);
	build_deinit(&b);
}

UNIT_TEST(a_flag_counts_only_where_it_is_known)
{
	struct build b;

	put(&b);
	CHECK_EQ(ptu_place_bytes(&b.vmas, A, A + MIB, PTU_VM_PFNMAP), 8 * KIB);
	CHECK_EQ(ptu_place_bytes(&b.vmas, A, A + MIB, PTU_VM_HUGETLB), 0);
	b.vmas.vmas[0].has_flags = false;
	CHECK_EQ(ptu_place_bytes(&b.vmas, A, A + MIB, PTU_VM_PFNMAP), 0);
	CHECK_EQ(ptu_place_bytes(&b.vmas, A, A + MIB, 0), 16 * KIB);
	build_deinit(&b);
}

UNIT_TEST(of_several_flags_a_mapping_needs_all)
{
	struct build b;

	put(&b);
	build_map(&b, A, A + 4 * KIB, PTU_VM_PFNMAP | PTU_VM_MIXEDMAP);
	CHECK_EQ(ptu_place_bytes(&b.vmas, A, A + MIB,
				 PTU_VM_PFNMAP | PTU_VM_MIXEDMAP),
		 4 * KIB);
	CHECK(!ptu_place_one(&b.vmas, A + 4 * KIB, A + 8 * KIB,
			     PTU_VM_PFNMAP | PTU_VM_MIXEDMAP));
	build_deinit(&b);
}

UNIT_TEST(one_mapping_must_cover_the_whole_range)
{
	struct build b;

	put(&b);
	CHECK(ptu_place_one(&b.vmas, A, A + 8 * KIB, 0));
	CHECK(ptu_place_one(&b.vmas, A + 4 * KIB, A + 8 * KIB, PTU_VM_PFNMAP));
	CHECK(!ptu_place_one(&b.vmas, A, A + 8 * KIB, PTU_VM_HUGETLB));
	CHECK(!ptu_place_one(&b.vmas, A, A + 12 * KIB, 0));
	CHECK(!ptu_place_one(&b.vmas, A - 4 * KIB, A + 4 * KIB, 0));
	CHECK(!ptu_place_one(&b.vmas, A + 12 * KIB, A + 16 * KIB, 0));
	CHECK(!ptu_place_one(&b.vmas, A + 20 * KIB, A + 24 * KIB, 0));
	build_deinit(&b);
}

/*
 * A later reading of smaps: the first mapping has grown, the third one is of another
 * file.
 */
UNIT_TEST(flags_are_taken_over_from_mappings_that_are_the_same)
{
	struct build b, later;

	put(&b);
	put(&later);
	build_forget_flags(&b);
	build_map(&later, A - 4 * KIB, A + 8 * KIB, PTU_VM_PFNMAP);
	later.vmas.vmas[1].flags = PTU_VM_UFFD_WP;
	later.vmas.vmas[2].inode = 5;
	ptu_vmas_take_flags(&b.vmas, &later.vmas);
	CHECK(!b.vmas.vmas[0].has_flags);
	CHECK(b.vmas.vmas[1].has_flags);
	CHECK_EQ(b.vmas.vmas[1].flags, PTU_VM_UFFD_WP);
	CHECK(!b.vmas.vmas[2].has_flags);
	CHECK(!b.vmas.vmas[1].has_smaps);
	build_deinit(&b);
	build_deinit(&later);
}

UNIT_MAIN
