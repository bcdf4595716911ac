// SPDX-License-Identifier: GPL-2.0-only
/* Processes and recordings that `footprint` cannot read, or not at once. */
#include "measure/fake_footprint.h"

UNIT_TEST(walk_is_repeated_if_the_tables_changed)
{
	fakes[0].tables[0] = -EAGAIN;
	fakes[0].tables[1] = -ESTALE;
	fakes[1].tables[0] = fakes[1].tables[1] = fakes[1].tables[2] = -EAGAIN;
	fakes[2].tables[0] = -EIO;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(fakes[0].nr_tables, 3);
	CHECK_EQ(rows[0].tables.bytes, 4 * 4096);
	CHECK_EQ(fakes[1].nr_tables, 3);
	CHECK_EQ(processes[1].status, PTU_STATUS_FAILED);
	CHECK_STR(processes[1].error, "cannot walk");
	CHECK_EQ(fakes[2].nr_tables, 1);
	CHECK_EQ(processes[2].status, PTU_STATUS_FAILED);
	/* the pages of the other two were not read */
	CHECK_EQ(fakes[1].nr_pages + fakes[2].nr_pages, 0);
	CHECK_EQ(report.tables.bytes, 4 * 4096);
	CHECK_EQ(report.set.rss_bytes, 4096);
	CHECK_EQ(fakes[2].nr_closed, 1);
}

UNIT_TEST(recording_may_lack_walks_but_not_be_damaged)
{
	is_recording = true;
	module_error = -ENOENT;
	CHECK_EQ(measure(), 0);
	module_error = -EBADMSG;
	module_text = "damaged";
	CHECK_EQ(measure(), -EBADMSG);
	CHECK_STR(err.text, "damaged");
	is_recording = false;
	CHECK_EQ(measure(), 0);
}

UNIT_TEST(process_that_ended_is_left_out)
{
	processes[0].start_time = 99;
	fakes[1].open[1] = -ESRCH;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(processes[0].status, PTU_STATUS_GONE);
	CHECK_STR(processes[0].error, "process 10 ended");
	CHECK_EQ(fakes[0].nr_closed, 1);
	CHECK_EQ(fakes[0].nr_tables + fakes[0].nr_pages, 0);
	CHECK_EQ(processes[1].status, PTU_STATUS_GONE);
	CHECK_EQ(fakes[1].nr_closed, 1);
	CHECK_EQ(fakes[1].nr_pages, 0);
	CHECK_EQ(processes[2].status, PTU_STATUS_OK);
	CHECK_EQ(report.tables.bytes, 6 * 4096);
	CHECK_EQ(report.set.rss_bytes, 4096);
	CHECK_EQ(settled, 0);
}

UNIT_TEST(failure_of_a_process_of_a_group_is_settled)
{
	report.base.is_all = true;
	fakes[0].status[0] = -EIO;
	fakes[1].pages[0] = -EIO;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(settled, 2);
	CHECK_EQ(processes[0].status, PTU_STATUS_FAILED);
	CHECK_EQ(fakes[0].nr_tables, 0);
	CHECK_EQ(processes[1].status, PTU_STATUS_FAILED);
	CHECK_STR(processes[1].error, "cannot read");
	CHECK_EQ(report.tables.bytes, 6 * 4096);
}

UNIT_TEST(refusal_by_a_process_that_ended_means_that_it_ended)
{
	fakes[0].pages[0] = fakes[1].pages[0] = -EACCES;
	fakes[0].same = -ESRCH;
	fakes[1].same = -ESTALE;
	fakes[2].pages[0] = -EIO;
	fakes[2].same = -ESRCH;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(processes[0].status, PTU_STATUS_GONE);
	CHECK_EQ(processes[1].status, PTU_STATUS_FAILED);
	CHECK_EQ(processes[2].status, PTU_STATUS_FAILED);
}

UNIT_TEST(lack_of_memory_or_privilege_ends_the_measurement)
{
	fakes[1].pages[0] = -EPERM;
	CHECK_EQ(measure(), -EPERM);
	CHECK_STR(err.text, "cannot read");
	CHECK_EQ(fakes[1].nr_closed, 2);
	CHECK_EQ(fakes[2].nr_pages, 0);
	tear_down();
	set_up();
	fakes[1].open[0] = -ENOMEM;
	CHECK_EQ(measure(), -ENOMEM);
	CHECK_STR(err.text, "Cannot allocate memory");
	CHECK_EQ(fakes[1].nr_closed + fakes[2].nr_open, 0);
	tear_down();
	set_up();
	fakes[1].open[1] = -ENOMEM;
	CHECK_EQ(measure(), -ENOMEM);
	CHECK_EQ(fakes[2].nr_open, 1);
	tear_down();
	set_up();
	fakes[1].status[0] = -ENOMEM;
	CHECK_EQ(measure(), -ENOMEM);
	CHECK_EQ(fakes[1].nr_closed, 1);
	CHECK_EQ(fakes[2].nr_open, 0);
}

UNIT_TEST(process_is_read_through_another_thread)
{
	fakes[0].pages[0] = -ESTALE;
	fakes[1].pages[0] = fakes[1].pages[1] = fakes[1].pages[2] = -ESTALE;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(fakes[0].nr_pages, 2);
	CHECK_EQ(fakes[0].nr_reopened, 1);
	CHECK_EQ(processes[0].tid, PID + 100);
	CHECK_EQ(processes[0].status, PTU_STATUS_OK);
	CHECK_EQ(fakes[1].nr_pages, 2);
	CHECK_EQ(fakes[1].nr_reopened, 2);
	CHECK_EQ(processes[1].status, PTU_STATUS_FAILED);
	CHECK_EQ(fakes[2].nr_reopened, 0);
}

UNIT_TEST(process_with_the_same_mm_fails_too_unless_it_had_failed)
{
	rows[1].same_as = rows[2].same_as = PID;
	processes[1].mm = processes[2].mm = processes[0].mm;
	processes[2].status = PTU_STATUS_DENIED;
	strcpy(processes[2].error, "denied");
	fakes[0].pages[0] = -EIO;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(processes[1].status, PTU_STATUS_FAILED);
	CHECK_STR(processes[1].error, "cannot read");
	CHECK_EQ(processes[2].status, PTU_STATUS_DENIED);
	CHECK_STR(processes[2].error, "denied");
}

UNIT_MAIN_WITH(set_up, tear_down)
