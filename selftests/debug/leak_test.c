// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs each kind of request many times, successful or not, each time on a new process,
 * which then ends.  No mm, task or pid of these processes may remain.  kmemleak does not
 * find such leaks, because these objects still point to each other.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "inject.h"
#include "lib/lib.h"
#include "slab.h"

#define NR_TIMES 60
/* Allowed difference: kernel threads and other activity in the VM. */
#define SLACK 20

#define COUNTS LIVE_DEBUGFS "counts"
#define TABLES LIVE_DEBUGFS "tables"
#define ORPHANS LIVE_DEBUGFS "orphans"
#define PAGES LIVE_DEBUGFS "pages"

static char buffer[64 * KIB];

/* A process with a few tables that waits to be killed. */
static pid_t start(void)
{
	int ready[2];
	char byte;
	pid_t pid;

	if (pipe(ready))
		return -1;
	pid = fork();
	if (!pid) {
		live_map_small(FAR, 4 * HUGE);
		live_touch_each(FAR, FAR + 4 * HUGE, HUGE);
		if (write(ready[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1)
		pid = -1;
	close(ready[0]);
	return pid;
}

static void stop(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/*
 * A PID whose process has ended, but which is still in use as a process-group ID: struct
 * pid exists without a task.  @member: the remaining member of the group, our child.
 */
static pid_t start_group(pid_t *member)
{
	int fds[2];
	pid_t pid;

	if (prctl(PR_SET_CHILD_SUBREAPER, 1) || pipe(fds))
		return -1;
	pid = fork();
	if (!pid) {
		if (setpgid(0, 0))
			_exit(1);
		*member = fork();
		if (!*member)
			for (;;)
				pause();
		if (write(fds[1], member, sizeof(*member)) != sizeof(*member))
			_exit(1);
		_exit(0);
	}
	close(fds[1]);
	if (read(fds[0], member, sizeof(*member)) != sizeof(*member) ||
	    waitpid(pid, NULL, 0) != pid || kill(-pid, 0))
		pid = -1;
	close(fds[0]);
	return pid;
}

/*
 * One request and what happens to its target.  The expected result is 0 or -errno of the
 * last call.
 */
struct way {
	const char *file;
	const char *range;
	bool zombie; /* the target is a zombie when the request is written */
	bool ends;   /* the target ends between the write and the read */
	bool dies;    /* the target becomes a zombie between the write and the read */
	bool group; /* no process has the PID any more, but a process group has it */
	bool enomem;  /* the first allocation of the read fails */
	bool again;   /* write twice, read twice */
	bool faults;  /* the reader's buffer is not mapped */
	size_t bytes; /* number of bytes to read; 0: none */
	int err;
};

static int do_write(int fd, const char *request)
{
	return live_request(fd, request);
}

static int do_read(int fd, const struct way *way)
{
	void *to = way->faults ? NULL : buffer;
	int err = 0;

	if (!way->bytes)
		return 0;
	if (way->enomem)
		inject_arm(1, false);
	if (read(fd, to, way->bytes) < 0)
		err = -errno;
	if (way->enomem && !inject_disarm())
		return -EPROTO;
	return err;
}

static void make_zombie(pid_t pid)
{
	siginfo_t info;

	kill(pid, SIGKILL);
	waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
}

static int go(const struct way *way, pid_t pid)
{
	int fd = open(way->file, O_RDWR | O_CLOEXEC);
	char request[80];
	int err = 0;

	if (fd < 0)
		return -errno;
	snprintf(request, sizeof(request), "%d%s", pid,
		 way->range ? way->range : "");
	if (way->zombie)
		make_zombie(pid);
	for (unsigned int i = 0; i <= way->again && !err; i++) {
		err = do_write(fd, request);
		if (!err && way->ends)
			stop(pid);
		if (!err && way->dies)
			make_zombie(pid);
		if (!err)
			err = do_read(fd, way);
	}
	close(fd);
	return err;
}

FIXTURE(leak)
{
	struct slabs before;
	bool skipped;
};

FIXTURE_VARIANT(leak)
{
	struct way way;
};

FIXTURE_SETUP(leak)
{
	if (variant->way.enomem) {
		self->skipped = inject_missing();
		if (self->skipped)
			return;
		ASSERT_EQ(0, inject_prepare());
		ASSERT_EQ(0, inject_into_module());
	}
	/* One run before the first count makes the allocations that persist. */
	stop(start());
	self->before = slab_count();
}

FIXTURE_TEARDOWN(leak)
{
	if (variant->way.enomem && !self->skipped)
		inject_set("probability", "0");
}

#define WAY(name, ...)                  \
	FIXTURE_VARIANT_ADD(leak, name) \
	{                               \
		.way = { __VA_ARGS__ }, \
	}

WAY(counts, .file = COUNTS, .bytes = 4096);
WAY(counts_again, .file = COUNTS, .bytes = 4096, .again = true);
WAY(counts_of_zombie, .file = COUNTS, .zombie = true, .err = -EINVAL);
WAY(counts_ended, .file = COUNTS, .bytes = 9, .ends = true, .err = -ESRCH);
WAY(counts_died, .file = COUNTS, .bytes = 9, .dies = true, .err = -ESRCH);
WAY(counts_of_group, .file = COUNTS, .group = true, .err = -ESRCH);
WAY(counts_enomem, .file = COUNTS, .bytes = 9, .enomem = true, .err = -ENOMEM);
WAY(counts_unread, .file = COUNTS);
WAY(tables, .file = TABLES, .bytes = sizeof(buffer));
WAY(tables_again, .file = TABLES, .bytes = sizeof(buffer), .again = true);
WAY(tables_in_part, .file = TABLES, .bytes = 100);
WAY(tables_faults, .file = TABLES, .bytes = 9, .faults = true, .err = -EFAULT);
WAY(tables_range, .file = TABLES, .range = " 0x100000000000 0x100000400000",
    .bytes = sizeof(buffer));
WAY(tables_bad_range, .file = TABLES, .range = " 0x2000 0x1000",
    .err = -EINVAL);
WAY(tables_of_zombie, .file = TABLES, .zombie = true, .err = -EINVAL);
WAY(tables_ended, .file = TABLES, .bytes = 9, .ends = true, .err = -ESRCH);
WAY(tables_died, .file = TABLES, .bytes = 9, .dies = true, .err = -ESRCH);
WAY(tables_of_group, .file = TABLES, .group = true, .err = -ESRCH);
WAY(tables_enomem, .file = TABLES, .bytes = 9, .enomem = true, .err = -ENOMEM);
WAY(tables_unread, .file = TABLES);
WAY(orphans, .file = ORPHANS, .bytes = sizeof(buffer));
WAY(orphans_again, .file = ORPHANS, .bytes = sizeof(buffer), .again = true);
WAY(orphans_range, .file = ORPHANS, .range = " 0x100000000000 0x100000400000",
    .bytes = sizeof(buffer));
WAY(orphans_ended, .file = ORPHANS, .bytes = 9, .ends = true, .err = -ESRCH);
WAY(orphans_died, .file = ORPHANS, .bytes = 9, .dies = true, .err = -ESRCH);
WAY(orphans_enomem, .file = ORPHANS, .bytes = 9, .enomem = true,
    .err = -ENOMEM);
WAY(pages, .file = PAGES, .bytes = 4096);
WAY(pages_range, .file = PAGES, .range = " 0x100000000000 0x100000400000",
    .bytes = 4096);
WAY(pages_enomem, .file = PAGES, .bytes = 9, .enomem = true, .err = -ENOMEM);
WAY(pages_ended, .file = PAGES, .bytes = 9, .ends = true, .err = -ESRCH);

TEST_F_TIMEOUT(leak, nothing_of_the_target_is_left, 600)
{
	const struct way *way = &variant->way;
	struct slabs after;

	if (self->skipped)
		SKIP(return, "needs FAILSLAB");
	for (unsigned int i = 0; i < NR_TIMES; i++) {
		pid_t left, pid = way->group ? start_group(&left) : start();

		ASSERT_LT(0, pid);
		ASSERT_EQ(way->err, go(way, pid));
		if (!way->ends)
			stop(way->group ? left : pid);
	}
	after = slab_settle(&self->before, SLACK);
	EXPECT_EQ(0, slab_compare(&self->before, &after, SLACK));
}

/* A reader that is killed while the module works on its request. */
FIXTURE(killed)
{
	struct slabs before;
};

FIXTURE_VARIANT(killed)
{
	const char *file;
};

FIXTURE_VARIANT_ADD(killed, counts){ .file = COUNTS };

FIXTURE_VARIANT_ADD(killed, tables){ .file = TABLES };

FIXTURE_VARIANT_ADD(killed, orphans){ .file = ORPHANS };

FIXTURE_SETUP(killed)
{
	stop(start());
	self->before = slab_count();
}

FIXTURE_TEARDOWN(killed)
{
	if (!live_lock_missing())
		live_lock_mm(0);
	if (!live_ldt_lock.missing())
		live_ldt_lock.hold(0);
}

TEST_F_TIMEOUT(killed, nothing_of_reader_and_target_is_left, 600)
{
	struct way way = { .file = variant->file, .bytes = sizeof(buffer) };
	struct slabs after;

	for (unsigned int i = 0; i < NR_TIMES; i++) {
		pid_t target = start(), pid = fork();

		if (!pid)
			for (;;)
				if (go(&way, target))
					_exit(1);
		ASSERT_LT(0, target);
		ASSERT_LT(0, pid);
		usleep(10000 + 700 * i);
		ASSERT_EQ(0, waitpid(pid, NULL, WNOHANG));
		stop(pid);
		stop(target);
	}
	after = slab_settle(&self->before, SLACK);
	EXPECT_EQ(0, slab_compare(&self->before, &after, SLACK));
}

/* Kill readers that wait for this lock of the target. */
static void kill_waiting(struct __test_metadata *_metadata, const char *file,
			 const struct live_lock *lock)
{
	struct way way = { .file = file, .bytes = sizeof(buffer) };

	for (unsigned int i = 0; i < NR_TIMES; i++) {
		pid_t target = start(), pid;
		int status = 0;

		ASSERT_LT(0, target);
		ASSERT_EQ(0, lock->hold(target));
		pid = fork();
		if (!pid)
			_exit(go(&way, target) ? 1 : 0);
		ASSERT_LT(0, pid);
		ASSERT_TRUE(live_sleeps_in(pid, SYS_read));
		kill(pid, SIGKILL);
		ASSERT_TRUE(live_ends(pid, &status));
		ASSERT_TRUE(WIFSIGNALED(status));
		ASSERT_EQ(target, lock->held());
		ASSERT_EQ(0, lock->hold(0));
		stop(target);
	}
}

TEST_F_TIMEOUT(killed, nothing_is_left_of_a_wait_for_mmap_lock, 600)
{
	struct slabs after;

	if (live_lock_missing())
		SKIP(return, "needs %s", live_lock_missing());
	kill_waiting(_metadata, variant->file, &live_mmap_lock);
	after = slab_settle(&self->before, SLACK);
	EXPECT_EQ(0, slab_compare(&self->before, &after, SLACK));
}

/* The walk reads the LDT's mapping last, with another reference to the address space. */
TEST_F_TIMEOUT(killed, nothing_is_left_of_a_wait_for_the_ldt_lock, 600)
{
	struct slabs after;

	if (live_ldt_lock.missing())
		SKIP(return, "needs %s", live_ldt_lock.missing());
	kill_waiting(_metadata, variant->file, &live_ldt_lock);
	after = slab_settle(&self->before, SLACK);
	EXPECT_EQ(0, slab_compare(&self->before, &after, SLACK));
}

/*
 * The target ends after the module has taken its mm and before it checks the target again.  The
 * module hold stops the walk between the two.
 */
FIXTURE(ending)
{
	struct slabs before;
};

FIXTURE_VARIANT(ending)
{
	const char *file;
};

FIXTURE_VARIANT_ADD(ending, tables){ .file = TABLES };

FIXTURE_VARIANT_ADD(ending, orphans){ .file = ORPHANS };

FIXTURE_SETUP(ending)
{
	stop(start());
	self->before = slab_count();
}

FIXTURE_TEARDOWN(ending)
{
	if (!live_held_walk_missing())
		live_held_walk_teardown();
}

/* The target stays a zombie and keeps its task. */
TEST_F_TIMEOUT(ending, nothing_of_the_target_is_left, 600)
{
	struct slabs after;

	if (live_held_walk_missing())
		SKIP(return, "needs %s", live_held_walk_missing());
	for (unsigned int i = 0; i < NR_TIMES; i++) {
		int fd = open(variant->file, O_RDWR | O_CLOEXEC);
		pid_t target = start();
		struct held_walk walk;

		ASSERT_LE(0, fd);
		ASSERT_LT(0, target);
		ASSERT_EQ(0, live_request_pid(fd, target));
		EXPECT_TRUE(live_held_walk_begin(&walk, fd, 0));
		make_zombie(target);
		ASSERT_EQ(-ESRCH, live_held_walk_end(&walk));
		close(fd);
		stop(target);
	}
	after = slab_settle(&self->before, SLACK);
	EXPECT_EQ(0, slab_compare(&self->before, &after, SLACK));
}

TEST_HARNESS_MAIN
