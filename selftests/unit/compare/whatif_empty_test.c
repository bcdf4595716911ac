// SPDX-License-Identifier: GPL-2.0-only
/* Empty tables, and the call that frees them. */
#include "whatif_scene.h"

UNIT_TEST(neighbouring_empty_tables_are_one_row)
{
	map(BASE, BASE + 8 * SLOT, "rw-p");
	table(BASE, 0);
	table(BASE + SLOT, 0);
	table(BASE + 2 * SLOT, 1);
	table(BASE + 3 * SLOT, 0);
	empties();
	CHECK(report.nr_empties == 2);
	CHECK(report.empties[0].start == BASE);
	CHECK(report.empties[0].end == BASE + 2 * SLOT);
	CHECK(report.empties[0].tables == 2);
	CHECK(report.empties[1].start == BASE + 3 * SLOT);
	/* in the next mapping */
	vmas[0].end = BASE + 4 * SLOT;
	map(BASE + 4 * SLOT, BASE + 5 * SLOT, "rw-p");
	nr_tables = 0;
	table(BASE + 4 * SLOT, 0);
	empties();
	CHECK(report.nr_empties == 3);
	CHECK(report.empties[2].start == BASE + 4 * SLOT);
	CHECK(ptu_whatif_empty_tables(&report, PTU_BY_MADVISE) == 4);
	CHECK(ptu_whatif_empty_tables(&report, PTU_BY_MUNMAP) == 0);
}

UNIT_TEST(empty_tables_of_two_processes_are_two_rows)
{
	struct ptu_whatif_space s;

	begin(2);
	map(BASE, BASE + 2 * SLOT, "rw-p");
	table(BASE, 0);
	empties();
	nr_tables = 0;
	table(BASE + SLOT, 0);
	s = space(1);
	CHECK(!ptu_whatif_add_empties(&s, &report));
	CHECK(report.nr_empties == 2);
	CHECK(report.empties[1].mm == 1);
}

UNIT_TEST(a_table_of_two_mappings_takes_munmap)
{
	map(BASE, BASE + SLOT + 4096, "rw-p");
	map(BASE + SLOT + 4096, BASE + 2 * SLOT, "r--p");
	slots(2, 0);
	empties();
	CHECK(ptu_whatif_empty_tables(&report, PTU_BY_MADVISE) == 1);
	CHECK(ptu_whatif_empty_tables(&report, PTU_BY_MUNMAP) == 1);
}

UNIT_TEST(a_mapping_of_a_part_of_the_slot_takes_munmap)
{
	map(BASE, BASE + SLOT - 4096, "rw-p");
	map(BASE + SLOT + 4096, BASE + 3 * SLOT, "rw-p");
	slots(3, 0);
	empties();
	CHECK(ptu_whatif_empty_tables(&report, PTU_BY_MUNMAP) == 2);
	CHECK(ptu_whatif_empty_tables(&report, PTU_BY_MADVISE) == 1);
}

UNIT_TEST(locked_memory_takes_an_advice_of_its_own)
{
	map(BASE, BASE + SLOT, "rw-p");
	map(BASE + SLOT, BASE + 2 * SLOT + 4096, "rw-p")->flags = PTU_VM_LOCKED;
	table(BASE, 0);
	table(BASE + SLOT, 0);
	/* the mapping has only a part of this slot */
	table(BASE + 2 * SLOT, 0);
	empties();
	CHECK(report.nr_empties == 3);
	CHECK(report.empties[1].call == PTU_BY_MADVISE_LOCKED);
	CHECK(ptu_whatif_empty_tables(&report, PTU_BY_MADVISE) == 1);
	CHECK(ptu_whatif_empty_tables(&report, PTU_BY_MADVISE_LOCKED) == 1);
	CHECK(ptu_whatif_empty_tables(&report, PTU_BY_MUNMAP) == 1);
	CHECK(ptu_whatif_all_empty_tables(&report) == 3);
}

UNIT_TEST(older_kernels_take_munmap)
{
	report.madvise_frees = false;
	map(BASE, BASE + SLOT, "rw-p");
	map(BASE + SLOT, BASE + 2 * SLOT, "rw-p")->flags = PTU_VM_LOCKED;
	slots(2, 0);
	empties();
	CHECK(ptu_whatif_empty_tables(&report, PTU_BY_MUNMAP) == 2);
}

UNIT_TEST(sealed_memory_cannot_be_unmapped)
{
	begin(2);
	/* 1.5 slots, so only one table takes madvise */
	map(BASE, BASE + SLOT + SLOT / 2, "rw-p")->flags = PTU_VM_SEALED;
	map(BASE + SLOT + SLOT / 2, BASE + 3 * SLOT, "rw-p");
	slots(3, 0);
	empties();
	CHECK(report.nr_empties == 2);
	CHECK(report.empties[0].start == BASE);
	CHECK(report.empties[1].start == BASE + 2 * SLOT);
	CHECK(ptu_whatif_empty_tables(&report, PTU_BY_MADVISE) == 2);
	CHECK(report.mms[0].sealed_tables == 1);
	report.mms[1].sealed_tables = 2;
	CHECK(ptu_whatif_sealed_tables(&report) == 3);
	/* older kernels do not free it by madvise() */
	begin(1);
	report.madvise_frees = false;
	map(BASE, BASE + SLOT, "rw-p")->flags = PTU_VM_SEALED;
	table(BASE, 0);
	empties();
	CHECK(report.nr_empties == 0);
	CHECK(ptu_whatif_sealed_tables(&report) == 1);
}

UNIT_TEST(sealing_forbids_madvise_only_in_unwritable_anonymous_memory)
{
	static const struct {
		const char *perms;
		uint64_t inode;
		unsigned int flags;
		const char *path;
		size_t nr; /* number of rows that the report must have */
	} rows[] = {
		{ "rw-p", 0, PTU_VM_SEALED, "", 1 },
		{ "r--p", 0, PTU_VM_SEALED, "", 0 },
		{ "---p", 0, PTU_VM_SEALED, "", 0 },
		{ "r--p", 0, PTU_VM_SEALED | PTU_VM_LOCKED, "", 0 },
		{ "rw-p", 0, PTU_VM_SEALED | PTU_VM_LOCKED, "", 1 },
		{ "r--p", 0, 0, "", 1 },
		{ "r-xp", 7, PTU_VM_SEALED, "/bin/x", 1 },
		{ "r--s", 7, PTU_VM_SEALED, "/memfd:x", 1 },
		{ "r--p", 7, PTU_VM_SEALED, "/dev/zero", 0 },
		{ "rw-p", 7, PTU_VM_SEALED, "/dev/zero", 1 },
		{ "r--s", 7, PTU_VM_SEALED, "/dev/zero", 1 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ptu_vma *vma;

		begin(1);
		vma = map(BASE, BASE + SLOT, rows[i].perms);
		vma->inode = rows[i].inode;
		vma->flags = rows[i].flags;
		strcpy(names + 1, rows[i].path);
		table(BASE, 0);
		empties();
		CHECK_EQ(report.nr_empties, rows[i].nr);
		CHECK_EQ(ptu_whatif_sealed_tables(&report), 1 - rows[i].nr);
	}
	strcpy(names + 1, "name");
}

UNIT_TEST(table_not_proven_empty_has_no_row)
{
	map(BASE, BASE + SLOT, "rw-p")->flags = PTU_VM_PFNMAP;
	map(BASE + SLOT, BASE + 2 * SLOT, "rw-p")->has_flags = false;
	map(BASE + 2 * SLOT, BASE + 4 * SLOT, "rw-p");
	slots(2, 0);
	table(BASE + 2 * SLOT, 0);
	tables[2].counted = false;
	table(BASE + 3 * SLOT, 0);
	tables[3].claim = PTU_POSSIBLE;
	table(BASE + 9 * SLOT, 0);
	/* arm64 maps hugetlb pages of 64 KiB by PTE tables */
	map(BASE + 10 * SLOT, BASE + 11 * SLOT, "rw-p")->flags = PTU_VM_HUGETLB;
	table(BASE + 10 * SLOT, 0);
	empties();
	CHECK(report.nr_empties == 0);
}

UNIT_MAIN_WITH(set_up, NULL)
