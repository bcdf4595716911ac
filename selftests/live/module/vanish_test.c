// SPDX-License-Identifier: GPL-2.0-only
/*
 * Targets that execute another program or end while they are walked.  The module hold stops
 * the walk between two holds of mmap_lock until the target has left its mm.  If the module uses
 * a freed mm, a debug kernel reports it in its log, which the runner checks.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "lib/lib.h"

/*
 * A walk takes at least 32 holds, because the limit of a hold is 65,536 entries.  `counts` reads no
 * PTE and takes one.
 */
#define TABLES 4096UL
#define END (FAR + TABLES * HUGE)

/* A process that shares our mm, or has a copy, until it leaves that mm. */
struct leaver {
	pid_t pid;
	bool exits; /* on its own; otherwise it executes another program */
	int go[2], gone[2]; /* its end of @gone closes when it leaves */
};

static struct leaver leaver;
static char leaver_stack[64 * KIB] __attribute__((aligned(16)));

static const char *sleep_path(void)
{
	return access("/bin/sleep", X_OK) ? "/usr/bin/sleep" : "/bin/sleep";
}

/* Shares errno with the test: call only functions that cannot fail. */
static int leave(void *path)
{
	char *argv[] = { (char[]){ "sleep" }, (char[]){ "1000" }, NULL };
	char byte;

	syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	syscall(SYS_read, leaver.go[0], &byte, 1);
	if (leaver.exits)
		syscall(SYS_exit, 0);
	syscall(SYS_execve, path, argv, NULL);
	syscall(SYS_exit, 1);
	return 1;
}

/* @flags: CLONE_VM, or 0 for a copy */
static int leaver_start(int flags)
{
	if (pipe2(leaver.go, O_CLOEXEC) || pipe2(leaver.gone, O_CLOEXEC))
		return -errno;
	leaver.pid = clone(leave, leaver_stack + sizeof(leaver_stack),
			   flags | SIGCHLD, (void *)sleep_path());
	if (leaver.pid < 0)
		return -errno;
	close(leaver.gone[1]);
	return 0;
}

/* Kill the process if it is still there.  Return: its wait status, or -1 if there is none. */
static int leaver_stop(void)
{
	int status = -1;

	kill(leaver.pid, SIGKILL);
	waitpid(leaver.pid, &status, 0);
	close(leaver.go[0]);
	close(leaver.go[1]);
	close(leaver.gone[0]);
	return status;
}

FIXTURE(leaves)
{
	int fd;
};

FIXTURE_VARIANT(leaves)
{
	const char *path;
	int flags;
	bool exits, killed, reaped;
	bool is_text;	  /* the file has no records */
	bool is_one_hold; /* the walk makes only one */
};

LIVE_FILE_VARIANT(leaves, tables_of_a_shared_mm, "tables", .flags = CLONE_VM);
LIVE_FILE_VARIANT(leaves, tables_of_its_own_mm, "tables");
LIVE_FILE_VARIANT(leaves, tables_of_a_killed_process, "tables", .killed = true);
LIVE_FILE_VARIANT(leaves, orphans_of_a_shared_mm, "orphans", .flags = CLONE_VM);
LIVE_FILE_VARIANT(leaves, orphans_of_its_own_mm, "orphans");
LIVE_FILE_VARIANT(leaves, orphans_of_a_killed_process, "orphans",
		  .killed = true);

/* As a zombie the process still has a task, but no mm. */
LIVE_FILE_VARIANT(leaves, tables_of_a_shared_mm_at_its_end, "tables",
		  .flags = CLONE_VM, .exits = true);
LIVE_FILE_VARIANT(leaves, orphans_of_a_shared_mm_at_its_end, "orphans",
		  .flags = CLONE_VM, .exits = true);
LIVE_FILE_VARIANT(leaves, pages_of_a_shared_mm_at_its_end, "pages",
		  .flags = CLONE_VM, .exits = true, .is_text = true);
LIVE_FILE_VARIANT(leaves, counts_of_a_shared_mm_at_its_end, "counts",
		  .flags = CLONE_VM, .exits = true, .is_text = true,
		  .is_one_hold = true);
LIVE_FILE_VARIANT(leaves, tables_of_a_shared_mm_and_no_task_stays, "tables",
		  .flags = CLONE_VM, .exits = true, .reaped = true);

FIXTURE_SETUP(leaves)
{
	ASSERT_EQ(0, live_check_environment());
	leaver.exits = variant->exits;
	if (variant->reaped)
		signal(SIGCHLD, SIG_IGN);
	self->fd = open(variant->path, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(leaves)
{
	live_held_walk_teardown();
	close(self->fd);
}

/* Has the process left its mm, and the state in which the variant wants it? */
static bool has_left(const FIXTURE_VARIANT(leaves) * variant)
{
	char byte;

	if (read(leaver.gone[0], &byte, 1))
		return false;
	if (!variant->exits && !variant->killed)
		return true;
	return live_comes_to(leaver.pid, variant->reaped ? '?' : 'Z');
}

/*
 * With a shared mm, the tables are still there and can be pinned after the process has
 * left them.  With a copy they are freed then, and the walk cannot take a reference to
 * the mm although the process lives on.
 */
TEST_F_TIMEOUT(leaves, walk_of_a_target_that_left_its_mm_is_refused, 240)
{
	const bool ends = variant->exits || variant->killed;
	const int expected = ends ? -ESRCH : -ESTALE;
	const int status = variant->reaped ? -1 : variant->exits ? 0 : SIGKILL;
	struct held_walk walk;
	/* before the first pin, after the first hold, in the middle */
	static const int passes[] = { 0, 1, 20 };
	const size_t nr_passes = variant->is_one_hold ? 1 : 3;
	struct answer answer;
	int nr_pins;

	if (live_held_walk_missing())
		SKIP(return, "needs %s", live_held_walk_missing());
	live_map_small(FAR, END - FAR);
	live_touch_each(FAR, END, HUGE);
	ASSERT_EQ(0, live_request_pid(self->fd, getpid()));
	live_held_walk_begin(&walk, self->fd, INT_MAX - 1);
	ASSERT_EQ(0, live_held_walk_end(&walk));
	nr_pins = live_held_walk_pins();
	ASSERT_LT(passes[nr_passes - 1], nr_pins);
	if (!variant->is_text) {
		ASSERT_EQ(0, live_answer(self->fd, &answer));
		ASSERT_EQ(TABLES,
			  live_nr_tables(&answer, PTAUDIT_PTE, FAR, END));
		live_answer_deinit(&answer);
	}

	for (size_t i = 0; i < nr_passes; i++) {
		ASSERT_EQ(0, leaver_start(variant->flags));
		ASSERT_EQ(0, live_request_pid(self->fd, leaver.pid));
		EXPECT_TRUE(live_held_walk_begin(&walk, self->fd, passes[i]));
		if (variant->killed)
			kill(leaver.pid, SIGKILL);
		else
			ASSERT_EQ(1, write(leaver.go[1], "", 1));
		ASSERT_TRUE(has_left(variant));
		EXPECT_EQ(expected, live_held_walk_end(&walk))
		{
			TH_LOG("held before pin %d of %d", passes[i], nr_pins);
		}
		/* an error stays the answer until the next request */
		EXPECT_EQ(walk.err, live_read_byte(self->fd));
		EXPECT_EQ(status, leaver_stop());
	}
}

TEST_HARNESS_MAIN
