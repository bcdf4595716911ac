// SPDX-License-Identifier: GPL-2.0-only
/* Which process an answer names, and what the identity of an mm is. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "fixtures/files.h"

/*
 * Is the value in the kernel's half of the address space and aligned as the allocator
 * aligns structs?
 */
static bool looks_like_address(uint64_t mm)
{
	bool is_high = live_system()->levels == 5 ? mm >> 56 == 0xff :
						    mm >> 47 == 0x1ffff;

	return is_high && mm % 8 == 0;
}

/* The leader's name has the maximum length. */
#define LEADER_NAME "fifteen letters"
#define THREAD_NAME "resting"

static void *rest(void *fds)
{
	pid_t tid = (pid_t)syscall(SYS_gettid);
	char byte;

	prctl(PR_SET_NAME, THREAD_NAME);
	if (write(((int *)fds)[1], &tid, sizeof(tid)) == sizeof(tid))
		(void)!read(((int *)fds)[2], &byte, 1);
	return NULL;
}

static int header_of(int fd, pid_t pid, struct ptaudit_header *ret)
{
	struct answer answer;
	int err = live_request_pid(fd, pid);

	if (!err)
		err = live_answer(fd, &answer);
	if (err)
		return err;
	*ret = answer.header;
	live_answer_deinit(&answer);
	return 0;
}

TEST_F(files, identity_names_an_mm_and_is_no_address)
{
	struct ptaudit_header own, again, thread, target, init;
	pthread_t resting;
	int fds[4];
	pid_t tid;

	ASSERT_EQ(0, pipe(fds));
	ASSERT_EQ(0, pipe(fds + 2));
	ASSERT_EQ(0, pthread_create(&resting, NULL, rest, fds));
	ASSERT_EQ(sizeof(tid), read(fds[0], &tid, sizeof(tid)));
	ASSERT_NE(getpid(), tid);
	ASSERT_EQ(0, header_of(self->tables, getpid(), &own));
	ASSERT_EQ(0, header_of(self->tables, tid, &thread));
	ASSERT_EQ(0, header_of(self->tables, self->target.pid, &target));
	ASSERT_EQ(0, header_of(self->tables, 1, &init));
	ASSERT_EQ(0, header_of(self->tables, getpid(), &again));
	ASSERT_EQ(1, write(fds[3], "", 1));
	pthread_join(resting, NULL);

	EXPECT_EQ(getpid(), own.pid);
	EXPECT_EQ(tid, thread.pid);
	EXPECT_EQ(own.tgid, thread.tgid);
	EXPECT_EQ(own.mm, thread.mm);
	EXPECT_EQ(own.mm, again.mm);
	EXPECT_NE(own.mm, target.mm);
	EXPECT_NE(own.mm, init.mm);
	EXPECT_NE(target.mm, init.mm);
	/* one of them may look like an address by chance */
	EXPECT_FALSE(looks_like_address(own.mm) &&
		     looks_like_address(target.mm) &&
		     looks_like_address(init.mm))
	{
		TH_LOG("0x%" PRIx64 " 0x%" PRIx64 " 0x%" PRIx64,
		       (uint64_t)own.mm, (uint64_t)target.mm,
		       (uint64_t)init.mm);
	}
}

/*
 * The start time of the task itself, in clock ticks.  Source: do_task_stat(),
 * fs/proc/array.c (7.2).
 */
static uint64_t start_ticks(pid_t pid)
{
	char path[64], text[1024];
	const char *at;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	/* the task name may contain blanks */
	at = strrchr(live_file(path, text, sizeof(text)), ')');
	for (unsigned int field = 3; at && field <= 22; field++)
		at = strchr(at + 1, ' ');
	return at ? strtoull(at, NULL, 10) : 0;
}

TEST_F(files, header_identifies_the_task)
{
	const uint64_t tick_ns = 1000000000 / (uint64_t)sysconf(_SC_CLK_TCK);
	struct ptaudit_header own, thread, target;
	pthread_t resting;
	int fds[4];
	pid_t tid;

	ASSERT_EQ(0, prctl(PR_SET_NAME, LEADER_NAME));
	ASSERT_EQ(0, pipe(fds));
	ASSERT_EQ(0, pipe(fds + 2));
	ASSERT_EQ(0, pthread_create(&resting, NULL, rest, fds));
	ASSERT_EQ(sizeof(tid), read(fds[0], &tid, sizeof(tid)));
	ASSERT_EQ(0, header_of(self->tables, getpid(), &own));
	ASSERT_EQ(0, header_of(self->tables, tid, &thread));
	ASSERT_EQ(0, header_of(self->tables, self->target.pid, &target));
	/* /proc/TID/stat exists for a thread as well */
	EXPECT_EQ(start_ticks(tid), thread.start_ticks);
	ASSERT_EQ(1, write(fds[3], "", 1));
	pthread_join(resting, NULL);

	EXPECT_EQ(getpid(), own.tgid);
	EXPECT_EQ(getpid(), thread.tgid);
	EXPECT_EQ(getpid(), own.tid);
	EXPECT_EQ(tid, thread.tid);
	EXPECT_EQ(tid, thread.ns_pid);
	EXPECT_EQ(getpid(), thread.ns_tgid);
	EXPECT_EQ(tid, thread.ns_tid);
	EXPECT_EQ(self->target.pid, target.pid);
	EXPECT_EQ(self->target.pid, target.tgid);

	ASSERT_EQ('\0', own.comm[PTAUDIT_COMM_LEN - 1]);
	ASSERT_EQ('\0', thread.comm[PTAUDIT_COMM_LEN - 1]);
	EXPECT_STREQ(LEADER_NAME, own.comm);
	EXPECT_STREQ(THREAD_NAME, thread.comm);

	/* The header has the start of the process, which is before that of the thread. */
	ASSERT_LT(0, start_ticks(getpid()));
	EXPECT_EQ(start_ticks(getpid()), own.start_boottime_ns / tick_ns);
	EXPECT_EQ(own.start_boottime_ns, thread.start_boottime_ns);
	EXPECT_EQ(start_ticks(self->target.pid),
		  target.start_boottime_ns / tick_ns);
	EXPECT_EQ(start_ticks(self->target.pid), target.start_ticks);
}

/* The request has the PID in the caller's namespace.  The answer has both PIDs. */
TEST_F(files, answer_has_the_pids_of_both_namespaces)
{
	struct ptaudit_header header = { 0 };
	int fds[2];
	pid_t pid;

	ASSERT_EQ(0, pipe(fds));
	/* for children from now on: the first one gets PID 1 */
	ASSERT_EQ(0, unshare(CLONE_NEWPID));
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		if (getpid() == 1 && !header_of(self->tables, 1, &header))
			(void)!write(fds[1], &header, sizeof(header));
		_exit(0);
	}
	close(fds[1]);
	ASSERT_EQ(sizeof(header), read(fds[0], &header, sizeof(header)));
	close(fds[0]);
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	ASSERT_NE(1, pid);
	EXPECT_EQ(pid, header.pid);
	EXPECT_EQ(pid, header.tgid);
	EXPECT_EQ(pid, header.tid);
	EXPECT_EQ(1, header.ns_pid);
	EXPECT_EQ(1, header.ns_tgid);
	EXPECT_EQ(1, header.ns_tid);
}

/*
 * /proc/PID/stat adds the boot-time offset of the reader's time namespace, except on 5.10.
 */
TEST_F(files, start_is_told_in_the_reader_s_time_namespace)
{
	const uint64_t tick_ns = 1000000000 / (uint64_t)sysconf(_SC_CLK_TCK);
	uint64_t offset_ns = UINT64_C(1000000) * 1000000000;
	struct {
		struct ptaudit_header header;
		uint64_t ticks;
	} seen = { 0 };
	int fds[2], offsets;
	pid_t pid;

	ASSERT_EQ(0, pipe(fds));
	ASSERT_EQ(0, unshare(CLONE_NEWTIME));
	offsets = open("/proc/self/timens_offsets", O_WRONLY);
	ASSERT_LT(0, write(offsets, "boottime 1000000 0", 18));
	close(offsets);
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		seen.ticks = start_ticks(getpid());
		if (!header_of(self->tables, getpid(), &seen.header))
			(void)!write(fds[1], &seen, sizeof(seen));
		_exit(0);
	}
	close(fds[1]);
	ASSERT_EQ(sizeof(seen), read(fds[0], &seen, sizeof(seen)));
	close(fds[0]);
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	if (seen.ticks < offset_ns / tick_ns)
		offset_ns = 0;
	EXPECT_EQ((seen.header.start_boottime_ns + offset_ns) / tick_ns,
		  seen.header.start_ticks);
	EXPECT_EQ(seen.ticks, seen.header.start_ticks);
}

#define GENERATIONS 64

/* Number of elements that are equal to an earlier one. */
static unsigned int nr_repeated(const uint64_t mm[GENERATIONS])
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < GENERATIONS; i++)
		for (unsigned int k = 0; k < i; k++)
			if (mm[k] == mm[i]) {
				nr++;
				break;
			}
	return nr;
}

/* On one CPU the allocator reuses freed memory at once. */
static void run_on_one_cpu(void)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	live_must(sched_setaffinity(0, sizeof(cpus), &cpus));
}

TEST_F(files, identity_of_an_mm_that_exited_is_never_used_again)
{
	uint64_t mm[GENERATIONS];

	run_on_one_cpu();
	for (unsigned int i = 0; i < GENERATIONS; i++) {
		struct ptaudit_header header;
		pid_t pid = fork();

		ASSERT_LE(0, pid);
		if (!pid)
			for (;;)
				pause();
		ASSERT_EQ(0, header_of(self->tables, pid, &header));
		mm[i] = header.mm;
		kill(pid, SIGKILL);
		ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	}
	EXPECT_EQ(0, nr_repeated(mm));
}

/* A shell script that reports, waits for a line, and executes itself again. */
#define AGAIN "echo; read go; exec \"$0\" -c \"$1\" \"$0\" \"$1\""

TEST_F(files, identity_of_an_mm_left_by_execve_is_never_used_again)
{
	uint64_t mm[GENERATIONS];
	int up[2], down[2];
	pid_t pid;
	char byte;

	run_on_one_cpu();
	ASSERT_EQ(0, pipe(up));
	ASSERT_EQ(0, pipe(down));
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		dup2(down[0], 0);
		dup2(up[1], 1);
		execl("/bin/sh", "/bin/sh", "-c", AGAIN, "/bin/sh", AGAIN,
		      NULL);
		_exit(127);
	}
	close(up[1]);
	for (unsigned int i = 0; i < GENERATIONS; i++) {
		struct ptaudit_header header;

		ASSERT_EQ(1, read(up[0], &byte, 1));
		ASSERT_EQ(0, header_of(self->tables, pid, &header));
		EXPECT_EQ(pid, header.pid);
		mm[i] = header.mm;
		ASSERT_EQ(1, write(down[1], "\n", 1));
	}
	kill(pid, SIGKILL);
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	EXPECT_EQ(0, nr_repeated(mm));
}

TEST_HARNESS_MAIN
