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
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "lib/lib.h"

struct shape {
	uint64_t start, end;
	bool busy; /* threads of its own keep taking its mmap_lock */
};

static void *map_and_unmap(void *unused)
{
	for (;;)
		munmap(mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0),
		       PAGE);
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
	for (int i = 0; s->busy && i < 2; i++)
		live_must(-pthread_create(&thread, NULL, map_and_unmap, NULL));
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
}

FIXTURE_TEARDOWN(contended)
{
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
 * Without a waiter the walk takes one hold.  With a waiter it takes several, sooner or
 * later.  A tick may end holds, too, but seldom in many walks.  On a single CPU the
 * threads seldom run, so that one walk has to suffice.
 */
#define WALKS 20

TEST_F(contended, holds_end_for_who_waits)
{
	struct shape shape = { FAR, FAR + SLOTS * HUGE, false };
	uint64_t end_ns, windows, fewest = UINT64_MAX;
	const unsigned int wanted = sysconf(_SC_NPROCESSORS_ONLN) > 1 ? WALKS :
									1;
	unsigned int nr = 0, nr_ended = 0;
	char request[LIVE_REQUEST];

	ASSERT_EQ(0, target_start(&self->target, build_vmas, &shape));
	live_make_request(request, self->target.pid, shape.start, shape.end);
	ASSERT_EQ(0, go_first(true));
	/* a kernel thread of a higher scheduling class may preempt one of these walks */
	for (int i = 0; i < 10 && fewest > 1; i++) {
		ASSERT_EQ(0,
			  live_lock_windows(variant->file, request, &windows));
		if (fewest > windows)
			fewest = windows;
	}
	EXPECT_EQ(1, fewest);
	ASSERT_EQ(0, go_first(false));
	target_stop(&self->target);

	shape.busy = true;
	ASSERT_EQ(0, target_start(&self->target, build_vmas, &shape));
	live_make_request(request, self->target.pid, shape.start, shape.end);
	/* so that a hold does not end because one of the threads wants the CPU */
	ASSERT_EQ(0, go_first(true));
	end_ns = live_deadline_ns(20);
	while (nr_ended < wanted && live_now_ns() < end_ns) {
		ASSERT_EQ(0,
			  live_lock_windows(variant->file, request, &windows));
		nr_ended += windows >= 3;
		nr++;
	}
	live_note("%u of %u walks had three holds or more", nr_ended, nr);
	EXPECT_EQ(wanted, nr_ended);
	ASSERT_EQ(0, go_first(false));
}

/* Does the kernel preempt tasks in the kernel?  Then the walk need not check for it. */
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
TEST_F(contended, holds_end_for_who_wants_the_cpu)
{
	const struct shape shape = { FAR, FAR + SLOTS * HUGE, false };
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
 * A waiter ends a hold only after the hold has made a step, which is at least one PTE
 * table. Without that rule a reader could make no progress while two threads keep asking
 * for the lock.
 */
TEST_F_TIMEOUT(contended, holds_make_a_step_each, 120)
{
	const struct shape shape = { FAR, FAR + SLOTS * HUGE, true };
	uint64_t windows, most = 0, wrong = 0, nr_contended = 0, rounds = 0;
	uint64_t end_ns = live_deadline_ns(60);
	char all[LIVE_REQUEST], one[LIVE_REQUEST];

	ASSERT_EQ(0, target_start(&self->target, build_vmas, &shape));
	live_make_request(all, self->target.pid, shape.start, shape.end);
	live_make_request(one, self->target.pid, shape.start,
			  shape.start + HUGE);
	for (; (nr_contended < 10 || rounds < 200) && live_now_ns() < end_ns;
	     rounds++) {
		ASSERT_EQ(0, live_lock_windows(variant->file, one, &windows));
		wrong += windows != 1;
		most = windows > most ? windows : most;
		ASSERT_EQ(0, live_lock_windows(variant->file, all, &windows));
		wrong += windows > SLOTS;
		nr_contended += windows > 1;
	}
	live_note("%llu of %llu walks gave up the lock; a walk of one table had %llu holds at most; longest hold %llu us",
		  (unsigned long long)nr_contended, (unsigned long long)rounds,
		  (unsigned long long)most,
		  (unsigned long long)live_longest_hold_ns() / 1000);
	/* otherwise no walk met a waiter */
	EXPECT_LE(10, nr_contended);
	EXPECT_EQ(0, wrong);
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

TEST_F(records, suffice_for_many_runs)
{
	const struct shape shape = { FAR, FAR + PMD_TABLES * GIB, false };
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
