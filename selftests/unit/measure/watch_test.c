// SPDX-License-Identifier: GPL-2.0-only
/* How watch identifies processes between two looks, and how it counts their tables. */
#include "measure/watch_group.c"

#include <sys/mman.h>

#include "support/sleeper.h"
#include "support/unit.h"

static struct ptu_watched seen[] = {
	{ .pid = 10, .tid = 10, .start_time = 100, .vmpte_bytes = 4096 },
	{ .pid = 11, .tid = 11, .start_time = 110, .vmpte_bytes = 8192 },
	{ .pid = 12, .tid = 12, .start_time = 120, .vmpte_bytes = 8192 },
	{ .pid = 13, .tid = 13, .start_time = 130 },
	{ .pid = 14, .tid = 14, .start_time = 140 },
	{ .pid = 15, .tid = 15, .start_time = 150 },
};
static const struct ptu_watch watch = { .processes = seen, .nr = 6 };

UNIT_TEST(reused_pid_is_another_process)
{
	struct ptu_watched now = { .pid = 11, .start_time = 110 };

	CHECK(before_of(&watch, &now) == &seen[1]);
	now.start_time++;
	CHECK(!before_of(&watch, &now));
	now.pid = 16;
	CHECK(!before_of(&watch, &now));
}

UNIT_TEST(deposited_tables_are_those_of_both_samples)
{
	static const struct ptu_geometry geo;
	const struct ptu_watch asks = { .ask = { .geo = &geo } };
	const struct ptu_watched before = { .has_view = true,
					    .view = { .deposited = 3 } };
	const struct ptu_watched now = { .has_view = true,
					 .view = { .deposited = 5 } };
	struct ptu_watch_row row = { 0 };

	CHECK_EQ(ptu_watched_row(&asks.ask, &before, &now, &row), 0);
	CHECK(row.has_tables);
	CHECK_EQ(row.deposited, 5);
	CHECK_EQ(row.deposited_before, 3);
	ptu_growth_deinit(&row.growth);
}

UNIT_TEST(after_the_deadline_no_process_of_a_group_is_read)
{
	const uint64_t no = 0, past = 1, future = UINT64_MAX;
	const struct {
		uint64_t deadline_ns;
		bool is_read;
	} cases[] = { { no, true }, { past, false }, { future, true } };
	struct ptu_geometry geo;
	struct ptu_err err = { "" };
	struct ptu_proc proc;
	pid_t child = sleeper_begin(&proc);

	CHECK_EQ(ptu_proc_geometry(&geo, &err), 0);
	for (size_t i = 0; i < 3; i++) {
		struct ptu_watch asks = {
			.ask = { .geo = &geo,
				 .estimator = &ptu_estimator_naive }
		};
		struct ptu_watched self = { .pid = proc.pid,
					    .start_time = proc.start_time };
		struct ptu_watch next = { .processes = &self, .nr = 1 };
		char why[64];

		CHECK_EQ(look_at_group(&asks, &next, NULL, false,
				       cases[i].deadline_ns, why, sizeof(why)),
			 0);
		CHECK_EQ(self.has_view, cases[i].is_read);
		ptu_watched_forget(&self);
	}
	child_end(child);
}

#define SLOT (2ul << 20)
#define GROWN 64

static int question[2], answer[2];
static unsigned int nr_reads;

/* A process that writes to GROWN empty slots when it is asked to. */
static void grow_when_asked(void)
{
	char *memory = mmap(NULL, (GROWN + 1) * SLOT, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	unsigned long i;
	char byte;

	if (memory == MAP_FAILED ||
	    madvise(memory, (GROWN + 1) * SLOT, MADV_NOHUGEPAGE) ||
	    read(question[0], &byte, 1) != 1)
		_exit(1);
	memory += -(uintptr_t)memory % SLOT;
	for (i = 0; i < GROWN; i++)
		memory[i * SLOT] = 1;
	if (write(answer[1], "", 1) != 1)
		_exit(1);
	pause();
}

/* The process grows after VmPTE was read for the first time. */
static int estimate_after_growth(const struct ptu_evidence *evidence,
				 struct ptu_tables *ret, struct ptu_err *err)
{
	char byte;

	if (!nr_reads++ &&
	    (write(question[1], "", 1) != 1 || read(answer[0], &byte, 1) != 1))
		abort();
	return 0;
}

UNIT_TEST(growth_while_the_tables_are_read_is_in_the_same_interval)
{
	static const struct ptu_estimator late = {
		.name = "late", .estimate = estimate_after_growth
	};
	struct ptu_watched self = { .at_ns = 1, .has_view = true };
	struct ptu_watch_row row = { 0 };
	struct ptu_geometry geo;
	struct ptu_watch asks = { .ask = { .geo = &geo, .estimator = &late },
				  .processes = &self,
				  .nr = 1 };
	struct ptu_proc_status status;
	struct ptu_err err = { "" };
	struct ptu_proc proc;
	pid_t child;

	CHECK(!pipe(question) && !pipe(answer));
	child = child_fork();
	if (!child)
		grow_when_asked();
	CHECK_EQ(ptu_proc_geometry(&geo, &err), 0);
	CHECK_EQ(ptu_proc_open(child, &proc, &err), 0);
	self.pid = child;
	self.start_time = proc.start_time;
	CHECK_EQ(ptu_watch_process(&asks, 0, &row, &err), 0);
	CHECK_EQ(nr_reads, 2);
	CHECK_EQ(ptu_proc_status(&proc, &status, &err), 0);
	CHECK_EQ(row.vmpte_bytes, status.vmpte_bytes);
	CHECK(row.vmpte_bytes >= GROWN * 4096);
	CHECK(row.has_tables);
	ptu_growth_deinit(&row.growth);
	/* a process at rest is read once */
	CHECK_EQ(ptu_watch_process(&asks, 0, &row, &err), 0);
	CHECK_EQ(nr_reads, 3);
	CHECK_EQ(row.growth_bytes, 0);
	ptu_growth_deinit(&row.growth);
	ptu_watched_forget(&self);
	ptu_proc_close(&proc);
	child_end(child);
	for (int i = 0; i < 2; i++) {
		close(question[i]);
		close(answer[i]);
	}
}

UNIT_TEST(growth_at_the_limit_is_allowed)
{
	const struct ptu_watch limited = { .has_limit = true,
					   .limit_bytes = 4096 };
	const struct ptu_watch free = { .has_limit = false };

	CHECK(!ptu_watch_is_too_fast(&limited, 8192, 2.0));
	CHECK(ptu_watch_is_too_fast(&limited, 8193, 2.0));
	CHECK(ptu_watch_is_too_fast(&limited, 8192, 1.9));
	CHECK(!ptu_watch_is_too_fast(&limited, -8193, 2.0));
	CHECK(!ptu_watch_is_too_fast(&free, 8193, 2.0));
}

static struct ptu_view_ask ask_naively(struct ptu_geometry *geo)
{
	if (ptu_proc_geometry(geo, NULL))
		abort();
	return (struct ptu_view_ask){ .geo = geo,
				      .estimator = &ptu_estimator_naive };
}

/* In four seconds, two tables are less than one in each second. */
UNIT_TEST(growth_of_a_process_is_per_second)
{
	struct ptu_watch one = { .has_limit = true, .limit_bytes = 4096 };
	struct ptu_watch_row row;
	struct ptu_geometry geo;
	struct ptu_proc proc;
	const pid_t child = sleeper_begin(&proc);

	one.ask = ask_naively(&geo);
	CHECK_EQ(ptu_watch_begin(&one, &child, 1, NULL), 0);
	CHECK_EQ(ptu_watch_process(&one, 0, &row, NULL), 0);
	CHECK_EQ(row.growth_bytes, 0);
	CHECK(row.seconds == 0.0);
	ptu_growth_deinit(&row.growth);
	one.processes[0].at_ns = ptu_now_ns() - 4 * PTU_NS_PER_SEC;
	one.processes[0].vmpte_bytes -= 2 * 4096;
	CHECK_EQ(ptu_watch_process(&one, 0, &row, NULL), 0);
	CHECK_EQ(row.growth_bytes, 2 * 4096);
	CHECK(row.seconds >= 4.0);
	CHECK(!row.is_over);
	ptu_growth_deinit(&row.growth);
	one.processes[0].at_ns = ptu_now_ns() - PTU_NS_PER_SEC;
	one.processes[0].vmpte_bytes -= 1000 * 4096;
	CHECK_EQ(ptu_watch_process(&one, 0, &row, NULL), 0);
	CHECK(row.is_over);
	ptu_growth_deinit(&row.growth);
	ptu_watch_deinit(&one);
	child_end(child);
}

UNIT_TEST(first_line_of_a_group_has_no_growth)
{
	struct ptu_watch group = { .nr = 0 };
	struct ptu_watch_total total;
	struct ptu_geometry geo;
	struct ptu_proc proc;
	const pid_t child = sleeper_begin(&proc);

	group.ask = ask_naively(&geo);
	CHECK_EQ(ptu_watch_group(&group, &child, 1, 0, &total, NULL), 0);
	CHECK_EQ(total.nr_processes, 1);
	CHECK_EQ(total.nr_started, 0);
	CHECK_EQ(total.growth_bytes, 0);
	CHECK(total.seconds == 0.0);
	CHECK(!total.has_most);
	group.at_ns -= 2 * PTU_NS_PER_SEC;
	group.processes[0].vmpte_bytes -= 3 * 4096;
	CHECK_EQ(ptu_watch_group(&group, &child, 1, 0, &total, NULL), 0);
	CHECK_EQ(total.nr_started, 0);
	CHECK_EQ(total.nr_ended, 0);
	CHECK_EQ(total.growth_bytes, 3 * 4096);
	CHECK(total.has_most);
	CHECK_EQ(total.most.pid, child);
	CHECK_EQ(total.most.growth_bytes, 3 * 4096);
	/* also printed by --over */
	CHECK(total.seconds >= 2.0);
	CHECK(total.most.seconds == total.seconds);
	ptu_growth_deinit(&total.most.growth);
	CHECK_EQ(ptu_watch_group(&group, NULL, 0, 0, &total, NULL), 0);
	CHECK_EQ(total.nr_ended, 1);
	CHECK_EQ(total.nr_processes, 0);
	ptu_watch_deinit(&group);
	child_end(child);
}

UNIT_MAIN
