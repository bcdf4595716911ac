// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory that is write-protected through userfaultfd: the markers that replace missing
 * pages, and what removes them.
 */
#define _GNU_SOURCE
#include <linux/userfaultfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fixtures/layout.h"

/* Source: include/uapi/linux/userfaultfd.h (5.19, 6.4, 6.7) */
#ifndef UFFD_FEATURE_WP_HUGETLBFS_SHMEM
#define UFFD_FEATURE_WP_HUGETLBFS_SHMEM (1 << 12)
#endif
#ifndef UFFD_FEATURE_WP_UNPOPULATED
#define UFFD_FEATURE_WP_UNPOPULATED (1 << 13)
#endif
#ifndef UFFD_FEATURE_WP_ASYNC
#define UFFD_FEATURE_WP_ASYNC (1 << 15)
#endif

static int uffd;

static const char *missing(const struct shape *s)
{
	static const struct {
		int feature;
		const char *name;
	} names[] = {
		{ UFFD_FEATURE_WP_HUGETLBFS_SHMEM,
		  "UFFD_FEATURE_WP_HUGETLBFS_SHMEM" },
		{ UFFD_FEATURE_WP_UNPOPULATED, "UFFD_FEATURE_WP_UNPOPULATED" },
		{ UFFD_FEATURE_WP_ASYNC, "UFFD_FEATURE_WP_ASYNC" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		int fd = live_uffd((unsigned int)(s->flags & names[i].feature));

		if (fd < 0)
			return names[i].name;
		close(fd);
	}
	return NULL;
}

/* Touch one page per .stride in the first .nr slots, then protect everything. */
static int protect(const struct shape *s)
{
	int fd = -1;

	if (s->flags & UFFD_FEATURE_WP_HUGETLBFS_SHMEM)
		fd = live_map_small_memfd(s->start, s->bytes, MAP_SHARED);
	else
		live_map_small(s->start, s->bytes);
	live_touch_each(s->start, s->start + s->nr * HUGE, s->stride);
	uffd = live_uffd(UFFD_FEATURE_PAGEFAULT_FLAG_WP |
			 (unsigned int)s->flags);
	live_uffd_register(uffd, s->start, s->bytes, UFFDIO_REGISTER_MODE_WP);
	live_uffd_protect(uffd, s->start, s->bytes, true);
	return fd;
}

static pid_t build_protected(const struct shape *s)
{
	protect(s);
	return 0;
}

/* Without a feature, present pages stay present and no markers are made. */
static void expect_protected(struct expect *e, const struct shape *s)
{
	uint64_t end = s->start + s->nr * HUGE;

	for (uint64_t page = s->start; page < end; page += s->stride)
		expect_pages(e, page, page + PAGE);
}

FIXTURE_VARIANT_ADD(layout, uffd_wp_populated){
	.shape = { .start = FAR, .bytes = 4 * HUGE, .stride = PAGE, .nr = 4 },
	.build = build_protected,
	.expect = expect_protected,
};

FIXTURE_VARIANT_ADD(layout, uffd_wp_partly_populated){
	.shape = { .start = FAR + GIB - 2 * HUGE,
		   .bytes = 36 * HUGE,
		   .stride = 4 * PAGE,
		   .nr = 4 },
	.build = build_protected,
	.expect = expect_protected,
};

FIXTURE_VARIANT_ADD(layout, uffd_wp_never_populated){
	.shape = { .start = FAR, .bytes = 36 * HUGE, .stride = PAGE },
	.build = build_protected,
	.expect = expect_protected,
};

/* With a feature, each empty entry becomes a marker, and needs a table. */
static void expect_markers(struct expect *e, const struct shape *s)
{
	uint64_t end = s->start + s->bytes;

	for (uint64_t page = s->start; page < end; page += PAGE)
		if (page < s->start + s->nr * HUGE &&
		    (page - s->start) % s->stride == 0)
			expect_pages(e, page, page + PAGE);
		else
			expect_entries(e, page, page + PAGE,
				       offsetof(struct ptaudit_table, uffd_wp));
}

FIXTURE_VARIANT_ADD(layout, uffd_wp_markers){
	.shape = { .start = FAR + GIB - 3 * HUGE - 7 * PAGE,
		   .bytes = 9 * HUGE,
		   .stride = 4 * PAGE,
		   .nr = 2,
		   .flags = UFFD_FEATURE_WP_UNPOPULATED },
	.missing = missing,
	.build = build_protected,
	.expect = expect_markers,
};

FIXTURE_VARIANT_ADD(layout, uffd_wp_markers_of_a_file){
	.shape = { .start = FAR + 3 * HUGE,
		   .bytes = 9 * HUGE,
		   .stride = 16 * PAGE,
		   .nr = 2,
		   .flags = UFFD_FEATURE_WP_HUGETLBFS_SHMEM },
	.missing = missing,
	.build = build_protected,
	.expect = expect_markers,
};

FIXTURE_VARIANT_ADD(layout, shmem_wp_populated){
	.shape = { .start = FAR,
		   .bytes = 3 * HUGE,
		   .nr = 3,
		   .stride = PAGE,
		   .flags = UFFD_FEATURE_WP_HUGETLBFS_SHMEM },
	.missing = missing,
	.build = build_protected,
	.expect = expect_markers,
};

FIXTURE_VARIANT_ADD(layout, shmem_wp_partly_populated){
	.shape = { .start = FAR + GIB - 3 * HUGE - 7 * PAGE,
		   .bytes = 5 * HUGE,
		   .nr = 2,
		   .stride = 3 * PAGE,
		   .flags = UFFD_FEATURE_WP_HUGETLBFS_SHMEM },
	.missing = missing,
	.build = build_protected,
	.expect = expect_markers,
};

FIXTURE_VARIANT_ADD(layout, shmem_wp_never_populated){
	.shape = { .start = FAR + GIB - 3 * HUGE - 7 * PAGE,
		   .bytes = 5 * HUGE,
		   .stride = PAGE,
		   .flags = UFFD_FEATURE_WP_HUGETLBFS_SHMEM },
	.missing = missing,
	.build = build_protected,
	.expect = expect_markers,
};

/* WP_ASYNC sends no event on a write: a protected page counts as not written. */
FIXTURE_VARIANT_ADD(layout, anon_wp_async){
	.shape = { .start = FAR + GIB - 3 * HUGE - 7 * PAGE,
		   .bytes = 5 * HUGE,
		   .nr = 2,
		   .stride = 3 * PAGE,
		   .flags = UFFD_FEATURE_WP_UNPOPULATED |
			    UFFD_FEATURE_WP_ASYNC },
	.missing = missing,
	.build = build_protected,
	.expect = expect_markers,
};

/* Removing the protection removes the markers; their tables stay. */
static pid_t build_released(const struct shape *s)
{
	protect(s);
	live_uffd_protect(uffd, s->start, s->bytes, false);
	return 0;
}

static void expect_released(struct expect *e, const struct shape *s)
{
	uint64_t end = s->start + s->nr * HUGE;

	for (uint64_t page = s->start; page < end; page += s->stride)
		expect_pages(e, page, page + PAGE);
	expect_empty(e, end, s->start + s->bytes);
	if (!s->nr)
		expect_all_hollow(e);
}

FIXTURE_VARIANT_ADD(layout, shmem_wp_released){
	.shape = { .start = FAR,
		   .bytes = 5 * HUGE,
		   .nr = 2,
		   .stride = 3 * PAGE,
		   .flags = UFFD_FEATURE_WP_HUGETLBFS_SHMEM },
	.missing = missing,
	.build = build_released,
	.expect = expect_released,
};

FIXTURE_VARIANT_ADD(layout, anon_wp_released){
	.shape = { .start = FAR,
		   .bytes = 3 * HUGE,
		   .stride = PAGE,
		   .flags = UFFD_FEATURE_WP_UNPOPULATED },
	.missing = missing,
	.build = build_released,
	.expect = expect_released,
};

/*
 * For files the protection outlives the page: a page that is released or truncated
 * leaves a marker.  Source: mm/memory.c, zap_install_uffd_wp_if_needed() (6.1 to 7.2).
 */
static pid_t build_given_back(const struct shape *s)
{
	protect(s);
	live_must(madvise((void *)s->start, s->bytes, MADV_DONTNEED));
	return 0;
}

static pid_t build_truncated(const struct shape *s)
{
	live_must(ftruncate(protect(s), 0));
	return 0;
}

static void expect_only_markers(struct expect *e, const struct shape *s)
{
	expect_entries(e, s->start, s->start + s->bytes,
		       offsetof(struct ptaudit_table, uffd_wp));
}

FIXTURE_VARIANT_ADD(layout, shmem_wp_given_back){
	.shape = { .start = FAR,
		   .bytes = 4 * HUGE,
		   .nr = 2,
		   .stride = PAGE,
		   .flags = UFFD_FEATURE_WP_HUGETLBFS_SHMEM },
	.missing = missing,
	.build = build_given_back,
	.expect = expect_only_markers,
};

FIXTURE_VARIANT_ADD(layout, shmem_wp_truncated){
	.shape = { .start = FAR,
		   .bytes = 4 * HUGE,
		   .nr = 2,
		   .stride = PAGE,
		   .flags = UFFD_FEATURE_WP_HUGETLBFS_SHMEM },
	.missing = missing,
	.build = build_truncated,
	.expect = expect_only_markers,
};

TEST_HARNESS_MAIN
