// SPDX-License-Identifier: GPL-2.0-only
/* Tables that munmap() of all mappings of a file frees. */
#include "unmap_scene.h"

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

UNIT_TEST(anonymous_memory_and_gaps_are_no_file)
{
	map_anon(BASE, BASE + SLOT);
	put(BASE, "t---t");
	CHECK(none_goes());
}

/* A snapshot of btrfs has the same device and inode in maps, but not the same pages. */
UNIT_TEST(the_table_of_another_path_stays)
{
	map(BASE, BASE + HALF, 0);
	map(BASE + HALF, BASE + SLOT, 0)->path = OTHER_NAME;
	table(BASE);
	CHECK(none_goes());
}

UNIT_MAIN_WITH(begin, NULL)
