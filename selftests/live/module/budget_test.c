// SPDX-License-Identifier: GPL-2.0-only
/*
 * Conditions that end a hold of mmap_lock before its budget of entries is spent: another
 * task waits for the lock or for the CPU, or the walk has to allocate records, which it
 * must not do under the lock.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "lib/lib.h"

struct shape {
	uint64_t start, end;
};

/* The thread of the target that takes its mmap_lock for writing, once per byte of the pipe. */
static struct {
	int order[2];
	pid_t *tid; /* shared with the target */
} waiter;

static void *take_lock(void *unused)
{
	char byte;

	*waiter.tid = (pid_t)syscall(SYS_gettid);
	while (read(waiter.order[0], &byte, 1) == 1)
		munmap((void *)(FAR - PAGE), PAGE);
	return NULL;
}

/*
 * One VMA of one page per PTE table.  The layout has fewer entries than the budget of
 * one hold of `orphans`, and many places where a hold can end.
 */
static pid_t build_vmas(const struct shape *s)
{
	pthread_t thread;

	for (uint64_t at = s->start; at < s->end; at += HUGE) {
		live_map_small(at, PAGE);
		live_touch(at, at + PAGE);
	}
	live_must(-pthread_create(&thread, NULL, take_lock, NULL));
	return 0;
}

FIXTURE(contended)
{
	struct target target;
};

FIXTURE_VARIANT(contended)
{
	const char *file;
};

FIXTURE_VARIANT_ADD(contended, tables){ .file = LIVE_DEBUGFS "tables" };

FIXTURE_VARIANT_ADD(contended, pages){ .file = LIVE_DEBUGFS "pages" };

FIXTURE_VARIANT_ADD(contended, orphans){ .file = LIVE_DEBUGFS "orphans" };

FIXTURE_SETUP(contended)
{
	ASSERT_EQ(0, live_check_environment());
	ASSERT_EQ(0, pipe(waiter.order));
	waiter.tid = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, waiter.tid);
}

FIXTURE_TEARDOWN(contended)
{
	live_lock_mm(0);
	target_stop(&self->target);
}

/* number of PTE tables in the layout */
#define SLOTS 24UL

/* With @first the test runs with real-time priority, otherwise with the normal one. */
static int go_first(bool first)
{
	const struct sched_param param = { .sched_priority = first };

	return sched_setscheduler(0, first ? SCHED_FIFO : SCHED_OTHER, &param);
}

/*
 * A thread that walks with real-time priority, so that no hold ends because another task wants the
 * CPU.
 */
struct reader {
	const char *file, *request;
	pid_t tid; /* 0: not started */
	int err;
	uint64_t windows;
};

static void *read_file(void *arg)
{
	struct reader *reader = arg;

	reader->err = go_first(true);
	__atomic_store_n(&reader->tid, (pid_t)syscall(SYS_gettid),
			 __ATOMIC_SEQ_CST);
	if (!reader->err)
		reader->err = live_lock_windows(reader->file, reader->request,
						&reader->windows);
	return NULL;
}

/*
 * Start a walk that gets mmap_lock while the target's thread waits for it.  The module hold
 * has the lock until the walk waits for it, and the thread waits behind the walk.  Return: the
 * number of holds; 0 if a step failed.
 */
static uint64_t walk_before_waiter(const char *file, const char *request,
				   pid_t pid)
{
	struct reader reader = { .file = file, .request = request };
	pthread_t thread;
	bool wait;

	/* after the previous walk, the thread may still wait for the lock */
	if (!live_until(__atomic_load_n(waiter.tid, __ATOMIC_SEQ_CST)) ||
	    !live_sleeps_in(*waiter.tid, SYS_read) || live_lock_mm(pid) ||
	    pthread_create(&thread, NULL, read_file, &reader))
		return 0;
	while (!__atomic_load_n(&reader.tid, __ATOMIC_SEQ_CST))
		usleep(1000);
	/* by system call: a task that waits for the lock of its own mm has the same state */
	wait = live_sleeps_in(reader.tid, SYS_read) &&
	       write(waiter.order[1], "", 1) == 1 &&
	       live_sleeps_in(*waiter.tid, SYS_munmap);
	if (live_lock_mm(0) || pthread_join(thread, NULL) || !wait)
		return 0;
	return reader.err ? 0 : reader.windows;
}

static bool is_realtime(void)
{
	struct utsname name;

	live_must(uname(&name));
	return strstr(name.version, "PREEMPT_RT");
}

/*
 * Without a waiter the walk takes one hold.  A waiter ends a hold after its first step.  A step
 * is at least one PTE table, so the walk ends even if a waiter is always there.
 */
TEST_F(contended, a_hold_ends_if_a_task_waits_for_the_lock)
{
	const struct shape shape = { FAR, FAR + SLOTS * HUGE };
	/* with PREEMPT_RT, a waiting writer counts only after it ran once */
	const uint64_t end_ns = live_deadline_ns(is_realtime() ? 20 : 0);
	uint64_t windows, fewest = UINT64_MAX;
	char all[LIVE_REQUEST], one[LIVE_REQUEST];
	unsigned int nr = 0;

	if (live_lock_missing())
		SKIP(return, "needs %s", live_lock_missing());
	ASSERT_EQ(0, target_start(&self->target, build_vmas, &shape));
	live_make_request(all, self->target.pid, shape.start, shape.end);
	live_make_request(one, self->target.pid, shape.start,
			  shape.start + HUGE);
	ASSERT_EQ(0, go_first(true));
	/* a kernel thread of a higher scheduling class may preempt one of these walks */
	for (int i = 0; i < 10 && fewest > 1; i++) {
		ASSERT_EQ(0, live_lock_windows(variant->file, all, &windows));
		if (fewest > windows)
			fewest = windows;
	}
	EXPECT_EQ(1, fewest);
	ASSERT_EQ(0, go_first(false));

	do {
		EXPECT_EQ(1, walk_before_waiter(variant->file, one,
						self->target.pid));
		windows = walk_before_waiter(variant->file, all,
					     self->target.pid);
		ASSERT_NE(0, windows);
		nr++;
	} while (windows == 1 && live_now_ns() < end_ns);
	live_note("of %u walks, the last one had %llu holds", nr,
		  (unsigned long long)windows);
	EXPECT_LE(2, windows);
	/* on a single CPU, the waiter cannot run before the walk has ended */
	EXPECT_GE(SLOTS, windows);
}

/* Can the kernel preempt the walk?  If so, the walk does not look for tasks that want the CPU. */
static bool preempts_by_itself(void)
{
	struct utsname name;
	char text[64];

	live_must(uname(&name));
	live_file("/sys/kernel/debug/sched/preempt", text, sizeof(text));
	/* the file does not exist without PREEMPT_DYNAMIC */
	if (!*text)
		return strstr(name.version, "PREEMPT");
	return !strstr(text, "(voluntary)") && !strstr(text, "(none)");
}

/* A process that never sleeps shares one CPU with the reader. */
TEST_F(contended, a_hold_ends_if_a_task_waits_for_the_cpu)
{
	const struct shape shape = { FAR, FAR + SLOTS * HUGE };
	uint64_t end_ns, windows = 1;
	char request[LIVE_REQUEST];
	cpu_set_t cpu;
	pid_t busy;

	if (preempts_by_itself())
		SKIP(return, "needs a kernel that does not preempt itself");
	ASSERT_EQ(0, target_start(&self->target, build_vmas, &shape));
	live_make_request(request, self->target.pid, shape.start, shape.end);
	CPU_ZERO(&cpu);
	CPU_SET(sched_getcpu(), &cpu);
	ASSERT_EQ(0, sched_setaffinity(0, sizeof(cpu), &cpu));
	busy = fork();
	ASSERT_LE(0, busy);
	if (!busy) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			;
	}
	end_ns = live_deadline_ns(60);
	while (windows == 1 && live_now_ns() < end_ns)
		ASSERT_EQ(0,
			  live_lock_windows(variant->file, request, &windows));
	EXPECT_LT(1, windows);
	kill(busy, SIGKILL);
	waitpid(busy, NULL, 0);
}

/*
 * One huge zero page in every second PMD entry: each is a run of one leaf.  The runs
 * exceed the records reserved for one hold, and need dozens of the store's blocks.
 */
#define PMD_TABLES 96UL
#define LEAVES (PMD_TABLES * GIB / (2 * HUGE))

static pid_t build_zeros(const struct shape *s)
{
	live_map_zeros(s->start, s->end, 2 * HUGE);
	return 0;
}

FIXTURE(records)
{
	struct target target;
};

FIXTURE_VARIANT(records)
{
	int (*answer)(pid_t pid, struct answer * ret);
};

FIXTURE_VARIANT_ADD(records, tables){ .answer = live_tables };

FIXTURE_VARIANT_ADD(records, orphans){ .answer = live_orphans };

FIXTURE_SETUP(records)
{
	ASSERT_EQ(0, live_check_environment());
}

FIXTURE_TEARDOWN(records)
{
	target_stop(&self->target);
}

TEST_F(records, many_runs_have_enough_records)
{
	const struct shape shape = { FAR, FAR + PMD_TABLES * GIB };
	uint64_t nr = 0, wrong = 0, next = shape.start;
	struct answer answer;

	if (live_thp_missing())
		SKIP(return, "needs %s", live_thp_missing());
	ASSERT_EQ(0, target_start(&self->target, build_zeros, &shape));
	ASSERT_EQ(0, variant->answer(self->target.pid, &answer));
	for (size_t i = 0; i < answer.nr_records; i++) {
		const struct ptaudit_table *r = &answer.records[i];

		if (r->type == PTAUDIT_TABLE || r->level != PTAUDIT_PMD ||
		    r->start < shape.start || r->start >= shape.end)
			continue;
		nr++;
		wrong += r->start != next;
		next = r->start + 2 * HUGE;
	}
	EXPECT_EQ(LEAVES, nr);
	EXPECT_EQ(0, wrong);
	EXPECT_EQ(PMD_TABLES,
		  live_nr_tables(&answer, PTAUDIT_PMD, shape.start, shape.end));
	live_answer_deinit(&answer);
}

TEST_HARNESS_MAIN
