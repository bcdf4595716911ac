// SPDX-License-Identifier: GPL-2.0-only
/* The sums of tables and pages of `footprint`. */
#include "measure/fake_footprint.h"

UNIT_TEST(tables_of_each_process_are_counted_by_the_module)
{
	fakes[1].ksm_unknown = true;
	CHECK_EQ(measure(), 0);
	for (unsigned int i = 0; i < NR; i++) {
		/* PGD, PUD table, PMD table */
		CHECK_EQ(rows[i].tables.bytes, 4096 * (3 + 1 + i));
		CHECK_EQ(rows[i].sum.rss_bytes, 4096);
		CHECK_EQ(processes[i].status, PTU_STATUS_OK);
		CHECK(processes[i].has_vmpte);
		CHECK_EQ(processes[i].vmpte_bytes, 4096 * (7 + i));
		CHECK_EQ(processes[i].rss_bytes, 4096 * (70 + i));
		CHECK_EQ(processes[i].tid, PID + i);
		CHECK_EQ(fakes[i].nr_tables, 1);
		CHECK_EQ(fakes[i].nr_pages, 1);
		CHECK_EQ(fakes[i].nr_open, 2);
		CHECK_EQ(fakes[i].nr_closed, 2);
	}
	CHECK_EQ(report.tables.bytes, 4096 * (4 + 5 + 6));
	CHECK_EQ(report.set.rss_bytes, NR * 4096);
	CHECK(report.by_module);
	CHECK_STR(report.tables_note, "");
	CHECK(report.ksm_unknown);
	CHECK_EQ(report.counts, PTU_COUNTS_EXACT);
	CHECK(report.base.level_unfolded[PTAUDIT_PTE]);
	CHECK(!report.base.level_unfolded[PTAUDIT_P4D]);
	CHECK_EQ(nr_maps, 0);
	CHECK_EQ(settled, 0);
}

UNIT_TEST(mappings_are_counted_again_at_the_end_except_in_a_recording)
{
	CHECK_EQ(measure(), 0);
	CHECK_EQ(nr_recounted, 1);
	recount_error = -EIO;
	CHECK_EQ(measure(), -EIO);
	is_recording = true;
	CHECK_EQ(measure(), 0);
}

UNIT_TEST(other_processes_are_asked_for_shared_memory_that_they_may_map)
{
	CHECK_EQ(measure(), 0);
	CHECK_EQ(nr_asked, 0);
	fakes[1].shmem = true;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(nr_asked, 1);
	CHECK_EQ(report.set.uss_bytes, 2 * 4096);
	is_inside = true;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(nr_asked, 2);
	CHECK_EQ(report.set.uss_bytes, NR * 4096);
	/* a small part of the memory is enough */
	fakes[0].nr_anon = 1000 - NR;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(report.set.rss_bytes, 1000 * 4096);
	CHECK_EQ(nr_asked, 3);
	CHECK_EQ(report.set.uss_bytes, 1000 * 4096);
	fakes[0].nr_anon = 0;
	/* the processes of a recording are not those of this machine */
	is_recording = true;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(report.set.uss_bytes, 2 * 4096);
	/* a single process has been read at one moment: no other is asked */
	is_recording = false;
	fakes[0].shmem = true;
	report.base.nr_processes = 1;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(report.set.uss_bytes, 0);
	CHECK_EQ(nr_asked, 3);
}

UNIT_TEST(counts_of_large_folios_may_be_rounded_unless_they_are_exact)
{
	static const enum ptu_counts cases[] = { PTU_COUNTS_EXACT,
						 PTU_COUNTS_UNKNOWN,
						 PTU_COUNTS_ROUNDED };

	for (size_t i = 0; i < 3; i++) {
		tear_down();
		set_up();
		counts = cases[i];
		CHECK_EQ(measure(), 0);
		CHECK_EQ(report.counts, cases[i]);
		CHECK_EQ(may_round, i > 0);
	}
	counts_error = -EBADMSG;
	CHECK_EQ(measure(), -EBADMSG);
}

UNIT_TEST(without_the_module_vmpte_and_the_pgd_are_added)
{
	module_error = -ENOENT;
	module_text = "not loaded";
	CHECK_EQ(measure(), 0);
	CHECK(!report.by_module);
	CHECK_STR(report.tables_note, "not loaded");
	CHECK_EQ(fakes[0].nr_tables, 0);
	CHECK_EQ(rows[0].tables.bytes, (7 + 1) * 4096);
	CHECK_EQ(rows[2].tables.bytes, (9 + 1) * 4096);
	CHECK_EQ(nr_maps, 0);
	CHECK_EQ(report.tables.bytes, (8 + 9 + 10) * 4096);
	CHECK_EQ(fakes[0].how, PTU_FOOTPRINT_UNKNOWN);
	/* the kernel shares a PMD table only if one mapping covers its 1 GiB */
	hugetlb_end -= 2 * MIB;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(fakes[0].how, 0);
}

UNIT_TEST(p4d_tables_are_found_by_the_mappings)
{
	module_error = -EPERM;
	geometry = five_levels;
	CHECK_EQ(measure(), 0);
	CHECK_STR(report.tables_note, "Operation not permitted");
	CHECK_EQ(nr_maps, NR);
	CHECK_EQ(rows[0].tables.bytes, (7 + 1 + 2) * 4096);
}

UNIT_TEST(smaps_is_read_only_for_its_figures)
{
	CHECK_EQ(measure(), 0);
	CHECK(!smaps_wanted);
	ask.wants_smaps = true;
	CHECK_EQ(measure(), 0);
	CHECK(smaps_wanted);
}

UNIT_TEST(unknown_geometry_is_noted)
{
	geometry_error = -ENOTSUP;
	hugetlb_end -= 2 * MIB;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(fakes[0].how, PTU_FOOTPRINT_UNKNOWN);
	CHECK(!report.by_module);
	CHECK_STR(report.tables_note, strerror(ENOTSUP));
	CHECK_EQ(rows[0].tables.bytes, 7 * 4096);
}

UNIT_TEST(memory_behind_a_shared_table_is_new_only_once)
{
	fakes[0].shared = fakes[1].shared = fakes[2].shared = true;
	/* this process was not read, so the table counts with the next one */
	fakes[0].pages[0] = -EIO;
	CHECK_EQ(measure(), 0);
	/* one sharer, but three processes of the set: no process outside has it */
	CHECK_EQ(fakes[1].how, PTU_FOOTPRINT_SHARED);
	CHECK_EQ(fakes[2].how, PTU_FOOTPRINT_SHARED | PTU_FOOTPRINT_AGAIN);
	CHECK_EQ(rows[1].tables.inside_bytes, 4096);
	CHECK_EQ(report.tables.bytes, (6 + 7 - 1) * 4096);
}

UNIT_TEST(process_with_the_same_mm_gets_the_same_result)
{
	rows[2].same_as = 4711;
	processes[2].mm = processes[1].mm;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(fakes[2].nr_open, 0);
	CHECK_EQ(rows[2].same_as, PID + 1);
	CHECK_EQ(rows[2].tables.bytes, 5 * 4096);
	CHECK_EQ(rows[2].sum.rss_bytes, 4096);
	CHECK_EQ(processes[2].vmpte_bytes, 8 * 4096);
	CHECK_EQ(processes[2].rss_bytes, 71 * 4096);
	CHECK_EQ(rows[0].same_as + rows[1].same_as, 0);
	CHECK_EQ(report.tables.bytes, (4 + 5) * 4096);
	CHECK_EQ(report.set.rss_bytes, 2 * 4096);
}

UNIT_MAIN_WITH(set_up, tear_down)
