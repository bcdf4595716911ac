// SPDX-License-Identifier: GPL-2.0-only
/* Layouts of hugetlb pages of 2 MiB: leaves without deposits. */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "layout.h"

#define NR_HUGE "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages"

static void map_hugetlb(const struct shape *s)
{
	char text[16];

	live_must(live_set(NR_HUGE, "32"));
	live_must_be(atoi(live_file(NR_HUGE, text, sizeof(text))) == 32,
		     "nr_hugepages");
	live_map_fd(s->start, s->bytes, PROT_READ | PROT_WRITE,
		    s->flags | MAP_ANONYMOUS | MAP_HUGETLB | MAP_NORESERVE, -1);
}

/* The first .nr pages are touched. */
static pid_t build_hugetlb(const struct shape *s)
{
	map_hugetlb(s);
	live_touch(s->start, s->start + s->nr * HUGE);
	return 0;
}

static void expect_hugetlb(struct expect *e, const struct shape *s)
{
	e->flags = PTAUDIT_T_HUGETLB;
	expect_leaves(e, s->start, s->start + s->nr * HUGE, false);
}

FIXTURE_VARIANT_ADD(layout, hugetlb_private){
	.shape = { .start = FAR + 2 * GIB,
		   .bytes = 8 * HUGE,
		   .nr = 5,
		   .flags = MAP_PRIVATE },
	.build = build_hugetlb,
	.expect = expect_hugetlb,
};

FIXTURE_VARIANT_ADD(layout, hugetlb_shared){
	.shape = { .start = FAR + 2 * GIB,
		   .bytes = 8 * HUGE,
		   .nr = 5,
		   .flags = MAP_SHARED },
	.build = build_hugetlb,
	.expect = expect_hugetlb,
};

FIXTURE_VARIANT_ADD(layout, hugetlb_across_1g_edge){
	.shape = { .start = FAR + GIB - 3 * HUGE,
		   .bytes = 8 * HUGE,
		   .nr = 8,
		   .flags = MAP_PRIVATE },
	.build = build_hugetlb,
	.expect = expect_hugetlb,
};

static pid_t build_prot_none(const struct shape *s)
{
	build_hugetlb(s);
	live_must(mprotect((void *)s->start, s->bytes, PROT_NONE));
	return 0;
}

FIXTURE_VARIANT_ADD(layout, hugetlb_prot_none){
	.shape = { .start = FAR,
		   .bytes = 8 * HUGE,
		   .nr = 6,
		   .flags = MAP_PRIVATE },
	.build = build_prot_none,
	.expect = expect_hugetlb,
};

/* Page by page, the last four go. */
static pid_t build_unmapped_tail(const struct shape *s)
{
	build_hugetlb(s);
	live_touch(s->start, s->start + s->bytes);
	live_must(munmap((void *)(s->start + s->nr * HUGE),
			 s->bytes - s->nr * HUGE));
	return 0;
}

FIXTURE_VARIANT_ADD(layout, hugetlb_tail_unmapped){
	.shape = { .start = FAR,
		   .bytes = 10 * HUGE,
		   .nr = 6,
		   .flags = MAP_PRIVATE },
	.build = build_unmapped_tail,
	.expect = expect_hugetlb,
};

/* A PMD table whose GiB is mapped whole by two processes is one table. */
static pid_t build_shared_table(const struct shape *s)
{
	build_hugetlb(s);
	live_fork(s->start, s->start + s->nr * HUGE);
	return 0;
}

static void expect_shared_table(struct expect *e, const struct shape *s)
{
	expect_hugetlb(e, s);
	expect_table(e, PTAUDIT_PMD, s->start)->sharers = 1;
}

FIXTURE_VARIANT_ADD(layout, hugetlb_table_of_two_processes){
	.shape = { .start = FAR + 8 * GIB,
		   .bytes = GIB,
		   .nr = 3,
		   .flags = MAP_SHARED },
	.build = build_shared_table,
	.expect = expect_shared_table,
};

TEST_HARNESS_MAIN
