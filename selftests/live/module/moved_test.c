// SPDX-License-Identifier: GPL-2.0-only
/*
 * A table that is freed, or replaced by another, while a walk is inside it: the walk saw
 * it in an earlier hold of the lock and notices the change in a later one.
 *
 * The module hold stops the walk between its first and its second hold until the target's
 * call has returned.  The frame numbers of the PTE tables show what the walk saw.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "lib/lib.h"

/* Number of PTE tables of the PMD table at FAR; the request covers all of it. */
#define NR (GIB / HUGE)
#define END (FAR + GIB)
#define SPARE (FAR + 2 * GIB)
/* This mapping keeps the PUD table alive. */
#define NEIGHBOUR (FAR + 4 * GIB)

/* The call that a thread of the target makes on [FAR, END). */
struct shape {
	long call; /* SYS_mmap: map anew; SYS_mremap: move from SPARE */
	int go[2], told[2];
};

static long do_call(long call)
{
	if (call == SYS_mmap)
		return syscall(SYS_mmap, FAR, GIB, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
				       MAP_FIXED,
			       -1, 0);
	return syscall(SYS_mremap, SPARE, GIB, GIB,
		       MREMAP_MAYMOVE | MREMAP_FIXED, FAR);
}

static void *call_when_told(void *arg)
{
	const struct shape *s = arg;
	long ret;
	char byte;

	if (syscall(SYS_read, s->go[0], &byte, 1) != 1)
		_exit(1);
	ret = do_call(s->call);
	if (syscall(SYS_write, s->told[1], &ret, sizeof(ret)) != sizeof(ret))
		_exit(1);
	return NULL;
}

/*
 * Touch one page in the range of each PTE table.  From FAR on, each page has its own VMA.
 * From SPARE on, all pages are in one VMA, which mremap() can move.
 */
static pid_t build(const struct shape *s)
{
	pthread_t thread;

	for (uint64_t at = FAR; at < END; at += HUGE) {
		live_map_small(at, PAGE);
		live_touch(at, at + PAGE);
	}
	live_map_small(SPARE, GIB);
	live_touch_each(SPARE, SPARE + GIB, HUGE);
	live_map_small(NEIGHBOUR, PAGE);
	live_touch(NEIGHBOUR, NEIGHBOUR + PAGE);
	live_must(-pthread_create(&thread, NULL, call_when_told, (void *)s));
	return 0;
}

static int request(int fd, pid_t pid)
{
	char text[LIVE_REQUEST];

	live_make_request(text, pid, FAR, END);
	return live_request(fd, text);
}

static int ask(int fd, pid_t pid, struct answer *ret)
{
	int err = request(fd, pid);

	return err ? err : live_answer(fd, ret);
}

/* The frame number of the table at an address; 0 if there is none. */
static uint64_t pfn_of(const struct answer *answer, unsigned int level,
		       uint64_t start)
{
	for (size_t i = 0; i < answer->nr_records; i++) {
		const struct ptaudit_table *r = &answer->records[i];

		if (r->type == PTAUDIT_TABLE && r->level == level &&
		    r->start == start)
			return r->pfn;
	}
	return 0;
}

/* The answers before, during and after the call. */
struct attempt {
	struct answer before, during, after;
};

static void attempt_deinit(struct attempt *attempt)
{
	live_answer_deinit(&attempt->before);
	live_answer_deinit(&attempt->during);
	live_answer_deinit(&attempt->after);
}

FIXTURE(moved)
{
	struct target target;
	int fd;
};

FIXTURE_VARIANT(moved)
{
	const char *path;
	long call;
	unsigned int level; /* level of the table at FAR that must be marked */
};

LIVE_FILE_VARIANT(moved, tables_torn_down, "tables", .call = SYS_mmap,
		  .level = PTAUDIT_PUD);
LIVE_FILE_VARIANT(moved, tables_replaced, "tables", .call = SYS_mremap,
		  .level = PTAUDIT_PMD);
LIVE_FILE_VARIANT(moved, orphans_torn_down, "orphans", .call = SYS_mmap,
		  .level = PTAUDIT_PUD);
LIVE_FILE_VARIANT(moved, orphans_replaced, "orphans", .call = SYS_mremap,
		  .level = PTAUDIT_PMD);

FIXTURE_SETUP(moved)
{
	ASSERT_EQ(0, live_check_environment());
	self->fd = open(variant->path, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(moved)
{
	live_held_walk_teardown();
	target_stop(&self->target);
	close(self->fd);
}

/* Return: 0, or 1 if a step failed. */
static int answer_meanwhile(int fd, const struct target *target,
			    const struct shape *s, struct attempt *ret)
{
	struct held_walk walk;
	long called = -1;
	bool held;
	int err;

	if (ask(fd, target->pid, &ret->before) || request(fd, target->pid))
		return 1;
	held = live_held_walk_begin(&walk, fd, 1);
	if (write(s->go[1], "", 1) != 1 ||
	    read(s->told[0], &called, sizeof(called)) != sizeof(called))
		held = false;
	err = live_held_walk_end(&walk);
	if (!err)
		err = live_answer(fd, &ret->during);
	if (!held || err || called != (long)FAR) {
		live_note("held: %d; the read returned %d, the call 0x%lx",
			  held, err, called);
		return 1;
	}
	return ask(fd, target->pid, &ret->after) ? 1 : 0;
}

/* Count the PTE tables that the walk saw at their old page frame, and at their new one. */
static void count_seen(const struct attempt *attempt, uint64_t *old,
		       uint64_t *new)
{
	*old = *new = 0;
	for (size_t i = 0; i < attempt->during.nr_records; i++) {
		const struct ptaudit_table *r = &attempt->during.records[i];

		if (r->type != PTAUDIT_TABLE || r->level != PTAUDIT_PTE)
			continue;
		*old += r->pfn ==
			pfn_of(&attempt->before, PTAUDIT_PTE, r->start);
		*new += r->pfn ==
			pfn_of(&attempt->after, PTAUDIT_PTE, r->start);
	}
}

/* Only the table of this level at FAR may have the mark, and only if @is_wanted. */
static int check_marks(const struct answer *answer, bool is_wanted,
		       unsigned int level)
{
	int failures = is_wanted;

	for (size_t i = 0; i < answer->nr_records; i++) {
		const struct ptaudit_table *r = &answer->records[i];

		if (!(r->flags & PTAUDIT_T_MOVED))
			continue;
		if (is_wanted && r->type == PTAUDIT_TABLE &&
		    r->level == level && r->start == FAR) {
			failures--;
			continue;
		}
		live_note("record %zu, of level %u at 0x%" PRIx64
			  ", is marked as moved",
			  i, r->level, (uint64_t)r->start);
		failures++;
	}
	if (is_wanted && failures)
		live_note("not exactly the table of level %u is marked as moved",
			  level);
	return failures;
}

/*
 * If a table was freed, the mark is on the table above, whose entry now points to
 * nothing.  The freed table's record keeps what was seen.  If a table was replaced, the
 * walk recognizes it by its frame number.  Try again if the allocator reused the frame
 * that was just freed.
 */
TEST_F_TIMEOUT(moved, table_that_moved_during_the_walk_is_marked, 240)
{
	uint64_t deadline_ns = live_deadline_ns(120);
	bool is_other = false;
	int failures = 0;

	if (live_held_walk_missing())
		SKIP(return, "needs %s", live_held_walk_missing());
	while (!is_other && !failures && live_now_ns() < deadline_ns) {
		struct shape shape = { .call = variant->call };
		struct attempt attempt = { 0 };
		uint64_t old, new, nr_after;

		ASSERT_EQ(0, pipe2(shape.go, O_CLOEXEC));
		ASSERT_EQ(0, pipe2(shape.told, O_CLOEXEC));
		ASSERT_EQ(0, target_start(&self->target, build, &shape));
		ASSERT_EQ(0, answer_meanwhile(self->fd, &self->target, &shape,
					      &attempt));
		target_stop(&self->target);

		/* the calls leave none of the old tables */
		nr_after = live_nr_tables(&attempt.after, PTAUDIT_PTE, FAR,
					  END);
		ASSERT_EQ(NR, live_nr_tables(&attempt.before, PTAUDIT_PTE, FAR,
					     END));
		ASSERT_EQ(variant->call == SYS_mmap ? 0 : NR, nr_after);
		count_seen(&attempt, &old, &new);
		EXPECT_LT(0, old);
		EXPECT_GT(NR, old);
		EXPECT_EQ(variant->call == SYS_mmap ? old : NR, old + new);
		is_other = pfn_of(&attempt.before, PTAUDIT_PMD, FAR) !=
			   pfn_of(&attempt.after, PTAUDIT_PMD, FAR);
		failures += check_marks(&attempt.during, is_other,
					variant->level);
		failures += check_marks(&attempt.before, false, 0);
		failures += check_marks(&attempt.after, false, 0);
		failures += live_check_records(&attempt.during);
		live_note("the walk saw %" PRIu64
			  " tables as before the call and %" PRIu64
			  " as after it, in %u holds; the PMD table has %s frame",
			  old, new, attempt.during.header.lock_windows,
			  is_other ? "another" : "the same");
		attempt_deinit(&attempt);
		for (int i = 0; i < 2; i++) {
			close(shape.go[i]);
			close(shape.told[i]);
		}
	}
	EXPECT_EQ(0, failures);
	EXPECT_TRUE(is_other);
}

TEST_HARNESS_MAIN
