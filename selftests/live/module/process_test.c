// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which process a command measures: one whose main thread has exited, one of another PID
 * namespace, and one whose munmap() is in progress.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "lib/lib.h"

#define RECORDING "/tmp/process.recording"
#define TABLES 512UL

static int ready[2], go[2];

static void build(void)
{
	live_map_small(FAR, TABLES * HUGE);
	live_touch_each(FAR, FAR + TABLES * HUGE, HUGE);
}

static void *live_on(void *unused)
{
	pid_t tid = (pid_t)syscall(SYS_gettid);

	build();
	if (write(ready[1], &tid, sizeof(tid)) != sizeof(tid))
		_exit(1);
	for (;;)
		pause();
	return unused;
}

static int main_thread_exits(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, live_on, NULL))
		return 1;
	/* SYS_exit ends only this thread */
	syscall(SYS_exit, 0);
	return 1;
}

/* Map and touch memory, report, and unmap it on request. */
static int unmaps(void)
{
	pid_t tid = getpid();
	char byte;

	build();
	if (write(ready[1], &tid, sizeof(tid)) != sizeof(tid) ||
	    read(go[0], &byte, 1) != 1)
		return 1;
	munmap((void *)FAR, TABLES * HUGE);
	for (;;)
		pause();
}

FIXTURE(process)
{
	struct tool_run run;
	pid_t pid;
	pid_t tid; /* the thread that told that the target is ready */
	char text[16];
};

FIXTURE_SETUP(process)
{
	ASSERT_EQ(0, live_check_environment());
	ASSERT_EQ(0, pipe2(ready, O_CLOEXEC) | pipe2(go, O_CLOEXEC));
}

FIXTURE_TEARDOWN(process)
{
	if (self->pid > 0) {
		kill(self->pid, SIGKILL);
		waitpid(self->pid, NULL, 0);
	}
	live_run_deinit(&self->run);
	close(ready[0]);
	close(ready[1]);
	close(go[0]);
	close(go[1]);
}

/* Return: 0 or -errno. */
static int start(int (*target)(void), pid_t *pid, pid_t *tid, char *text)
{
	*pid = fork();
	if (*pid < 0)
		return -errno;
	if (!*pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(target());
	}
	sprintf(text, "%d", *pid);
	return read(ready[0], tid, sizeof(*tid)) == sizeof(*tid) ? 0 : -ECHILD;
}

/* The command must have measured the process and named the thread. */
static int check_run(const struct tool_run *run, const char *command, pid_t tid)
{
	char key[32];

	snprintf(key, sizeof(key), "\"tid\": %d,", tid);
	if (!run->status && strstr(run->out, key))
		return 0;
	live_note("%s: exit status %d; the output %s thread %d; %s", command,
		  run->status, strstr(run->out, key) ? "has" : "does not have",
		  tid, run->err);
	return 1;
}

TEST_F_TIMEOUT(process, living_thread_is_read_when_the_main_thread_exited, 240)
{
	static const char *const commands[] = { "check", "estimate",
						"footprint", "cow", "flags" };
	int failures = 0;

	ASSERT_EQ(0,
		  start(main_thread_exits, &self->pid, &self->tid, self->text));
	ASSERT_TRUE(live_comes_to(self->pid, 'Z'));
	ASSERT_NE(self->pid, self->tid);
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		ASSERT_EQ(0, LIVE_RUN(&self->run, (char *)commands[i], "--json",
				      self->text));
		failures += check_run(&self->run, commands[i], self->tid);
		live_run_deinit(&self->run);
	}
	ASSERT_EQ(0, LIVE_RUN(&self->run, "estimate", "--all", "--json"));
	failures += check_run(&self->run, "--all", self->tid);
	live_run_deinit(&self->run);
	ASSERT_EQ(0, LIVE_RUN(&self->run, "record", "--to", RECORDING,
			      self->text));
	EXPECT_EQ(0, self->run.status);
	live_run_deinit(&self->run);
	ASSERT_EQ(0, LIVE_RUN(&self->run, "check", "--from", RECORDING,
			      "--json", self->text));
	failures += check_run(&self->run, "--from", self->tid);
	EXPECT_EQ(0, system("rm -rf " RECORDING));
	EXPECT_EQ(0, failures);
}

/* Run the tool in a PID namespace with the /proc of the parent namespace. */
static int check_foreign(void)
{
	static char *const commands[][6] = {
		{ "check", "--json", "1" },
		{ "estimate", "--json", "1" },
		{ "estimate", "--json", "--freeze", "2" },
		{ "check", "--json", "--pages", "1" },
		{ "footprint", "--json", "1" },
		{ "cow", "--json", "1" },
		{ "flags", "--json", "1" },
		{ "record", "--to", RECORDING, "1" },
		{ "estimate", "--json", "--all" },
		{ "estimate", "--json", "--", "true" },
	};
	pid_t victim = fork();
	int failures = 0;

	if (!victim) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	if (getpid() != 1 || victim != 2)
		return 99;
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		struct tool_run run;
		int status;

		if (LIVE_RUN(&run, commands[i][0], commands[i][1],
			     commands[i][2], commands[i][3], commands[i][4]))
			return 98;
		if (run.status != 2 || !strstr(run.err, "PID namespace") ||
		    strstr(run.out, "\"levels\"")) {
			live_note("%s %s %s: exit status %d, without a refusal: %s",
				  commands[i][0], commands[i][1],
				  commands[i][2] ? commands[i][2] : "",
				  run.status, run.err);
			failures++;
		}
		live_run_deinit(&run);
		if (waitpid(victim, &status, WUNTRACED | WNOHANG)) {
			live_note(
				"process 2 of the namespace was stopped or ended");
			failures++;
		}
	}
	kill(victim, SIGKILL);
	return failures;
}

TEST_F_TIMEOUT(process, pids_of_another_namespace_are_refused, 240)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		if (unshare(CLONE_NEWPID))
			_exit(97);
		pid = fork();
		if (!pid)
			_exit(check_foreign());
		waitpid(pid, &status, 0);
		_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 96);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	system("rm -rf " RECORDING);
}

/*
 * Does the process sleep in a read of the module's file `orphans`?  Source: proc_pid_syscall(),
 * fs/proc/base.c: number and arguments of the call, or `running`.
 */
static bool reads_orphans(pid_t pid)
{
	static const char orphans[] = LIVE_DEBUGFS "orphans";
	char path[64], text[256], file[sizeof(orphans)];
	unsigned long fd;

	snprintf(path, sizeof(path), "/proc/%d/syscall", pid);
	if (sscanf(live_file(path, text, sizeof(text)), "0 0x%lx", &fd) != 1)
		return false;
	snprintf(path, sizeof(path), "/proc/%d/fd/%lu", pid, fd);
	return readlink(path, file, sizeof(file)) == sizeof(orphans) - 1 &&
	       !memcmp(file, orphans, sizeof(orphans) - 1);
}

/*
 * munmap() is held when VmPTE still counts its 512 tables and no mapping covers them.  The walk
 * of `orphans` takes mmap_lock for writing, so the tool waits there.  Then munmap() is released.
 */
TEST_F_TIMEOUT(process, running_munmap_leaves_nothing_unexplained, 240)
{
	struct tool_run *run = &self->run;
	bool waits = false;
	int out[2], status;
	size_t used = 0;
	pid_t tool;
	ssize_t n;

	if (live_hold_missing("unmap_held"))
		SKIP(return, "needs %s", live_hold_missing("unmap_held"));
	ASSERT_EQ(0, start(unmaps, &self->pid, &self->tid, self->text));
	ASSERT_EQ(0, live_hold_set("unmap_held", self->pid));
	ASSERT_EQ(1, write(go[1], "", 1));
	ASSERT_TRUE(live_until(live_hold_get("unmaps_held") == 1));
	ASSERT_EQ(0, pipe2(out, O_CLOEXEC));
	tool = fork();
	if (!tool) {
		dup2(out[1], STDOUT_FILENO);
		execl(live_tool(), "ptaudit", "check", "--json", self->text,
		      NULL);
		_exit(127);
	}
	close(out[1]);
	live_until((waits = reads_orphans(tool)) || live_state_of(tool) == 'Z');
	EXPECT_TRUE(waits);
	EXPECT_EQ(0, live_hold_set("unmap_held", 0));
	run->out = calloc(1, MIB);
	ASSERT_NE(NULL, run->out);
	while ((n = read(out[0], run->out + used, MIB - 1 - used)) > 0)
		used += (size_t)n;
	close(out[0]);
	ASSERT_EQ(tool, waitpid(tool, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_NE(NULL, strstr(run->out, "\"unexplained_bytes\": 0"));
	EXPECT_EQ(NULL, strstr(run->out, "\"tries\": 1,"));
	EXPECT_NE(NULL, strstr(run->out, "\"status\": \"ok\""))
	{
		TH_LOG("%s", run->out);
	}
}

TEST_HARNESS_MAIN
