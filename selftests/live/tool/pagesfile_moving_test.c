// SPDX-License-Identifier: GPL-2.0-only
/*
 * `pages` and `check --pages` while pages migrate to another NUMA node.  The module hold
 * stops the migrations half way, as in migrate_test.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include "fixtures/pages.h"

#define NR_HUGE "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages"
#define HOLD "/sys/module/hold/parameters/"

/* Source: include/uapi/linux/mempolicy.h */
#define MPOL_MF_MOVE 2

static const char *missing(void)
{
	if (access(HOLD "tgid", W_OK))
		return "the module hold";
	if (access("/sys/devices/system/node/node1", F_OK))
		return "two NUMA nodes";
	return NULL;
}

static void let_go(void)
{
	live_set(HOLD "tgid", "0");
	live_set(NR_HUGE, "0");
}

static void *move(void *page)
{
	int node = -1, to, status = -1;

	live_must(syscall(SYS_move_pages, 0, 1UL, &page, NULL, &node, 0));
	live_must_be(node == 0 || node == 1, "node of a page");
	to = !node;
	/* EAGAIN, EBUSY: another task held a reference to the page */
	for (int try = 0; try < 3000 && status != to; try++) {
		live_must(syscall(SYS_move_pages, 0, 1UL, &page, &to, &status,
				  MPOL_MF_MOVE));
		if (status != to)
			usleep(10000);
	}
	return NULL;
}

static unsigned int nr_held(void)
{
	char text[16];

	return (unsigned int)atoi(live_file(HOLD "held", text, sizeof(text)));
}

/* One page per call: all kernels migrate it as a single folio. */
static void start_moving(uint64_t start, uint64_t stride, unsigned int nr)
{
	pthread_t thread;
	char text[16];

	snprintf(text, sizeof(text), "%d", getpid());
	live_must(live_set(HOLD "tgid", text));
	for (unsigned int i = 0; i < nr; i++)
		live_must_be(!pthread_create(&thread, NULL, move,
					     (void *)(start + i * stride)),
			     "a thread");
	for (int try = 0; try < 60000 && nr_held() != nr; try++)
		usleep(1000);
	live_must_be(nr_held() == nr, "number of held migrations");
}

static pid_t build_small(const struct shape *s)
{
	map_small(s->start, 16);
	live_touch(s->start, s->start + 16 * PAGE);
	start_moving(s->start + PAGE, 2 * PAGE, 3);
	return 0;
}

static pid_t build_leaf(const struct shape *s)
{
	map_huge(s->start, 2);
	live_touch(s->start, s->start + 2 * HUGE);
	must_be_huge(s->start, 2);
	start_moving(s->start + HUGE, HUGE, 1);
	return 0;
}

static pid_t build_hugetlb(const struct shape *s)
{
	live_must(live_set(NR_HUGE, "32"));
	live_map(s->start, 2 * HUGE, MAP_HUGETLB);
	live_touch(s->start, s->start + 2 * HUGE);
	start_moving(s->start + HUGE, HUGE, 1);
	return 0;
}

FIXTURE_VARIANT_ADD(pages, migrating){
	.build = build_small,
	.nr = { SMALL_ANON(13), KEY(MIGRATION) = 3 },
	.missing = missing,
	.undo = let_go,
};

FIXTURE_VARIANT_ADD(pages, migrating_leaf){
	.build = build_leaf,
	.nr = { KEY(PRESENT) = PTES, KEY(ANON) = PTES, KEY(PMD_PAGES) = PTES,
		KEY(MAPPED_ONCE) = PTES, KEY(ANON_ONCE) = PTES,
		KEY(EXCLUSIVE) = PTES, KEY(EXCLUSIVE_PMD) = PTES,
		KEY(MIGRATION) = PTES, KEY(ABSENT_PMD) = PTES },
	.missing = missing,
	.undo = let_go,
	/* smaps counts two leaves together, which shows neither of them */
	.large_folio = PTES,
};

FIXTURE_VARIANT_ADD(pages, migrating_hugetlb){
	.build = build_hugetlb,
	.nr = { KEY(HUGETLB) = PTES, KEY(HUGETLB_PMD) = PTES,
		KEY(HUGETLB_ANON) = PTES, KEY(HUGETLB_ONCE) = PTES,
		KEY(HUGETLB_ANON_ONCE) = PTES, KEY(HUGETLB_EXCLUSIVE) = PTES,
		KEY(HUGETLB_OTHER) = PTES },
	.missing = missing,
	.undo = let_go,
};

TEST_HARNESS_MAIN
