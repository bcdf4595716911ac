// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which of its parent's tables a forked child gets.  Of mappings that faults could not
 * fill again it gets all tables, including empty ones.  Of other mappings it gets none.
 * Source: mm/memory.c, copy_page_range() and vma_needs_copy() (5.10 to 7.2).
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fixtures/layout.h"

static pid_t build_anon(const struct shape *s)
{
	live_map_small(s->start, s->bytes);
	live_touch(s->start, s->start + s->bytes);
	return live_fork(0, 0);
}

LAYOUT(anon, build_anon, expect_dense,
       SHAPE(.start = FAR + HUGE - PAGE, .bytes = 5 * MIB));

static pid_t build_prot_none(const struct shape *s)
{
	live_map_small(s->start, s->bytes);
	live_touch(s->start, s->start + s->bytes);
	live_must(mprotect((void *)s->start, s->bytes, PROT_NONE));
	return live_fork(0, 0);
}

LAYOUT(anon_prot_none, build_prot_none, expect_dense,
       SHAPE(.start = FAR + HUGE - PAGE, .bytes = 5 * MIB));

static pid_t build_emptied(const struct shape *s)
{
	live_map_small(s->start, s->bytes);
	live_touch(s->start, s->start + s->bytes);
	for (uint64_t at = s->start; at < s->start + s->bytes; at += PAGE)
		live_must(madvise((void *)at, PAGE, MADV_DONTNEED));
	return live_fork(0, 0);
}

LAYOUT(anon_emptied, build_emptied, expect_all_empty,
       SHAPE(.start = FAR, .bytes = 3 * HUGE));

/*
 * Read all pages, which maps the zero page.  Without a write there is no anon_vma, and
 * fork() copies no table.  With .stride != 0 one page there is written.
 */
static pid_t build_read(const struct shape *s)
{
	live_map_small(s->start, s->bytes);
	for (uint64_t at = s->start; at < s->start + s->bytes; at += PAGE)
		live_must_be(!*(volatile char *)at, "zeroes");
	if (s->stride)
		live_touch(s->start + s->stride, s->start + s->stride + PAGE);
	return live_fork(0, 0);
}

LAYOUT(anon_only_read, build_read, expect_nothing,
       SHAPE(.start = FAR + GIB, .bytes = 3 * HUGE));

LAYOUT(anon_read_and_a_page_written, build_read, expect_dense,
       SHAPE(.start = FAR + GIB, .bytes = 3 * HUGE, .stride = HUGE + 3 * PAGE));

/* Touch all huge pages.  If .nr is 1, only read, which maps the huge zero page. */
static pid_t build_huge(const struct shape *s)
{
	live_must(live_set(THP "enabled", "madvise"));
	live_must(live_set(THP "use_zero_page", "1"));
	live_must(madvise(live_map(s->start, s->bytes, 0), s->bytes,
			  MADV_HUGEPAGE));
	if (s->nr)
		for (uint64_t at = s->start; at < s->start + s->bytes;
		     at += HUGE)
			live_must_be(!*(volatile char *)at, "zeroes");
	else
		live_touch(s->start, s->start + s->bytes);
	live_must_be(live_smaps_kib(getpid(), "AnonHugePages", s->start,
				    s->start + s->bytes) ==
			     (s->nr ? 0 : s->bytes / KIB),
		     "AnonHugePages");
	return live_fork(0, 0);
}

static void expect_huge(struct expect *e, const struct shape *s)
{
	expect_leaves(e, s->start, s->start + s->bytes, true);
}

LAYOUT(thp, build_huge, expect_huge,
       SHAPE(.start = FAR + GIB - HUGE, .bytes = 4 * HUGE));

LAYOUT(huge_zero_page, build_huge, expect_huge,
       SHAPE(.start = FAR + GIB - HUGE, .bytes = 4 * HUGE, .nr = 1));

/* Install guards on the first .nr pages, and touch one page per .stride after them. */
static pid_t build_guard(const struct shape *s)
{
	uint64_t behind = s->start + s->nr * PAGE;

	live_map_small(s->start, s->bytes);
	live_must(madvise((void *)s->start, s->nr * PAGE, MADV_GUARD_INSTALL));
	if (s->stride)
		live_touch_each(behind, s->start + s->bytes, s->stride);
	return live_fork(0, 0);
}

static void expect_guard(struct expect *e, const struct shape *s)
{
	uint64_t page = s->start + s->nr * PAGE;

	expect_entries(e, s->start, page,
		       offsetof(struct ptaudit_table, guard));
	for (; s->stride && page < s->start + s->bytes; page += s->stride)
		expect_pages(e, page, page + PAGE);
}

LAYOUT(guards_alone, build_guard, expect_guard,
       SHAPE(.start = FAR + 5 * PAGE, .bytes = 4 * HUGE, .nr = 700),
       .missing = missing_guard);

LAYOUT(guards_beside_pages, build_guard, expect_guard,
       SHAPE(.start = FAR + GIB - 5 * PAGE, .bytes = 4 * HUGE, .nr = 700,
	     .stride = 5 * PAGE),
       .missing = missing_guard);

static pid_t build_shmem(const struct shape *s)
{
	live_map_small_memfd(s->start, s->bytes, MAP_SHARED);
	live_touch(s->start, s->start + s->bytes);
	return live_fork(0, 0);
}

LAYOUT(shmem, build_shmem, expect_nothing,
       SHAPE(.start = FAR, .bytes = 3 * HUGE));

/*
 * Read all of a private file mapping.  With .stride != 0 the page there is copied by a
 * write, and the VMA then has an anon_vma.
 */
static pid_t build_private_file(const struct shape *s)
{
	live_map_small_memfd(s->start, s->bytes, MAP_PRIVATE);
	for (uint64_t at = s->start; at < s->start + s->bytes; at += PAGE)
		live_must_be(!*(volatile char *)at, "zeroes");
	if (s->stride)
		live_touch(s->start + s->stride, s->start + s->stride + PAGE);
	return live_fork(0, 0);
}

LAYOUT(private_file_only_read, build_private_file, expect_nothing,
       SHAPE(.start = FAR + 3 * GIB - MIB, .bytes = 2 * HUGE));

LAYOUT(private_file_with_a_copied_page, build_private_file, expect_dense,
       SHAPE(.start = FAR + 3 * GIB - MIB, .bytes = 2 * HUGE, .stride = HUGE));

static void shmem_small_again(void)
{
	live_set(THP "shmem_enabled", "never");
}

/*
 * A huge page of a file below one PMD table, and a page copied by a write below the next
 * one. The child gets both PMD tables, but not the leaf, which a fault would make again.
 * Source: mm/huge_memory.c, copy_huge_pmd() (5.10 to 7.2).
 */
static pid_t build_file_leaf(const struct shape *s)
{
	uint64_t elsewhere = s->start + 2 * TIB;
	int fd;

	live_must(live_set(THP "shmem_enabled", "advise"));
	fd = live_map_memfd(elsewhere, 2 * HUGE, MAP_SHARED);
	live_must(madvise((void *)elsewhere, 2 * HUGE, MADV_HUGEPAGE));
	live_touch(elsewhere, elsewhere + HUGE);
	live_must(munmap((void *)elsewhere, 2 * HUGE));

	live_map_fd(s->start, 2 * HUGE, PROT_READ | PROT_WRITE, MAP_PRIVATE,
		    fd);
	live_must_be(*(volatile char *)s->start == 1,
		     "the content of the file");
	live_must_be(live_smaps_kib(getpid(), "ShmemPmdMapped", s->start,
				    s->start + 2 * HUGE) == HUGE / KIB,
		     "ShmemPmdMapped");
	live_no_huge((void *)s->start, 2 * HUGE);
	live_touch(s->start + HUGE, s->start + HUGE + PAGE);
	return live_fork(0, 0);
}

static void expect_file_leaf(struct expect *e, const struct shape *s)
{
	expect_table(e, PTAUDIT_PMD, s->start);
	e->empty[PTAUDIT_PMD] = 1;
	expect_pages(e, s->start + HUGE, s->start + HUGE + PAGE);
}

LAYOUT(private_file_with_a_huge_page, build_file_leaf, expect_file_leaf,
       SHAPE(.start = FAR + 3 * GIB - HUGE), .undo = shmem_small_again);

/* Give the advice for slots 0 and 1 and the adjacent halves of the next slots. */
static pid_t build_advised(const struct shape *s)
{
	live_map_small(s->start, 4 * HUGE);
	live_touch(s->start, s->start + 4 * HUGE);
	live_must(madvise((void *)(s->start + HUGE / 2), 3 * HUGE, s->flags));
	return live_fork(0, 0);
}

static void expect_advised(struct expect *e, const struct shape *s)
{
	expect_pages(e, s->start, s->start + HUGE / 2);
	expect_pages(e, s->start + 7 * HUGE / 2, s->start + 4 * HUGE);
}

LAYOUT(dontfork_in_the_middle, build_advised, expect_advised,
       SHAPE(.start = FAR, .flags = MADV_DONTFORK));

LAYOUT(wipeonfork_in_the_middle, build_advised, expect_advised,
       SHAPE(.start = FAR, .flags = MADV_WIPEONFORK));

static const char *missing_uffd(const struct shape *s)
{
	return live_uffd_missing((unsigned int)s->flags);
}

/* With UFFD_FEATURE_EVENT_FORK, fork() waits until a task reads the event. */
static void *read_events(void *fd)
{
	struct uffd_msg msg;

	while (read(*(int *)fd, &msg, sizeof(msg)) == sizeof(msg))
		;
	return NULL;
}

/* Touch one page per .stride in the first .nr slots, then write-protect everything. */
static pid_t build_protected(const struct shape *s)
{
	static int fd;
	pthread_t reader;

	if (s->flags & UFFD_FEATURE_WP_UNPOPULATED)
		live_map_small(s->start, s->bytes);
	else
		live_map_small_memfd(s->start, s->bytes, MAP_SHARED);
	live_touch_each(s->start, s->start + s->nr * HUGE, s->stride);
	fd = live_uffd_wp((unsigned int)s->flags, s->start, s->bytes);
	if (s->flags & UFFD_FEATURE_EVENT_FORK)
		live_must(-pthread_create(&reader, NULL, read_events, &fd));
	return live_fork(0, 0);
}

/*
 * Without the fork event, fork() drops the markers.  The child's tables for places with
 * only markers are then empty.  With the event the child stays registered, and fork()
 * copies the markers.
 */
static void expect_no_markers(struct expect *e, const struct shape *s)
{
	uint64_t pages_end = s->start + s->nr * HUGE;

	for (uint64_t page = s->start; page < pages_end; page += s->stride)
		expect_pages(e, page, page + PAGE);
	expect_empty(e, pages_end, s->start + s->bytes);
}

LAYOUT(anon_uffd_wp, build_protected, expect_no_markers,
       SHAPE(.start = FAR + GIB - 3 * HUGE, .bytes = 5 * HUGE, .nr = 4,
	     .stride = 7 * PAGE, .flags = UFFD_FEATURE_WP_UNPOPULATED),
       .missing = missing_uffd);

LAYOUT(anon_uffd_wp_and_registered, build_protected, expect_uffd_markers,
       SHAPE(.start = FAR + GIB - 3 * HUGE, .bytes = 5 * HUGE, .nr = 2,
	     .stride = 7 * PAGE,
	     .flags = UFFD_FEATURE_WP_UNPOPULATED | UFFD_FEATURE_EVENT_FORK),
       .missing = missing_uffd);

LAYOUT(shmem_uffd_wp, build_protected, expect_nothing,
       SHAPE(.start = FAR + GIB - 3 * HUGE, .bytes = 5 * HUGE, .nr = 2,
	     .stride = 7 * PAGE, .flags = UFFD_FEATURE_WP_HUGETLBFS_SHMEM),
       .missing = missing_uffd);

LAYOUT(shmem_uffd_wp_and_registered, build_protected, expect_uffd_markers,
       SHAPE(.start = FAR + GIB - 3 * HUGE, .bytes = 5 * HUGE, .nr = 2,
	     .stride = 7 * PAGE,
	     .flags = UFFD_FEATURE_WP_HUGETLBFS_SHMEM |
		      UFFD_FEATURE_EVENT_FORK),
       .missing = missing_uffd);

static void expect_touched(struct expect *e, const struct shape *s)
{
	uint64_t end = s->start + s->nr * HUGE;

	for (uint64_t page = s->start; page < end; page += s->stride)
		expect_pages(e, page, page + PAGE);
}

/* Without the event, fork() copies no tables of shmem: the child's faults make them. */
LAYOUT(shmem_uffd_rwp, build_protected, expect_nothing,
       SHAPE(.start = FAR + GIB - 3 * HUGE, .bytes = 5 * HUGE, .nr = 2,
	     .stride = 7 * PAGE, .flags = UFFD_FEATURE_RWP),
       .missing = missing_uffd);

LAYOUT(shmem_uffd_rwp_and_registered, build_protected, expect_touched,
       SHAPE(.start = FAR + GIB - 3 * HUGE, .bytes = 5 * HUGE, .nr = 2,
	     .stride = 7 * PAGE,
	     .flags = UFFD_FEATURE_RWP | UFFD_FEATURE_EVENT_FORK),
       .missing = missing_uffd);

TEST_HARNESS_MAIN
