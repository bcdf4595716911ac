// SPDX-License-Identifier: GPL-2.0-only
/* Tables that munmap() of one mapping frees, if another one maps the same memory. */
#include "unmap_scene.h"

#include <string.h>

/* One mapping can be unmapped: its start, the memory that is kept, the tables that go. */
#define CHECK_DOUBLED(unmapped, kept, nr, upper)                 \
	do {                                                     \
		look(3);                                         \
		CHECK_EQ(report.nr_doubled, 1);                  \
		CHECK_EQ(report.doubled[0].mm, 3);               \
		CHECK_EQ(report.doubled[0].start, unmapped);     \
		CHECK_EQ(report.doubled[0].kept_start, kept);    \
		CHECK_EQ(report.doubled[0].tables, nr);          \
		CHECK_EQ(report.doubled[0].upper_tables, upper); \
	} while (0)

#define CHECK_NOT_DOUBLED                       \
	do {                                    \
		look(0);                        \
		CHECK_EQ(report.nr_doubled, 0); \
	} while (0)

/* The tables of two mappings of the same slots. */
static const struct {
	const char *name, *first, *second;
	bool has_row;
	unsigned int nr; /* the PTE tables that go with the second one */
} pairs[] = {
	{ "same_tables", "tt", "tt", true, 2 },
	/* the pages there would need a table under the first mapping */
	{ "first_table_missing", "-t", "tt", false },
	{ "last_table_missing", "tt-", "--t", false },
	{ "empty_table_needs_none", "tt-", "--e", true, 1 },
	{ "slot_without_table_needs_none", "-t", "-t", true, 1 },
	{ "leaf_counts_like_table", "L", "t", true, 1 },
	/* the leaf would be split into a table */
	{ "leaf_needs_table", "-", "L", false },
	{ "leaves_correspond", "Lt", "Lt", true, 1 },
	{ "possible_table_of_second", "tt", "t?", false },
};

UNIT_CASES(second_mapping_is_compared_with_the_first, pairs, one)
{
	const uint64_t bytes = strlen(one->first) * SLOT;

	map(BASE, BASE + bytes, 0);
	map(OTHER, OTHER + bytes, 0);
	put(BASE, one->first);
	put(OTHER, one->second);
	if (one->has_row)
		CHECK_DOUBLED(OTHER, BASE, one->nr, 1);
	else
		CHECK_NOT_DOUBLED;
}

/* Map the same two slots twice, with the tables of the first one. */
static struct ptu_vma *twice(void)
{
	struct ptu_vma *second;

	begin();
	map(BASE, BASE + 2 * SLOT, SLOT);
	second = map(OTHER, OTHER + 2 * SLOT, SLOT);
	put(BASE, "tt");
	return second;
}

UNIT_TEST(second_mapping_of_the_same_memory_has_a_row)
{
	twice();
	/* the tables in the gaps beside the mapping, which munmap() does not reach */
	put(OTHER - SLOT, "tttt");
	/* its PMD table; both mappings need the PUD table */
	CHECK_DOUBLED(OTHER, BASE, 2, 1);
	CHECK_EQ(report.doubled[0].end, OTHER + 2 * SLOT);
}

UNIT_TEST(a_neighbour_behind_a_table_does_not_keep_it)
{
	twice();
	map_anon(OTHER + 2 * SLOT, OTHER + 3 * SLOT);
	put(OTHER, "tt");
	CHECK_DOUBLED(OTHER, BASE, 2, 0);
}

UNIT_TEST(a_neighbour_keeps_a_table_of_the_second)
{
	twice()->end -= 4096;
	map_anon(OTHER + 2 * SLOT - 4096, OTHER + 2 * SLOT);
	put(OTHER, "tt");
	CHECK_DOUBLED(OTHER, BASE, 1, 0);
}

/*
 * Shifted by half a slot: each table of the second mapping corresponds to two of the
 * first.
 */
UNIT_TEST(mapping_with_other_alignment_frees_both_tables)
{
	map(BASE, BASE + 2 * SLOT, 0);
	map(OTHER, OTHER + SLOT, HALF);
	table(BASE);
	table(OTHER);
	CHECK_NOT_DOUBLED;
	begin();
	map(BASE, BASE + 2 * SLOT, 0);
	map(OTHER, OTHER + SLOT, HALF);
	put(BASE, "tt");
	table(OTHER);
	CHECK_DOUBLED(OTHER, BASE + HALF, 1, 1);
}

/* Properties of the second mapping that the first one does not have. */
static const struct {
	const char *name;
	struct ptu_vma change;
	bool has_row;
} changes[] = {
	{ "none", { .has_flags = true }, true },
	{ "flags_unknown", { .has_flags = false }, false },
	{ "private", { .has_flags = true, .perms = "rw-p" }, false },
	{ "read_only", { .has_flags = true, .perms = "r--s" }, false },
	{ "inode", { .has_flags = true, .inode = 1 }, false },
	{ "device", { .has_flags = true, .device = 1 }, false },
	{ "offset", { .has_flags = true, .offset_bytes = SLOT }, false },
	{ "hugetlb", { .has_flags = true, .flags = PTU_VM_HUGETLB }, false },
	{ "pfnmap", { .has_flags = true, .flags = PTU_VM_PFNMAP }, false },
	{ "mixedmap", { .has_flags = true, .flags = PTU_VM_MIXEDMAP }, false },
};

UNIT_CASES(different_memory_has_no_row, changes, one)
{
	struct ptu_vma *second = twice();

	second->has_flags = one->change.has_flags;
	second->flags = one->change.flags;
	second->inode += one->change.inode;
	second->device += one->change.device;
	second->offset_bytes += one->change.offset_bytes;
	if (one->change.perms[0])
		memcpy(second->perms, one->change.perms, 5);
	put(OTHER, "tt");
	look(0);
	CHECK_EQ(report.nr_doubled, one->has_row);
}

/* All BPF maps have one inode; so have the mappings of virtual CPUs. */
UNIT_TEST(anonymous_inodes_do_not_identify_memory)
{
	twice()->path = ANON_INODE;
	vmas[0].path = ANON_INODE;
	put(OTHER, "tt");
	CHECK_NOT_DOUBLED;
}

UNIT_TEST(a_possible_table_behind_the_mapping_does_not_matter)
{
	map(BASE, BASE + SLOT, 0);
	map(OTHER, OTHER + SLOT, 0);
	put(BASE, "t");
	put(OTHER, "t?");
	CHECK_DOUBLED(OTHER, BASE, 1, 1);
}

/* Half of each table of the second mapping is beyond it, and maps nothing. */
UNIT_TEST(only_the_mapped_part_of_a_table_matters)
{
	map(BASE, BASE + SLOT, 0);
	map(OTHER + HALF, OTHER + SLOT + HALF, 0);
	table(BASE);
	put(OTHER, "tt");
	CHECK_DOUBLED(OTHER + HALF, BASE, 2, 1);
}

/* The kept mapping is the longer one, whatever its address. */
UNIT_TEST(tables_from_address_0_on_are_freed_with_the_first_mapping)
{
	map(4 * GIB, 4 * GIB + SLOT, 0);
	map(OTHER, OTHER + 2 * SLOT, 0);
	table(4 * GIB);
	table(OTHER);
	/* its PMD table, and the PUD table that begins at 0 */
	CHECK_DOUBLED(4 * GIB, OTHER, 1, 2);
}

UNIT_TEST(the_mapping_that_begins_first_in_the_file_is_kept)
{
	map(BASE, BASE + SLOT, SLOT);
	map(OTHER, OTHER + 2 * SLOT, 0);
	table(BASE);
	put(OTHER, "tt");
	CHECK_DOUBLED(BASE, OTHER + SLOT, 1, 1);
}

UNIT_TEST(one_of_three_mappings_is_kept)
{
	map(BASE, BASE + SLOT, 0);
	map(OTHER, OTHER + SLOT, 0);
	map(OTHER + GIB, OTHER + GIB + SLOT, 0);
	table(BASE);
	table(OTHER);
	table(OTHER + GIB);
	look(0);
	CHECK(report.nr_doubled == 2);
	CHECK(report.doubled[0].kept_start == BASE);
	CHECK(report.doubled[1].kept_start == BASE);
}

UNIT_TEST(system_v_memory_with_the_id_0_is_a_file)
{
	map(BASE, BASE + SLOT, 0)->inode = 0;
	map(OTHER, OTHER + SLOT, 0)->inode = 0;
	table(BASE);
	table(OTHER);
	CHECK_DOUBLED(OTHER, BASE, 1, 1);
	ptu_whatif_sum_unmaps(&report);
	CHECK_EQ(report.nr_unmaps, 1);
	CHECK_EQ(report.unmaps[0].tables, 2);
}

UNIT_TEST(sealed_mapping_is_not_the_one_to_unmap)
{
	map(BASE, BASE + SLOT, 0);
	map(OTHER, OTHER + SLOT, 0)->flags = PTU_VM_SEALED;
	table(BASE);
	table(OTHER);
	CHECK_NOT_DOUBLED;
}

/* As in snapshots of btrfs. */
UNIT_TEST(another_path_is_another_file)
{
	map(BASE, BASE + 2 * SLOT, 0);
	map(OTHER, OTHER + 2 * SLOT, 0)->path = OTHER_NAME;
	map(OTHER + GIB, OTHER + GIB + SLOT, 0);
	put(BASE, "tt");
	put(OTHER, "tt");
	table(OTHER + GIB);
	CHECK_DOUBLED(OTHER + GIB, BASE, 1, 1);
	ptu_whatif_sum_unmaps(&report);
	CHECK_EQ(report.nr_unmaps, 2);
	CHECK_EQ(report.unmaps[0].tables, 3);
	CHECK_STR(report.unmaps[1].path, "other");
}

UNIT_MAIN_WITH(begin, NULL)
