// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tasks that wait for the module can be killed, however long another task holds the
 * lock.  A killed task takes no lock any more.  A signal that does not kill does not end
 * an answer.  The time of waiting is not counted as time of holding.  The signals arrive
 * at fixed points, so a correct module passes whatever the timing.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "fixtures/signals.h"

/* One PTE table and one PMD table per GiB: each file needs several holds. */
#define NR_TABLES 400UL

struct shape {
	uint64_t start, end;
};

static const struct shape shape = { FAR, FAR + NR_TABLES *GIB };

/* This memory is shared with the processes that make the calls. */
static struct reply *replies;

#define NR_CALLS 3

static pid_t build(const struct shape *s)
{
	live_map_small(s->start, s->end - s->start);
	live_touch_each(s->start, s->end, GIB);
	return 0;
}

/* Start a target, and open the file that a request was written to.  Return: 0 or -errno. */
static int ask(const char *path, live_build how, struct target *target, int *fd)
{
	int err = live_check_environment();

	replies = mmap(NULL, NR_CALLS * sizeof(*replies),
		       PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		       0);
	if (replies == MAP_FAILED)
		return -errno;
	if (!err)
		err = target_start(target, how, &shape);
	*fd = open(path, O_RDWR | O_CLOEXEC);
	if (!err && *fd < 0)
		err = -errno;
	return err ? err : live_request_pid(*fd, target->pid);
}

FIXTURE(waits)
{
	struct target target;
	const struct live_lock *lock;
	const char *missing;
	char request[LIVE_REQUEST];
	int fd;
};

FIXTURE_VARIANT(waits)
{
	const char *path;
	bool takes_range;
	bool is_ldt; /* wait for the LDT's lock, which only a request for the whole process takes */
};

LIVE_FILE_VARIANT(waits, counts, "counts");
LIVE_FILE_VARIANT(waits, tables, "tables", .takes_range = true);
LIVE_FILE_VARIANT(waits, orphans, "orphans", .takes_range = true);
LIVE_FILE_VARIANT(waits, pages, "pages", .takes_range = true);
LIVE_FILE_VARIANT(waits, counts_of_ldt, "counts", .is_ldt = true);
LIVE_FILE_VARIANT(waits, tables_of_ldt, "tables", .is_ldt = true);
LIVE_FILE_VARIANT(waits, orphans_of_ldt, "orphans", .is_ldt = true);
LIVE_FILE_VARIANT(waits, pages_of_ldt, "pages", .is_ldt = true);

FIXTURE_SETUP(waits)
{
	self->lock = variant->is_ldt ? &live_ldt_lock : &live_mmap_lock;
	self->missing = self->lock->missing();
	ASSERT_EQ(0, ask(variant->path, build, &self->target, &self->fd));
	live_make_request(self->request, self->target.pid, shape.start,
			  variant->takes_range ? shape.end : 0);
	ASSERT_EQ(0, live_request(self->fd, self->request));
}

FIXTURE_TEARDOWN(waits)
{
	if (!self->missing)
		self->lock->hold(0);
	target_stop(&self->target);
}

/*
 * The first call holds the session's lock and waits for the target's mmap_lock.  The other
 * calls wait for the session's lock.  Return: the number of calls that wait.
 */
static unsigned int start_calls(int fd, const char *request,
				pid_t pids[NR_CALLS])
{
	const struct {
		long call;
		const char *request;
	} calls[NR_CALLS] = {
		{ SYS_pread64, NULL },
		{ SYS_pread64, NULL },
		{ SYS_pwrite64, request },
	};
	unsigned int i;

	for (i = 0; i < NR_CALLS; i++) {
		pids[i] = start_call(fd, calls[i].call, calls[i].request,
				     &replies[i]);
		if (pids[i] < 0 || !live_sleeps_in(pids[i], calls[i].call))
			break;
	}
	return i;
}

TEST_F_TIMEOUT(waits, waiting_call_can_be_killed, 240)
{
	pid_t pids[NR_CALLS];

	if (self->missing)
		SKIP(return, "needs %s", self->missing);
	ASSERT_EQ(0, self->lock->hold(self->target.pid));
	ASSERT_EQ(NR_CALLS, start_calls(self->fd, self->request, pids));
	for (unsigned int i = NR_CALLS; i-- > 0;) {
		int status = 0;

		ASSERT_EQ(0, kill(pids[i], SIGKILL));
		ASSERT_TRUE(live_ends(pids[i], &status))
		{
			TH_LOG("a killed process does not end; it waits for the lock of the %s",
			       i ? "session" : "target");
		}
		EXPECT_TRUE(WIFSIGNALED(status));
	}
	/* The target's lock was held all the time. */
	EXPECT_EQ(self->target.pid, self->lock->held());
	EXPECT_EQ(0, self->lock->hold(0));
	EXPECT_LT(0,
		  pread(self->fd, replies[0].data, sizeof(replies[0].data), 0));
}

/* What a complete answer of any of the files contains. */
struct told {
	uint64_t nr, hold_ns_max, walk_ns;
};

/* The number after a key; 0 if its line is not complete. */
static uint64_t number_of(const char *text, const char *key)
{
	const char *at = strstr(text, key);
	char *end = NULL;
	uint64_t ret = at ? strtoull(at + strlen(key), &end, 10) : 0;

	return end && *end == '\n' ? ret : 0;
}

static struct told told_by(struct reply *reply)
{
	char *records = reply->data + PTAUDIT_HEADER_SIZE;
	struct answer answer = { .records = (void *)records };
	struct told ret = { 0 };

	memcpy(&answer.header, reply->data, PTAUDIT_HEADER_SIZE);
	answer.nr_records = answer.header.nr_records;
	if (reply->got <= 0)
		return ret;
	if (answer.header.magic == PTAUDIT_MAGIC &&
	    (size_t)reply->got ==
		    PTAUDIT_HEADER_SIZE +
			    answer.nr_records * PTAUDIT_RECORD_SIZE) {
		ret.nr = live_nr_tables(&answer, PTAUDIT_PTE, shape.start,
					shape.end);
		ret.hold_ns_max = answer.header.hold_ns_max;
		ret.walk_ns = answer.header.clock_after_ns -
			      answer.header.clock_before_ns;
	} else if (answer.header.magic != PTAUDIT_MAGIC) {
		/* a text: `pages`, with one page per table, or `counts` */
		ret.nr = number_of(reply->data, "\npresent ");
		if (!ret.nr)
			ret.nr = number_of(reply->data, "\npmd ");
		ret.hold_ns_max = number_of(reply->data, "\nhold_ns_max ");
		ret.walk_ns = number_of(reply->data, "\nwalk_ns ");
	}
	return ret;
}

/*
 * All calls have a pending signal while they wait.  The reader has it during all of its
 * holds, or until the LDT is read after them.
 */
TEST_F_TIMEOUT(waits, waiting_call_outlasts_a_signal, 240)
{
	uint64_t lock_windows, alone_ns, waited_ns;
	pid_t pids[NR_CALLS];
	struct told told;

	if (self->missing)
		SKIP(return, "needs %s", self->missing);
	alone_ns = live_now_ns();
	ASSERT_EQ(0, live_lock_windows(variant->path, self->request,
				       &lock_windows));
	alone_ns = live_now_ns() - alone_ns;
	/* The walk checks for signals before each hold. */
	ASSERT_LT(1, lock_windows);

	ASSERT_EQ(0, self->lock->hold(self->target.pid));
	ASSERT_EQ(NR_CALLS, start_calls(self->fd, self->request, pids));
	waited_ns = live_now_ns();
	for (unsigned int i = 0; i < NR_CALLS; i++)
		ASSERT_EQ(0, kill(pids[i], SIGUSR1));
	usleep((useconds_t)(2000000 + 2 * alone_ns / 1000));
	ASSERT_EQ(self->target.pid, self->lock->held());
	waited_ns = live_now_ns() - waited_ns;
	ASSERT_EQ(0, self->lock->hold(0));

	for (unsigned int i = 0; i < NR_CALLS; i++) {
		int status = 0;

		ASSERT_TRUE(live_ends(pids[i], &status));
		EXPECT_TRUE(WIFEXITED(status));
		EXPECT_EQ(1, replies[i].nr_handled);
		EXPECT_EQ(0, replies[i].err)
		{
			TH_LOG("%s: %s",
			       i == 0 ?
				       "reader during a walk" :
			       i == 1 ?
				       "reader that waits for the session's lock" :
				       "writer that waits for the session's lock",
			       strerror(replies[i].err));
		}
	}
	for (unsigned int i = 0; i < 2; i++)
		EXPECT_LE(NR_TABLES, told_by(&replies[i]).nr);
	EXPECT_EQ((ssize_t)strlen(self->request), replies[2].got);

	/* The walk's time includes the longest hold, but not the waiting. */
	told = told_by(&replies[0]);
	EXPECT_LE(waited_ns, told.walk_ns);
	EXPECT_LE(told.hold_ns_max, told.walk_ns - waited_ns)
	{
		TH_LOG("the longest hold, %" PRIu64
		       " ns, includes the wait for the lock, %" PRIu64 " ns",
		       told.hold_ns_max, waited_ns);
	}
}

/*
 * The lock of a hugetlb file, which a truncation can hold for a long time.  The target's
 * other thread uses no memory of the file.
 */
#define POOL "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages"
#define NR_TURNS 100

static uint64_t *nr_turns; /* turns of the target's loop, in shared memory */
static bool *goes;	   /* in shared memory: the loop may begin */

/* Begin only when told.  Until then, a reader waits for no other lock than that of the file. */
static void *map_touch_unmap(void *unused)
{
	while (!__atomic_load_n(goes, __ATOMIC_RELAXED))
		usleep(1000);
	for (;;) {
		char *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		*(volatile char *)page = 1;
		munmap(page, PAGE);
		__atomic_add_fetch(nr_turns, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

static pid_t build_file(const struct shape *s)
{
	pthread_t thread;
	int file;

	live_must(live_set(POOL, "4"));
	file = memfd_create("busy", MFD_HUGETLB);
	live_must(file);
	live_must(ftruncate(file, GIB));
	live_map_fd(s->start, GIB, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_NORESERVE, file);
	live_touch(s->start, s->start + PAGE);
	live_must(-pthread_create(&thread, NULL, map_touch_unmap, NULL));
	return 0;
}

FIXTURE(busy_file)
{
	struct target target;
	int fd;
	pid_t reader;
};

FIXTURE_VARIANT(busy_file)
{
	const char *path;
};

LIVE_FILE_VARIANT(busy_file, counts, "counts");
LIVE_FILE_VARIANT(busy_file, tables, "tables");
LIVE_FILE_VARIANT(busy_file, orphans, "orphans");
LIVE_FILE_VARIANT(busy_file, pages, "pages");

FIXTURE_SETUP(busy_file)
{
	ASSERT_EQ(NULL, live_file_lock.missing());
	nr_turns = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, nr_turns);
	goes = (bool *)(nr_turns + 1);
	ASSERT_EQ(0, ask(variant->path, build_file, &self->target, &self->fd));
	ASSERT_EQ(0, live_file_lock.hold(self->target.pid));
	self->reader = start_call(self->fd, SYS_pread64, NULL, &replies[0]);
	ASSERT_LT(0, self->reader);
	ASSERT_TRUE(live_sleeps_in(self->reader, SYS_pread64));
	__atomic_store_n(goes, true, __ATOMIC_RELAXED);
}

FIXTURE_TEARDOWN(busy_file)
{
	live_file_lock.hold(0);
	target_stop(&self->target);
	live_set(POOL, "0");
}

/* The page faults and mmap() calls of the target do not wait for the lock. */
TEST_F_TIMEOUT(busy_file, target_goes_on_while_the_reader_waits, 120)
{
	uint64_t enough = __atomic_load_n(nr_turns, __ATOMIC_RELAXED) +
			  NR_TURNS;

	EXPECT_TRUE(live_until(__atomic_load_n(nr_turns, __ATOMIC_RELAXED) >=
			       enough));
	EXPECT_TRUE(live_sleeps_in(self->reader, SYS_pread64));
	EXPECT_EQ(self->target.pid, live_file_lock.held());
}

TEST_F_TIMEOUT(busy_file, reader_can_be_killed, 120)
{
	int status = 0;

	ASSERT_EQ(0, kill(self->reader, SIGKILL));
	EXPECT_TRUE(live_ends(self->reader, &status));
	EXPECT_TRUE(WIFSIGNALED(status));
	EXPECT_EQ(self->target.pid, live_file_lock.held());
}

/* A signal that does not kill does not end the answer. */
TEST_F_TIMEOUT(busy_file, reader_gets_its_answer_when_it_is_free, 120)
{
	int status = 0;

	ASSERT_EQ(0, kill(self->reader, SIGUSR1));
	usleep(200000);
	ASSERT_EQ(0, waitpid(self->reader, NULL, WNOHANG));
	ASSERT_EQ(0, live_file_lock.hold(0));
	ASSERT_TRUE(live_ends(self->reader, &status));
	EXPECT_TRUE(WIFEXITED(status));
	EXPECT_EQ(0, replies[0].err);
	EXPECT_LT(0, replies[0].got);
	EXPECT_EQ(1, replies[0].nr_handled);
}

/* The files whose answers contain the time of the walk. */
FIXTURE(killed)
{
	struct target target;
	int fd;
};

FIXTURE_VARIANT(killed)
{
	const char *path;
};

LIVE_FILE_VARIANT(killed, tables, "tables");
LIVE_FILE_VARIANT(killed, orphans, "orphans");

FIXTURE_SETUP(killed)
{
	ASSERT_EQ(0, ask(variant->path, build, &self->target, &self->fd));
}

FIXTURE_TEARDOWN(killed)
{
	target_stop(&self->target);
}

/*
 * The reader is killed while it sleeps uninterruptibly, just before its call reaches the
 * module, where every lock is free.  If it still made the answer, the next reader would
 * get that one, with the earlier time.
 */
TEST_F_TIMEOUT(killed, reader_that_was_killed_makes_no_answer, 120)
{
	struct answer answer;
	uint64_t now_ns;
	pid_t blocker, reader;
	int status = 0;

	blocker = start_blocker(self->fd, SYS_write);
	ASSERT_LT(0, blocker);
	ASSERT_TRUE(live_sleeps_in(blocker, SYS_write));
	reader = start_call(self->fd, SYS_read, NULL, &replies[0]);
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

TEST_HARNESS_MAIN
