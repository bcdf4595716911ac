// SPDX-License-Identifier: GPL-2.0-only
/*
 * Targets that end while the reader waits for their mmap_lock.  Another process shares
 * the mm, so the complete mm can still be walked.  The only error is that the target no
 * longer owns it.
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

#include "lib/lib.h"

struct shape {
	uint64_t start, end;
};

static const struct shape shape = { FAR, FAR + 4 * HUGE };

static char stack[16 * KIB] __attribute__((aligned(16)));

/*
 * Shares the mm and thereby errno with the builder: call only functions that cannot
 * fail.
 */
static int wait_for_the_end(void *unused)
{
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
	bool whole; /* the whole process; the file takes no range */
};

FIXTURE_VARIANT_ADD(ended, counts){
	.file = LIVE_DEBUGFS "counts",
	.whole = true,
};

FIXTURE_VARIANT_ADD(ended, tables){ .file = LIVE_DEBUGFS "tables" };

FIXTURE_VARIANT_ADD(ended, orphans){ .file = LIVE_DEBUGFS "orphans" };

FIXTURE_VARIANT_ADD(ended, pages){ .file = LIVE_DEBUGFS "pages" };

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

static int read_byte(const void *fd)
{
	char byte;

	return read(*(const int *)fd, &byte, 1) == 1 ? 0 : errno;
}

TEST_F_TIMEOUT(ended, before_the_answer_was_is_esrch, 240)
{
	unsigned int refused = 0, tries = 0;
	char request[LIVE_REQUEST];

	if (self->missing)
		SKIP(return, "needs %s", self->missing);
	for (; !refused && tries < 40; tries++) {
		int fd = open(variant->file, O_RDWR | O_CLOEXEC), err;
		pid_t pid;

		ASSERT_LE(0, fd);
		ASSERT_EQ(0, target_start(&self->target, build, &shape));
		pid = self->target.pid;
		ASSERT_NE(self->target.child, pid);
		live_make_request(request, pid, shape.start,
				  variant->whole ? 0 : shape.end);
		ASSERT_EQ(0, live_request(fd, request));
		err = live_read_behind_end(pid, read_byte, &fd);
		if (err)
			ASSERT_EQ(ESRCH, err);
		refused += err == ESRCH;
		close(fd);
		target_stop(&self->target);
	}
	TH_LOG("%u tries were made; %u were refused", tries, refused);
	EXPECT_EQ(1, refused);
}

TEST_HARNESS_MAIN
