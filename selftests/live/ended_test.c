// SPDX-License-Identifier: GPL-2.0-only
/*
 * Targets that end while the answer about them waits for their mmap_lock.  Another
 * process has the same mm, so that all of it is there to be walked: that the target
 * is no longer who has it is all that is wrong.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "lib.h"

struct shape {
	uint64_t start, end;
};

static const struct shape shape = { FAR, FAR + 4 * HUGE };

static char stack[16 * KIB] __attribute__((aligned(16)));

/* It has the builder's errno, too: only what does not fail may be called. */
static int wait_for_the_end(void *unused)
{
	(void)unused;
	syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	for (;;)
		syscall(SYS_pause);
	return 0;
}

static pid_t build(const struct shape *s)
{
	live_map_small(s->start, s->end - s->start);
	live_touch_each(s->start, s->end, HUGE);
	return clone(wait_for_the_end, stack + sizeof(stack),
		     CLONE_VM | SIGCHLD, NULL);
}

FIXTURE(ended)
{
	struct target target;
	const char *missing;
};

FIXTURE_VARIANT(ended)
{
	const char *file;
	bool whole; /* takes no range */
};

FIXTURE_VARIANT_ADD(ended, counts){
	.file = LIVE_DEBUGFS "counts",
	.whole = true,
};

FIXTURE_VARIANT_ADD(ended, tables){
	.file = LIVE_DEBUGFS "tables",
};

FIXTURE_VARIANT_ADD(ended, orphans){
	.file = LIVE_DEBUGFS "orphans",
};

FIXTURE_VARIANT_ADD(ended, pages){
	.file = LIVE_DEBUGFS "pages",
};

FIXTURE_SETUP(ended)
{
	ASSERT_EQ(0, live_check_environment());
	self->missing = live_lock_missing();
}

FIXTURE_TEARDOWN(ended)
{
	if (!self->missing)
		live_lock_mm(0);
	target_stop(&self->target);
}

/*
 * The target waits for the lock on its way out, in exit_mm() (kernel/exit.c, 5.10 to
 * 7.2), before it gives up its mm; behind it the reader waits, who has grabbed the mm
 * by then.  Once the lock is free the target goes first.  A reader that shares the
 * lock can pass it all the same: then the answer is of a process that was there.
 */
TEST_F_TIMEOUT(ended, before_the_answer_was_is_esrch, 240)
{
	unsigned int refused = 0, tries = 0;
	char request[LIVE_REQUEST], byte;

	if (self->missing)
		SKIP(return, "needs %s", self->missing);
	for (; !refused && tries < 40; tries++) {
		int fd = open(variant->file, O_RDWR | O_CLOEXEC), status;
		pid_t pid, reader;

		ASSERT_LE(0, fd);
		ASSERT_EQ(0, target_start(&self->target, build, &shape));
		pid = self->target.pid;
		ASSERT_NE(self->target.child, pid);
		live_make_request(request, pid, shape.start,
				  variant->whole ? 0 : shape.end);
		ASSERT_EQ(0, live_request(fd, request));
		ASSERT_EQ(0, live_lock_mm(pid));
		ASSERT_EQ(0, kill(pid, SIGKILL));
		ASSERT_TRUE(live_waits_for_lock(pid));
		reader = fork();
		if (!reader)
			_exit(read(fd, &byte, 1) == 1 ? 0 : errno);
		ASSERT_LT(0, reader);
		ASSERT_TRUE(live_sleeps_in(reader, SYS_read));
		ASSERT_EQ(pid, live_locked_mm());
		ASSERT_EQ(0, live_lock_mm(0));
		ASSERT_TRUE(live_ends(reader, &status));
		ASSERT_TRUE(WIFEXITED(status));
		if (WEXITSTATUS(status))
			ASSERT_EQ(ESRCH, WEXITSTATUS(status));
		refused += WEXITSTATUS(status) == ESRCH;
		close(fd);
		target_stop(&self->target);
	}
	TH_LOG("refused after %u tries", tries);
	EXPECT_EQ(1, refused);
}

TEST_HARNESS_MAIN
