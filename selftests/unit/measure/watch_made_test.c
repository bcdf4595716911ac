// SPDX-License-Identifier: GPL-2.0-only
/* The report of watch. The test defines the processes and the tables. */
#include "measure/fake_tables.h"
#include "measure/view.h"

static unsigned int nr_reopened;

/* At most twice. */
static int fake_reopen(struct ptu_proc *proc)
{
	(void)proc;
	return nr_reopened++ < 2 ? 0 : -ESRCH;
}

/* A view is the tables of this moment. */
static int fake_view(const struct ptu_view_ask *ask,
		     const struct ptu_proc *proc, struct ptu_view *ret,
		     struct ptu_err *err)
{
	const struct ptu_evidence all = { .geo = ask->geo, .end = UINT64_MAX };
	int error = fake_reads(proc, err);

	if (error)
		return error;
	*ret = (struct ptu_view){ .vmas = fake_vmas() };
	ptu_tables_init(&ret->tables, ask->geo);
	return fake_estimate(&all, &ret->tables, err);
}

/* The processes that were added since the last look began, in this order. */
static pid_t added[8];
static unsigned int nr_added;

static pid_t space_of(pid_t pid)
{
	const struct fake_proc *of = fake_find(pid);

	return of->first ? of->first : pid;
}

/* @spaces is empty at the first call of each look. */
static int fake_spaces(struct ptu_spaces *spaces, const struct ptu_proc *proc,
		       pid_t *ret)
{
	unsigned int i;

	if (!spaces->spaces) {
		spaces->spaces = calloc(1, sizeof(*spaces->spaces));
		nr_added = 0;
	}
	if (fake_find(proc->pid)->space)
		return fake_find(proc->pid)->space;
	*ret = proc->pid;
	for (i = 0; i < nr_added; i++)
		if (space_of(added[i]) == space_of(proc->pid)) {
			*ret = added[i];
			return 0;
		}
	added[nr_added++] = proc->pid;
	return 0;
}

#define ptu_proc_reopen fake_reopen
#define ptu_proc_status_of_living(...) fake_status(__VA_ARGS__)
#define ptu_view_read fake_view
#undef ptu_spaces_add
#define ptu_spaces_add fake_spaces
#include "measure/watch.c"

static const struct fake_table tables[] = {
	{ .start = A, .entries = 1 },
	{ .start = A + 2 * MIB, .entries = 1 },
	{ .start = A + 4 * MIB, .entries = 1 },
	{ .start = A + 6 * MIB, .entries = 1 },
};

static struct fake_proc made[4];
static struct ptu_watch watch;
static struct ptu_watch_row row;
static struct ptu_watch_total total;
static struct ptu_err err;
static const pid_t pids[] = { 41, 42, 43, 44 };

static void set_up(void)
{
	unsigned int i;

	memset(&fake, 0, sizeof(fake));
	build_init(&fake.b, 4, false);
	build_map(&fake.b, A, A + GIB, 0);
	fake.tables = tables;
	fake.nr_tables = 2;
	fake.procs = made;
	fake.nr_procs = 4;
	fake.now_ns = 100 * PTU_NS_PER_SEC;
	for (i = 0; i < 4; i++)
		made[i] = (struct fake_proc){ .pid = pids[i],
					      .start_time = 10 + i,
					      .vmpte_bytes = 40960 };
	made[0].comm = "first";
	made[1].comm = "second";
	watch = (struct ptu_watch){ .ask = { .geo = &fake.b.geo } };
	err.text[0] = '\0';
	nr_reopened = 0;
}

static void tear_down(void)
{
	ptu_watch_deinit(&watch);
	build_deinit(&fake.b);
	if (fake.nr_open)
		UNIT_FAIL("%d processes are still open", fake.nr_open);
}

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
	CHECK_EQ(peak->vmpte_bytes, 40960 + 8192 + 4096);
	CHECK(peak->seconds == 4.0 && peak->tables_seconds == 3.0);
	CHECK_EQ(peak->source, PTU_TOP_ESTIMATE);
	CHECK_EQ(peak->tables.nr_rows, 1);
	CHECK_EQ(peak->tables.rows->start, A);
	CHECK_EQ(peak->tables.rows->came[PTAUDIT_PTE], 4);
	CHECK_EQ(peak->tables.after[PTAUDIT_PTE], 4);
	/* the other process was not sampled */
	CHECK_EQ(peak[1].pid, 42);
	CHECK_EQ(peak[1].vmpte_bytes, 0);
}

/* The next process moves up. */
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

/*
 * The first readings of a process that fail: their number, the error, and its message
 * or NULL.
 */
static struct {
	unsigned int nr;
	int error;
	const char *why;
} failing;

static int fail(unsigned int n, struct ptu_err *why)
{
	if (n >= failing.nr)
		return 0;
	return failing.why ? ptu_err_set(why, failing.error, "%s %u",
					 failing.why, n) :
			     failing.error;
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

/* A process that ends while its tables are read has ended; a lack of memory is an error. */
UNIT_TEST(other_failures_are_no_reason)
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
	(void)why;
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
	/* but they are read only once if reading takes long */
	made[0].read_ns = PTU_NS_PER_SEC;
	CHECK_EQ(sampled(0), 0);
	CHECK_EQ(fake.nr_reads, 3);
	CHECK(row.has_tables);
}

/* Sample @nr processes. */
static int group(size_t nr, uint64_t budget_ns)
{
	int error = ptu_watch_group(&watch, pids, nr, budget_ns, &total, &err);

	if (!error)
		ptu_growth_deinit(&total.most.growth);
	return error;
}

UNIT_TEST(a_group_names_the_process_that_grew_most)
{
	watch.has_limit = true;
	watch.limit_bytes = 4096;
	CHECK_EQ(group(3, 0), 0);
	CHECK_EQ(total.nr_processes, 3);
	CHECK_EQ(total.vmpte_bytes, 3 * 40960);
	CHECK_EQ(total.nr_started, 0);
	CHECK_EQ(fake.nr_reads, 3);
	/* those that did not change are not read again, and keep their tables */
	fake.now_ns += 4 * PTU_NS_PER_SEC;
	fake.nr_tables = 4;
	made[0].vmpte_bytes += 4096;
	made[1].vmpte_bytes += 3 * 4096;
	CHECK_EQ(group(3, 0), 0);
	CHECK_EQ(fake.nr_reads, 3 + 2);
	CHECK(total.seconds == 4.0);
	CHECK_EQ(total.growth_bytes, 4 * 4096);
	/* 4 pages in 4 seconds are the limit */
	CHECK(!total.is_over);
	CHECK(total.has_most && total.most.has_tables);
	CHECK_EQ(total.most.pid, 42);
	CHECK_STR(total.most.comm, "second");
	CHECK_EQ(total.most.growth_bytes, 3 * 4096);
	CHECK_EQ(total.most.growth.came[PTAUDIT_PTE], 2);
	/* the third one has its tables of the first sample */
	fake.now_ns += PTU_NS_PER_SEC;
	made[2].vmpte_bytes += 2 * 4096;
	made[1].vmpte_bytes -= 4096;
	CHECK_EQ(group(3, 0), 0);
	CHECK_EQ(total.most.pid, 43);
	CHECK(total.most.has_tables);
	CHECK_EQ(total.most.growth.came[PTAUDIT_PTE], 2);
	CHECK_EQ(total.growth_bytes, 4096);
	made[2].vmpte_bytes += 2 * 4096;
	fake.now_ns += PTU_NS_PER_SEC;
	CHECK_EQ(group(3, 0), 0);
	CHECK(total.is_over);
	/* none grew */
	CHECK_EQ(group(3, 0), 0);
	CHECK(!total.has_most && !total.is_over);
}

UNIT_TEST(tables_of_a_new_process_are_growth)
{
	made[2].opening = -ESRCH;
	CHECK_EQ(group(3, 0), 0);
	CHECK_EQ(total.nr_processes, 2);
	made[2].opening = 0;
	made[0].opening = -ESRCH;
	CHECK_EQ(group(3, 0), 0);
	CHECK_EQ(total.nr_started, 1);
	CHECK_EQ(total.nr_ended, 1);
	CHECK_EQ(total.growth_bytes, 0);
	CHECK_EQ(total.most.pid, 43);
	CHECK_EQ(total.most.growth_bytes, 40960);
	CHECK(total.most.has_tables);
	/* two PTE tables and those above */
	CHECK_EQ(total.most.growth.came[PTAUDIT_PTE], 2);
	CHECK_EQ(total.most.growth.came[PTAUDIT_PMD], 1);
	/* the new one is the first of three */
	made[0].opening = 0;
	CHECK_EQ(group(3, 0), 0);
	CHECK_EQ(total.nr_started, 1);
}

UNIT_TEST(lack_of_memory_ends_a_sample)
{
	made[1].space = -ENOMEM;
	CHECK_EQ(group(4, 0), -ENOMEM);
	CHECK_STR(err.text, "no memory for the processes");
	/* without permission to compare, each process counts */
	made[1].space = -EPERM;
	CHECK_EQ(group(4, 0), 0);
	CHECK_EQ(total.nr_processes, 4);
}

/* Comparing takes about as long as reading the status. */
UNIT_TEST(without_a_new_process_no_address_spaces_are_compared)
{
	CHECK_EQ(group(4, 0), 0);
	CHECK_EQ(nr_added, 4);
	nr_added = 0;
	CHECK_EQ(group(3, 0), 0);
	CHECK_EQ(nr_added, 0);
	CHECK_EQ(group(4, 0), 0);
	CHECK_EQ(nr_added, 4);
}

UNIT_TEST(processes_with_one_address_space_count_once)
{
	made[1].first = 41;
	CHECK_EQ(group(4, 0), 0);
	CHECK_EQ(total.nr_processes, 3);
	CHECK_EQ(total.vmpte_bytes, 3 * 40960);
	CHECK_EQ(watch.processes[1].pid, 43);
	/* a child after vfork() whose parent was read at another moment */
	made[3].opening = -ESRCH;
	CHECK_EQ(group(4, 0), 0);
	made[3].opening = 0;
	made[3].first = made[3].ppid = 43;
	made[3].vmpte_bytes += 4096;
	CHECK_EQ(group(4, 0), 0);
	CHECK_EQ(total.nr_processes, 2);
	CHECK_EQ(total.nr_started, 0);
	/* PIDs start again from below: the child's is smaller than that of its parent */
	made[0].opening = -ESRCH;
	made[1].first = 0;
	CHECK_EQ(group(4, 0), 0);
	CHECK_EQ(total.nr_processes, 2);
	made[0].opening = 0;
	made[0].first = made[0].ppid = 43;
	CHECK_EQ(group(4, 0), 0);
	CHECK_EQ(total.nr_processes, 2);
	CHECK_EQ(total.nr_started, 0);
	CHECK_EQ(watch.processes[0].pid, 42);
	CHECK_EQ(watch.processes[1].pid, 43);
	/* after exec() it has its own */
	made[3].first = 0;
	CHECK_EQ(group(4, 0), 0);
	CHECK_EQ(total.nr_processes, 3);
	CHECK_EQ(total.nr_started, 1);
}

/* The process that grew most is read whatever the time is. */
UNIT_TEST(other_tables_of_a_group_are_read_within_the_budget)
{
	unsigned int i;

	CHECK_EQ(group(3, 0), 0);
	fake.nr_reads = 0;
	for (i = 0; i < 3; i++) {
		made[i].vmpte_bytes += 4096 * (i + 1);
		made[i].read_ns = 2 * PTU_NS_PER_SEC;
	}
	CHECK_EQ(group(3, PTU_NS_PER_SEC), 0);
	CHECK_EQ(fake.nr_reads, 1);
	CHECK_EQ(total.most.pid, 43);
	CHECK(total.most.has_tables);
	for (i = 0; i < 3; i++)
		made[i].vmpte_bytes += 4096 * (i + 1);
	CHECK_EQ(group(3, 3 * PTU_NS_PER_SEC), 0);
	CHECK_EQ(fake.nr_reads, 1 + 2);
}

/* The process grows most, and each reading of it takes three seconds. */
UNIT_TEST(a_long_reading_in_a_group_is_not_repeated_at_once)
{
	CHECK_EQ(group(2, 0), 0);
	made[0].read_ns = 3 * PTU_NS_PER_SEC;
	made[0].vmpte_bytes += 4096;
	CHECK_EQ(group(2, 0), 0);
	CHECK(total.most.has_tables);
	fake.nr_reads = 0;
	fake.nr_tables = 4;
	made[0].vmpte_bytes += 4096;
	CHECK_EQ(group(2, 0), 0);
	CHECK_EQ(fake.nr_reads, 0);
	CHECK_EQ(total.most.pid, 41);
	CHECK(!total.most.has_tables);
	CHECK_STR(total.most.why,
		  "its tables are not read in each interval: that took 3.0 s of CPU time");
	/* the limit also applies if another process grew more, or if this one did not grow */
	made[0].vmpte_bytes += 4096;
	made[1].vmpte_bytes += 2 * 4096;
	CHECK_EQ(group(2, 0), 0);
	CHECK_EQ(fake.nr_reads, 1);
	CHECK_EQ(total.most.pid, 42);
	CHECK_EQ(group(2, 0), 0);
	fake.now_ns += 12 * PTU_NS_PER_SEC;
	made[0].vmpte_bytes += 4096;
	CHECK_EQ(group(2, 0), 0);
	CHECK(total.most.has_tables);
	CHECK_EQ(total.most.growth.came[PTAUDIT_PTE], 2);
}

UNIT_TEST(a_lack_of_descriptors_or_memory_keeps_the_last_sample)
{
	CHECK_EQ(group(2, 0), 0);
	made[1].opening = -EMFILE;
	CHECK_EQ(group(3, 0), -EMFILE);
	CHECK_STR(err.text, "cannot read all processes: Too many open files");
	CHECK_EQ(watch.nr, 2);
	made[1].opening = 0;
	made[0].vmpte_bytes += 4096;
	made[0].reads = fail;
	failing.nr = 9;
	failing.why = NULL;
	failing.error = -ENOMEM;
	CHECK_EQ(group(2, 0), -ENOMEM);
	CHECK_EQ(watch.nr, 2);
	/* any other failure is a reason */
	failing.error = -EIO;
	CHECK_EQ(group(2, 0), 0);
	CHECK_EQ(total.most.pid, 41);
	CHECK(!total.most.has_tables);
	CHECK_STR(total.most.why, strerror(EIO));
}

UNIT_MAIN_WITH(set_up, tear_down)
