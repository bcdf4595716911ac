// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two threads change tables at the same time.  If they fault where there are no tables, both
 * allocate a table, and the kernel installs one of them and has to free the other one.  If it does
 * not, the tree and VmPTE do not show the table, but the cgroup of the process is charged for it.
 * Source: mm/memory.c, __pte_alloc(), __pmd_alloc(), __pud_alloc().
 *
 * The module hold forces each of these races.  vm-ci does not load it: then the races happen by
 * chance, and the tests print that.
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

/* Number of tables that the layout adds.  With 5 levels, the PUD tables share a P4D table that exists. */
static unsigned int nr_tables(const struct shape *s)
{
	unsigned int nr = 0;

	for (uint64_t reach = HUGE; reach <= TIB / 2; reach *= 512)
		nr += s->stride >= reach ? s->nr : 1;
	return nr;
}

/*
 * The second thread starts before alloc_tgid is set, and has used its stack: from then on, only the
 * places need new tables.
 */
static void race(const struct shape *s)
{
	const bool forced = !live_hold_missing("alloc_tgid");
	uint64_t first = 0, second = 1;
	unsigned int met;
	pthread_t thread;

	live_must(-pthread_create(&thread, NULL, touch_places, &second));
	while (!__atomic_load_n(&nr_arrived, __ATOMIC_SEQ_CST))
		sched_yield();
	live_touch(0, 0);
	live_must(forced ? live_hold_set("alloc_tgid", getpid()) : 0);
	touch_places(&first);
	live_must(forced ? live_hold_set("alloc_tgid", 0) : 0);
	live_must(-pthread_join(thread, NULL));
	if (!forced) {
		live_note(
			"without the module hold, the threads race by chance");
		return;
	}
	met = (unsigned int)live_hold_get("allocs_met");
	live_note("both threads allocated %u tables", met);
	live_must_be(met == nr_tables(s), "both threads allocated each table");
}

static pid_t build(const struct shape *s)
{
	for (unsigned int i = 0; i < s->nr; i++)
		live_map_small(s->start + i * s->stride, 2 * PAGE);
	places = s;
	race(s);
	return 0;
}

/* A builder that was killed may have left it on. */
static void undo(void)
{
	live_hold_set("alloc_tgid", 0);
}

static void expect_places(struct expect *e, const struct shape *s)
{
	for (unsigned int i = 0; i < s->nr; i++) {
		const uint64_t at = s->start + i * s->stride;

		expect_pages(e, at, at + 2 * PAGE);
	}
}

LAYOUT(pte_tables, build, expect_places,
       SHAPE(.start = FAR, .stride = HUGE, .nr = 512), .undo = undo);

LAYOUT(pmd_tables, build, expect_places,
       SHAPE(.start = FAR, .stride = GIB, .nr = 512), .undo = undo);

LAYOUT(pud_tables, build, expect_places,
       SHAPE(.start = FAR, .stride = TIB / 2, .nr = 64), .region_start = FAR,
       .region_end = FAR + 32 * TIB, .undo = undo);

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

/* Repeat until the page has moved once.  The pauses grow, because a slow machine needs longer ones. */
static void give_back_by_chance(const struct shape *s)
{
	pthread_t thread;

	live_note("without the module hold, the page migrates by chance");
	live_must(-pthread_create(&thread, NULL, migrate, (void *)s->start));
	for (unsigned int i = 0;
	     i < s->nr || !__atomic_load_n(&moved, __ATOMIC_SEQ_CST); i++) {
		live_touch(s->start, s->start + PAGE);
		usleep(i % 8 * 500 * (1 + i / s->nr));
		live_must(madvise((void *)s->start, s->bytes, MADV_DONTNEED));
	}
	__atomic_store_n(&ends, true, __ATOMIC_SEQ_CST);
	live_must(-pthread_join(thread, NULL));
}

/*
 * Free a huge page during its migration.  Its PMD entry is a migration entry then.  The kernel must
 * free the deposited table as well.  Source: mm/huge_memory.c, zap_huge_pmd().
 */
static pid_t build_migrated(const struct shape *s)
{
	live_must(live_set(THP "enabled", "madvise"));
	live_must(madvise(live_map(s->start, s->bytes, 0), s->bytes,
			  MADV_HUGEPAGE));
	if (live_migrate_missing()) {
		give_back_by_chance(s);
		return 0;
	}
	live_touch(s->start, s->start + PAGE);
	live_must_be(live_smaps_kib(getpid(), "AnonHugePages", s->start,
				    s->start + s->bytes) == s->bytes / KIB,
		     "AnonHugePages");
	live_migrate(s->start, HUGE, 1);
	live_must(madvise((void *)s->start, s->bytes, MADV_DONTNEED));
	live_must_be(live_nr_migrating() == 1, "the page still migrates");
	live_migrate_on();
	live_migrate_end();
	return 0;
}

LAYOUT(huge_page_that_migrates, build_migrated, expect_hollow,
       SHAPE(.start = FAR + 6 * GIB, .bytes = HUGE, .nr = 200),
       .missing = missing_nodes, .undo = live_migrate_on);

TEST_HARNESS_MAIN
