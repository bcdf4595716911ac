// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds the page tables of a process without the module.  The target lives in a memory
 * cgroup of its own, and each page-table page is charged to the cgroup of the process that
 * allocated it.  The frames that /proc/kpagecgroup assigns to the cgroup and
 * /proc/kpageflags marks as page tables must be those of the records, plus the deposited
 * ones.
 *
 * Source: GFP_PGTABLE_USER, include/asm-generic/pgalloc.h; page_cgroup_ino(),
 * mm/memcontrol.c; fs/proc/page.c (5.10 to 7.2).
 */
#define _GNU_SOURCE
#include "lib/lib.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CGROUPS "/sys/fs/cgroup/"
#define KPAGECGROUP "/proc/kpagecgroup"

/* Source: include/uapi/linux/kernel-page-flags.h */
#define KPF_PGTABLE 26

/* Number of words that one read() takes. */
#define CHUNK 65536
/* Maximum number of grace periods until freed tables are no longer charged. */
#define GRACE_PERIODS 25
/* Maximum number of tries until a process has ended. */
#define PROCESS_TRIES 1500

static void pause_ms(long ms)
{
	nanosleep(&(struct timespec){ .tv_nsec = ms * 1000000 }, NULL);
}

/* /proc/kpagecgroup exists only with CONFIG_MEMCG. */
bool memcg_is_there(void)
{
	return !access(KPAGECGROUP, F_OK);
}

static void path_of(uint64_t number, const char *file, char path[96])
{
	snprintf(path, 96, CGROUPS "live-%" PRIu64 "/%s", number, file);
}

/*
 * Runs in the intermediate process.  The child is forked by a process inside the cgroup,
 * so all its tables are charged there, also those that fork() copies.  The tables of the
 * intermediate process are freed when it ends.
 */
static void fork_inside(int fd)
{
	pid_t pid = (pid_t)syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0,
				   0);

	if (!pid)
		return;
	if (pid < 0)
		pid = -errno;
	_exit(write(fd, &pid, sizeof(pid)) != sizeof(pid));
}

pid_t memcg_fork(struct memcg *memcg)
{
	struct clone_args args = {
		.flags = CLONE_INTO_CGROUP,
		.exit_signal = SIGCHLD,
	};
	static unsigned int nr_memcgs;
	char path[96];
	struct stat status;
	pid_t between, pid = -ECHILD;
	int fds[2], dir, err;

	memset(memcg, 0, sizeof(*memcg));
	if (!memcg_is_there())
		return fork();
	err = live_set(CGROUPS "cgroup.subtree_control", "+memory");
	if (err)
		return err;
	memcg->number = (uint64_t)getpid() * 1000 + nr_memcgs++;
	path_of(memcg->number, "", path);
	if (mkdir(path, 0755) || pipe2(fds, O_CLOEXEC))
		return -errno;
	dir = open(path, O_DIRECTORY | O_CLOEXEC);
	if (dir < 0 || fstat(dir, &status))
		return -errno;
	memcg->inode = status.st_ino;
	args.cgroup = (uint64_t)dir;
	between = (pid_t)syscall(SYS_clone3, &args, sizeof(args));
	if (between < 0)
		return -errno;
	if (!between) {
		fork_inside(fds[1]);
		close(fds[0]);
		close(fds[1]);
		close(dir);
		return 0;
	}
	close(dir);
	close(fds[1]);
	if (read(fds[0], &pid, sizeof(pid)) != sizeof(pid))
		pid = -ECHILD;
	close(fds[0]);
	waitpid(between, NULL, 0);
	return pid;
}

/*
 * Kill all processes of the cgroup.  The death of a parent does not always end its
 * children: one that changed its UID may not signal them.
 */
static void kill_inside(const struct memcg *memcg)
{
	char path[96];
	FILE *file;
	pid_t pid;

	path_of(memcg->number, "cgroup.procs", path);
	file = fopen(path, "re");
	if (!file)
		return;
	while (fscanf(file, "%d", &pid) == 1) {
		/* PID 0: the process has just ended; kill(0) would end this test */
		if (pid > 0)
			kill(pid, SIGKILL);
	}
	fclose(file);
}

/*
 * A successful rmdir() does not suffice: 7.2 removes the cgroup of an exiting process that
 * still has its memory.  cgroup.events changes after exit_mm() on all kernels.  Source:
 * cgroup_destroy_locked(), cgroup_task_dead(), kernel/cgroup/cgroup.c.
 */
static bool is_populated(const struct memcg *memcg)
{
	char path[96], text[64];

	path_of(memcg->number, "cgroup.events", path);
	return strstr(live_file(path, text, sizeof(text)), "populated 1");
}

void memcg_remove(struct memcg *memcg)
{
	char path[96];
	int try = 0;

	if (!memcg->number)
		return;
	path_of(memcg->number, "", path);
	while ((is_populated(memcg) || (rmdir(path) && errno == EBUSY)) &&
	       try++ < PROCESS_TRIES) {
		kill_inside(memcg);
		pause_ms(try < 20 ? 1 : 20);
	}
	if (try > PROCESS_TRIES)
		live_note("cannot remove the cgroup of a target");
	memcg->number = 0;
}

uint64_t memcg_bytes(const struct memcg *memcg)
{
	char path[96], text[32];

	path_of(memcg->number, "memory.current", path);
	return strtoull(live_file(path, text, sizeof(text)), NULL, 10);
}

/* The sorted page frames of tables, and the number of deposited tables besides. */
struct frames {
	uint64_t *pfns;
	size_t nr, room;
	uint64_t deposited;
};

static void add_frame(struct frames *frames, uint64_t pfn)
{
	if (frames->nr == frames->room) {
		frames->room = frames->room ? 2 * frames->room : 1024;
		frames->pfns = realloc(frames->pfns,
				       frames->room * sizeof(*frames->pfns));
		if (!frames->pfns)
			abort();
	}
	frames->pfns[frames->nr++] = pfn;
}

static int by_number(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static bool has_frame(const struct frames *frames, uint64_t pfn)
{
	return bsearch(&pfn, frames->pfns, frames->nr, sizeof(pfn), by_number);
}

static void add_answer(struct frames *frames, const struct answer *answer)
{
	struct frames before = *frames;

	for (size_t i = 0; i < answer->nr_records; i++) {
		const struct ptaudit_table *r = &answer->records[i];

		/* hugetlb shares PMD tables: two records can name one frame */
		if (r->type != PTAUDIT_TABLE ||
		    (before.nr && has_frame(&before, r->pfn)))
			continue;
		frames->deposited += r->deposited;
		if (!live_has_page_type(r->level))
			continue;
		for (unsigned int page = 0; page < r->pages; page++)
			add_frame(frames, r->pfn + page);
		before.pfns = frames->pfns;
	}
	qsort(frames->pfns, frames->nr, sizeof(*frames->pfns), by_number);
}

/* Collect the records of all processes in the cgroup; @answer is the target's. */
static int expected_frames(const struct memcg *memcg, pid_t pid,
			   const struct answer *answer, struct frames *frames)
{
	char path[96], text[4096], *at = text, *end;
	struct answer other;
	bool found = false;
	int err = 0;
	pid_t member;

	add_answer(frames, answer);
	path_of(memcg->number, "cgroup.procs", path);
	live_file(path, text, sizeof(text));
	for (; !err; at = end) {
		member = (pid_t)strtol(at, &end, 10);
		if (end == at)
			break;
		found |= member == pid;
		if (member == pid)
			continue;
		err = live_tables(member, &other);
		if (err)
			break;
		add_answer(frames, &other);
		live_answer_deinit(&other);
	}
	if (!err && !found)
		err = -ESRCH;
	if (err)
		live_note("cannot read the processes of the cgroup: %s",
			  strerror(-err));
	return err ? 1 : 0;
}

/* Add up the page tables among the frames that belong to the cgroup. */
static int add_tables(int flags_fd, uint64_t start, uint64_t end,
		      struct frames *frames)
{
	static uint64_t flags[CHUNK];
	size_t bytes = (end - start) * sizeof(flags[0]);

	if (pread(flags_fd, flags, bytes, (off_t)(start * sizeof(flags[0]))) !=
	    (ssize_t)bytes)
		return -EIO;
	for (uint64_t pfn = start; pfn < end; pfn++)
		if (flags[pfn - start] & 1UL << KPF_PGTABLE)
			add_frame(frames, pfn);
	return 0;
}

/* Read all of physical memory once, in order. */
static int charged_frames(const struct memcg *memcg, struct frames *frames)
{
	static uint64_t inodes[CHUNK];
	int fd = open(KPAGECGROUP, O_RDONLY | O_CLOEXEC);
	int flags_fd = open("/proc/kpageflags", O_RDONLY | O_CLOEXEC);
	uint64_t pfn = 0;
	ssize_t got = 0;
	int err = fd < 0 || flags_fd < 0 ? -errno : 0;

	while (!err && (got = read(fd, inodes, sizeof(inodes))) > 0) {
		size_t nr = (size_t)got / sizeof(inodes[0]);

		for (size_t i = 0, j; i < nr && !err; i = j) {
			for (j = i + 1; j < nr && inodes[j] == inodes[i]; j++)
				;
			if (inodes[i] == memcg->inode)
				err = add_tables(flags_fd, pfn + i, pfn + j,
						 frames);
		}
		pfn += nr;
	}
	if (!err && (got < 0 || !pfn))
		err = got < 0 ? -errno : -EIO;
	close(fd);
	close(flags_fd);
	return err;
}

static int compare_frames(pid_t pid, const struct frames *expected,
			  const struct frames *charged)
{
	uint64_t of_records = 0;
	int failures = 0;

	for (size_t i = 0; i < expected->nr; i++) {
		if (has_frame(charged, expected->pfns[i])) {
			of_records++;
			continue;
		}
		live_note("a record has the page frame 0x%" PRIx64
			  ", which is not charged to the cgroup as a page table",
			  expected->pfns[i]);
		failures++;
	}
	if (charged->nr - of_records == expected->deposited)
		return failures;
	live_note("process %d (%s): its cgroup is charged for %zu tables; %" PRIu64
		  " of them have a record, %" PRIu64 " have none; %" PRIu64
		  " tables without a record were expected: the deposited ones",
		  pid, program_invocation_short_name, charged->nr, of_records,
		  charged->nr - of_records, expected->deposited);
	return failures + 1;
}

/*
 * An idle CPU keeps the PGD of the process that it ran last, even after that process has
 * ended.  Running on the CPU releases it.  Source: context_switch(), kernel/sched/core.c.
 */
static void visit_each_cpu(void)
{
	cpu_set_t ours, one;

	if (sched_getaffinity(0, sizeof(ours), &ours))
		return;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &ours))
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		sched_setaffinity(0, sizeof(one), &one);
	}
	sched_setaffinity(0, sizeof(ours), &ours);
}

int live_check_memcg(const struct memcg *memcg, pid_t pid,
		     const struct answer *answer)
{
	struct frames expected = { 0 }, charged = { 0 };
	int failures, err;

	if (!memcg->number) {
		live_note("there is no " KPAGECGROUP
			  ": the tables are not compared with it");
		return memcg_is_there();
	}
	if (expected_frames(memcg, pid, answer, &expected))
		return 1;
	expected.deposited += memcg->at_hand;
	/* A freed table keeps its flag and its charge until an RCU grace period has passed. */
	for (int try = 0;; try++) {
		charged.nr = 0;
		err = charged_frames(memcg, &charged);
		if (err || try == GRACE_PERIODS ||
		    (charged.nr <= expected.nr + expected.deposited))
			break;
		visit_each_cpu();
		live_grace_period();
	}
	if (err)
		live_note("cannot read the page frames of the cgroup: %s",
			  strerror(-err));
	failures = err ? 1 : compare_frames(pid, &expected, &charged);
	free(expected.pfns);
	free(charged.pfns);
	return failures;
}
