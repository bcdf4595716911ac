// SPDX-License-Identifier: GPL-2.0-only
/*
 * VM_PFNMAP mappings of base pages, which pagemap does not show.  They map the memory of
 * a PCI device without a driver: QEMU's pci-testdev.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fixtures/layout.h"

static const char *missing_bar(const struct shape *s)
{
	int fd = live_open_bar();

	if (fd < 0)
		return "pci-testdev";
	close(fd);
	return NULL;
}

/* mmap() fills the tables at once, by remap_pfn_range(). */
static void map_bar(uint64_t start, uint64_t bytes, int flags)
{
	int fd = live_open_bar();

	live_must(fd);
	live_map_fd(start, bytes,
		    flags & MAP_PRIVATE ? PROT_READ : PROT_READ | PROT_WRITE,
		    flags, fd);
	close(fd);
}

static pid_t build_bar(const struct shape *s)
{
	map_bar(s->start, s->bytes, s->flags);
	return 0;
}

static void expect_bar(struct expect *e, const struct shape *s)
{
	expect_pfnmap(e, s->start, s->start + s->bytes);
}

LAYOUT(pfnmap_one_page, build_bar, expect_bar,
       SHAPE(.start = FAR + 5 * GIB + 7 * PAGE, .bytes = PAGE,
	     .flags = MAP_SHARED),
       .missing = missing_bar);

LAYOUT(pfnmap_whole_tables, build_bar, expect_bar,
       SHAPE(.start = FAR, .bytes = BAR_BYTES, .flags = MAP_SHARED),
       .missing = missing_bar);

LAYOUT(pfnmap_across_512g_edge, build_bar, expect_bar,
       SHAPE(.start = FAR + 512 * GIB - 3 * HUGE - 5 * PAGE,
	     .bytes = BAR_BYTES - 9 * PAGE, .flags = MAP_SHARED),
       .missing = missing_bar);

LAYOUT(pfnmap_private, build_bar, expect_bar,
       SHAPE(.start = FAR + GIB - MIB, .bytes = 3 * MIB, .flags = MAP_PRIVATE),
       .missing = missing_bar);

/* The first table also maps .nr ordinary pages below, the last one .nr above. */
static pid_t build_among_pages(const struct shape *s)
{
	uint64_t end = s->start + s->bytes;

	live_map_small(s->start - s->nr * PAGE, s->nr * PAGE);
	live_map_small(end, s->nr * PAGE);
	live_touch(s->start - s->nr * PAGE, s->start);
	live_touch(end, end + s->nr * PAGE);
	map_bar(s->start, s->bytes, s->flags);
	return 0;
}

static void expect_among_pages(struct expect *e, const struct shape *s)
{
	uint64_t end = s->start + s->bytes;

	expect_pages(e, s->start - s->nr * PAGE, s->start);
	expect_bar(e, s);
	expect_pages(e, end, end + s->nr * PAGE);
}

LAYOUT(pfnmap_among_pages, build_among_pages, expect_among_pages,
       SHAPE(.start = FAR + GIB - 9 * PAGE, .bytes = 5 * HUGE + 50 * PAGE,
	     .nr = 100, .flags = MAP_SHARED),
       .missing = missing_bar);

LAYOUT(pfnmap_among_pages_of_one_table, build_among_pages, expect_among_pages,
       SHAPE(.start = FAR + GIB + 200 * PAGE, .bytes = 8 * PAGE, .nr = 100,
	     .flags = MAP_SHARED),
       .missing = missing_bar);

/* An untouched neighbour keeps the tables above the unmapped part alive. */
static pid_t build_part_unmapped(const struct shape *s)
{
	uint64_t middle = s->start + s->nr * PAGE;

	live_map_small(s->start + s->bytes, PAGE);
	map_bar(s->start, s->bytes, s->flags);
	live_must(munmap((void *)middle, s->start + s->bytes - middle));
	return 0;
}

static void expect_part_unmapped(struct expect *e, const struct shape *s)
{
	uint64_t end = s->start + s->bytes;

	expect_pfnmap(e, s->start, s->start + s->nr * PAGE);
	expect_empty(e, end, end + PAGE);
}

LAYOUT(pfnmap_unmapped_in_part, build_part_unmapped, expect_part_unmapped,
       SHAPE(.start = FAR + HUGE - 3 * PAGE, .bytes = 4 * HUGE, .nr = 700,
	     .flags = MAP_SHARED),
       .missing = missing_bar);

static pid_t build_prot_none(const struct shape *s)
{
	build_bar(s);
	live_must(mprotect((void *)s->start, s->bytes, PROT_NONE));
	return 0;
}

LAYOUT(pfnmap_prot_none, build_prot_none, expect_bar,
       SHAPE(.start = FAR + HUGE - 3 * PAGE, .bytes = 4 * HUGE,
	     .flags = MAP_SHARED),
       .missing = missing_bar);

static pid_t build_moved(const struct shape *s)
{
	uint64_t from = s->start + s->stride;

	map_bar(from, s->bytes, s->flags);
	live_must_be(mremap((void *)from, s->bytes, s->bytes,
			    MREMAP_MAYMOVE | MREMAP_FIXED,
			    s->start) == (void *)s->start,
		     "mremap");
	return 0;
}

LAYOUT(pfnmap_moved, build_moved, expect_bar,
       SHAPE(.start = FAR + HUGE, .bytes = 4 * HUGE + PAGE, .stride = 20 * GIB,
	     .flags = MAP_SHARED),
       .missing = missing_bar);

static pid_t build_forked(const struct shape *s)
{
	build_bar(s);
	return live_fork(0, 0);
}

LAYOUT(pfnmap_of_a_forked_child, build_forked, expect_bar,
       SHAPE(.start = FAR + HUGE - 3 * PAGE, .bytes = 4 * HUGE,
	     .flags = MAP_SHARED),
       .missing = missing_bar);

/* Many small mappings in few tables. */
static pid_t build_many(const struct shape *s)
{
	for (unsigned int i = 0; i < s->nr; i++)
		map_bar(s->start + i * s->stride, s->bytes, s->flags);
	return 0;
}

static void expect_many(struct expect *e, const struct shape *s)
{
	for (unsigned int i = 0; i < s->nr; i++)
		expect_pfnmap(e, s->start + i * s->stride,
			      s->start + i * s->stride + s->bytes);
}

LAYOUT(pfnmap_many_vmas_a_table, build_many, expect_many,
       SHAPE(.start = FAR + GIB - 100 * PAGE, .bytes = 2 * PAGE,
	     .stride = 5 * PAGE, .nr = 300, .flags = MAP_SHARED),
       .missing = missing_bar);

static const char *missing_hpet(const struct shape *s)
{
	int fd = open("/dev/hpet", O_RDONLY);
	void *got = mmap(NULL, s->bytes, PROT_READ, MAP_SHARED, fd, 0);

	if (fd >= 0)
		close(fd);
	if (got == MAP_FAILED)
		return "/dev/hpet";
	munmap(got, s->bytes);
	return NULL;
}

/* Memory that a driver maps: the registers of the HPET timer. */
static pid_t build_hpet(const struct shape *s)
{
	int fd = open("/dev/hpet", O_RDONLY);

	live_must(fd);
	live_map_fd(s->start, s->bytes, PROT_READ, s->flags, fd);
	return 0;
}

LAYOUT(pfnmap_of_a_driver, build_hpet, expect_bar,
       SHAPE(.start = FAR + 7 * GIB + 511 * PAGE, .bytes = PAGE,
	     .flags = MAP_SHARED),
       .missing = missing_hpet);

TEST_HARNESS_MAIN
