// SPDX-License-Identifier: GPL-2.0-only
/* The files of shared memory: how they are found, and their order by the tables that are saved. */
#include "compare/whatif.h"

#include "support/build.h"
#include "support/unit.h"

UNIT_TEST(the_file_with_most_tables_comes_first)
{
	struct ptu_whatif_file files[] = {
		/* this file has a path, so it cannot become hugetlb memory */
		{ .size_bytes = GIB, .hugetlb_tables = 9 },
		{ .size_bytes = GIB, .hugetlb_tables = 7, .is_internal = true },
		{ .size_bytes = MIB, .hugetlb_tables = 9, .is_internal = true },
		{ .size_bytes = GIB, .hugetlb_tables = 8, .is_internal = true },
		{ .size_bytes = GIB, .tables = 1 },
	};
	struct ptu_whatif_report report = { .slot_bytes = 2 * MIB,
					    .files = files,
					    .nr_files = 5 };

	CHECK(!ptu_whatif_add_up(&report));
	CHECK_EQ(files[0].shown, 4);
	CHECK_EQ(files[1].shown, 3);
	CHECK_EQ(files[2].shown, 1);
	/* files with equal numbers keep their order */
	CHECK_EQ(files[3].shown, 0);
	CHECK_EQ(files[4].shown, 2);
}

UNIT_TEST(a_file_is_found_by_its_device_and_inode)
{
	struct ptu_whatif_file file = { .device = 7, .inode = 99 };
	const struct ptu_whatif_report report = { .files = &file,
						  .nr_files = 1 };
	struct ptu_vma vma = { .device = 7, .inode = 99 };

	CHECK_EQ(ptu_whatif_find_file(&report, &vma), 0);
	/* System V memory with the ID 0, which anonymous memory is not */
	file.inode = vma.inode = 0;
	CHECK_EQ(ptu_whatif_find_file(&report, &vma), 0);
	file.device = vma.device = 0;
	CHECK_EQ(ptu_whatif_find_file(&report, &vma), 1);
}

UNIT_MAIN
