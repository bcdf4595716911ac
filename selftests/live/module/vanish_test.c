// SPDX-License-Identifier: GPL-2.0-only
/*
 * Targets with many tables that execute another program or end while they are walked.  A
 * use of a freed mm by the module shows up in the kernel log, which the runner checks.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "lib/lib.h"

/* A walk of these tables takes the lock several dozen times. */
#define TABLES 4096UL
#define ENOUGH 5

struct shape {
	uint64_t start, end;
};

static const struct shape shape = { FAR, FAR + TABLES *HUGE };

static pid_t build_apart(const struct shape *s)
{
	live_map_small(s->start, s->end - s->start);
	live_touch_each(s->start, s->end, HUGE);
	return 0;
}

static size_t nr_apart(const struct answer *answer)
{
	return live_nr_tables(answer, PTAUDIT_PTE, shape.start, shape.end);
}

static uint64_t walk_ns(const struct answer *answer)
{
	return answer->header.clock_after_ns - answer->header.clock_before_ns;
}

/*
 * A process that shares our mm, or has a copy, until it executes another program or
 * ends.
 */
struct leaver {
	pid_t pid;
	bool ends;
	int go[2], gone[2]; /* its end of @gone closes when it leaves */
	struct timespec delay;
	uint64_t gone_ns; /* a time at or after the moment it left the mm */
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
	syscall(SYS_nanosleep, &leaver.delay, NULL);
	if (leaver.ends)
		syscall(SYS_exit, 0);
	syscall(SYS_execve, path, argv, NULL);
	syscall(SYS_exit, 1);
	return 1;
}

static void *watch(void *unused)
{
	char byte;

	(void)!read(leaver.gone[0], &byte, 1);
	leaver.gone_ns = live_now_ns();
	return NULL;
}

static struct timespec timespec_of(int64_t ns)
{
	if (ns < 0)
		ns = 0;
	return (struct timespec){ ns / 1000000000, ns % 1000000000 };
}

/* @flags: CLONE_VM, or 0 for a copy */
static int leaver_start(int flags, int64_t delay_ns)
{
	leaver.delay = timespec_of(delay_ns);
	if (pipe2(leaver.go, O_CLOEXEC) || pipe2(leaver.gone, O_CLOEXEC))
		return -errno;
	leaver.pid = clone(leave, leaver_stack + sizeof(leaver_stack),
			   flags | SIGCHLD, (void *)sleep_path());
	if (leaver.pid < 0)
		return -errno;
	close(leaver.gone[1]);
	return 0;
}

/* Kill the process if it is still there.  Return: its exit status, -1 if there is none. */
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

/*
 * Return: 1 if the answer mixes two programs, or describes an mm that the process had
 * left before the walk ended; otherwise the number of errors in its records.
 */
static int check_left(const struct answer *answer, uint64_t mm)
{
	bool is_old = answer->header.mm == mm;
	size_t nr = nr_apart(answer);

	if (nr != (is_old ? TABLES : 0)) {
		live_note("an answer about the %s program has %zu tables of "
			  "the old program's layout",
			  is_old ? "old" : "new", nr);
		return 1;
	}
	if (is_old && leaver.gone_ns < answer->header.clock_after_ns) {
		live_note("an answer about the old mm ends %" PRIu64
			  " ns after the process left that mm",
			  (uint64_t)answer->header.clock_after_ns -
				  leaver.gone_ns);
		return 1;
	}
	return live_check_records(answer);
}

FIXTURE(leaves)
{
	int fd;
	uint64_t walk_ns; /* duration of a walk of a target with TABLES tables */
};

FIXTURE_VARIANT(leaves)
{
	const char *path;
	int flags;
	bool ends, reaped;
};

LIVE_FILE_VARIANT(leaves, tables_of_a_shared_mm, "tables", .flags = CLONE_VM);
LIVE_FILE_VARIANT(leaves, tables_of_its_own_mm, "tables");
LIVE_FILE_VARIANT(leaves, orphans_of_a_shared_mm, "orphans", .flags = CLONE_VM);
LIVE_FILE_VARIANT(leaves, orphans_of_its_own_mm, "orphans");

/* As a zombie the process still has a task, but no mm. */
LIVE_FILE_VARIANT(leaves, tables_of_a_shared_mm_at_its_end, "tables",
		  .flags = CLONE_VM, .ends = true);
LIVE_FILE_VARIANT(leaves, tables_of_a_shared_mm_and_no_task_stays, "tables",
		  .flags = CLONE_VM, .ends = true, .reaped = true);

FIXTURE_SETUP(leaves)
{
	ASSERT_EQ(0, live_check_environment());
	leaver.ends = variant->ends;
	if (variant->reaped)
		signal(SIGCHLD, SIG_IGN);
	self->fd = open(variant->path, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(leaves)
{
	close(self->fd);
}

/*
 * With a shared mm, the tables are still there and can be pinned after the process has
 * left them.  With a copy they are freed then, and the walk cannot take a reference to
 * the mm although the process lives on.
 */
TEST_F_TIMEOUT(leaves, in_the_middle_is_refused, 240)
{
	const int status = !variant->ends ? SIGKILL : variant->reaped ? -1 : 0;
	unsigned int refused = 0, old = 0, new = 0, tries = 0;
	uint64_t deadline_ns = live_deadline_ns(120);
	struct counts counts;
	struct answer answer;
	int64_t lead_ns = 0; /* how long execve() starts before the read */
	int failures = 0;

	live_map_small(shape.start, shape.end - shape.start);
	live_touch_each(shape.start, shape.end, HUGE);
	ASSERT_EQ(0, live_request_pid(self->fd, getpid()));
	ASSERT_EQ(0, live_answer(self->fd, &answer));
	ASSERT_EQ(TABLES, nr_apart(&answer));
	self->walk_ns = walk_ns(&answer);
	live_answer_deinit(&answer);

	/* it must fall into the walk: start earlier if it came too late, otherwise later */
	for (; refused < ENOUGH && !failures && live_now_ns() < deadline_ns;
	     tries++) {
		struct timespec delay = timespec_of(lead_ns);
		uint64_t before_ns;
		pthread_t watcher;
		int err;

		ASSERT_EQ(0, leaver_start(variant->flags, -lead_ns));
		ASSERT_EQ(0, pthread_create(&watcher, NULL, watch, NULL));
		ASSERT_EQ(0, live_counts(leaver.pid, &counts));
		ASSERT_EQ(0, live_request_pid(self->fd, leaver.pid));
		ASSERT_EQ(1, write(leaver.go[1], "", 1));
		if (lead_ns > 0)
			nanosleep(&delay, NULL);
		before_ns = live_now_ns();
		err = live_answer(self->fd, &answer);
		/* an error stays the answer until the next request */
		if (err == -ESTALE)
			EXPECT_EQ(-ESTALE, live_answer(self->fd, &answer));
		pthread_join(watcher, NULL);
		EXPECT_EQ(status, leaver_stop());
		if (err == (variant->ends ? -ESRCH : -ESTALE)) {
			/*
			 * if the process had ended before the read, the walk did not even
			 * start
			 */
			if (leaver.gone_ns > before_ns)
				refused++;
			else
				lead_ns -= (int64_t)self->walk_ns / 3;
		} else if (err) {
			live_note("cannot read the answer: %s", strerror(-err));
			failures++;
		} else {
			bool is_old = answer.header.mm == counts.mm;
			int64_t step_ns;

			/*
			 * use steps of many lengths: equal steps could jump over the walk each
			 * time
			 */
			if (is_old)
				self->walk_ns = walk_ns(&answer);
			step_ns = (int64_t)self->walk_ns / (2 + tries % 7);
			*(is_old ? &old : &new) += 1;
			lead_ns += is_old ? step_ns : -step_ns;
			failures += check_left(&answer, counts.mm);
			live_answer_deinit(&answer);
		}
	}
	live_note("a walk takes %" PRIu64
		  " us; of %u tries, %u were refused, %u had the old mm, "
		  "%u the new one",
		  self->walk_ns / 1000, tries, refused, old, new);
	EXPECT_EQ(0, failures);
	EXPECT_EQ(ENOUGH, refused);
}

FIXTURE(vanish)
{
	int fd;
	uint64_t walk_ns; /* duration of a walk of a target with TABLES tables */
};

FIXTURE_VARIANT(vanish)
{
	const char *path;
};

LIVE_FILE_VARIANT(vanish, tables, "tables");
LIVE_FILE_VARIANT(vanish, orphans, "orphans");

FIXTURE_SETUP(vanish)
{
	ASSERT_EQ(0, live_check_environment());
	self->fd = open(variant->path, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(vanish)
{
	close(self->fd);
}

struct killer {
	pid_t pid;
	struct timespec delay;
	uint64_t killed_ns;
};

static void *kill_later(void *arg)
{
	struct killer *killer = arg;

	nanosleep(&killer->delay, NULL);
	killer->killed_ns = live_now_ns();
	kill(killer->pid, SIGKILL);
	return NULL;
}

/* A target that is killed some time after the read has begun. */
struct killed {
	int err;
	uint64_t nr, walk_ns, after_ns;
};

static int read_killed(int fd, pid_t pid, uint64_t delay_ns, struct killed *ret)
{
	struct killer killer = { .pid = pid,
				 .delay = timespec_of((int64_t)delay_ns) };
	struct answer answer;
	uint64_t began_ns;
	pthread_t thread;
	int err = live_request_pid(fd, pid);

	if (err)
		return err;
	if (pthread_create(&thread, NULL, kill_later, &killer))
		return -EAGAIN;
	began_ns = live_now_ns();
	ret->err = live_answer(fd, &answer);
	pthread_join(thread, NULL);
	ret->after_ns = killer.killed_ns > began_ns ?
				killer.killed_ns - began_ns :
				0;
	if (!ret->err) {
		ret->nr = nr_apart(&answer);
		ret->walk_ns = walk_ns(&answer);
		live_answer_deinit(&answer);
	}
	return 0;
}

/*
 * A complete answer must have all tables: each hold of the lock takes a reference to the
 * mm or ends the walk.  If the kill came well after the start of the read, it hit the
 * walk.
 */
TEST_F_TIMEOUT(vanish, killed_target_is_esrch_or_a_whole_answer, 240)
{
	unsigned int midway = 0, early = 0, whole = 0, tries = 0;
	uint64_t deadline_ns = live_deadline_ns(120);
	int failures = 0;

	for (; midway < ENOUGH && !failures && live_now_ns() < deadline_ns;
	     tries++) {
		struct killed killed = { 0 };
		struct target target;
		/* the first target lives long enough to measure the time of a walk */
		uint64_t delay_ns = self->walk_ns / 8 * (1 + tries % 7);

		if (!self->walk_ns)
			delay_ns = 1000000000;
		ASSERT_EQ(0, target_start(&target, build_apart, &shape));
		ASSERT_EQ(0,
			  read_killed(self->fd, target.pid, delay_ns, &killed));
		target_stop(&target);
		if (!killed.err) {
			whole++;
			failures += killed.nr != TABLES;
			self->walk_ns = killed.walk_ns;
		} else if (killed.err == -ESRCH) {
			*(killed.after_ns > self->walk_ns / 16 ? &midway :
								 &early) += 1;
		} else {
			failures++;
		}
		if (failures)
			live_note("the read returned '%s' and %" PRIu64
				  " tables",
				  strerror(-killed.err), killed.nr);
	}
	live_note("a walk takes %" PRIu64
		  " us; of %u tries, %u targets ended during the walk, %u "
		  "before it, and %u answers were complete",
		  self->walk_ns / 1000, tries, midway, early, whole);
	EXPECT_EQ(0, failures);
	EXPECT_EQ(ENOUGH, midway);
}

TEST_HARNESS_MAIN
