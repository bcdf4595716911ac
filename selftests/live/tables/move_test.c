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
 * Since 6.7 mremap() can also move the first table as a whole, if the mapping begins in the
 * middle of it: try_realign_addr() lets the move begin at the start of the table.
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

/* Move the pages by .stride.  The old mapping stays, without pages. */
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

LAYOUT(dontunmap_whole_tables, build_small, expect_tables_moved,
       SHAPE(.start = FAR, .bytes = 4 * HUGE, .stride = 10 * GIB));

/* The entries have moved to other indices: the old tables stay, empty. */
static void expect_pages_moved(struct expect *e, const struct shape *s)
{
	uint64_t to = s->start + s->stride;

	expect_empty(e, s->start, s->start + s->bytes);
	e->empty[PTAUDIT_PMD] = 1;
	expect_pages(e, to, to + s->bytes);
}

LAYOUT(dontunmap_by_an_odd_number_of_pages, build_small, expect_pages_moved,
       SHAPE(.start = FAR, .bytes = 4 * HUGE, .stride = 10 * GIB + 5 * PAGE));

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

LAYOUT(dontunmap_from_and_to_the_middle_of_tables, build_small,
       expect_middle_moved,
       SHAPE(.start = FAR + 7 * PAGE, .bytes = 3 * HUGE, .stride = 10 * GIB));

static pid_t build_huge(const struct shape *s)
{
	live_must(live_set(THP "enabled", "madvise"));
	live_must(madvise(live_map(s->start, s->bytes, 0), s->bytes,
			  MADV_HUGEPAGE));
	live_touch(s->start, s->start + s->bytes);
	live_must_be(live_smaps_kib(getpid(), "AnonHugePages", s->start,
				    s->start + s->bytes) == s->bytes / KIB,
		     "AnonHugePages");
	live_no_huge((void *)s->start, s->bytes);
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

LAYOUT(dontunmap_thp, build_huge, expect_leaves_moved,
       SHAPE(.start = FAR, .bytes = 3 * HUGE, .stride = 10 * GIB));

/*
 * The leaves are split first: their deposits become PTE tables, which stay at the old
 * place.
 */
LAYOUT(dontunmap_thp_by_an_odd_number_of_pages, build_huge, expect_pages_moved,
       SHAPE(.start = FAR, .bytes = 3 * HUGE, .stride = 10 * GIB + 5 * PAGE));

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

LAYOUT(dontunmap_shmem, build_shmem, expect_tables_moved,
       SHAPE(.start = FAR, .bytes = 4 * HUGE, .stride = 10 * GIB),
       .missing = missing_shmem);

/*
 * The layout of a complete GiB.  Of seven slots, five have a page, one was never used, and one
 * has an empty table.  mremap() moves empty tables, too.
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

LAYOUT(dontunmap_a_whole_gib, build_gib_left, expect_gib_left,
       SHAPE(.start = FAR, .stride = 600 * GIB));

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

LAYOUT(mremap_a_whole_gib, build_gib_moved, expect_gib_moved,
       SHAPE(.start = FAR, .stride = 600 * GIB));

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

LAYOUT(mremap_shrinks, build_shrunk, expect_first_pages,
       SHAPE(.start = FAR + GIB - 3 * HUGE, .bytes = 8 * HUGE, .nr = 600));

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

LAYOUT(mremap_grows_in_place, build_grown, expect_grown,
       SHAPE(.start = FAR + GIB - 3 * HUGE, .bytes = 700 * HUGE, .nr = 600));

LAYOUT(mremap_grows_elsewhere, build_grown, expect_grown,
       SHAPE(.start = FAR + 3 * PAGE, .bytes = 700 * HUGE, .stride = 5 * GIB,
	     .nr = 600));

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

LAYOUT(shmem_mapped_again, build_again, expect_dense,
       SHAPE(.start = FAR, .bytes = 3 * HUGE, .stride = 3 * GIB));

TEST_HARNESS_MAIN
