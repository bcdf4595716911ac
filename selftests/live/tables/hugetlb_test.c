// SPDX-License-Identifier: GPL-2.0-only
/* hugetlb pages of 2 MiB: leaves without deposited tables. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fixtures/layout.h"

#define POOL "/sys/kernel/mm/hugepages/hugepages-2048kB/"

static unsigned int pool_pages(const char *file)
{
	char text[16];

	return (unsigned int)atoi(live_file(file, text, sizeof(text)));
}

static void set_pool(const char *nr)
{
	live_must(live_set(POOL "nr_hugepages", nr));
	live_must_be(pool_pages(POOL "nr_hugepages") == (unsigned int)atoi(nr),
		     "nr_hugepages");
}

static void map_hugetlb(const struct shape *s)
{
	set_pool("32");
	live_map_fd(s->start, s->bytes, PROT_READ | PROT_WRITE,
		    s->flags | MAP_ANONYMOUS | MAP_HUGETLB | MAP_NORESERVE, -1);
}

/* Touch the first .nr pages. */
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

LAYOUT(hugetlb_private, build_hugetlb, expect_hugetlb,
       SHAPE(.start = FAR + 2 * GIB, .bytes = 8 * HUGE, .nr = 5,
	     .flags = MAP_PRIVATE));

LAYOUT(hugetlb_shared, build_hugetlb, expect_hugetlb,
       SHAPE(.start = FAR + 2 * GIB, .bytes = 8 * HUGE, .nr = 5,
	     .flags = MAP_SHARED));

LAYOUT(hugetlb_across_1g_edge, build_hugetlb, expect_hugetlb,
       SHAPE(.start = FAR + GIB - 3 * HUGE, .bytes = 8 * HUGE, .nr = 8,
	     .flags = MAP_PRIVATE));

static pid_t build_prot_none(const struct shape *s)
{
	build_hugetlb(s);
	live_must(mprotect((void *)s->start, s->bytes, PROT_NONE));
	return 0;
}

LAYOUT(hugetlb_prot_none, build_prot_none, expect_hugetlb,
       SHAPE(.start = FAR, .bytes = 8 * HUGE, .nr = 6, .flags = MAP_PRIVATE));

/* Unmap all but the first .nr pages. */
static pid_t build_unmapped_tail(const struct shape *s)
{
	build_hugetlb(s);
	live_touch(s->start, s->start + s->bytes);
	live_must(munmap((void *)(s->start + s->nr * HUGE),
			 s->bytes - s->nr * HUGE));
	return 0;
}

LAYOUT(hugetlb_tail_unmapped, build_unmapped_tail, expect_hugetlb,
       SHAPE(.start = FAR, .bytes = 10 * HUGE, .nr = 6, .flags = MAP_PRIVATE));

/* Two processes that map the same GiB completely share one PMD table. */
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

LAYOUT(hugetlb_table_of_two_processes, build_shared_table, expect_shared_table,
       SHAPE(.start = FAR + 8 * GIB, .bytes = GIB, .nr = 3,
	     .flags = MAP_SHARED));

/*
 * The tables that a child gets at fork(), and by touching .stride bytes itself.  The
 * parent had touched .nr pages.
 */
static pid_t build_fork(const struct shape *s)
{
	unsigned int nr_free;
	pid_t pid;

	build_hugetlb(s);
	nr_free = pool_pages(POOL "free_hugepages");
	pid = live_fork(s->start, s->start + s->stride);
	/* private mapping: each write in the child copies a page */
	if (s->flags & MAP_PRIVATE)
		nr_free -= s->stride / HUGE;
	live_must_be(pool_pages(POOL "free_hugepages") == nr_free,
		     "free_hugepages");
	return pid;
}

LAYOUT(hugetlb_private_after_fork, build_fork, expect_hugetlb,
       SHAPE(.start = FAR + 2 * GIB, .bytes = 8 * HUGE, .nr = 5,
	     .flags = MAP_PRIVATE));

LAYOUT(hugetlb_copied_on_write, build_fork, expect_hugetlb,
       SHAPE(.start = FAR + 2 * GIB, .bytes = 8 * HUGE, .nr = 5,
	     .stride = 3 * HUGE, .flags = MAP_PRIVATE));

/*
 * copy_page_range() of 5.10 copies all of hugetlb.  vma_needs_copy() of 6.1 to 7.2 leaves
 * shared mappings to faults.  Source: mm/memory.c.
 */
static void expect_fork_shared(struct expect *e, const struct shape *s)
{
	struct ptaudit_table *table;

	e->flags = PTAUDIT_T_HUGETLB;
	expect_leaves(e, s->start,
		      s->start + (live_system()->version < 6000 ? s->nr * HUGE :
								  s->stride),
		      false);
	table = expect_table(e, PTAUDIT_PMD, s->start);
	table->sharers = s->bytes == GIB;
}

static void expect_fork_untouched(struct expect *e, const struct shape *s)
{
	if (live_system()->version < 6000)
		expect_fork_shared(e, s);
}

LAYOUT(hugetlb_shared_after_fork, build_fork, expect_fork_untouched,
       SHAPE(.start = FAR + 2 * GIB, .bytes = 8 * HUGE, .nr = 5,
	     .flags = MAP_SHARED));

LAYOUT(hugetlb_shared_after_fork_and_touched, build_fork, expect_fork_shared,
       SHAPE(.start = FAR + 2 * GIB, .bytes = 8 * HUGE, .nr = 5,
	     .stride = 2 * HUGE, .flags = MAP_SHARED));

LAYOUT(hugetlb_whole_gib_after_fork, build_fork, expect_fork_untouched,
       SHAPE(.start = FAR + 2 * GIB, .bytes = GIB, .nr = 3,
	     .flags = MAP_SHARED));

static void expect_one_empty_table(struct expect *e, const struct shape *s)
{
	e->flags = PTAUDIT_T_HUGETLB;
	expect_table(e, PTAUDIT_PMD, s->start);
	e->empty[PTAUDIT_PMD] = e->empty[PTAUDIT_PUD] = 1;
}

/*
 * The fault allocates the table before it looks for a page.  Source: mm/hugetlb.c,
 * hugetlb_fault() (5.10 to 7.2).
 */
static pid_t build_failed_fault(const struct shape *s)
{
	map_hugetlb(s);
	set_pool("0");
	live_must_be(!live_try_touch(s->start), "SIGBUS");
	return 0;
}

LAYOUT(hugetlb_private_without_page, build_failed_fault, expect_one_empty_table,
       SHAPE(.start = FAR + 3 * GIB, .bytes = 8 * HUGE, .flags = MAP_PRIVATE));

LAYOUT(hugetlb_shared_without_page, build_failed_fault, expect_one_empty_table,
       SHAPE(.start = FAR + 3 * GIB, .bytes = 8 * HUGE, .flags = MAP_SHARED));

static void map_file(const struct shape *s, int *fd)
{
	set_pool("32");
	*fd = memfd_create("hugetlb", MFD_HUGETLB);
	live_must(*fd);
	live_must(ftruncate(*fd, (off_t)s->bytes));
	live_map_fd(s->start, s->bytes, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_NORESERVE, *fd);
	live_touch(s->start, s->start + s->bytes);
}

/* Punch .nr pages out of the file, from the second page on.  The table stays. */
static pid_t build_punched(const struct shape *s)
{
	int fd;

	map_file(s, &fd);
	live_must(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			    HUGE, s->nr * HUGE));
	return 0;
}

static void expect_hole(struct expect *e, const struct shape *s)
{
	e->flags = PTAUDIT_T_HUGETLB;
	expect_leaves(e, s->start, s->start + HUGE, false);
	expect_leaves(e, s->start + (1 + s->nr) * HUGE, s->start + s->bytes,
		      false);
}

LAYOUT(hugetlb_hole_punched, build_punched, expect_hole,
       SHAPE(.start = FAR, .bytes = 8 * HUGE, .nr = 3));

static pid_t build_removed(const struct shape *s)
{
	int fd;

	map_file(s, &fd);
	live_must(madvise((void *)s->start, s->bytes, MADV_REMOVE));
	return 0;
}

LAYOUT(hugetlb_all_removed, build_removed, expect_one_empty_table,
       SHAPE(.start = FAR, .bytes = 8 * HUGE));

/* Before 5.18, madvise() refuses hugetlb.  Source: mm/madvise.c. */
static const char *missing_dontneed(const struct shape *s)
{
	return live_system()->version < 5018 ? "MADV_DONTNEED of hugetlb" :
					       NULL;
}

static pid_t build_dontneed(const struct shape *s)
{
	map_hugetlb(s);
	live_touch(s->start, s->start + s->bytes);
	live_must(madvise((void *)(s->start + HUGE), s->nr * HUGE,
			  MADV_DONTNEED));
	return 0;
}

LAYOUT(hugetlb_given_back, build_dontneed, expect_hole,
       SHAPE(.start = FAR, .bytes = 8 * HUGE, .nr = 3, .flags = MAP_PRIVATE),
       .missing = missing_dontneed);

/* Before 5.16, mremap() refuses hugetlb.  Source: mm/mremap.c. */
static const char *missing_mremap(const struct shape *s)
{
	return live_system()->version < 5016 ? "mremap() of hugetlb" : NULL;
}

/* Move the mapping up by .stride bytes, entry by entry. */
static pid_t build_moved(const struct shape *s)
{
	build_hugetlb(s);
	live_must_be(mremap((void *)s->start, s->bytes, s->bytes,
			    MREMAP_MAYMOVE | MREMAP_FIXED,
			    s->start + s->stride) ==
			     (void *)(s->start + s->stride),
		     "mremap()");
	return 0;
}

static void expect_moved(struct expect *e, const struct shape *s)
{
	uint64_t start = s->start + s->stride;

	e->flags = PTAUDIT_T_HUGETLB;
	expect_leaves(e, start, start + s->nr * HUGE, false);
}

LAYOUT(hugetlb_moved, build_moved, expect_moved,
       SHAPE(.start = FAR + GIB - 3 * HUGE, .bytes = 8 * HUGE,
	     .stride = 5 * GIB + 3 * HUGE, .nr = 6, .flags = MAP_PRIVATE),
       .missing = missing_mremap);

static const char *missing_markers(const struct shape *s)
{
	return live_uffd_missing(UFFD_FEATURE_WP_HUGETLBFS_SHMEM);
}

/* .nr pages are present, and the rest of .bytes has markers. */
static pid_t build_markers(const struct shape *s)
{
	build_hugetlb(s);
	live_uffd_wp(UFFD_FEATURE_WP_HUGETLBFS_SHMEM, s->start, s->bytes);
	return 0;
}

static void expect_markers(struct expect *e, const struct shape *s)
{
	unsigned int nr = s->bytes / HUGE - s->nr;
	struct ptaudit_table *table;

	e->flags = PTAUDIT_T_HUGETLB;
	expect_leaves(e, s->start, s->start + s->nr * HUGE, false);
	table = expect_table(e, PTAUDIT_PMD, s->start);
	table->used += nr;
	table->uffd_wp += nr;
}

LAYOUT(hugetlb_uffd_wp_markers, build_markers, expect_markers,
       SHAPE(.start = FAR + 7 * GIB, .bytes = 8 * HUGE, .nr = 1,
	     .flags = MAP_SHARED),
       .missing = missing_markers);

static const char *missing_rwp(const struct shape *s)
{
	return live_uffd_missing(UFFD_FEATURE_RWP);
}

static pid_t build_rwp(const struct shape *s)
{
	build_hugetlb(s);
	live_uffd_wp(UFFD_FEATURE_RWP, s->start, s->bytes);
	return 0;
}

LAYOUT(hugetlb_uffd_rwp, build_rwp, expect_hugetlb,
       SHAPE(.start = FAR + 7 * GIB, .bytes = 8 * HUGE, .nr = 3,
	     .flags = MAP_SHARED),
       .missing = missing_rwp);

TEST_HARNESS_MAIN
