// SPDX-License-Identifier: GPL-2.0-only
/*
 * Layouts made by filling memory through userfaultfd: copies that fail, pages that move,
 * faults that are not served, pages marked as poisoned.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fixtures/layout.h"

static int uffd;

static const char *missing_move(const struct shape *s)
{
	int fd = live_uffd((unsigned int)s->flags);

	if (fd < 0)
		return "UFFD_FEATURE_MOVE";
	close(fd);
	return NULL;
}

/* Register .bytes from .start for missing pages. */
static void register_missing(const struct shape *s)
{
	uffd = live_uffd((unsigned int)s->flags);
	live_uffd_register(uffd, s->start, s->bytes,
			   UFFDIO_REGISTER_MODE_MISSING);
}

/* The copy fails because its source is not mapped.  The kernel has allocated the table by then. */
static pid_t build_copy_failed(const struct shape *s)
{
	struct uffdio_copy copy = {
		.dst = s->start + s->stride,
		.src = s->start + 2 * TIB,
		.len = PAGE,
	};

	live_map_small(s->start, s->bytes);
	register_missing(s);
	live_must_be(ioctl(uffd, UFFDIO_COPY, &copy) && errno == EFAULT,
		     "UFFDIO_COPY must fail");
	return 0;
}

static void expect_one_empty(struct expect *e, const struct shape *s)
{
	expect_empty(e, s->start + s->stride, s->start + s->stride + PAGE);
	expect_all_hollow(e);
}

LAYOUT(copy_failed, build_copy_failed, expect_one_empty,
       SHAPE(.start = FAR + GIB - HUGE, .bytes = 4 * HUGE,
	     .stride = HUGE + 3 * PAGE));

/* Copy two pages, of which only the first source page exists, and map a zero page. */
static pid_t build_copied(const struct shape *s)
{
	uint64_t source = s->start + 2 * TIB;
	struct uffdio_copy copy = {
		.dst = s->start + s->stride - PAGE,
		.src = source,
		.len = 2 * PAGE,
	};
	struct uffdio_zeropage zero = {
		.range = { .start = s->start, .len = PAGE },
	};

	live_map_small(s->start, s->bytes);
	live_map_small(source, PAGE);
	live_touch(source, source + PAGE);
	register_missing(s);
	live_must_be(ioctl(uffd, UFFDIO_COPY, &copy) && copy.copy == (long)PAGE,
		     "UFFDIO_COPY of a page");
	live_must(ioctl(uffd, UFFDIO_ZEROPAGE, &zero));
	return 0;
}

/* The page that could not be copied is the first of a table. */
static void expect_copied(struct expect *e, const struct shape *s)
{
	uint64_t failed = s->start + s->stride;

	expect_pages(e, s->start, s->start + PAGE);
	expect_pages(e, failed - PAGE, failed);
	expect_empty(e, failed, failed + PAGE);
}

LAYOUT(copied_in_part, build_copied, expect_copied,
       SHAPE(.start = FAR + 5 * GIB, .bytes = 4 * HUGE, .stride = 2 * HUGE));

/* Move a page to another table.  Its old table stays, and is empty. */
static pid_t build_moved(const struct shape *s)
{
	const uint64_t from = s->start + s->stride;

	live_map_small(s->start, s->bytes);
	live_touch(from, from + PAGE);
	register_missing(s);
	live_uffd_move(uffd, from, s->start, PAGE);
	return 0;
}

static void expect_moved(struct expect *e, const struct shape *s)
{
	expect_pages(e, s->start, s->start + PAGE);
	expect_empty(e, s->start + s->stride, s->start + s->stride + PAGE);
}

LAYOUT(page_moved, build_moved, expect_moved,
       SHAPE(.start = FAR + 5 * GIB, .bytes = 4 * HUGE, .stride = 2 * HUGE,
	     .flags = UFFD_FEATURE_MOVE),
       .missing = missing_move);

static const char *missing_poison(const struct shape *s)
{
	return live_uffd_poison_missing();
}

/*
 * Poison pages beside present ones, and one page on each side of a table boundary where
 * no page is present.
 */
static pid_t build_poisoned(const struct shape *s)
{
	uint64_t touched = s->start + s->nr * PAGE;

	live_map_small(s->start, s->bytes);
	live_touch(s->start, touched);
	uffd = live_uffd_for_poison();
	live_uffd_register(uffd, s->start, s->bytes,
			   UFFDIO_REGISTER_MODE_MISSING);
	live_uffd_poison(uffd, touched, 7 * PAGE);
	live_uffd_poison(uffd, s->start + s->stride - PAGE, 2 * PAGE);
	return 0;
}

static void expect_poisoned(struct expect *e, const struct shape *s)
{
	size_t other = offsetof(struct ptaudit_table, other);
	uint64_t touched = s->start + s->nr * PAGE;
	uint64_t edge = s->start + s->stride;

	expect_pages(e, s->start, touched);
	expect_entries(e, touched, touched + 7 * PAGE, other);
	expect_entries(e, edge - PAGE, edge + PAGE, other);
}

LAYOUT(poisoned, build_poisoned, expect_poisoned,
       SHAPE(.start = FAR + GIB - 2 * HUGE, .bytes = 4 * HUGE,
	     .stride = 2 * HUGE, .nr = 3),
       .missing = missing_poison);

/* A thread waits in a fault for a page that never arrives. */
static void *fault(void *addr)
{
	*(volatile char *)addr = 1;
	return NULL;
}

static void wait_for_fault(const struct shape *s)
{
	struct uffd_msg msg;
	pthread_t thread;

	register_missing(s);
	live_must(-pthread_create(&thread, NULL, fault,
				  (void *)(s->start + s->stride)));
	live_must_be(read(uffd, &msg, sizeof(msg)) == sizeof(msg) &&
			     msg.event == UFFD_EVENT_PAGEFAULT,
		     "a fault");
}

/*
 * For anonymous memory the table is allocated before the page.  Source:
 * do_anonymous_page().
 */
static pid_t build_waiting(const struct shape *s)
{
	live_map_small(s->start, s->bytes);
	wait_for_fault(s);
	return 0;
}

LAYOUT(fault_not_served, build_waiting, expect_one_empty,
       SHAPE(.start = FAR + 5 * GIB, .bytes = 4 * HUGE, .stride = 2 * HUGE));

/*
 * A fault in shmem allocates the PTE table before it asks for the page.  While it waits
 * for the page, that table is in no tree.  Source: mm/memory.c, __do_fault(), prealloc_pte
 * (5.10 to 7.2).
 */
static pid_t build_waiting_shmem(const struct shape *s)
{
	live_map_small_memfd(s->start, s->bytes, MAP_SHARED);
	wait_for_fault(s);
	return 0;
}

static void expect_no_table(struct expect *e, const struct shape *s)
{
	expect_table(e, PTAUDIT_PMD, s->start + s->stride);
	expect_all_hollow(e);
	e->at_hand = 1;
}

LAYOUT(fault_not_served_of_shmem, build_waiting_shmem, expect_no_table,
       SHAPE(.start = FAR + 5 * GIB, .bytes = 4 * HUGE, .stride = 2 * HUGE));

TEST_HARNESS_MAIN
