// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two threads change tables at the same time.  If they fault where there are no tables, both
 * allocate a table, and the kernel installs one of them and has to free the other one.  If it does
 * not, the tree and VmPTE do not show the table, but the cgroup of the process is charged for it.
 * Source: mm/memory.c, __pte_alloc(), __pmd_alloc(), __pud_alloc().
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fixtures/layout.h"

static const struct shape *places;
static unsigned int nr_arrived;

/* Touch this thread's page below each table, at the same time as the other thread. */
static void *touch_places(void *page)
{
	for (unsigned int i = 0; i < places->nr; i++) {
		const uint64_t at = places->start + i * places->stride +
				    *(uint64_t *)page * PAGE;

		__atomic_add_fetch(&nr_arrived, 1, __ATOMIC_SEQ_CST);
		/* sched_yield() takes longer than a fault; it is for a single CPU */
		for (unsigned int spins = 0;
		     __atomic_load_n(&nr_arrived, __ATOMIC_SEQ_CST) <
		     2 * (i + 1);
		     spins++)
			if (spins > 10000)
				sched_yield();
		live_touch(at, at + PAGE);
	}
	return NULL;
}

static pid_t build(const struct shape *s)
{
	uint64_t first = 0, second = 1;
	pthread_t thread;

	for (unsigned int i = 0; i < s->nr; i++)
		live_map_small(s->start + i * s->stride, 2 * PAGE);
	places = s;
	live_must(-pthread_create(&thread, NULL, touch_places, &second));
	touch_places(&first);
	live_must(-pthread_join(thread, NULL));
	return 0;
}

static void expect_places(struct expect *e, const struct shape *s)
{
	for (unsigned int i = 0; i < s->nr; i++) {
		const uint64_t at = s->start + i * s->stride;

		expect_pages(e, at, at + 2 * PAGE);
	}
}

LAYOUT(pte_tables, build, expect_places,
       SHAPE(.start = FAR, .stride = HUGE, .nr = 512));

LAYOUT(pmd_tables, build, expect_places,
       SHAPE(.start = FAR, .stride = GIB, .nr = 512));

LAYOUT(pud_tables, build, expect_places,
       SHAPE(.start = FAR, .stride = TIB / 2, .nr = 64), .region_start = FAR,
       .region_end = FAR + 32 * TIB);

static const char *missing_nodes(const struct shape *s)
{
	if (live_thp_missing())
		return live_thp_missing();
	return live_has_nodes() ? NULL : "two NUMA nodes";
}

static bool moved, ends;

/* Move the huge page to the other node and back. */
static void *migrate(void *page)
{
	while (!__atomic_load_n(&ends, __ATOMIC_SEQ_CST))
		if (live_move_page(page))
			__atomic_store_n(&moved, true, __ATOMIC_SEQ_CST);
	return NULL;
}

/*
 * Give a huge page back while it is copied: a migration entry has its place, and its deposited
 * table has to be freed all the same.  Continue until the page has moved once, with longer pauses:
 * a slow machine needs them.  Source: mm/huge_memory.c, zap_huge_pmd().
 */
static pid_t build_migrated(const struct shape *s)
{
	pthread_t thread;

	live_must(live_set(THP "enabled", "madvise"));
	live_must(madvise(live_map(s->start, s->bytes, 0), s->bytes,
			  MADV_HUGEPAGE));
	live_must(-pthread_create(&thread, NULL, migrate, (void *)s->start));
	for (unsigned int i = 0;
	     i < s->nr || !__atomic_load_n(&moved, __ATOMIC_SEQ_CST); i++) {
		live_touch(s->start, s->start + PAGE);
		usleep(i % 8 * 500 * (1 + i / s->nr));
		live_must(madvise((void *)s->start, s->bytes, MADV_DONTNEED));
	}
	__atomic_store_n(&ends, true, __ATOMIC_SEQ_CST);
	live_must(-pthread_join(thread, NULL));
	return 0;
}

LAYOUT(huge_page_that_migrates, build_migrated, expect_hollow,
       SHAPE(.start = FAR + 6 * GIB, .bytes = HUGE, .nr = 200),
       .missing = missing_nodes);

TEST_HARNESS_MAIN
