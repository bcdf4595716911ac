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
static uint64_t deadlines_ns[NR];

/* The first look ends this process, if it is not 0: it becomes a zombie. */
static pid_t dies;

/* All processes are large. */
static bool all_large;

bool ptu_is_large(const struct ptu_geometry *geo, uint64_t vmpte_bytes)
{
	return all_large;
}

int ptu_top_look(const struct ptu_top_ask *ask, struct ptu_proc *proc,
		 uint64_t deadline_ns, struct ptu_top_row *row,
		 struct ptu_top_row **joined, size_t *nr_joined)
{
	*joined = NULL;
	*nr_joined = 0;
	if (ask->pid) {
		*joined = calloc(2, sizeof(**joined));
		*nr_joined = 2;
		(*joined)[0].total_bytes = (*joined)[1].total_bytes = 4096;
		(*joined)[0].has_deposited = true;
		(*joined)[0].deposited_tables = 3;
		(*joined)[1].deposited_tables = 4;
	}
	row->source = PTU_TOP_ESTIMATE;
	if (dies) {
		siginfo_t info;

		kill(dies, SIGKILL);
		waitid(P_PID, (id_t)dies, &info, WEXITED | WNOWAIT);
		dies = 0;
	}
	if (nr_looks == NR)
		abort();
	deadlines_ns[nr_looks] = deadline_ns;
	examined[nr_looks++] = proc->pid;
	/* at least half of the remaining time is for other processes */
	if (!proc->read_ns || ptu_proc_deadline_ns(proc) - proc->opened_ns >
				      deadline_ns - ptu_proc_deadline_ns(proc))
		nr_greedy++;
	return nr_looks > nr_ended ? 0 : -ESRCH;
}

/*
 * The first @ended processes that are examined have ended.  The rows must be
 * the @nr_rows processes that are examined after them.
 */
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
	uint64_t vmpte_bytes = 0;

	nr_looks = 0;
	nr_ended = ended;
	for (size_t i = 0; i < NR; i++) {
		pids[i] = child_fork();
		while (!pids[i])
			pause();
	}
	CHECK_EQ(ptu_geometry_init(4096, "x86_64", "", &geo, &err), 0);
	CHECK_EQ(ptu_measure_top(&ask, &report, &err), 0);
	for (size_t i = 0; i < NR; i++)
		child_end(pids[i]);
	/* the others are those that have not ended */
	CHECK_EQ(report.nr_all, NR - ended);
	CHECK_EQ(nr_looks, ended + nr_rows);
	CHECK_EQ(nr_greedy, 0);
	CHECK_EQ(report.nr_rows, nr_rows);
	for (size_t i = 0; i < report.nr_rows; i++) {
		CHECK_EQ(report.rows[i].pid, examined[ended + i]);
		vmpte_bytes += report.rows[i].vmpte_bytes;
	}
	if (nr_rows == NR - ended)
		CHECK_EQ(report.all_bytes, vmpte_bytes);
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

UNIT_TEST(another_process_with_the_pid_is_not_examined)
{
	const struct ptu_top_ask ask = { .limit = 1 };
	struct ptu_top_row row = { .pid = getpid() };
	struct ptu_proc proc;

	nr_looks = nr_ended = 0;
	CHECK_EQ(ptu_proc_open(getpid(), &proc, NULL), 0);
	row.start_time = proc.start_time;
	ptu_proc_close(&proc);
	CHECK_EQ(measure_open(&ask, UINT64_MAX, &row), 0);
	CHECK_EQ(nr_looks, 1);
	CHECK_EQ(row.pid, getpid());
	row.start_time++;
	CHECK_EQ(measure_open(&ask, UINT64_MAX, &row), 0);
	CHECK_EQ(nr_looks, 1);
	CHECK_EQ(row.pid, 0);
}

UNIT_TEST(a_process_that_ends_while_its_mappings_are_read_is_named)
{
	struct ptu_geometry geo;
	const struct ptu_top_ask ask = { .geo = &geo,
					 .pid = getpid(),
					 .column = "TOTAL" };
	struct ptu_top_report report;
	struct ptu_err err = { "" };
	char ended[32];

	nr_looks = 0;
	nr_ended = 1;
	snprintf(ended, sizeof(ended), "process %d ended", getpid());
	CHECK_EQ(ptu_geometry_init(4096, "x86_64", "", &geo, &err), 0);
	CHECK_EQ(ptu_measure_top(&ask, &report, &err), -ESRCH);
	CHECK_STR(err.text, ended);
}

UNIT_TEST(a_process_that_becomes_a_zombie_meanwhile_is_left_out)
{
	struct ptu_geometry geo;
	pid_t pids[2];
	const struct ptu_top_ask ask = {
		.geo = &geo, .pids = pids, .nr_pids = 2, .column = "PID"
	};
	struct ptu_top_report report = { 0 };
	struct ptu_err err = { "" };

	nr_looks = nr_ended = 0;
	for (size_t i = 0; i < 2; i++) {
		pids[i] = child_fork();
		while (!pids[i])
			pause();
	}
	dies = pids[0] < pids[1] ? pids[1] : pids[0];
	CHECK_EQ(ptu_geometry_init(4096, "x86_64", "", &geo, &err), 0);
	CHECK_EQ(ptu_measure_top(&ask, &report, &err), 0);
	CHECK_EQ(nr_looks, 1);
	CHECK_EQ(report.nr_rows, 1);
	CHECK_EQ(report.nr_all, 1);
	CHECK_EQ(report.rows[0].pid, examined[0]);
	CHECK_EQ(report.all_bytes, report.rows[0].vmpte_bytes);
	for (size_t i = 0; i < 2; i++)
		child_end(pids[i]);
	free(report.rows);
}

static void in_one_group(const struct ptu_proc *proc,
			 const struct ptu_top_row *row, char *ret)
{
	strcpy(ret, "all");
}

/* Processes with an odd PID are a group of their own. */
static void by_parity(const struct ptu_proc *proc,
		      const struct ptu_top_row *row, char *ret)
{
	strcpy(ret, proc->pid % 2 ? "odd" : "even");
}

/* Become another user, if this is allowed. */
static uid_t another_user(void)
{
	return setuid(4242) ? getuid() : 4242;
}

/* @shared: what the children say; each has more tables than the one before: fork() copies them */
static void begin_growing(pid_t pids[NR], volatile uid_t *shared)
{
	const size_t reach = 2 << 20, step = 8;
	char *map = mmap(NULL, NR * step * reach, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	size_t i, k;

	CHECK(map != MAP_FAILED);
	for (i = 0; i < NR; i++) {
		for (k = i * step; k < (i + 1) * step; k++)
			map[k * reach] = 1;
		shared[i] = ~0u;
		pids[i] = child_fork();
		if (!pids[i]) {
			shared[i] = another_user();
			for (;;)
				pause();
		}
		while (shared[i] == ~0u)
			usleep(1000);
	}
	munmap(map, NR * step * reach);
}

static volatile uid_t *share(void)
{
	void *map = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (map == MAP_FAILED)
		abort();
	return map;
}

/* The PGD has two pages with page-table isolation. */
static void measured(struct ptu_top_ask *ask, struct ptu_top_report *ret)
{
	static struct ptu_geometry geo;

	CHECK_EQ(ptu_geometry_init(4096, "x86_64", "pti", &geo, NULL), 0);
	ask->geo = &geo;
	ask->column = "TOTAL";
	nr_looks = nr_ended = 0;
	*ret = (struct ptu_top_report){ 0 };
	CHECK_EQ(ptu_measure_top(ask, ret, NULL), 0);
}

UNIT_TEST(a_group_shows_its_largest_process_in_both_orders)
{
	volatile uid_t *uids = share();
	pid_t pids[NR];
	struct ptu_top_ask ask = { .pids = pids, .nr_pids = NR };
	struct ptu_top_report each, report;
	uint64_t vmpte_bytes = 0, rss_bytes = 0;

	begin_growing(pids, uids);
	measured(&ask, &each);
	CHECK_EQ(each.nr_rows, NR);
	for (size_t i = 0; i < NR; i++) {
		CHECK_EQ(each.rows[i].pid, pids[NR - 1 - i]);
		CHECK_EQ(each.rows[i].uid, uids[NR - 1 - i]);
		CHECK_EQ(each.rows[i].total_bytes,
			 each.rows[i].vmpte_bytes + 2 * 4096);
		vmpte_bytes += each.rows[i].vmpte_bytes;
		rss_bytes += each.rows[i].rss_bytes;
	}
	CHECK(vmpte_bytes != rss_bytes);
	CHECK_EQ(each.all_bytes, vmpte_bytes);
	free(each.rows);
	ask.reverse = true;
	measured(&ask, &report);
	CHECK_EQ(report.nr_rows, NR);
	for (size_t i = 0; i < NR; i++)
		CHECK_EQ(report.rows[i].pid, pids[i]);
	free(report.rows);
	ask.group = in_one_group;
	for (size_t i = 0; i < 2; i++) {
		ask.reverse = i;
		measured(&ask, &report);
		CHECK_EQ(report.nr_rows, 1);
		CHECK_EQ(report.nr_all, 1);
		CHECK_EQ(report.rows[0].nr_processes, NR);
		CHECK_EQ(report.rows[0].pid, pids[NR - 1]);
		CHECK_EQ(report.rows[0].vmpte_bytes, vmpte_bytes);
		CHECK_EQ(report.rows[0].rss_bytes, rss_bytes);
		free(report.rows);
	}
	/* the mappings of one process */
	ask = (struct ptu_top_ask){ .pid = pids[0] };
	measured(&ask, &report);
	CHECK_EQ(report.process.uid, uids[0]);
	CHECK_EQ(report.all_bytes, report.process.vmpte_bytes);
	CHECK_EQ(report.process.total_bytes, report.all_bytes + 2 * 4096);
	/* the number of the second mapping is unknown, so it is not added */
	CHECK_EQ(report.rows[0].total_bytes, (1 + 3) * 4096);
	CHECK_EQ(report.rows[1].total_bytes, 4096);
	free(report.rows);
	for (size_t i = 0; i < NR; i++)
		child_end(pids[i]);
	munmap((void *)uids, 4096);
}

/* Rows and sums are those of a machine without other processes. */
UNIT_TEST(the_processes_of_one_group_are_ranked)
{
	static const char *const names[] = { "even", "odd", "none" };
	volatile uid_t *uids = share();
	pid_t pids[NR];
	size_t i, k, nr_rows = 0;

	begin_growing(pids, uids);
	for (i = 0; i < 3; i++) {
		struct ptu_top_ask ask = { .pids = pids,
					   .nr_pids = NR,
					   .group = by_parity,
					   .only = names[i] };
		struct ptu_top_report report;
		uint64_t vmpte_bytes = 0;

		measured(&ask, &report);
		CHECK_EQ(report.kind, PTU_TOP_PROCESSES);
		CHECK_STR(report.group, names[i]);
		CHECK_EQ(report.nr_all, report.nr_rows);
		nr_rows += report.nr_rows;
		for (k = 0; k < report.nr_rows; k++) {
			CHECK_EQ(report.rows[k].pid % 2, i == 1);
			CHECK(!k || report.rows[k - 1].total_bytes >
					    report.rows[k].total_bytes);
			vmpte_bytes += report.rows[k].vmpte_bytes;
		}
		CHECK_EQ(report.all_bytes, vmpte_bytes);
		free(report.rows);
	}
	CHECK_EQ(nr_rows, NR);
	for (i = 0; i < NR; i++)
		child_end(pids[i]);
	munmap((void *)uids, 4096);
}

/* Each large process gets a share of what the ones before it left over. */
UNIT_TEST(large_processes_share_the_time)
{
	const uint64_t most_ns = 1000000 * PTU_NS_PER_SEC;
	volatile uid_t *uids = share();
	pid_t pids[NR];
	struct ptu_top_ask ask = { .pids = pids,
				   .nr_pids = NR,
				   .most_ns = most_ns };
	struct ptu_top_report report;
	const uint64_t begin_ns = ptu_now_ns();

	begin_growing(pids, uids);
	all_large = true;
	measured(&ask, &report);
	all_large = false;
	free(report.rows);
	CHECK_EQ(nr_looks, NR);
	CHECK(deadlines_ns[0] - begin_ns < most_ns / NR + most_ns / 10);
	CHECK(deadlines_ns[NR - 1] - begin_ns >= most_ns);
	for (size_t i = 0; i < NR; i++)
		child_end(pids[i]);
	munmap((void *)uids, 4096);
}

UNIT_MAIN
