// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who waits for the module can be killed, however long another one keeps the lock
 * that is waited for; who was killed takes no lock any more; a signal ends a
 * long read.  The tests see to it that the signal comes at that moment: no luck is
 * needed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "lib.h"

#define NR_TABLES 8

struct shape {
	uint64_t start, nr_tables;
};

static const struct shape shape = { FAR, NR_TABLES };

/* There before anyone reads to it: no fault of a reader's own. */
static char buffer[256 * KIB];

static pid_t build(const struct shape *s)
{
	live_map_small(s->start, s->nr_tables * HUGE);
	live_touch_each(s->start, s->start + s->nr_tables * HUGE, HUGE);
	return 0;
}

/* A child that makes one call on the file, by SYS_* number, and then ends. */
static pid_t start_call(int fd, long call, const char *request)
{
	pid_t pid = fork();
	size_t bytes = request ? strlen(request) : sizeof(buffer);

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	syscall(call, fd, request ? request : buffer, bytes, 0);
	_exit(0);
}

/* A target, and a file where it was asked for: 0 or -errno. */
static int ask(const char *path, struct target *target, int *fd)
{
	int err = live_check_environment();

	memset(buffer, 1, sizeof(buffer));
	if (!err)
		err = target_start(target, build, &shape);
	*fd = open(path, O_RDWR | O_CLOEXEC);
	if (!err && *fd < 0)
		err = -errno;
	return err ? err : live_request_pid(*fd, target->pid);
}

FIXTURE(waits)
{
	struct target target;
	const char *missing;
	char request[16];
	int fd;
};

FIXTURE_VARIANT(waits)
{
	const char *path;
};

FIXTURE_VARIANT_ADD(waits, counts){
	.path = LIVE_DEBUGFS "counts",
};

FIXTURE_VARIANT_ADD(waits, tables){
	.path = LIVE_DEBUGFS "tables",
};

FIXTURE_VARIANT_ADD(waits, orphans){
	.path = LIVE_DEBUGFS "orphans",
};

FIXTURE_VARIANT_ADD(waits, pages){
	.path = LIVE_DEBUGFS "pages",
};

FIXTURE_SETUP(waits)
{
	self->missing = live_lock_missing();
	ASSERT_EQ(0, ask(variant->path, &self->target, &self->fd));
	snprintf(self->request, sizeof(self->request), "%d", self->target.pid);
}

FIXTURE_TEARDOWN(waits)
{
	if (!self->missing)
		live_lock_mm(0);
	target_stop(&self->target);
}

/*
 * The first one waits for the target's mmap_lock, with the session's lock; the
 * others wait for that.
 */
TEST_F_TIMEOUT(waits, can_be_killed, 240)
{
	const struct {
		long call;
		const char *request;
	} calls[] = {
		{ SYS_pread64, NULL },
		{ SYS_pread64, NULL },
		{ SYS_pwrite64, self->request },
	};
	pid_t pids[3];

	if (self->missing)
		SKIP(return, "needs %s", self->missing);
	ASSERT_EQ(0, live_lock_mm(self->target.pid));
	for (unsigned int i = 0; i < 3; i++) {
		pids[i] = start_call(self->fd, calls[i].call, calls[i].request);
		ASSERT_LT(0, pids[i]);
		ASSERT_TRUE(live_sleeps_in(pids[i], calls[i].call));
	}
	for (unsigned int i = 3; i-- > 0;) {
		int status = 0;

		ASSERT_EQ(0, kill(pids[i], SIGKILL));
		ASSERT_TRUE(live_ends(pids[i], &status))
		{
			TH_LOG("%s keeps who was killed",
			       i ? "the session" : "mmap_lock");
		}
		EXPECT_TRUE(WIFSIGNALED(status));
	}
	/* All of that while it was held. */
	EXPECT_EQ(self->target.pid, live_locked_mm());
	EXPECT_EQ(0, live_lock_mm(0));
	EXPECT_LT(0, pread(self->fd, buffer, sizeof(buffer), 0));
}

/* A page that is not there until somebody gives it. */
static int absent_page(uint64_t addr)
{
	int uffd = live_uffd(0);

	if (uffd >= 0)
		live_uffd_register(uffd, addr, PAGE,
				   UFFDIO_REGISTER_MODE_MISSING);
	return uffd;
}

/* Waits for its request to be there, and has the lock of the file's position. */
static pid_t start_blocker(int fd)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	live_map(FAR, PAGE, 0);
	if (absent_page(FAR) < 0)
		_exit(1);
	syscall(SYS_write, fd, FAR, 8);
	_exit(0);
}

/* Of the answers that tell when they were made. */
FIXTURE(killed)
{
	struct target target;
	int fd;
};

FIXTURE_VARIANT(killed)
{
	const char *path;
};

FIXTURE_VARIANT_ADD(killed, tables){
	.path = LIVE_DEBUGFS "tables",
};

FIXTURE_VARIANT_ADD(killed, orphans){
	.path = LIVE_DEBUGFS "orphans",
};

FIXTURE_SETUP(killed)
{
	ASSERT_EQ(0, ask(variant->path, &self->target, &self->fd));
}

FIXTURE_TEARDOWN(killed)
{
	target_stop(&self->target);
}

/*
 * Killed where no signal wakes it, just before it comes to the module: there it
 * finds every lock free.  Had it made the answer, that would be the one that the
 * next reader gets.
 */
TEST_F_TIMEOUT(killed, takes_no_lock_any_more, 120)
{
	struct answer answer;
	uint64_t now_ns;
	pid_t blocker, reader;
	int status = 0;

	blocker = start_blocker(self->fd);
	ASSERT_LT(0, blocker);
	ASSERT_TRUE(live_sleeps_in(blocker, SYS_write));
	reader = start_call(self->fd, SYS_read, NULL);
	ASSERT_LT(0, reader);
	ASSERT_TRUE(live_sleeps_in(reader, SYS_read));
	ASSERT_EQ(0, kill(reader, SIGKILL));
	usleep(200000);
	ASSERT_EQ(0, waitpid(reader, NULL, WNOHANG));
	ASSERT_EQ(0, kill(blocker, SIGKILL));
	ASSERT_TRUE(live_ends(blocker, &status));
	ASSERT_TRUE(live_ends(reader, &status));
	EXPECT_TRUE(WIFSIGNALED(status));

	now_ns = live_now_ns();
	ASSERT_EQ(0, lseek(self->fd, 0, SEEK_SET));
	ASSERT_EQ(0, live_answer(self->fd, &answer));
	EXPECT_LE(now_ns, answer.header.clock_before_ns);
	live_answer_deinit(&answer);
}

struct long_read {
	int fd;
	size_t bytes;
	ssize_t got;
};

static void *read_all(void *data)
{
	struct long_read *all = data;

	all->got = pread(all->fd, (void *)FAR, all->bytes, 0);
	return NULL;
}

static void handle(int signal)
{
	(void)signal;
}

#define NR_PRESENT 16

/* The signal comes while the reader waits for the page after the first ones. */
TEST(signal_ends_a_read_of_kpagemap)
{
	const struct sigaction action = { .sa_handler = handle };
	struct long_read all = { .fd = open(LIVE_DEBUGFS "kpagemap",
					    O_RDONLY) };
	struct uffdio_zeropage zero = { .range = { FAR + NR_PRESENT * PAGE,
						   PAGE } };
	struct uffd_msg fault;
	int uffd;
	pthread_t thread;

	ASSERT_LE(0, all.fd);
	all.bytes = (size_t)lseek(all.fd, 0, SEEK_END);
	ASSERT_LT(100 * NR_PRESENT * PAGE, all.bytes);
	live_map_small(FAR, (all.bytes / HUGE + 1) * HUGE);
	live_touch(FAR, FAR + NR_PRESENT * PAGE);
	uffd = absent_page(FAR + NR_PRESENT * PAGE);
	ASSERT_LE(0, uffd);
	ASSERT_EQ(0, sigaction(SIGUSR1, &action, NULL));

	ASSERT_EQ(0, pthread_create(&thread, NULL, read_all, &all));
	ASSERT_EQ(sizeof(fault), read(uffd, &fault, sizeof(fault)));
	ASSERT_EQ(0, pthread_kill(thread, SIGUSR1));
	ASSERT_EQ(0, ioctl(uffd, UFFDIO_ZEROPAGE, &zero));
	ASSERT_EQ(0, pthread_join(thread, NULL));
	/* What was read counts, and nothing like all of it was. */
	EXPECT_LE((ssize_t)(NR_PRESENT * PAGE), all.got);
	EXPECT_GE((ssize_t)(2 * NR_PRESENT * PAGE), all.got);
	close(uffd);
	close(all.fd);
}

TEST_HARNESS_MAIN
