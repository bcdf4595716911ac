// SPDX-License-Identifier: GPL-2.0-only
/* The report of watch for a group. */
#include "measure/fake_watch.h"

static struct ptu_watch_total total;

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
	/* 4 pages in 4 seconds are at the limit, not over it */
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
	CHECK_EQ(fake.nr_reads, 3 + 2 + 2); /* two changed */
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

UNIT_TEST(a_group_that_shrank_names_the_process_that_shrank_most)
{
	CHECK_EQ(group(3, 0), 0);
	made[0].vmpte_bytes += 4096;
	made[1].vmpte_bytes -= 3 * 4096;
	made[2].vmpte_bytes -= 2 * 4096;
	CHECK_EQ(group(3, 0), 0);
	CHECK_EQ(total.growth_bytes, -4 * 4096);
	CHECK(total.has_most && total.most.has_tables);
	CHECK_EQ(total.most.pid, 42);
	CHECK_EQ(total.most.growth_bytes, -3 * 4096);
	/* one shrank, but the group grew */
	made[0].vmpte_bytes += 2 * 4096;
	made[1].vmpte_bytes -= 4096;
	CHECK_EQ(group(3, 0), 0);
	CHECK_EQ(total.most.pid, 41);
	/* only the end of one makes the group smaller */
	made[2].opening = -ESRCH;
	made[0].vmpte_bytes += 4096;
	CHECK_EQ(group(3, 0), 0);
	CHECK(total.growth_bytes < 0);
	CHECK_EQ(total.most.pid, 41);
	CHECK_EQ(total.most.growth_bytes, 4096);
}

/* The sums are 160, 176 and 172 KiB. */
UNIT_TEST(the_peak_of_a_group_is_that_of_the_sum)
{
	const struct ptu_watch_group_peak *peak = &watch.group_peak;

	CHECK_EQ(group(4, 0), 0);
	CHECK_EQ(peak->vmpte_bytes, 4 * 40960);
	CHECK(peak->seconds == 0.0);
	/* equal sizes are in the order of the PIDs */
	CHECK_EQ(peak->nr_most, 3);
	CHECK_EQ(peak->most[0].pid, 41);
	CHECK_EQ(peak->most[2].pid, 43);
	fake.now_ns += 2 * PTU_NS_PER_SEC;
	made[1].vmpte_bytes += 8192;
	made[2].vmpte_bytes -= 4096;
	made[3].vmpte_bytes += 12288;
	CHECK_EQ(group(4, 0), 0);
	fake.now_ns += PTU_NS_PER_SEC;
	made[2].opening = -ESRCH;
	made[0].vmpte_bytes += 32768;
	CHECK_EQ(group(4, 0), 0);
	CHECK_EQ(peak->vmpte_bytes, 4 * 40960 + 16384);
	CHECK(peak->seconds == 2.0);
	CHECK_EQ(peak->nr_processes, 4);
	CHECK_EQ(peak->nr_most, 3);
	CHECK_EQ(peak->most[0].pid, 44);
	CHECK_EQ(peak->most[0].vmpte_bytes, 40960 + 12288);
	CHECK_EQ(peak->most[1].pid, 42);
	CHECK_STR(peak->most[1].comm, "second");
	CHECK_EQ(peak->most[2].pid, 41);
	CHECK_EQ(peak->most[2].vmpte_bytes, 40960);
	/* with fewer processes, all of them */
	watch.group_peak.vmpte_bytes = 0;
	CHECK_EQ(group(2, 0), 0);
	CHECK_EQ(peak->nr_most, 2);
	CHECK_EQ(peak->most[0].pid, 41);
	CHECK_EQ(peak->most[1].pid, 42);
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
	CHECK_STR(err.text,
		  "cannot read all processes: Cannot allocate memory");
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

/* The child had 400 KiB of its parent, and has 16 KiB of its own. */
UNIT_TEST(exec_of_a_vfork_child_is_not_growth_by_the_tables_of_its_parent)
{
	made[2].vmpte_bytes = 409600;
	made[3].opening = -ESRCH;
	CHECK_EQ(group(4, 0), 0);
	CHECK_EQ(total.vmpte_bytes, 2 * 40960 + 409600);
	made[3].opening = 0;
	made[3].first = made[3].ppid = 43;
	made[3].vmpte_bytes = 409600;
	exec_pid = 44;
	exec_vmpte_bytes = 16384;
	CHECK_EQ(group(4, 0), 0);
	CHECK_EQ(total.nr_processes, 4);
	CHECK_EQ(total.nr_started, 1);
	CHECK_EQ(total.growth_bytes, 16384);
	CHECK_EQ(watch.group_peak.vmpte_bytes, 2 * 40960 + 409600 + 16384);
}

UNIT_TEST(a_vfork_child_that_ends_meanwhile_does_not_count)
{
	made[3].opening = -ESRCH;
	CHECK_EQ(group(4, 0), 0);
	made[3].opening = 0;
	made[3].first = made[3].ppid = 43;
	exec_pid = 44;
	exec_vmpte_bytes = 0;
	CHECK_EQ(group(4, 0), 0);
	CHECK_EQ(total.nr_processes, 3);
	CHECK_EQ(total.nr_started, 0);
	CHECK_EQ(total.growth_bytes, 0);
}

/* Without a comparison, the tables of one address space would count twice. */
UNIT_TEST(lack_of_descriptors_ends_a_sample)
{
	CHECK_EQ(group(3, 0), 0);
	made[3].space = -EMFILE;
	CHECK_EQ(group(4, 0), -EMFILE);
	CHECK_STR(err.text, "cannot read all processes: Too many open files");
	CHECK_EQ(watch.nr, 3);
}

/* The process that grew most is read whatever the time is. */
UNIT_TEST(other_tables_of_a_group_are_read_within_the_budget)
{
	CHECK_EQ(group(3, 0), 0);
	fake.nr_reads = 0;
	for (unsigned int i = 0; i < 3; i++) {
		made[i].vmpte_bytes += 4096 * (i + 1);
		made[i].read_ns = 2 * PTU_NS_PER_SEC;
	}
	CHECK_EQ(group(3, PTU_NS_PER_SEC), 0);
	CHECK_EQ(fake.nr_reads, 1);
	CHECK_EQ(total.most.pid, 43);
	CHECK(total.most.has_tables);
	for (unsigned int i = 0; i < 3; i++)
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

/* The line that ends watch names the mapping. */
UNIT_TEST(tables_of_a_group_are_read_above_the_limit)
{
	watch.has_limit = true;
	watch.limit_bytes = 4096;
	made[0].read_ns = 3 * PTU_NS_PER_SEC;
	CHECK_EQ(group(2, 0), 0);
	fake.nr_tables = 4;
	for (unsigned int i = 0; i < 2; i++) {
		fake.now_ns += PTU_NS_PER_SEC;
		made[0].vmpte_bytes += 4096 + i;
		CHECK_EQ(group(2, 0), 0);
		CHECK_EQ(total.is_over, i == 1);
		CHECK_EQ(total.most.has_tables, i == 1);
	}
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
	made[0].vmpte_bytes += 4096;
	failing.error = -ESRCH;
	CHECK_EQ(group(2, 0), 0);
	CHECK_EQ(total.most.pid, 41);
	CHECK_STR(total.most.why, "it ended before its tables were read");
}

UNIT_MAIN_WITH(set_up, tear_down)
