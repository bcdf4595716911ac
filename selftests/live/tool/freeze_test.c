// SPDX-License-Identifier: GPL-2.0-only
/*
 * With --freeze, all processes that share the address space are stopped while it is measured.
 * They continue afterwards, even if the tool is killed.  The tool runs a script as an
 * estimator, which records their states meanwhile.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "lib/lib.h"

#define SCRIPT "/tmp/freeze.sh"
#define STATES "/tmp/freeze.states"
#define NR 4
#define STACK (64 * KIB)

/* Per process: the number of times it has mapped and unmapped memory. */
static struct {
	atomic_ulong rounds[NR];
	atomic_bool end;
} * shared;

/* Map and unmap memory until stopped, so that tables come and go. */
static int restless(void *number)
{
	size_t me = (size_t)number;
	uint64_t start = FAR + me * GIB;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (!shared->end) {
		char *page = mmap((void *)start, PAGE, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS |
					  MAP_FIXED_NOREPLACE,
				  -1, 0);

		if (page == MAP_FAILED)
			return 1;
		*page = 1;
		munmap(page, PAGE);
		shared->rounds[me]++;
	}
	return 0;
}

static pid_t start_sharer(size_t number)
{
	char *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (stack == MAP_FAILED)
		return -errno;
	return clone(restless, stack + STACK, CLONE_VM | SIGCHLD,
		     (void *)number);
}

/* Each process must make progress again. */
static int check_going(const size_t *numbers, size_t nr)
{
	int failures = 0;

	for (size_t i = 0; i < nr; i++) {
		unsigned long before = shared->rounds[numbers[i]];

		if (!live_until(shared->rounds[numbers[i]] != before)) {
			live_note("process %zu makes no progress", numbers[i]);
			failures++;
		}
	}
	return failures;
}

FIXTURE(freeze)
{
	pid_t pids[NR];
	struct tool_run run;
	char text[16];
};

/* One process, and two others that share its address space. */
FIXTURE_SETUP(freeze)
{
	pid_t *pids, pid;

	ASSERT_EQ(0, live_check_environment());
	shared = mmap(NULL, PAGE + NR * sizeof(pid_t), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)shared);
	pids = (pid_t *)((char *)shared + PAGE);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pids[1] = start_sharer(1);
		pids[2] = start_sharer(2);
		_exit(restless((void *)0));
	}
	pids[0] = pid;
	ASSERT_EQ(0, check_going((size_t[]){ 0, 1, 2 }, 3));
	memcpy(self->pids, pids, sizeof(self->pids));
	snprintf(self->text, sizeof(self->text), "%d", self->pids[0]);
}

FIXTURE_TEARDOWN(freeze)
{
	shared->end = true;
	for (size_t i = 0; i < 3; i++)
		if (self->pids[i] > 1)
			kill(self->pids[i], SIGKILL);
	waitpid(self->pids[0], NULL, 0);
	live_run_deinit(&self->run);
	munmap(shared, PAGE + NR * sizeof(pid_t));
	unlink(SCRIPT);
	unlink(STATES);
}

/* An estimator that records the states of the processes and runs one more command. */
static int write_script(const pid_t *pids, size_t nr, const char *more)
{
	FILE *file = fopen(SCRIPT, "we");

	if (!file)
		return -errno;
	fprintf(file, "#!/bin/sh\n: >" STATES "\n");
	for (size_t i = 0; i < nr; i++)
		fprintf(file,
			"sed 's/.*) \\(.\\).*/\\1/' /proc/%d/stat >>" STATES
			"\n",
			pids[i]);
	fprintf(file, "%s\necho pgd 0x0\n", more);
	return fclose(file) || chmod(SCRIPT, 0700) ? -errno : 0;
}

TEST_F(freeze, all_sharers_stand_still_in_check)
{
	char states[16];

	ASSERT_EQ(0, write_script(self->pids, 3, ""));
	ASSERT_EQ(0, LIVE_RUN(&self->run, "check", "--json", "--freeze",
			      "--estimator", "pagemap," SCRIPT, self->text));
	EXPECT_EQ(0, self->run.status);
	EXPECT_STREQ("T\nT\nT\n", live_file(STATES, states, sizeof(states)));
	EXPECT_NE(NULL, strstr(self->run.out, "\"tries\": 1,"));
	EXPECT_EQ(0, check_going((size_t[]){ 0, 1, 2 }, 3));
}

TEST_F(freeze, all_sharers_stand_still_in_estimate)
{
	char states[16];

	ASSERT_EQ(0, write_script(self->pids, 3, ""));
	ASSERT_EQ(0, LIVE_RUN(&self->run, "estimate", "--json", "--freeze",
			      "--estimator", SCRIPT, self->text));
	EXPECT_EQ(0, self->run.status);
	EXPECT_STREQ("T\nT\nT\n", live_file(STATES, states, sizeof(states)));
	EXPECT_EQ(0, check_going((size_t[]){ 0, 1, 2 }, 3));
}

TEST_F(freeze, targets_run_without_freeze)
{
	char states[16];

	ASSERT_EQ(0, write_script(self->pids, 3, ""));
	ASSERT_EQ(0, LIVE_RUN(&self->run, "estimate", "--json", "--estimator",
			      SCRIPT, self->text));
	live_file(STATES, states, sizeof(states));
	EXPECT_EQ(6, strlen(states));
	EXPECT_EQ(NULL, strchr(states, 'T'));
}

/* The tool is killed during the measurement: its guard process continues the targets. */
TEST_F(freeze, targets_continue_when_the_tool_is_killed)
{
	char states[16];

	ASSERT_EQ(0, write_script(self->pids, 3, "kill -KILL $PPID"));
	ASSERT_EQ(0, LIVE_RUN(&self->run, "check", "--json", "--freeze",
			      "--estimator", SCRIPT, self->text));
	EXPECT_EQ(-1, self->run.status);
	EXPECT_STREQ("T\nT\nT\n", live_file(STATES, states, sizeof(states)));
	EXPECT_EQ(0, check_going((size_t[]){ 0, 1, 2 }, 3));
}

/* A process that was stopped before stays stopped.  The others continue. */
TEST_F(freeze, a_stopped_process_stays_stopped)
{
	ASSERT_EQ(0, kill(self->pids[1], SIGSTOP));
	ASSERT_TRUE(live_comes_to(self->pids[1], 'T'));
	ASSERT_EQ(0, LIVE_RUN(&self->run, "check", "--json", "--freeze",
			      self->text));
	EXPECT_EQ(0, self->run.status);
	EXPECT_EQ(0, check_going((size_t[]){ 0, 2 }, 2));
	EXPECT_EQ('T', live_state_of(self->pids[1]));
}

/* The parent of a vfork() child cannot be stopped, and need not be. */
TEST_F(freeze, parent_of_a_vfork_child_is_not_stopped)
{
	pid_t *pid = (pid_t *)((char *)shared + PAGE) + 3;
	pid_t parent = fork();
	char states[16];
	int status;

	if (!parent) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (!vfork()) {
			*pid = getpid();
			_exit(restless((void *)3));
		}
		_exit(7);
	}
	ASSERT_EQ(0, check_going((size_t[]){ 3 }, 1));
	snprintf(self->text, sizeof(self->text), "%d", parent);
	ASSERT_EQ(0, write_script((pid_t[]){ parent, *pid }, 2, ""));
	ASSERT_EQ(0, LIVE_RUN(&self->run, "check", "--json", "--freeze",
			      "--estimator", "pagemap," SCRIPT, self->text));
	EXPECT_EQ(0, self->run.status);
	EXPECT_STREQ("D\nT\n", live_file(STATES, states, sizeof(states)));
	EXPECT_EQ(0, check_going((size_t[]){ 3 }, 1));
	shared->end = true;
	ASSERT_EQ(parent, waitpid(parent, &status, 0));
	EXPECT_EQ(7, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

TEST_HARNESS_MAIN
