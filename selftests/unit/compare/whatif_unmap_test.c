// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tables that munmap() frees: those of all mappings of a file, and those of one mapping if
 * another one maps the same memory.  Also the number of anonymous huge pages.
 */
#include "compare/whatif.h"

#include <stdlib.h>
#include <string.h>

#include "support/build.h"
#include "support/unit.h"

#define SLOT (2 * MIB)
#define HALF (SLOT / 2)
#define BASE (16 * TIB)
#define OTHER (BASE + GIB) /* has a PMD table of its own */
#define INODE 99

static struct ptu_whatif_report report;
static struct ptu_vma vmas[8];
static struct ptu_tables tables;
static size_t nr_vmas;
#define ANON_INODE 6
#define OTHER_NAME 28
static char names[] = "\0name\0anon_inode:kvm-vcpu:0\0other";

static void begin_process(void)
{
	ptu_tables_deinit(&tables);
	ptu_tables_init(&tables, &four_levels);
	nr_vmas = 0;
}

static void begin(void)
{
	ptu_whatif_report_deinit(&report);
	begin_process();
}

/* A shared mapping of the file from @offset on. */
static struct ptu_vma *map(uint64_t start, uint64_t end, uint64_t offset)
{
	struct ptu_vma *vma = &vmas[nr_vmas++];

	*vma = (struct ptu_vma){ .start = start,
				 .end = end,
				 .offset_bytes = offset,
				 .device = 7,
				 .inode = INODE,
				 .perms = "rw-s",
				 .has_flags = true,
				 .path = 1 };
	return vma;
}

/* A mapping without a file. */
static void map_anon(uint64_t start, uint64_t end)
{
	struct ptu_vma *vma = map(start, end, 0);

	vma->device = vma->inode = 0;
}

/* Add a PTE table and the tables above it. */
static void table(uint64_t start)
{
	CHECK(!ptu_tables_add(&tables, PTAUDIT_PTE, start, PTU_CERTAIN));
	ptu_tables_count_entries(&tables, 1);
}

/*
 * Put one letter for each slot: t a table, e an empty one, ? a possible one, L a leaf,
 * - nothing.
 */
static void put(uint64_t start, const char *slots)
{
	for (; *slots; slots++, start += SLOT) {
		if (*slots == 'L')
			CHECK(!ptu_tables_add(&tables, PTAUDIT_PMD, start,
					      PTU_LEAF));
		else if (*slots == '?')
			CHECK(!ptu_tables_add(&tables, PTAUDIT_PTE, start,
					      PTU_MAYBE));
		else if (*slots != '-')
			table(start);
		if (*slots == 'e')
			tables.tables[tables.nr_tables - 1].entries = 0;
	}
}

static void look(size_t mm)
{
	const struct ptu_vmas all = { .vmas = vmas,
				      .nr_vmas = nr_vmas,
				      .names = names,
				      .names_bytes = sizeof(names) };
	const struct ptu_whatif_space space = { &four_levels, &all, &tables,
						mm };

	while (report.nr_mms <= mm) {
		if (!ptu_whatif_room(&report.mms, report.nr_mms,
				     sizeof(*report.mms)))
			abort();
		report.nr_mms++;
	}
	CHECK(!ptu_whatif_add_unmaps(&space, &report));
	CHECK(!ptu_whatif_add_doubled(&space, &report));
}

/* The report has one file with these numbers of tables. */
static bool has_row(uint64_t nr, uint64_t upper)
{
	return report.nr_unmaps == 1 && report.unmaps[0].tables == nr &&
	       report.unmaps[0].upper_tables == upper &&
	       report.unmaps[0].inode == INODE;
}

static bool goes(uint64_t nr, uint64_t upper)
{
	look(0);
	ptu_whatif_sum_unmaps(&report);
	return has_row(nr, upper);
}

static bool none_goes(void)
{
	look(0);
	ptu_whatif_sum_unmaps(&report);
	return report.nr_unmaps == 0;
}

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

UNIT_TEST(a_file_alone_takes_the_upper_tables_with_it)
{
	map(BASE, BASE + 3 * SLOT, 0);
	put(BASE, "t-t");
	CHECK(goes(2, 2));
}

UNIT_TEST(table_of_another_mapping_stays)
{
	map(BASE, BASE + SLOT + 4096, 0);
	/* it maps no page: its existence is enough */
	map_anon(BASE + SLOT + 8192, BASE + SLOT + 12288);
	put(BASE, "tt");
	CHECK(goes(1, 0));
}

UNIT_TEST(a_mapping_before_the_file_keeps_the_first_table)
{
	map_anon(BASE, BASE + 4096);
	map(BASE + 4096, BASE + 2 * SLOT, 4096);
	put(BASE, "tt");
	CHECK(goes(1, 0));
}

UNIT_TEST(sealed_mapping_keeps_its_tables)
{
	map(BASE, BASE + SLOT, 0)->flags = PTU_VM_SEALED;
	map(BASE + SLOT, BASE + 2 * SLOT, SLOT);
	put(BASE, "tt");
	CHECK(goes(1, 0));
}

/* Add a PMD table with a leaf, in a hugetlb mapping with @flags in one GiB. */
static void map_hugetlb(uint64_t gib, uint64_t bytes, unsigned int flags)
{
	const uint64_t start = BASE + gib * GIB;

	map(start, start + bytes, gib * GIB)->flags = PTU_VM_HUGETLB | flags;
	put(start, "L");
}

/* Another process may use it: then it stays. */
UNIT_TEST(pmd_table_of_hugetlb_that_can_be_shared_is_not_predicted)
{
	/* what others cannot map; less than the reach of the table; both */
	map_hugetlb(0, GIB, 0);
	map_hugetlb(1, GIB / 2, PTU_VM_MAYSHARE);
	CHECK(goes(0, 3));
	begin();
	map_hugetlb(0, GIB, PTU_VM_MAYSHARE);
	map_hugetlb(1, 2 * GIB, PTU_VM_MAYSHARE);
	/* the PUD table goes */
	CHECK(goes(0, 1));
}

UNIT_TEST(sealed_mapping_is_not_the_one_to_unmap)
{
	map(BASE, BASE + SLOT, 0);
	map(OTHER, OTHER + SLOT, 0)->flags = PTU_VM_SEALED;
	table(BASE);
	table(OTHER);
	CHECK_NOT_DOUBLED;
}

/* The mapping covers two of the tables; the first and the last reach beyond it. */
static void by_madvise(unsigned int flags, const char *perms, uint64_t nr)
{
	struct ptu_vma *vma;

	begin();
	report.madvise_frees = true;
	vma = map(BASE + 4096, BASE + 3 * SLOT + 4096, 0);
	vma->flags = flags;
	memcpy(vma->perms, perms, sizeof(vma->perms));
	put(BASE, "tttt");
	CHECK(goes(4, 2));
	CHECK_EQ(report.unmaps[0].madvise_tables, nr);
}

UNIT_TEST(madvise_frees_tables_within_a_shared_mapping)
{
	by_madvise(0, "rw-s", 2);
	by_madvise(PTU_VM_NOHUGE | PTU_VM_UFFD, "r--s", 2);
	by_madvise(0, "rw-p", 0);
	by_madvise(PTU_VM_LOCKED, "rw-s", 0);
	by_madvise(PTU_VM_PFNMAP, "rw-s", 0);
	by_madvise(PTU_VM_MIXEDMAP, "rw-s", 0);
	by_madvise(PTU_VM_UFFD_WP, "rw-s", 0);
	by_madvise(PTU_VM_GUARD, "rw-s", 0);
	by_madvise(PTU_VM_HUGETLB, "rw-s", 0);
}

UNIT_TEST(madvise_needs_a_kernel_that_frees_tables_and_known_flags)
{
	for (unsigned int i = 0; i < 2; i++) {
		begin();
		report.madvise_frees = i;
		map(BASE, BASE + SLOT, 0)->has_flags = !i;
		table(BASE);
		look(0);
		/* the report has one row before rows are summed up */
		CHECK(has_row(1, 2));
		CHECK_EQ(report.unmaps[0].madvise_tables, 0);
	}
}

UNIT_TEST(madvise_frees_in_each_process)
{
	size_t mm;

	begin();
	report.madvise_frees = true;
	for (mm = 0; mm < 3; mm++) {
		begin_process();
		map(BASE, BASE + 2 * SLOT, 0);
		put(BASE, "tt");
		look(mm);
	}
	ptu_whatif_sum_unmaps(&report);
	CHECK_EQ(report.unmaps[0].madvise_tables, 6);
}

UNIT_TEST(mappings_of_one_file_go_together)
{
	map(BASE, BASE + 4096, 0);
	map(BASE + 8192, BASE + 12288, 0);
	map(OTHER, OTHER + 4096, 0);
	table(BASE);
	table(OTHER);
	/* two PMD tables and the PUD table */
	CHECK(goes(2, 3));
}

UNIT_TEST(the_pmd_table_stays_for_another_file)
{
	map(BASE, BASE + SLOT, 0);
	map(BASE + SLOT, BASE + 3 * SLOT, 0)->inode = INODE + 1;
	put(BASE, "ttt");
	look(0);
	ptu_whatif_sum_unmaps(&report);
	CHECK(report.nr_unmaps == 2);
	/* the file with most tables comes first */
	CHECK(report.unmaps[0].inode == INODE + 1);
	CHECK(report.unmaps[0].tables == 2);
	CHECK(report.unmaps[1].tables == 1);
	CHECK(report.unmaps[0].upper_tables == 0);
}

UNIT_TEST(processes_add_up)
{
	size_t mm;

	for (mm = 0; mm < 3; mm++) {
		begin_process();
		map(BASE, BASE + SLOT, 0);
		map_anon(BASE + SLOT, BASE + 2 * SLOT);
		map(OTHER, OTHER + SLOT, 0);
		put(BASE, "tt");
		table(OTHER);
		/* another file between them, so each process has two rows */
		map(OTHER + GIB, OTHER + GIB + SLOT, 0)->inode = 77;
		table(OTHER + GIB);
		map(OTHER + 2 * GIB, OTHER + 2 * GIB + SLOT, 0);
		table(OTHER + 2 * GIB);
		look(mm);
	}
	ptu_whatif_sum_unmaps(&report);
	CHECK(report.unmaps[0].tables == 9);
	CHECK(report.unmaps[0].nr_mms == 3);
	/* the PMD tables at OTHER and at OTHER + 2 GiB; an anonymous mapping keeps the first */
	CHECK(report.unmaps[0].upper_tables == 3 * 2);
}

UNIT_TEST(file_with_a_possible_table_has_no_row)
{
	map(BASE, BASE + 2 * SLOT, 0);
	table(BASE);
	CHECK(!ptu_tables_add(&tables, PTAUDIT_PTE, BASE + SLOT, PTU_MAYBE));
	CHECK(none_goes());
}

UNIT_TEST(a_possible_table_in_one_process_is_enough)
{
	map(BASE, BASE + SLOT, 0);
	CHECK(!ptu_tables_add(&tables, PTAUDIT_PTE, BASE, PTU_MAYBE));
	look(0);
	begin_process();
	map(BASE, BASE + SLOT, 0);
	table(BASE);
	look(1);
	ptu_whatif_sum_unmaps(&report);
	CHECK(report.nr_unmaps == 0);
}

/* One process has an executable mapping of the file, without a table. */
UNIT_TEST(a_file_that_a_process_executes_has_no_row_for_any_process)
{
	size_t mm;

	for (mm = 0; mm < 3; mm++) {
		begin_process();
		map(BASE, BASE + SLOT, 0);
		map(OTHER, OTHER + SLOT, 0)->inode = INODE + 1;
		map(OTHER + GIB, OTHER + GIB + 4096, SLOT)->perms[2] =
			mm == 1 ? 'x' : '-';
		put(BASE, "t");
		put(OTHER, "t");
		look(mm);
	}
	ptu_whatif_sum_unmaps(&report);
	CHECK_EQ(report.nr_unmaps, 1);
	CHECK_EQ(report.unmaps[0].inode, INODE + 1);
	CHECK_EQ(report.unmaps[0].tables, 3);
	CHECK_EQ(report.unmaps[0].nr_mms, 3);
}

UNIT_TEST(a_table_behind_the_last_mapping_belongs_to_none)
{
	map_anon(BASE, BASE + SLOT);
	/* leave a file behind the end of the array */
	map(OTHER, OTHER + SLOT, 0);
	nr_vmas--;
	table(OTHER);
	CHECK(none_goes());
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

UNIT_TEST(anonymous_memory_and_gaps_are_no_file)
{
	map_anon(BASE, BASE + SLOT);
	put(BASE, "t---t");
	CHECK(none_goes());
}

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

/* A snapshot of btrfs has the same device and inode in maps, but not the same pages. */
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
	begin();
	map(BASE, BASE + HALF, 0);
	map(BASE + HALF, BASE + SLOT, 0)->path = OTHER_NAME;
	table(BASE);
	CHECK(none_goes());
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

/* Two huge pages of anonymous memory; one of the file; one of 1 GiB has no deposited table. */
UNIT_TEST(huge_pages_of_anonymous_memory_are_counted)
{
	const struct ptu_vmas all = { .vmas = vmas, .nr_vmas = 3 };
	const struct ptu_whatif_space space = { &four_levels, &all, &tables,
						0 };
	struct ptu_whatif_mm mm = { 0 };

	map(BASE, BASE + 3 * SLOT, 0);
	map(BASE + 3 * SLOT, BASE + 4 * SLOT, 0);
	map(OTHER, OTHER + GIB, 0);
	vmas[0].inode = vmas[2].inode = 0;
	vmas[0].perms[3] = vmas[2].perms[3] = 'p';
	put(BASE, "tLLL");
	CHECK(!ptu_tables_add(&tables, PTAUDIT_PUD, OTHER, PTU_LEAF));
	ptu_whatif_count(&space, &mm);
	CHECK_EQ(mm.anon_huge_pages, 2);
	CHECK_EQ(mm.pte_tables, 1);
}

UNIT_MAIN_WITH(begin, NULL)
