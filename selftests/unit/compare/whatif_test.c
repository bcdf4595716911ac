// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tables of shared memory that could be freed, over several processes; holes; and each reason
 * that keeps a table.
 */
#include "whatif_scene.h"

/* Add the mappings of a process; the next process starts without any. */
static void places(size_t mm)
{
	const struct ptu_whatif_space s = space(mm);

	CHECK(!ptu_whatif_add_places(&s, &report));
	nr_vmas = nr_tables = 0;
}

/* Give each window @resident pages in memory at its start. */
static void windows(unsigned int resident)
{
	unsigned char vec[512] = { 0 };
	size_t i;

	for (i = 0; i < resident; i++)
		vec[i] = 0xff; /* only bit 0 has a meaning */
	for (; i < 512; i++)
		vec[i] = 0xfe;
	CHECK(!ptu_whatif_add_windows(&report));
	for (i = 0; i < report.nr_windows; i++)
		if (!report.windows[i].block)
			CHECK(!ptu_whatif_see_window(&report,
						     &report.windows[i], vec,
						     resident));
	CHECK(!ptu_whatif_add_up(&report));
}

UNIT_TEST(tables_of_all_processes_add_up)
{
	size_t mm, i;

	begin(9);
	for (mm = 0; mm < 9; mm++) {
		/* each process maps it at another address */
		const uint64_t at = BASE + mm * GIB;

		map_file(at, at + 32 * SLOT, 4 * SLOT);
		for (i = 0; i < 32; i++)
			table(at + i * SLOT, 512);
		places(mm);
	}
	windows(512);
	CHECK(report.files[0].tables == 9 * 32);
	CHECK(report.files[0].windows == 32);
	CHECK(report.files[0].nr_mms == 9);
	CHECK(report.files[0].mm == 8);
	CHECK(report.files[0].fill_bytes == 0);
	CHECK(report.nr_holes == 0);
	CHECK(report.windows[0].offset == 4 * SLOT);
}

UNIT_TEST(holes_are_named_and_cost_memory)
{
	map_file(BASE, BASE + 2 * SLOT, 0);
	slots(2, 500);
	places(0);
	windows(500);
	CHECK(report.files[0].tables == 2);
	CHECK(report.files[0].fill_bytes == 2 * 12 * 4096);
	CHECK(report.nr_holes == 2);
	CHECK(report.holes[0].start == 500 * 4096);
	CHECK(report.holes[0].end == SLOT);
	CHECK(report.holes[1].start == SLOT + 500 * 4096);
}

UNIT_TEST(a_hole_ends_with_its_huge_page)
{
	unsigned char vec[512];

	map_file(BASE, BASE + 3 * SLOT, 0);
	slots(3, 511);
	places(0);
	CHECK(!ptu_whatif_add_windows(&report));
	memset(vec, 1, sizeof(vec));
	vec[511] = 0;
	CHECK(!ptu_whatif_see_window(&report, &report.windows[0], vec, 511));
	vec[511] = 1;
	vec[0] = 0;
	CHECK(!ptu_whatif_see_window(&report, &report.windows[1], vec, 511));
	/* more pages than the file has: its holes are unknown */
	CHECK(!ptu_whatif_see_window(&report, &report.windows[2], vec, 510));
	CHECK(report.windows[2].block == PTU_BLOCK_UNKNOWN);
	CHECK(!ptu_whatif_add_up(&report));
	CHECK(report.nr_holes == 2);
	CHECK(report.holes[0].end == SLOT);
	CHECK(report.holes[1].start == SLOT);
}

/* The pages without data: the first one of a file, and the second one of the next file. */
UNIT_TEST(a_hole_ends_with_its_file)
{
	unsigned char vec[512];

	if (!ptu_whatif_room(&report.files, 1, sizeof(*report.files)))
		abort();
	report.files[1] = report.files[0];
	report.files[1].path = NULL;
	report.files[1].inode = INODE + 1;
	report.nr_files = 2;
	map_file(BASE, BASE + SLOT, 0);
	map_file(BASE + SLOT, BASE + 2 * SLOT, 0)->inode = INODE + 1;
	slots(2, 511);
	places(0);
	CHECK(!ptu_whatif_add_windows(&report));
	CHECK(report.nr_windows == 2);
	memset(vec, 1, sizeof(vec));
	vec[0] = 0;
	CHECK(!ptu_whatif_see_window(&report, &report.windows[0], vec, 511));
	vec[0] = 1;
	vec[1] = 0;
	CHECK(!ptu_whatif_see_window(&report, &report.windows[1], vec, 511));
	CHECK(report.nr_holes == 2);
	CHECK(report.holes[0].end == 4096);
	CHECK(report.holes[1].file == 1 && report.holes[1].start == 4096);
}

UNIT_TEST(a_limit_keeps_what_does_not_fit)
{
	report.reclaim.has_limit = true;
	report.reclaim.max_fill_bytes = 2 * 12 * 4096;
	map_file(BASE, BASE + 3 * SLOT, 0);
	slots(3, 500);
	places(0);
	windows(500);
	CHECK(report.files[0].tables == 2);
	CHECK(report.files[0].blocked[PTU_BLOCK_LIMIT] == 1);
	CHECK(report.files[0].fill_bytes == 2 * 12 * 4096);
	CHECK(report.nr_holes == 2);
	CHECK(!ptu_whatif_is_predicted(&report.places[2]));
}

UNIT_TEST(filling_leaves_room_in_the_tmpfs)
{
	report.files[0].room_bytes = 3 * 12 * 4096 - 1;
	map_file(BASE, BASE + 3 * SLOT, 0);
	slots(3, 500);
	places(0);
	windows(500);
	CHECK(report.files[0].tables == 2);
	CHECK(report.files[0].blocked[PTU_BLOCK_ROOM] == 1);
	CHECK(report.files[0].fill_bytes == 2 * 12 * 4096);
	CHECK(report.nr_holes == 2);
}

UNIT_TEST(swapped_pages_are_told_from_holes)
{
	static const unsigned char all_swapped[512];
	unsigned char vec[512] = { 1, 1, 1 };

	/* only the holes take room in the tmpfs */
	report.files[0].room_bytes = (502 + 511) * 4096;
	/* the huge page may end where the file ends */
	report.files[0].size_bytes = 2 * SLOT;
	map_file(BASE, BASE + 2 * SLOT, 0);
	slots(2, 3);
	places(0);
	CHECK(!ptu_whatif_add_windows(&report));
	CHECK(!ptu_whatif_see_window(&report, &report.windows[0], vec, 10));
	CHECK(!ptu_whatif_see_window(&report, &report.windows[1], all_swapped,
				     1));
	CHECK(!ptu_whatif_add_up(&report));
	CHECK(report.files[0].fill_bytes == (509 + 512) * 4096);
	CHECK(report.files[0].swapped_bytes == (7 + 1) * 4096);
}

UNIT_TEST(no_huge_page_is_made_of_nothing)
{
	map_file(BASE, BASE + SLOT, 0);
	table(BASE, 0);
	places(0);
	windows(0);
	CHECK(report.files[0].tables == 0);
	CHECK(report.files[0].blocked[PTU_BLOCK_HOLE] == 1);
	CHECK(report.nr_holes == 0);
}

UNIT_TEST(no_huge_page_reaches_beyond_the_end)
{
	report.files[0].size_bytes = 2 * SLOT - 1;
	map_file(BASE, BASE + 2 * SLOT, 0);
	table(BASE, 512);
	table(BASE + SLOT, 511);
	places(0);
	windows(512);
	CHECK(report.files[0].tables == 1);
	CHECK(report.files[0].blocked[PTU_BLOCK_BEYOND] == 1);
}

/* Change one property of the mapping of one table, and return the reason why it stays. */
static enum ptu_whatif_block block_of(const struct ptu_vma *change)
{
	struct ptu_vma *vma;

	vma = map_file(BASE, BASE + SLOT, 0);
	vma->flags = change->flags;
	vma->has_flags = change->has_flags;
	vma->offset_bytes = change->offset_bytes;
	vma->end -= change->end;
	if (change->perms[3])
		vma->perms[3] = change->perms[3];
	table(BASE, 512);
	places(0);
	windows(512);
	if (report.nr_places != 1 ||
	    report.files[0].tables != !report.places[0].block)
		UNIT_FAIL("%zu places, not 1, or the wrong sum of tables",
			  report.nr_places);
	return report.places[0].block;
}

UNIT_TEST(each_reason_keeps_a_table)
{
	static const struct {
		struct ptu_vma change;
		enum ptu_whatif_block block;
	} rows[] = {
		{ { .has_flags = true }, PTU_BLOCK_NONE },
		{ { .has_flags = false }, PTU_BLOCK_UNKNOWN },
		{ { .has_flags = true, .perms = "rw-p" }, PTU_BLOCK_PRIVATE },
		{ { .has_flags = true, .offset_bytes = 4096 },
		  PTU_BLOCK_UNALIGNED },
		{ { .has_flags = true, .end = 4096 }, PTU_BLOCK_PARTIAL },
		{ { .has_flags = true, .flags = PTU_VM_NOHUGE },
		  PTU_BLOCK_NOHUGEPAGE },
		{ { .has_flags = true, .flags = PTU_VM_UFFD }, PTU_BLOCK_UFFD },
		{ { .has_flags = true, .flags = PTU_VM_UFFD_WP },
		  PTU_BLOCK_UFFD },
		{ { .has_flags = true, .flags = PTU_VM_GUARD },
		  PTU_BLOCK_MARKERS },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		begin(1);
		CHECK(block_of(&rows[i].change) == rows[i].block);
	}
	begin(1);
	report.mms[0].thp_disabled = true;
	CHECK(block_of(&rows[0].change) == PTU_BLOCK_THP_DISABLED);
}

UNIT_TEST(a_blocked_process_does_not_block_the_others)
{
	begin(2);
	map_file(BASE, BASE + SLOT, 0)->flags = PTU_VM_NOHUGE;
	table(BASE, 512);
	places(0);
	map_file(BASE, BASE + SLOT, 0);
	table(BASE, 512);
	places(1);
	windows(512);
	CHECK(report.files[0].tables == 1);
	CHECK(report.files[0].nr_mms == 2);
	CHECK(report.files[0].blocked[PTU_BLOCK_NOHUGEPAGE] == 1);
}

/*
 * Obstacles to huge pages do not matter, but no other mapping may be in the reach of the
 * tables.
 */
UNIT_TEST(hugetlb_takes_the_tables_of_the_file_alone)
{
	begin(2);
	map_file(BASE + 4096, BASE + 2 * SLOT + 8192, 0);
	map(BASE + 2 * SLOT + 8192, BASE + 3 * SLOT, "rw-p");
	table(BASE, 511);
	table(BASE + SLOT, 512);
	table(BASE + 2 * SLOT, 2);
	places(0);
	map_file(BASE, BASE + SLOT, 0);
	map_file(BASE + SLOT, BASE + 2 * SLOT, 0)->perms[3] = 'p';
	slots(2, 512);
	places(1);
	windows(512);
	CHECK(report.files[0].hugetlb_tables == 3);
	report.files[0].size_bytes = 2 * SLOT + 1;
	CHECK(ptu_whatif_hugetlb_pages(&report, &report.files[0]) == 3);
}

UNIT_TEST(an_empty_shared_table_counts_once)
{
	map_file(BASE, BASE + 2 * SLOT, 0);
	table(BASE, 0);
	table(BASE + SLOT, 3);
	empties();
	places(0);
	windows(3);
	CHECK(ptu_whatif_shared_tables(&report) == 2);
	CHECK(report.files[0].empty_tables == 1);
	CHECK(ptu_whatif_empty_tables(&report, PTU_BY_MADVISE) == 1);
	CHECK(ptu_whatif_all_tables(&report) == 2);
	/* empty, but in no row: behind the row, or in another process */
	report.places[1].is_empty = true;
	CHECK(ptu_whatif_all_tables(&report) == 2);
	report.empties[0].mm = 1;
	CHECK(ptu_whatif_all_tables(&report) == 3);
}

UNIT_TEST(neighbour_of_another_file_makes_no_huge_page)
{
	map_file(BASE, BASE + SLOT, 0)->device = DEVICE + 1;
	map_file(BASE + SLOT, BASE + 2 * SLOT, 0)->inode = INODE + 1;
	slots(2, 512);
	places(0);
	CHECK(report.nr_places == 0);
}

/* The last of three processes and the second of two files have most tables. */
UNIT_TEST(place_with_most_tables_is_first)
{
	size_t mm;

	begin(3);
	for (mm = 0; mm < 3; mm++) {
		struct ptu_whatif_space s;
		uint64_t i;

		nr_vmas = nr_tables = 0;
		map(BASE, BASE + 8 * SLOT, "rw-p");
		for (i = 0; i <= mm; i++)
			table(BASE + 2 * i * SLOT, 0);
		if (mm == 2)
			table(BASE + 5 * SLOT, 0);
		s = space(mm);
		CHECK(!ptu_whatif_add_empties(&s, &report));
	}
	if (!ptu_whatif_room(&report.files, 1, sizeof(*report.files)))
		abort();
	report.nr_files = 2;
	report.files[1].device = DEVICE;
	report.files[1].inode = INODE + 1;
	report.files[1].size_bytes = GIB;
	nr_vmas = nr_tables = 0;
	map_file(BASE, BASE + SLOT, 0);
	map_file(BASE + SLOT, BASE + 3 * SLOT, 0)->inode = INODE + 1;
	slots(3, 512);
	places(1);
	windows(512);
	CHECK(report.nr_empties == 6);
	CHECK(report.empties[0].mm == 2 && report.empties[2].mm == 2);
	CHECK(report.empties[0].start == BASE + 4 * SLOT);
	CHECK(report.empties[1].start == BASE);
	CHECK(report.empties[2].start == BASE + 2 * SLOT);
	CHECK(report.empties[3].mm == 1 && report.empties[5].mm == 0);
	CHECK(report.mms[2].empty_tables == 4);
	CHECK(report.mms[1].shared_tables == 3);
	CHECK(report.files[0].shown == 1 && report.files[1].shown == 0);
}

UNIT_MAIN_WITH(set_up, NULL)
