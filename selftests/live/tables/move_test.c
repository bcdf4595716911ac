// SPDX-License-Identifier: GPL-2.0-only
/*
 * Layouts made by mremap().  It moves pages or complete tables, and this determines what
 * stays at the old place.  Source: mm/mremap.c, move_page_tables() (5.10 to 7.2).
 */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "fixtures/layout.h"

/* Since 5.11 the kernel moves complete PMD tables (HAVE_MOVE_PUD on x86). */
static bool moves_pmd_tables(void)
{
	return live_system()->version >= 5011;
}

/*
 * Since 6.7 the kernel can move the part of a table before the mapping with it:
 * try_realign_addr().
 */
static bool moves_heads(void)
{
	return live_system()->version >= 6007;
}

static void move(uint64_t from, uint64_t to, uint64_t bytes, int flags)
{
	flags |= MREMAP_MAYMOVE | MREMAP_FIXED;
	live_must_be(mremap((void *)from, bytes, bytes, flags, to) ==
			     (void *)to,
		     "mremap");
}

/* Move by .stride; the old mapping stays, without pages. */
static pid_t build_small(const struct shape *s)
{
	live_map_small(s->start, s->bytes);
	live_touch(s->start, s->start + s->bytes);
	move(s->start, s->start + s->stride, s->bytes, MREMAP_DONTUNMAP);
	return 0;
}

/* The PTE tables themselves have moved. */
static void expect_tables_moved(struct expect *e, const struct shape *s)
{
	uint64_t to = s->start + s->stride;

	expect_table(e, PTAUDIT_PMD, s->start);
	e->empty[PTAUDIT_PMD] = 1;
	expect_pages(e, to, to + s->bytes);
}

FIXTURE_VARIANT_ADD(layout, dontunmap_whole_tables){
	.shape = { .start = FAR, .bytes = 4 * HUGE, .stride = 10 * GIB },
	.build = build_small,
	.expect = expect_tables_moved,
};

/* The entries have moved to other indices: the old tables stay, empty. */
static void expect_pages_moved(struct expect *e, const struct shape *s)
{
	uint64_t to = s->start + s->stride;

	expect_empty(e, s->start, s->start + s->bytes);
	e->empty[PTAUDIT_PMD] = 1;
	expect_pages(e, to, to + s->bytes);
}

FIXTURE_VARIANT_ADD(layout, dontunmap_by_an_odd_number_of_pages){
	.shape = { .start = FAR,
		   .bytes = 4 * HUGE,
		   .stride = 10 * GIB + 5 * PAGE },
	.build = build_small,
	.expect = expect_pages_moved,
};

/*
 * The tail is less than a table and moves page by page.  Whether the head does depends
 * on the kernel.
 */
static void expect_middle_moved(struct expect *e, const struct shape *s)
{
	uint64_t to = s->start + s->stride, end = s->start + s->bytes;

	if (!moves_heads())
		expect_empty(e, s->start, s->start + PAGE);
	expect_empty(e, end - PAGE, end);
	e->empty[PTAUDIT_PMD] = 1;
	expect_pages(e, to, to + s->bytes);
}

FIXTURE_VARIANT_ADD(layout, dontunmap_from_and_to_the_middle_of_tables){
	.shape = { .start = FAR + 7 * PAGE,
		   .bytes = 3 * HUGE,
		   .stride = 10 * GIB },
	.build = build_small,
	.expect = expect_middle_moved,
};

static pid_t build_huge(const struct shape *s)
{
	live_must(live_set(THP "enabled", "madvise"));
	live_must(madvise(live_map(s->start, s->bytes, 0), s->bytes,
			  MADV_HUGEPAGE));
	live_touch(s->start, s->start + s->bytes);
	live_must_be(live_smaps_kib(getpid(), "AnonHugePages", s->start,
				    s->start + s->bytes) == s->bytes / KIB,
		     "AnonHugePages");
	live_must(madvise((void *)s->start, s->bytes, MADV_NOHUGEPAGE));
	move(s->start, s->start + s->stride, s->bytes, MREMAP_DONTUNMAP);
	return 0;
}

/* Each leaf has taken its deposited table to another PMD table. */
static void expect_leaves_moved(struct expect *e, const struct shape *s)
{
	uint64_t to = s->start + s->stride;

	expect_table(e, PTAUDIT_PMD, s->start);
	e->empty[PTAUDIT_PMD] = 1;
	expect_leaves(e, to, to + s->bytes, true);
}

FIXTURE_VARIANT_ADD(layout, dontunmap_thp){
	.shape = { .start = FAR, .bytes = 3 * HUGE, .stride = 10 * GIB },
	.build = build_huge,
	.expect = expect_leaves_moved,
};

/*
 * The leaves are split first: their deposits become PTE tables, which stay at the old
 * place.
 */
FIXTURE_VARIANT_ADD(layout, dontunmap_thp_by_an_odd_number_of_pages){
	.shape = { .start = FAR,
		   .bytes = 3 * HUGE,
		   .stride = 10 * GIB + 5 * PAGE },
	.build = build_huge,
	.expect = expect_pages_moved,
};

static const char *missing_shmem(const struct shape *s)
{
	uint64_t to = s->start + s->stride;
	void *got;

	mmap((void *)s->start, PAGE, PROT_NONE, MAP_SHARED | MAP_ANONYMOUS, -1,
	     0);
	got = mremap((void *)s->start, PAGE, PAGE,
		     MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP, to);
	munmap((void *)s->start, PAGE);
	munmap((void *)to, PAGE);
	return got == MAP_FAILED ? "MREMAP_DONTUNMAP of shmem" : NULL;
}

static pid_t build_shmem(const struct shape *s)
{
	live_map_fd(s->start, s->bytes, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1);
	live_touch(s->start, s->start + s->bytes);
	move(s->start, s->start + s->stride, s->bytes, MREMAP_DONTUNMAP);
	return 0;
}

FIXTURE_VARIANT_ADD(layout, dontunmap_shmem){
	.shape = { .start = FAR, .bytes = 4 * HUGE, .stride = 10 * GIB },
	.missing = missing_shmem,
	.build = build_shmem,
	.expect = expect_tables_moved,
};

/*
 * A complete GiB.  Of seven slots five have a page, one was never used, and one has an
 * empty table, which moves like the others.
 */
static bool slot_has_page(unsigned int i)
{
	return i % 7 != 3 && i % 7 != 5;
}

static void build_gib(const struct shape *s)
{
	live_map_small(s->start, GIB);
	for (unsigned int i = 0; i < 512; i++) {
		uint64_t page = s->start + i * HUGE + i * PAGE;

		if (i % 7 != 3)
			live_touch(page, page + PAGE);
		if (i % 7 == 5)
			live_must(madvise((void *)page, PAGE, MADV_DONTNEED));
	}
}

static void expect_gib(struct expect *e, uint64_t start)
{
	for (unsigned int i = 0; i < 512; i++) {
		uint64_t page = start + i * HUGE + i * PAGE;

		if (slot_has_page(i))
			expect_pages(e, page, page + PAGE);
		else if (i % 7 == 5)
			expect_empty(e, page, page + PAGE);
	}
}

static pid_t build_gib_left(const struct shape *s)
{
	build_gib(s);
	move(s->start, s->start + s->stride, GIB, MREMAP_DONTUNMAP);
	return 0;
}

static void expect_gib_left(struct expect *e, const struct shape *s)
{
	unsigned int lowest = moves_pmd_tables() ? PTAUDIT_PUD : PTAUDIT_PMD;

	expect_table(e, lowest, s->start);
	for (; lowest <= PTAUDIT_PUD; lowest++)
		e->empty[lowest] = 1;
	expect_gib(e, s->start + s->stride);
}

FIXTURE_VARIANT_ADD(layout, dontunmap_a_whole_gib){
	.shape = { .start = FAR, .stride = 600 * GIB },
	.build = build_gib_left,
	.expect = expect_gib_left,
};

static pid_t build_gib_moved(const struct shape *s)
{
	build_gib(s);
	move(s->start, s->start + s->stride, GIB, 0);
	return 0;
}

static void expect_gib_moved(struct expect *e, const struct shape *s)
{
	expect_gib(e, s->start + s->stride);
}

FIXTURE_VARIANT_ADD(layout, mremap_a_whole_gib){
	.shape = { .start = FAR, .stride = 600 * GIB },
	.build = build_gib_moved,
	.expect = expect_gib_moved,
};

/* Shrink from .bytes to .nr pages, in place. */
static pid_t build_shrunk(const struct shape *s)
{
	live_map_small(s->start, s->bytes);
	live_touch(s->start, s->start + s->bytes);
	live_must_be(mremap((void *)s->start, s->bytes, s->nr * PAGE, 0) ==
			     (void *)s->start,
		     "mremap");
	return 0;
}

static void expect_first_pages(struct expect *e, const struct shape *s)
{
	expect_pages(e, s->start, s->start + s->nr * PAGE);
}

FIXTURE_VARIANT_ADD(layout, mremap_shrinks){
	.shape = { .start = FAR + GIB - 3 * HUGE, .bytes = 8 * HUGE, .nr = 600 },
	.build = build_shrunk,
	.expect = expect_first_pages,
};

/* Grow from .nr pages to .bytes, then touch the last page. */
static pid_t build_grown(const struct shape *s)
{
	uint64_t to = s->start + s->stride, end = to + s->bytes;
	int flags = s->stride ? MREMAP_MAYMOVE | MREMAP_FIXED : 0;

	live_map_small(s->start, s->nr * PAGE);
	live_touch(s->start, s->start + s->nr * PAGE);
	live_must_be(mremap((void *)s->start, s->nr * PAGE, s->bytes, flags,
			    to) == (void *)to,
		     "mremap");
	live_touch(end - PAGE, end);
	return 0;
}

static void expect_grown(struct expect *e, const struct shape *s)
{
	uint64_t to = s->start + s->stride, end = to + s->bytes;

	expect_pages(e, to, to + s->nr * PAGE);
	expect_pages(e, end - PAGE, end);
}

FIXTURE_VARIANT_ADD(layout, mremap_grows_in_place){
	.shape = { .start = FAR + GIB - 3 * HUGE,
		   .bytes = 700 * HUGE,
		   .nr = 600 },
	.build = build_grown,
	.expect = expect_grown,
};

FIXTURE_VARIANT_ADD(layout, mremap_grows_elsewhere){
	.shape = { .start = FAR + 3 * PAGE,
		   .bytes = 700 * HUGE,
		   .stride = 5 * GIB,
		   .nr = 600 },
	.build = build_grown,
	.expect = expect_grown,
};

/* With an old size of 0, mremap() maps the same pages a second time and moves no table. */
static pid_t build_again(const struct shape *s)
{
	uint64_t to = s->start + s->stride;

	live_map_fd(s->start, s->bytes, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1);
	live_touch(s->start, s->start + s->bytes);
	live_must_be(mremap((void *)s->start, 0, s->bytes,
			    MREMAP_MAYMOVE | MREMAP_FIXED, to) == (void *)to,
		     "mremap");
	return 0;
}

static void expect_dense(struct expect *e, const struct shape *s)
{
	expect_pages(e, s->start, s->start + s->bytes);
}

FIXTURE_VARIANT_ADD(layout, shmem_mapped_again){
	.shape = { .start = FAR, .bytes = 3 * HUGE, .stride = 3 * GIB },
	.build = build_again,
	.expect = expect_dense,
};

TEST_HARNESS_MAIN
