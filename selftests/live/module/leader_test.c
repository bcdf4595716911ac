// SPDX-License-Identifier: GPL-2.0-only
/*
 * Processes whose main thread has exited while another thread lives: /proc/PID shows a
 * zombie, but the process has all its memory.
 */
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

/* A walk of these tables takes the lock several dozen times. */
#define TABLES 4096UL

#define LEADER_NAME "leader"
#define THREAD_NAME "lives on"

static const struct shape many = { FAR, FAR + TABLES *HUGE };

/* A process whose main thread has exited. */
struct headless {
	pid_t pid;
	pid_t tid; /* the thread that lives, and executes another program on request */
	pid_t sharer; /* another process with the same mm */
	int go;
};

static struct {
	int ready[2], go[2];
} pipes;

static char stack[16 * KIB] __attribute__((aligned(16)));

/* Shares errno with the thread: call only functions that cannot fail. */
static int share(void *unused)
{
	for (;;)
		syscall(SYS_pause);
	return 0;
}

static void *live_on(void *unused)
{
	char *argv[] = { (char[]){ "sleep" }, (char[]){ "1000" }, NULL };
	struct headless self = { .tid = (pid_t)syscall(SYS_gettid) };
	char byte;

	prctl(PR_SET_NAME, THREAD_NAME);
	live_map_small(many.start, many.end - many.start);
	live_touch_each(many.start, many.end, HUGE);
	self.sharer = clone(share, stack + sizeof(stack), CLONE_VM | SIGCHLD,
			    NULL);
	if (write(pipes.ready[1], &self, sizeof(self)) == sizeof(self) &&
	    read(pipes.go[0], &byte, 1) == 1)
		execv(access("/bin/sleep", X_OK) ? "/usr/bin/sleep" :
						   "/bin/sleep",
		      argv);
	_exit(1);
	return unused;
}

/* Return: 0 or -errno. */
static int headless_start(struct headless *ret)
{
	pthread_t thread;
	ssize_t got;
	pid_t pid;

	memset(ret, 0, sizeof(*ret));
	if (pipe2(pipes.ready, O_CLOEXEC) || pipe2(pipes.go, O_CLOEXEC))
		return -errno;
	pid = fork();
	if (pid < 0)
		return -errno;
	if (!pid) {
		prctl(PR_SET_NAME, LEADER_NAME);
		if (pthread_create(&thread, NULL, live_on, NULL))
			_exit(1);
		/* SYS_exit ends only this thread */
		syscall(SYS_exit, 0);
	}
	close(pipes.ready[1]);
	close(pipes.go[0]);
	got = read(pipes.ready[0], ret, sizeof(*ret));
	close(pipes.ready[0]);
	ret->pid = pid;
	ret->go = pipes.go[1];
	if (got != sizeof(*ret) || ret->sharer <= 0)
		return -ECHILD;
	return live_comes_to(pid, 'Z') ? 0 : -ETIME;
}

static void headless_stop(struct headless *h)
{
	if (h->sharer > 0)
		kill(h->sharer, SIGKILL);
	kill(h->pid, SIGKILL);
	waitpid(h->pid, NULL, 0);
	close(h->go);
}

static size_t nr_apart(const struct answer *answer)
{
	return live_nr_tables(answer, PTAUDIT_PTE, many.start, many.end);
}

TEST_F(files, process_is_walked_through_its_living_thread)
{
	struct answer by_pid, by_tid;
	struct counts counts;
	struct headless h;

	ASSERT_EQ(0, headless_start(&h));
	ASSERT_EQ(0, live_request_pid(self->tables, h.pid));
	ASSERT_EQ(0, live_answer(self->tables, &by_pid));
	ASSERT_EQ(0, live_request_pid(self->tables, h.tid));
	ASSERT_EQ(0, live_answer(self->tables, &by_tid));
	ASSERT_EQ(0, live_request_pid(self->counts, h.pid));
	ASSERT_EQ(0, live_counts_fd(self->counts, &counts));

	EXPECT_EQ(TABLES, nr_apart(&by_pid));
	EXPECT_EQ(h.pid, by_pid.header.pid);
	EXPECT_EQ(h.pid, by_pid.header.tgid);
	EXPECT_EQ(h.tid, by_pid.header.tid);
	EXPECT_EQ(h.tid, by_pid.header.ns_tid);
	EXPECT_STREQ(LEADER_NAME, by_pid.header.comm);

	EXPECT_EQ(TABLES, nr_apart(&by_tid));
	EXPECT_EQ(h.tid, by_tid.header.pid);
	EXPECT_EQ(h.pid, by_tid.header.tgid);
	EXPECT_EQ(h.tid, by_tid.header.tid);
	EXPECT_STREQ(THREAD_NAME, by_tid.header.comm);
	EXPECT_EQ(by_pid.header.mm, by_tid.header.mm);
	EXPECT_EQ(by_pid.header.start_boottime_ns,
		  by_tid.header.start_boottime_ns);

	EXPECT_EQ((uint64_t)h.pid, counts.pid);
	EXPECT_EQ((uint64_t)h.pid, counts.tgid);
	EXPECT_EQ((uint64_t)h.tid, counts.tid);
	EXPECT_EQ((uint64_t)h.tid, counts.ns_tid);
	EXPECT_EQ(by_pid.header.start_ticks, counts.start_ticks);
	EXPECT_EQ(by_pid.header.mm, counts.mm);
	EXPECT_LE(TABLES, counts.tables[PTAUDIT_PTE]);
	live_answer_deinit(&by_pid);
	live_answer_deinit(&by_tid);
	headless_stop(&h);
}

TEST_F(files, pages_of_the_process_name_its_living_thread)
{
	char request[LIVE_REQUEST], line[64], text[4096];
	struct headless h;

	ASSERT_EQ(0, headless_start(&h));
	live_make_request(request, h.pid, many.start, many.end);
	ASSERT_EQ(0, live_pages_text(request, text, sizeof(text)));
	snprintf(line, sizeof(line), "\npresent %lu\n", TABLES);
	EXPECT_NE(NULL, strstr(text, line));
	snprintf(line, sizeof(line), "\ntgid %d\ntid %d\n", h.pid, h.tid);
	EXPECT_NE(NULL, strstr(text, line));
	headless_stop(&h);
}

TEST_F(files, process_whose_threads_all_exited_is_einval)
{
	struct headless h;
	siginfo_t info;

	ASSERT_EQ(0, headless_start(&h));
	kill(h.pid, SIGKILL);
	/* waitid() returns for the leader once no other thread is left */
	ASSERT_EQ(0, waitid(P_PID, (id_t)h.pid, &info, WEXITED | WNOWAIT));
	EXPECT_EQ(-EINVAL, live_request_pid(self->tables, h.pid));
	EXPECT_EQ(-EINVAL, live_request_pid(self->counts, h.pid));
	headless_stop(&h);
}

TEST_HARNESS_MAIN
