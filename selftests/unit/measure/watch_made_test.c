// SPDX-License-Identifier: GPL-2.0-only
/* The report of watch for each process. */
#include "measure/fake_watch.h"

static struct ptu_watch_row row;

/* Sample the @at-th process; its growth is read before. */
static int sampled(size_t at)
{
	int error = ptu_watch_process(&watch, at, &row, &err);

	if (!error)
		ptu_growth_deinit(&row.growth);
	return error;
}

UNIT_TEST(a_process_that_is_named_twice_is_watched_once)
{
	const pid_t twice[] = { 42, 41, 42, 41 };

	CHECK_EQ(ptu_watch_begin(&watch, twice, 4, &err), 0);
	CHECK_EQ(watch.nr, 2);
	CHECK_EQ(watch.processes[0].pid, 42);
	CHECK_EQ(watch.processes[1].pid, 41);
	CHECK_STR(watch.processes[1].comm, "first");
	CHECK_EQ(watch.processes[1].start_time, 10);
	ptu_watch_deinit(&watch);
	CHECK(!watch.processes);
}

UNIT_TEST(what_has_no_memory_is_not_watched)
{
	made[1].kthread = true;
	CHECK_EQ(ptu_watch_begin(&watch, pids, 3, &err), -EINVAL);
	ptu_watch_deinit(&watch);
	made[1].kthread = false;
	made[1].opening = -ESRCH;
	CHECK_EQ(ptu_watch_begin(&watch, pids, 3, &err), -ESRCH);
	CHECK_EQ(watch.nr, 1);
}

UNIT_TEST(growth_is_between_two_samples)
{
	CHECK_EQ(ptu_watch_begin(&watch, pids, 1, &err), 0);
	CHECK_EQ(sampled(0), 0);
	CHECK_EQ(row.pid, 41);
	CHECK_STR(row.comm, "first");
	CHECK_EQ(row.vmpte_bytes, 40960);
	CHECK_EQ(row.growth_bytes, 0);
	CHECK(row.has_tables && row.source == PTU_TOP_ESTIMATE);
	CHECK_EQ(row.growth.came[PTAUDIT_PTE], 0);
	fake.now_ns += 3 * PTU_NS_PER_SEC;
	fake.nr_tables = 4;
	made[0].vmpte_bytes += 8192;
	CHECK_EQ(sampled(0), 0);
	CHECK(row.seconds == 3.0);
	CHECK_EQ(row.growth_bytes, 8192);
	CHECK_EQ(row.growth.came[PTAUDIT_PTE], 2);
	CHECK_EQ(row.growth.went[PTAUDIT_PTE], 0);
}

UNIT_TEST(if_vmpte_shrank_the_mappings_that_shrank_most_come_first)
{
	static const struct fake_table after[] = {
		{ .start = A, .entries = 1 },
		{ .start = A + 4 * GIB, .entries = 1 },
	};

	/* two mappings of one name, too far apart for one row */
	build_map(&fake.b, A + 4 * GIB, A + 5 * GIB, 0);
	CHECK_EQ(ptu_watch_begin(&watch, pids, 1, &err), 0);
	fake.nr_tables = 4;
	CHECK_EQ(sampled(0), 0);
	fake.tables = after;
	fake.nr_tables = 2;
	made[0].vmpte_bytes -= 4096;
	CHECK_EQ(ptu_watch_process(&watch, 0, &row, &err), 0);
	CHECK_EQ(row.growth.nr_rows, 2);
	/* three PTE tables went; one came, and the PMD table above it */
	CHECK_EQ(row.growth.rows[0].start, A);
	CHECK_EQ(row.growth.rows[0].bytes, -3 * 4096);
	CHECK_EQ(row.growth.rows[1].start, A + 4 * GIB);
	CHECK_EQ(row.growth.rows[1].bytes, 2 * 4096);
	ptu_growth_deinit(&row.growth);
}

UNIT_TEST(the_peak_is_the_sample_with_the_largest_vmpte)
{
	const struct ptu_watch_peak *peak;

	CHECK_EQ(ptu_watch_begin(&watch, pids, 2, &err), 0);
	peak = watch.peaks;
	CHECK_EQ(watch.nr_peaks, 2);
	CHECK_EQ(sampled(0), 0);
	CHECK_EQ(peak->vmpte_bytes, 40960);
	CHECK_EQ(peak->tables.rows->came[PTAUDIT_PTE], 2);
	fake.now_ns += 3 * PTU_NS_PER_SEC;
	fake.nr_tables = 4;
	made[0].vmpte_bytes += 8192;
	CHECK_EQ(sampled(0), 0);
	CHECK(peak->seconds == 3.0 && peak->tables_seconds == 3.0);
	fake.now_ns += PTU_NS_PER_SEC;
	made[0].vmpte_bytes += 4096; /* with as many tables */
	CHECK_EQ(sampled(0), 0);
	/* the process frees most tables after VmPTE was read */
	fake.now_ns += PTU_NS_PER_SEC;
	fake.nr_tables = 1;
	made[0].vmpte_bytes += 4096;
	CHECK_EQ(sampled(0), 0);
	/* the later samples are not larger */
	fake.now_ns += PTU_NS_PER_SEC;
	CHECK_EQ(sampled(0), 0);
	made[0].vmpte_bytes -= 4096;
	CHECK_EQ(sampled(0), 0);
	made[0].state = 'Z';
	CHECK_EQ(sampled(0), 0);
	CHECK(row.ended);
	CHECK_EQ(peak->pid, 41);
	CHECK_STR(peak->comm, "first");
	CHECK_EQ(peak->vmpte_bytes, 40960 + 8192 + 2 * 4096);
	CHECK(peak->seconds == 5.0 && peak->tables_seconds == 4.0);
	CHECK_EQ(peak->source, PTU_TOP_ESTIMATE);
	CHECK_EQ(peak->tables.nr_rows, 1);
	CHECK_EQ(peak->tables.rows->start, A);
	CHECK_EQ(peak->tables.rows->came[PTAUDIT_PTE], 4);
	CHECK_EQ(peak->tables.after[PTAUDIT_PTE], 4);
	/* the other process was not sampled */
	CHECK_EQ(peak[1].pid, 42);
	CHECK_EQ(peak[1].vmpte_bytes, 0);
}

UNIT_TEST(tables_that_were_not_read_at_the_peak_are_those_of_a_later_sample)
{
	const struct ptu_watch_peak *peak;

	CHECK_EQ(ptu_watch_begin(&watch, pids, 1, &err), 0);
	peak = watch.peaks;
	CHECK_EQ(sampled(0), 0);
	fake.now_ns += PTU_NS_PER_SEC;
	fake.nr_tables = 4;
	made[0].vmpte_bytes += 8192;
	failing.nr = 9;
	failing.error = -EIO;
	made[0].reads = fail;
	fake.nr_reads = 0;
	CHECK_EQ(sampled(0), 0);
	CHECK_EQ(peak->tables.after[PTAUDIT_PTE], 2);
	made[0].reads = NULL;
	fake.now_ns += PTU_NS_PER_SEC;
	CHECK_EQ(sampled(0), 0);
	CHECK_EQ(peak->vmpte_bytes, 40960 + 8192);
	CHECK(peak->seconds == 1.0 && peak->tables_seconds == 2.0);
	CHECK_EQ(peak->tables.after[PTAUDIT_PTE], 4);
	/* the peak has its tables: no later sample replaces them */
	fake.now_ns += PTU_NS_PER_SEC;
	CHECK_EQ(sampled(0), 0);
	CHECK(peak->tables_seconds == 2.0);
}

/* The next process takes its place in the array. */
UNIT_TEST(a_process_that_has_ended_is_removed)
{
	CHECK_EQ(ptu_watch_begin(&watch, pids, 3, &err), 0);
	CHECK_EQ(sampled(0), 0);
	CHECK_EQ(sampled(1), 0);
	CHECK_EQ(sampled(2), 0);
	made[1].opening = -ESRCH;
	row.ended = false;
	CHECK_EQ(sampled(1), 0);
	CHECK(row.ended);
	CHECK_EQ(row.pid, 42);
	CHECK_STR(row.comm, "second");
	CHECK_EQ(watch.nr, 2);
	CHECK_EQ(watch.processes[0].pid, 41);
	CHECK_EQ(watch.processes[1].pid, 43);
	/* a zombie */
	made[2].state = 'Z';
	CHECK_EQ(sampled(1), 0);
	CHECK(row.ended);
	CHECK_EQ(row.pid, 43);
	/* another process with its PID */
	made[0].start_time++;
	CHECK_EQ(sampled(0), 0);
	CHECK(row.ended);
	CHECK_EQ(watch.nr, 0);
}

/* Sample the process, whose tables cannot be read. */
static void check_why(unsigned int nr, int error, const char *sentence,
		      const char *why)
{
	failing.nr = nr;
	failing.error = error;
	failing.why = sentence;
	made[0].reads = fail;
	fake.nr_reads = nr_reopened = 0;
	row.has_tables = true;
	CHECK_EQ(sampled(0), 0);
	CHECK_STR(row.why, why);
	CHECK_EQ(row.vmpte_bytes, made[0].vmpte_bytes);
	CHECK_EQ(row.source, PTU_TOP_VMPTE);
	CHECK(!row.has_tables);
	made[0].reads = NULL;
}

UNIT_TEST(if_its_tables_cannot_be_read_a_row_says_why)
{
	CHECK_EQ(ptu_watch_begin(&watch, pids, 1, &err), 0);
	check_why(9, -EACCES, "denied", "no permission to read its mappings");
	check_why(9, -EPERM, "denied", "no permission to read its mappings");
	CHECK_EQ(watch.peaks->source, PTU_TOP_VMPTE);
	CHECK_EQ(watch.peaks->tables.nr_rows, 0);
	check_why(9, -EIO, "broken", "broken 0");
	check_why(9, -EIO, NULL, strerror(EIO));
	/* opened again twice; the sentence is of the last attempt */
	check_why(9, -ESTALE, "thread ended", "thread ended 2");
	CHECK_EQ(fake.nr_reads, 3);
	check_why(0, 0, NULL, "its tables were not read before");
	CHECK_EQ(sampled(0), 0);
	CHECK(row.has_tables);
	CHECK(!row.why[0]);
}

/* Sample the process after a second. Return: whether its tables were read. */
static bool is_read_after_a_second(uint64_t growth_bytes)
{
	const unsigned int before = fake.nr_reads;

	fake.now_ns += PTU_NS_PER_SEC;
	made[0].vmpte_bytes += growth_bytes;
	return !sampled(0) && row.growth_bytes == (int64_t)growth_bytes &&
	       row.has_tables && fake.nr_reads == before + 1;
}

UNIT_TEST(tables_are_read_each_time_however_many_there_are)
{
	CHECK_EQ(ptu_watch_begin(&watch, pids, 1, &err), 0);
	made[0].vmpte_bytes = 100 * GIB;
	made[0].read_ns = PTU_NS_PER_SEC / 10;
	CHECK_EQ(sampled(0), 0);
	CHECK(row.has_tables);
	CHECK(is_read_after_a_second(0));
	CHECK(is_read_after_a_second(0));
}

/* A reading takes 0.7 s, so the next one begins 2.8 s later, at the fourth sample. */
UNIT_TEST(a_long_reading_is_repeated_after_four_times_its_duration)
{
	CHECK_EQ(ptu_watch_begin(&watch, pids, 1, &err), 0);
	made[0].read_ns = 7 * PTU_NS_PER_SEC / 10;
	CHECK_EQ(sampled(0), 0);
	CHECK(row.has_tables);
	fake.nr_tables = 4;
	CHECK(!is_read_after_a_second(8192));
	CHECK_EQ(row.source, PTU_TOP_VMPTE);
	CHECK_STR(row.why,
		  "its tables are not read in each interval: that took 0.7 s of CPU time");
	/* the peak has the tables of the first sample */
	CHECK_EQ(watch.peaks->vmpte_bytes, row.vmpte_bytes);
	CHECK(watch.peaks->seconds > 1.0 && !watch.peaks->tables_seconds);
	CHECK_EQ(watch.peaks->tables.rows->came[PTAUDIT_PTE], 2);
	made[0].read_ns = PTU_NS_PER_SEC / 100;
	CHECK(!is_read_after_a_second(4096));
	CHECK(is_read_after_a_second(0));
	/* the tables that came since the last reading */
	CHECK_EQ(row.growth.came[PTAUDIT_PTE], 2);
	CHECK(!row.why[0]);
	/* this reading was quick, so the next sample has tables */
	CHECK(is_read_after_a_second(0));
	CHECK_EQ(row.growth.came[PTAUDIT_PTE], 0);
}

/* The line that ends watch names the mapping. */
UNIT_TEST(tables_are_read_above_the_limit)
{
	CHECK_EQ(ptu_watch_begin(&watch, pids, 1, &err), 0);
	watch.has_limit = true;
	watch.limit_bytes = 8192;
	made[0].read_ns = 7 * PTU_NS_PER_SEC / 10;
	CHECK_EQ(sampled(0), 0);
	fake.nr_tables = 4;
	CHECK(!is_read_after_a_second(8192));
	CHECK(!row.is_over && row.why[0]);
	CHECK(is_read_after_a_second(8193));
	CHECK(row.is_over && !row.why[0]);
	CHECK_EQ(row.growth.came[PTAUDIT_PTE], 2);
}

/* A process that ends while its tables are read has ended; a lack of memory is an error. */
UNIT_TEST(other_failures_are_errors_or_the_end)
{
	CHECK_EQ(ptu_watch_begin(&watch, pids, 1, &err), 0);
	made[0].reads = fail;
	failing.nr = 9;
	failing.why = NULL;
	failing.error = -ENOMEM;
	CHECK_EQ(sampled(0), -ENOMEM);
	CHECK_EQ(watch.nr, 1);
	made[0].status = -EIO;
	CHECK_EQ(sampled(0), -EIO);
	made[0].status = 0;
	failing.error = -ESRCH;
	CHECK_EQ(sampled(0), 0);
	CHECK(row.ended);
}

/* VmPTE changes during each reading. */
static int grow_on(unsigned int n, struct ptu_err *why)
{
	if (n > 4)
		abort();
	made[0].vmpte_bytes += 4096;
	return 0;
}

UNIT_TEST(a_process_that_keeps_growing_is_sampled_twice)
{
	CHECK_EQ(ptu_watch_begin(&watch, pids, 1, &err), 0);
	made[0].reads = grow_on;
	CHECK_EQ(sampled(0), 0);
	CHECK_EQ(fake.nr_reads, 2);
	CHECK_EQ(row.vmpte_bytes, 40960 + 4096);
	CHECK(row.has_tables);
	/* the tables are read only once if reading takes long */
	made[0].read_ns = PTU_NS_PER_SEC;
	CHECK_EQ(sampled(0), 0);
	CHECK_EQ(fake.nr_reads, 3);
	CHECK(row.has_tables);
}

UNIT_MAIN_WITH(set_up, tear_down)
