// SPDX-License-Identifier: GPL-2.0-only
/*
 * hugetlb pages of 1 GiB: leaves in PUD tables.  run-vm.sh boots with one such page,
 * which the layouts use one after the other.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fixtures/layout.h"

#define POOL "/sys/kernel/mm/hugepages/hugepages-1048576kB/"
#define POOL_2M "/sys/kernel/mm/hugepages/hugepages-2048kB/"

/* Source: include/uapi/asm-generic/hugetlb_encode.h */
#define HUGETLB_SHIFT 26
#define HUGETLB_2M (21 << HUGETLB_SHIFT)
#define HUGETLB_1G (30 << HUGETLB_SHIFT)

static int nr_free(void)
{
	char text[16];

	return atoi(live_file(POOL "free_hugepages", text, sizeof(text)));
}

static void map_gibs(const struct shape *s, uint64_t start)
{
	live_must_be(nr_free() == 1, "one free page of 1 GiB");
	live_map_fd(start, s->bytes, PROT_READ | PROT_WRITE,
		    s->flags | MAP_ANONYMOUS | MAP_HUGETLB | HUGETLB_1G |
			    MAP_NORESERVE,
		    -1);
}

/* The first access allocates the page of 1 GiB. */
static pid_t build_gib(const struct shape *s)
{
	map_gibs(s, s->start);
	live_touch(s->start, s->start + PAGE);
	live_must_be(!nr_free(), "the page of 1 GiB is in use");
	return 0;
}

static void expect_leaf(struct expect *e, uint64_t addr)
{
	struct ptaudit_table *table = expect_table(e, PTAUDIT_PUD, addr);

	table->used++;
	table->leaves++;
}

static void expect_gib(struct expect *e, const struct shape *s)
{
	expect_leaf(e, s->start);
}

LAYOUT(gib_private, build_gib, expect_gib,
       SHAPE(.start = FAR + 3 * GIB, .bytes = GIB, .flags = MAP_PRIVATE));

LAYOUT(gib_shared, build_gib, expect_gib,
       SHAPE(.start = FAR + 3 * GIB, .bytes = GIB, .flags = MAP_SHARED));

/* The PRESENT bit of the entry is clear, but it is a leaf and not a table. */
static pid_t build_prot_none(const struct shape *s)
{
	build_gib(s);
	live_must(mprotect((void *)s->start, s->bytes, PROT_NONE));
	return 0;
}

LAYOUT(gib_private_prot_none, build_prot_none, expect_gib,
       SHAPE(.start = FAR, .bytes = GIB, .flags = MAP_PRIVATE));

LAYOUT(gib_shared_prot_none, build_prot_none, expect_gib,
       SHAPE(.start = FAR, .bytes = GIB, .flags = MAP_SHARED));

/*
 * The mapping .stride above uses the only 1 GiB page, so the fault allocates a PUD table
 * and fails.
 */
static pid_t build_without_page(const struct shape *s)
{
	map_gibs(s, s->start);
	map_gibs(s, s->start + s->stride);
	live_touch(s->start + s->stride, s->start + s->stride + PAGE);
	live_must_be(!live_try_touch(s->start), "SIGBUS");
	return 0;
}

static void expect_without_page(struct expect *e, const struct shape *s)
{
	expect_leaf(e, s->start + s->stride);
	if (expect_table(e, PTAUDIT_PUD, s->start)->used == 0)
		e->empty[PTAUDIT_PUD] = 1;
}

LAYOUT(gib_without_page, build_without_page, expect_without_page,
       SHAPE(.start = FAR + 5 * GIB, .bytes = GIB, .stride = TIB / 2,
	     .flags = MAP_PRIVATE));

LAYOUT(gib_beside_one_without_page, build_without_page, expect_without_page,
       SHAPE(.start = FAR + 5 * GIB, .bytes = GIB, .stride = GIB,
	     .flags = MAP_SHARED));

/* A leaf of 1 GiB between a page of 2 MiB and one of 4 KiB. */
static pid_t build_beside_tables(const struct shape *s)
{
	build_gib(s);
	live_must(live_set(POOL_2M "nr_hugepages", "4"));
	live_map_fd(s->start - HUGE, HUGE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | HUGETLB_2M, -1);
	live_touch(s->start - HUGE, s->start);
	live_map(s->start + s->bytes, PAGE, 0);
	live_touch(s->start + s->bytes, s->start + s->bytes + PAGE);
	return 0;
}

static void expect_beside_tables(struct expect *e, const struct shape *s)
{
	e->flags = PTAUDIT_T_HUGETLB;
	expect_leaves(e, s->start - HUGE, s->start, false);
	e->flags = 0;
	expect_leaf(e, s->start);
	expect_pages(e, s->start + s->bytes, s->start + s->bytes + PAGE);
}

LAYOUT(gib_beside_tables, build_beside_tables, expect_beside_tables,
       SHAPE(.start = FAR + 4 * GIB, .bytes = GIB, .flags = MAP_PRIVATE));

/* A child that touches nothing. */
static pid_t build_fork(const struct shape *s)
{
	build_gib(s);
	return live_fork(s->start, s->start);
}

/* fork() copies the entry in 5.10, but not in later kernels.  hugetlb_test.c names the source. */
static void expect_fork_shared(struct expect *e, const struct shape *s)
{
	if (live_system()->version < 6000)
		expect_gib(e, s);
}

LAYOUT(gib_shared_after_fork, build_fork, expect_fork_shared,
       SHAPE(.start = FAR, .bytes = GIB, .flags = MAP_SHARED));

static pid_t build_removed(const struct shape *s)
{
	build_gib(s);
	live_must(madvise((void *)s->start, s->bytes, MADV_REMOVE));
	live_must_be(nr_free() == 1, "the page of 1 GiB is free again");
	return 0;
}

static void expect_removed(struct expect *e, const struct shape *s)
{
	expect_table(e, PTAUDIT_PUD, s->start);
	e->empty[PTAUDIT_PUD] = 1;
}

LAYOUT(gib_removed, build_removed, expect_removed,
       SHAPE(.start = FAR, .bytes = GIB, .flags = MAP_SHARED));

TEST_HARNESS_MAIN
