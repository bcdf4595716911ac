// SPDX-License-Identifier: GPL-2.0-only
/* Which processes top examines, and shows, if some end meanwhile. */
#define _GNU_SOURCE
#include "measure/top.c"

#include <sys/mman.h>

#include "support/child.h"
#include "support/unit.h"

#define NR 4

/* The first @nr_ended processes that are examined have ended. */
static unsigned int nr_looks, nr_ended, nr_greedy;
static pid_t examined[NR];

int ptu_top_look(const struct ptu_top_ask *ask, struct ptu_proc *proc,
		 uint64_t deadline_ns, struct ptu_top_row *row,
		 struct ptu_top_row **joined, size_t *nr_joined)
{
	(void)ask, (void)row;
	*joined = NULL;
	*nr_joined = 0;
	if (nr_looks == NR)
		abort();
	examined[nr_looks++] = proc->pid;
	/* at least half of the remaining time is for other processes */
	if (!proc->read_ns || ptu_proc_deadline_ns(proc) - proc->opened_ns >
				      deadline_ns - ptu_proc_deadline_ns(proc))
		nr_greedy++;
	return nr_looks > nr_ended ? 0 : -ESRCH;
}

/* The result must be the @nr_rows processes examined behind those that have ended. */
static void check_rows(size_t limit, unsigned int ended, size_t nr_rows)
{
	struct ptu_geometry geo;
	pid_t pids[NR];
	struct ptu_top_ask ask = { .geo = &geo,
				   .pids = pids,
				   .nr_pids = NR,
				   .column = "TOTAL",
				   .limit = limit };
	struct ptu_top_report report = { 0 };
	struct ptu_err err = { "" };
	size_t i;

	nr_looks = 0;
	nr_ended = ended;
	for (i = 0; i < NR; i++) {
		pids[i] = child_fork();
		while (!pids[i])
			pause();
	}
	CHECK_EQ(ptu_geometry_init(4096, "x86_64", "", &geo, &err), 0);
	CHECK_EQ(ptu_measure_top(&ask, &report, &err), 0);
	for (i = 0; i < NR; i++)
		child_end(pids[i]);
	CHECK_EQ(report.nr_all, NR);
	CHECK_EQ(nr_looks, ended + nr_rows);
	CHECK_EQ(nr_greedy, 0);
	CHECK_EQ(report.nr_rows, nr_rows);
	for (i = 0; i < report.nr_rows; i++)
		CHECK_EQ(report.rows[i].pid, examined[ended + i]);
	free(report.rows);
}

UNIT_TEST(the_next_process_replaces_one_that_has_ended)
{
	check_rows(2, 0, 2);
	check_rows(1, 1, 1);
	check_rows(2, 1, 2);
	check_rows(2, 3, 1);
	check_rows(2, 4, 0);
}

UNIT_TEST(without_a_limit_all_that_still_run_are_shown)
{
	check_rows(0, 1, 3);
}

static void in_one_group(const struct ptu_proc *proc,
			 const struct ptu_top_row *row, char *ret)
{
	(void)proc, (void)row;
	strcpy(ret, "all");
}

/* Each child has more tables than the one before: fork() copies them. */
UNIT_TEST(a_group_shows_its_largest_process_in_both_orders)
{
	const size_t reach = 2 << 20, step = 8;
	char *map = mmap(NULL, NR * step * reach, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct ptu_geometry geo;
	pid_t pids[NR];
	struct ptu_top_ask ask = { .geo = &geo,
				   .group = in_one_group,
				   .pids = pids,
				   .nr_pids = NR,
				   .column = "TOTAL" };
	size_t i, k;
	int reverse;

	CHECK(map != MAP_FAILED);
	for (i = 0; i < NR; i++) {
		for (k = i * step; k < (i + 1) * step; k++)
			map[k * reach] = 1;
		pids[i] = child_fork();
		while (!pids[i])
			pause();
	}
	CHECK_EQ(ptu_geometry_init(4096, "x86_64", "", &geo, NULL), 0);
	for (reverse = 0; reverse < 2; reverse++) {
		struct ptu_top_report report = { 0 };

		nr_looks = nr_ended = 0;
		ask.reverse = reverse;
		CHECK_EQ(ptu_measure_top(&ask, &report, NULL), 0);
		CHECK_EQ(report.nr_rows, 1);
		CHECK_EQ(report.nr_all, 1);
		CHECK_EQ(report.rows[0].nr_processes, NR);
		CHECK_EQ(report.rows[0].pid, pids[NR - 1]);
		free(report.rows);
	}
	for (i = 0; i < NR; i++)
		child_end(pids[i]);
	munmap(map, NR * step * reach);
}

UNIT_MAIN
