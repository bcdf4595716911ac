// SPDX-License-Identifier: GPL-2.0-only
/*
 * The processes that whatif reads, the files that it opens, and its report of those
 * that cannot be read.
 */
#include "measure/fake_whatif.h"

UNIT_TEST(process_and_its_file_are_reported)
{
	frees = 1;
	add((struct fake){ .pid = 10, .file = 1, .thp_disabled = true });
	CHECK_EQ(measure(1), 0);
	CHECK_EQ(report.base.nr_processes, 1);
	CHECK_EQ(report.base.processes[0].pid, 10);
	CHECK_EQ(report.base.processes[0].status, PTU_STATUS_OK);
	CHECK(!report.base.is_all);
	CHECK_EQ(report.slot_bytes, SLOT);
	CHECK(report.madvise_frees && report.shared_known);
	CHECK_STR(report.shmem_enabled, "advise");
	CHECK_EQ(report.nr_mms, 1);
	CHECK_EQ(report.mms[0].pid, 10);
	CHECK_STR(report.mms[0].comm, "name 10");
	CHECK(report.mms[0].named && report.mms[0].thp_disabled);
	CHECK_EQ(report.mms[0].start_time, 5);
	CHECK_EQ(report.mms[0].vmpte_bytes, 6 * PAGE);
	CHECK_EQ(report.mms[0].changed_tables, 3);
	CHECK_EQ(report.mms[0].pte_tables, 4);
	CHECK_EQ(report.mms[0].anon_tables, 1);
	CHECK_EQ(report.nr_empties, 1);
	CHECK_EQ(report.nr_places, 3);
	CHECK(report.nr_unmaps && report.nr_doubled);
	CHECK_EQ(report.nr_files, 1);
	CHECK_EQ(report.files[0].inode, 1);
	CHECK_EQ(report.files[0].device, DEVICE);
	CHECK_STR(report.files[0].path, "path");
	CHECK(!report.files[0].is_internal);
	CHECK_EQ(report.files[0].size_bytes, 2 * SLOT);
	CHECK_EQ(report.files[0].used_bytes, 9 * PAGE);
	/* half of what is free in the tmpfs */
	CHECK_EQ(report.files[0].room_bytes, 10 * MIB);
	CHECK_STR(err.text, "");
}

/* The set has six tables of VmPTE, and leaves out three whose mappings changed. */
static const struct unseen {
	const char *about;
	unsigned int more[2];
	uint64_t unseen;
} unseen_rows[] = {
	{ "all_are_shown", { 3, 3 }, 0 },
	{ "some_are_not", { 7, 7 }, 4 },
	{ "tables_that_came_are_left_out", { 7, 9 }, 4 },
	{ "tables_that_went_are_left_out", { 9, 7 }, 4 },
	{ "more_are_shown_than_counted", { 0, 9 }, 0 },
};

UNIT_CASES(tables_that_are_not_shown, unseen_rows, row)
{
	add((struct fake){
		.pid = 10, .file = 1, .more = { row->more[0], row->more[1] } });
	CHECK_EQ(measure(1), 0);
	CHECK_EQ(report.mms[0].unseen_tables, row->unseen);
}

UNIT_TEST(source_of_the_tables_decides_whether_empty_ones_are_known)
{
	const struct ptu_kernel_side side = { 0 };

	CHECK_EQ(measure(0), 0);
	CHECK_STR(report.source, "some");
	CHECK(!report.empties_known && !report.madvise_frees);
	ask.estimator = &ptu_estimator_written;
	ask.is_group = true;
	CHECK_EQ(measure(0), 0);
	CHECK_STR(report.source, "written");
	CHECK(report.empties_known && report.base.is_all);
	ask.estimator = &estimator;
	ask.side = &side;
	CHECK_EQ(measure(0), 0);
	CHECK_STR(report.source, "built");
	CHECK(report.empties_known);
}

UNIT_TEST(nothing_is_read_if_the_report_cannot_begin)
{
	add((struct fake){ .pid = 10, .file = 1 });
	begin_error = -EPROTO;
	CHECK_EQ(measure(1), -EPROTO);
	CHECK_STR(err.text, "no host");
	begin_error = 0;
	frees = -EBADMSG;
	err.text[0] = '\0';
	CHECK_EQ(measure(1), -EBADMSG);
	CHECK_STR(err.text, "no test");
	CHECK_EQ(fakes[0].nr_read, 0);
}

UNIT_TEST(windows_of_each_file_are_seen)
{
	add((struct fake){ .pid = 10, .file = 1 });
	add((struct fake){ .pid = 20, .file = 2 });
	CHECK_EQ(measure(2), 0);
	CHECK_EQ(report.nr_windows, 4);
	/* the first page is swapped out */
	CHECK_EQ(report.windows[0].missing_pages, 1);
	CHECK_EQ(report.windows[0].swapped_pages, 1);
	CHECK_EQ(report.windows[0].block, PTU_BLOCK_NONE);
	CHECK_EQ(report.windows[1].offset, SLOT);
	CHECK_EQ(report.windows[1].missing_pages, 1);
	CHECK_EQ(report.windows[3].file, 1);
	CHECK_EQ(report.windows[3].block, PTU_BLOCK_NONE);
	CHECK(report.files[1].is_internal);
	CHECK_EQ(report.files[0].windows, 2);
	CHECK_EQ(report.files[0].tables, 3);
	/* a file is opened once for its size, and once for its pages */
	CHECK_EQ(files[1].nr_opened, 2);
	CHECK_EQ(files[2].nr_opened, 2);
	CHECK_EQ(report.nr_unopened, 0);
}

UNIT_TEST(pages_of_a_file_that_cannot_be_seen_are_unknown)
{
	add((struct fake){ .pid = 10, .file = 1 });
	add((struct fake){ .pid = 20, .file = 2 });
	add((struct fake){ .pid = 30, .file = 3 });
	files[1].resident = -EIO;
	/* the file can be opened by none of its three mappings */
	files[2].open[1] = files[2].open[2] = files[2].open[3] = -ESTALE;
	files[3].data = -EIO;
	CHECK_EQ(measure(3), 0);
	CHECK_EQ(report.nr_windows, 6);
	CHECK_EQ(report.windows[0].block, PTU_BLOCK_UNKNOWN);
	CHECK_EQ(report.windows[2].block, PTU_BLOCK_UNKNOWN);
	CHECK_EQ(report.windows[3].block, PTU_BLOCK_UNKNOWN);
	CHECK_EQ(report.windows[4].block, PTU_BLOCK_UNKNOWN);
	CHECK_EQ(files[2].nr_opened, 4);
}

UNIT_TEST(windows_beyond_the_end_of_a_file_are_not_seen)
{
	add((struct fake){ .pid = 10, .file = 1 });
	files[1].size_bytes = SLOT;
	CHECK_EQ(measure(1), 0);
	CHECK_EQ(report.windows[0].block, PTU_BLOCK_NONE);
	CHECK_EQ(report.windows[1].block, PTU_BLOCK_BEYOND);
	CHECK_EQ(report.windows[1].missing_pages, 0);
}

UNIT_TEST(file_is_found_in_the_first_and_in_the_last_mapping)
{
	add((struct fake){ .pid = 10, .file = 1, .only = 1 });
	add((struct fake){ .pid = 20, .file = 2, .only = 3 });
	/* the user names only the first two */
	add((struct fake){ .pid = 30, .file = 1, .only = 1 });
	add((struct fake){ .pid = 40, .file = 1, .only = 3 });
	CHECK_EQ(measure(2), 0);
	CHECK_EQ(report.nr_files, 2);
	CHECK_EQ(report.nr_mms, 4);
	CHECK_EQ(report.nr_places, 2 + 1 + 2 + 1);
	CHECK_EQ(report.nr_windows, 2 + 1);
}

UNIT_TEST(shared_mappings_whose_file_cannot_be_opened_are_counted)
{
	add((struct fake){ .pid = 10, .file = 1 });
	add((struct fake){ .pid = 20, .file = 2, .only = 1 });
	files[1].open[0] = files[1].open[1] = files[2].open[0] = -EACCES;
	CHECK_EQ(measure(2), 0);
	CHECK_EQ(report.nr_unopened, 2 + 1);
	CHECK_EQ(report.nr_files, 0);
}

UNIT_TEST(marker_in_a_table_blocks_its_mapping)
{
	/* the marker is in the last word of the second slot */
	add((struct fake){
		.pid = 10, .file = 1, .marked = A + 2 * SLOT - PAGE });
	CHECK_EQ(measure(1), 0);
	CHECK_EQ(report.nr_places, 3);
	/* by offset: both mappings of the first slot, then the second slot */
	CHECK_EQ(report.places[0].addr, A);
	CHECK_EQ(report.places[0].block, PTU_BLOCK_MARKERS);
	CHECK_EQ(report.places[1].addr, A + 3 * SLOT);
	CHECK_EQ(report.places[1].block, PTU_BLOCK_NONE);
	CHECK_EQ(report.places[2].block, PTU_BLOCK_MARKERS);

	end();
	set_up();

	/* the marker is in the first word of the first slot */
	add((struct fake){ .pid = 10, .file = 1, .marked = A });
	CHECK_EQ(measure(1), 0);
	CHECK_EQ(report.places[0].block, PTU_BLOCK_MARKERS);
	CHECK_EQ(report.places[1].block, PTU_BLOCK_NONE);
}

UNIT_TEST(process_without_its_pagemap_failed)
{
	add((struct fake){ .pid = 10, .file = 1, .words = { -EACCES } });
	CHECK_EQ(measure(1), 0);
	CHECK_EQ(report.base.processes[0].status, PTU_STATUS_FAILED);
	CHECK_EQ(report.nr_mms + report.nr_places + report.nr_empties, 0);

	end();
	set_up();

	/* it ends while its markers are looked for */
	add((struct fake){ .pid = 10, .file = 1, .nr_words = 512 + 256 });
	CHECK_EQ(measure(1), 0);
	CHECK_EQ(report.base.processes[0].status, PTU_STATUS_FAILED);
	CHECK_EQ(report.nr_places, 0);
}

UNIT_TEST(file_that_is_no_shared_memory_is_opened_once_per_device)
{
	add((struct fake){ .pid = 10, .file = 1 });
	add((struct fake){ .pid = 20, .file = 2 });
	add((struct fake){ .pid = 30, .file = 3 });
	files[1].open[0] = -EMEDIUMTYPE;
	files[3].device = 8;
	files[3].open[0] = -EMEDIUMTYPE;
	CHECK_EQ(measure(3), 0);
	CHECK_EQ(files[1].nr_opened, 1);
	CHECK_EQ(files[2].nr_opened, 0);
	CHECK_EQ(files[3].nr_opened, 1);
	CHECK_EQ(report.nr_files + report.nr_unopened, 0);
	CHECK_EQ(report.nr_mms, 3);
}

UNIT_TEST(reclaim_reads_only_what_it_can_free)
{
	report.is_reclaim = true;
	add((struct fake){ .pid = 10, .file = 1 });
	CHECK_EQ(measure(1), 0);
	CHECK_EQ(report.nr_unmaps + report.nr_doubled, 0);
	CHECK_EQ(report.nr_places, 3);
}

UNIT_TEST(process_that_is_named_twice_is_read_once)
{
	add((struct fake){ .pid = 10, .file = 1 });
	add((struct fake){ .pid = 10, .file = 1 });
	CHECK_EQ(measure(2), 0);
	CHECK_EQ(report.base.nr_processes, 1);
	CHECK_EQ(fakes[0].nr_read, 1);
}

UNIT_TEST(named_processes_with_one_memory_are_read_once)
{
	add((struct fake){ .pid = 10, .file = 1 });
	add((struct fake){ .pid = 20, .file = 1, .first = 10 });
	/* kcmp() is refused: the process counts as one with its own mm */
	add((struct fake){ .pid = 30, .file = 1, .spaces = -EPERM });
	CHECK_EQ(measure(3), 0);
	CHECK_EQ(report.base.nr_processes, 2);
	CHECK_EQ(report.base.nr_sharing, 1);
	CHECK_EQ(fakes[1].nr_read, 0);
	CHECK_EQ(fakes[2].nr_read, 1);
	CHECK_EQ(files[1].nr_opened, 2);
}

/* It may have the memory of the first one: its tables must not be counted again. */
UNIT_TEST(a_process_that_cannot_be_compared_for_lack_of_descriptors_has_failed)
{
	add((struct fake){ .pid = 10, .file = 1 });
	add((struct fake){ .pid = 20, .file = 1, .spaces = -EMFILE });
	CHECK_EQ(measure(2), 0);
	CHECK_EQ(report.base.nr_processes, 2);
	CHECK_EQ(report.base.processes[1].status, PTU_STATUS_FAILED);
	CHECK_EQ(fakes[1].nr_read, 0);
	CHECK_EQ(report.nr_mms, 1);
}

UNIT_TEST(failure_is_that_of_its_process)
{
	add((struct fake){ .pid = 10, .identify = -ESRCH });
	add((struct fake){ .pid = 20, .tables = { -EACCES } });
	add((struct fake){ .pid = 30, .status = -EIO });
	CHECK_EQ(measure(3), 0);
	CHECK_EQ(report.base.nr_processes, 3);
	CHECK_EQ(report.base.processes[0].status, PTU_STATUS_FAILED);
	CHECK_STR(report.base.processes[0].error, "no 10");
	CHECK_STR(report.base.processes[1].error, "20: reading 0");
	CHECK_EQ(report.base.processes[2].status, PTU_STATUS_FAILED);
	CHECK_STR(report.base.processes[2].error, "");
	CHECK_EQ(fakes[2].nr_read, 0);
	/* the user named it: the reason is what was found */
	CHECK_EQ(fakes[0].nr_settled, 0);
	CHECK_EQ(report.nr_mms, 0);
	CHECK_STR(err.text, "");
}

UNIT_TEST(process_that_changes_is_read_three_times)
{
	add((struct fake){
		.pid = 10, .file = 1, .tables = { -EAGAIN, -ESTALE } });
	add((struct fake){ .pid = 20,
			   .file = 1,
			   .tables = { -EAGAIN, -EAGAIN, -EAGAIN } });
	add((struct fake){
		.pid = 30, .file = 1, .tables = { -EAGAIN }, .is_new = true });
	CHECK_EQ(measure(3), 0);
	CHECK_EQ(fakes[0].nr_read, 3);
	CHECK_EQ(report.base.processes[0].status, PTU_STATUS_OK);
	CHECK_EQ(fakes[1].nr_read, 3);
	CHECK_EQ(report.base.processes[1].status, PTU_STATUS_FAILED);
	CHECK_STR(report.base.processes[1].error, "20: reading 2");
	CHECK_EQ(fakes[2].nr_read, 1);
	CHECK_EQ(report.base.processes[2].status, PTU_STATUS_FAILED);
	CHECK_EQ(report.nr_mms, 1);
	CHECK_EQ(report.nr_places, 3);
	CHECK_EQ(report.nr_empties, 1);

	end();
	set_up();

	/* what the first attempt has found is not counted twice */
	frees = 1;
	add((struct fake){ .pid = 10, .file = 1, .words = { -EAGAIN } });
	CHECK_EQ(measure(1), 0);
	CHECK_EQ(fakes[0].nr_read, 2);
	CHECK_EQ(report.base.processes[0].status, PTU_STATUS_OK);
	CHECK_EQ(report.nr_places, 3);
	CHECK_EQ(report.nr_empties, 1);
	CHECK_EQ(report.nr_doubled, 1);
}

UNIT_TEST(group_leaves_out_what_has_no_memory_and_this_process)
{
	ask.is_group = true;
	add((struct fake){ .pid = 2, .kthread = true });
	add((struct fake){ .pid = 3, .zombie = true });
	add((struct fake){ .pid = 10, .file = 1 });
	add((struct fake){ .pid = SELF, .file = 1 });
	add((struct fake){ .pid = 20, .tables = { -EACCES } });
	add((struct fake){ .pid = 4, .kthread = true });
	CHECK_EQ(measure(6), 0);
	CHECK_EQ(report.base.nr_kthreads, 2);
	CHECK_EQ(report.base.nr_zombies, 1);
	CHECK_EQ(report.base.nr_processes, 2);
	CHECK_EQ(report.base.processes[0].pid, 10);
	CHECK_EQ(report.base.processes[1].pid, 20);
	CHECK_EQ(fakes[3].nr_read, 0);
	CHECK_EQ(fakes[2].nr_settled, 1);
	CHECK_EQ(fakes[4].nr_settled, 1);
}

UNIT_TEST(recording_has_no_shared_memory_and_no_other_processes)
{
	ask.is_recording = ask.is_group = true;
	add((struct fake){ .pid = SELF, .file = 1 });
	add((struct fake){ .pid = 10, .file = 1, .tables = { -EAGAIN } });
	add((struct fake){ .pid = 20, .file = 1 });
	CHECK_EQ(measure(2), 0);
	CHECK(!report.shared_known);
	CHECK_STR(report.shmem_enabled, "");
	CHECK_EQ(report.base.nr_processes, 2);
	/* a recorded process is not read again: it would be the same */
	CHECK_EQ(fakes[1].nr_read, 1);
	CHECK_EQ(fakes[1].nr_settled, 0);
	CHECK_EQ(fakes[2].nr_read, 0);
	CHECK_EQ(files[1].nr_opened, 0);
	CHECK_EQ(nr_compared, 0);
}

UNIT_TEST(unmapping_a_file_is_added_up_over_the_processes)
{
	add((struct fake){ .pid = 10, .file = 1 });
	add((struct fake){ .pid = 20, .file = 1 });
	CHECK_EQ(measure(2), 0);
	CHECK_EQ(report.nr_unmaps, 1);
	CHECK_EQ(report.unmaps[0].nr_mms, 2);
	CHECK_EQ(report.unmaps[0].tables, 2 * 3);
}

UNIT_TEST(other_process_may_be_the_first_one)
{
	add((struct fake){ .pid = 10, .file = 1 });
	add((struct fake){ .pid = 20, .file = 1 });
	ask.pids = pids + 1;
	CHECK_EQ(measure(1), 0);
	CHECK_EQ(report.nr_mms, 2);
	CHECK_EQ(report.mms[1].pid, 10);
}

UNIT_TEST(others_that_map_the_file_are_read)
{
	add((struct fake){ .pid = 10, .file = 1 });
	add((struct fake){ .pid = 20, .file = 2 });
	add((struct fake){ .pid = 30, .file = 1 });
	add((struct fake){ .pid = 40, .file = 1, .first = 10 });
	add((struct fake){ .pid = SELF, .file = 1 });
	add((struct fake){ .pid = 50, .file = 1, .kthread = true });
	add((struct fake){ .pid = 60, .file = 1, .open = -ESRCH });
	CHECK_EQ(measure(1), 0);
	CHECK_EQ(report.base.nr_processes, 1);
	CHECK_EQ(report.nr_mms, 2);
	CHECK_EQ(report.mms[1].pid, 30);
	CHECK(!report.mms[1].named);
	CHECK_EQ(report.nr_places, 2 * 3);
	/* only the user's process has others */
	CHECK_EQ(report.nr_empties, 1);
	CHECK_EQ(report.nr_files, 1);
	CHECK_EQ(fakes[0].nr_read, 1);
	/* the one with another file is not even compared */
	CHECK_EQ(nr_compared, 3);
	CHECK_EQ(report.nr_unread, 0);
}

UNIT_TEST(others_that_cannot_be_read_are_counted)
{
	add((struct fake){ .pid = 10, .file = 1 });
	add((struct fake){ .pid = 20, .file = 1, .maps = -EACCES });
	add((struct fake){ .pid = 30, .file = 1, .tables = { -EIO } });
	/* it has ended */
	add((struct fake){ .pid = 40, .file = 1, .tables = { -ESRCH } });
	add((struct fake){ .pid = 50, .file = 1, .maps = -ESRCH });
	add((struct fake){ .pid = 60, .file = 1 });
	add((struct fake){ .pid = 70, .file = 1, .maps = -EACCES });
	add((struct fake){ .pid = 80, .file = 1, .open = -EMFILE });
	CHECK_EQ(measure(1), 0);
	CHECK_EQ(report.nr_unread, 4);
	for (size_t i = 0; i < 4; i++)
		CHECK_EQ(report.unread[i],
			 ((const pid_t[]){ 20, 30, 70, 80 })[i]);
	CHECK_EQ(fakes[1].nr_read, 0);
	CHECK_EQ(report.nr_mms, 2);
	CHECK_EQ(report.mms[1].pid, 60);
	CHECK_STR(err.text, "");
}

UNIT_TEST(processes_are_not_listed_if_no_file_is_shared)
{
	list_error = -EIO;
	/* the pagemap cannot be opened, but is not needed either */
	add((struct fake){ .pid = 10, .words = { -EACCES } });
	CHECK_EQ(measure(1), 0);
	CHECK_EQ(report.nr_mms, 1);

	end();
	set_up();

	list_error = -EIO;
	add((struct fake){ .pid = 10, .file = 1 });
	CHECK_EQ(measure(1), -EIO);
	CHECK_STR(err.text, "no list");
}

UNIT_TEST(shortage_of_memory_ends_the_measurement)
{
	/* memory runs out when a named process is read or compared, or another one compared */
	static const struct {
		struct fake fake;
		size_t nr_named;
	} cases[] = {
		{ { .pid = 20, .identify = -ENOMEM }, 2 },
		{ { .pid = 20, .spaces = -ENOMEM }, 2 },
		{ { .pid = 20, .file = 1, .spaces = -ENOMEM }, 1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		end();
		set_up();
		add((struct fake){ .pid = 10, .file = 1 });
		add(cases[i].fake);
		add((struct fake){ .pid = 30, .file = 1 });
		CHECK_EQ(measure(cases[i].nr_named), -ENOMEM);
		CHECK_STR(err.text, cases[i].fake.identify ?
					    "no 20" :
					    "no memory for the report");
		CHECK_EQ(fakes[1].nr_read, 0);
		CHECK_EQ(fakes[2].nr_read, 0);
	}
}

UNIT_TEST(message_of_one_process_is_not_that_of_the_command)
{
	add((struct fake){ .pid = 10, .file = 1 });
	add((struct fake){ .pid = 20, .file = 1, .tables = { -EIO } });
	add((struct fake){ .pid = 30, .file = 1, .spaces = -ENOMEM });
	CHECK_EQ(measure(1), -ENOMEM);
	CHECK_STR(err.text, "no memory for the report");

	end();
	set_up();

	add((struct fake){ .pid = 10, .file = 1 });
	add((struct fake){ .pid = 20, .tables = { -EIO } });
	list_error = -EIO;
	CHECK_EQ(measure(2), -EIO);
	CHECK_STR(err.text, "no list");
}

UNIT_MAIN_WITH(set_up, end)
