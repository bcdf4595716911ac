// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two threads fault at the same time where there are no tables.  Both allocate a table, and the
 * kernel installs one of them and has to free the other one.  If it does not, the tree and VmPTE
 * do not show the table, but the cgroup of the process is charged for it.  Source: mm/memory.c,
 * __pte_alloc(), __pmd_alloc(), __pud_alloc().
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>

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

TEST_HARNESS_MAIN
