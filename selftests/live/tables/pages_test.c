// SPDX-License-Identifier: GPL-2.0-only
/* Base pages of anonymous memory: dense, sparse, released, moved. */
#define _GNU_SOURCE
#include <sys/mman.h>

#include "fixtures/layout.h"

static pid_t build_dense(const struct shape *s)
{
	live_map_small(s->start, s->bytes);
	live_touch(s->start, s->start + s->bytes);
	return 0;
}

LAYOUT(dense_one_page, build_dense, expect_dense,
       SHAPE(.start = FAR + 5 * GIB + 7 * PAGE, .bytes = PAGE));

LAYOUT(dense_one_table, build_dense, expect_dense,
       SHAPE(.start = FAR, .bytes = HUGE));

LAYOUT(dense_across_2m_edge, build_dense, expect_dense,
       SHAPE(.start = FAR + HUGE - PAGE, .bytes = 2 * PAGE));

LAYOUT(dense_across_1g_edge, build_dense, expect_dense,
       SHAPE(.start = FAR + GIB - 3 * MIB, .bytes = 8 * MIB));

LAYOUT(dense_across_512g_edge, build_dense, expect_dense,
       SHAPE(.start = FAR + 512 * GIB - PAGE, .bytes = 2 * PAGE));

LAYOUT(dense_100m, build_dense, expect_dense,
       SHAPE(.start = FAR + 12345 * PAGE, .bytes = 100 * MIB + 13 * PAGE));

static pid_t build_sparse(const struct shape *s)
{
	live_map_small(s->start, s->nr * s->stride);
	for (unsigned int i = 0; i < s->nr; i++)
		live_touch(s->start + i * s->stride,
			   s->start + i * s->stride + PAGE);
	return 0;
}

static void expect_sparse(struct expect *e, const struct shape *s)
{
	for (unsigned int i = 0; i < s->nr; i++)
		expect_pages(e, s->start + i * s->stride,
			     s->start + i * s->stride + PAGE);
}

LAYOUT(sparse_one_page_each_2m, build_sparse, expect_sparse,
       SHAPE(.start = FAR, .stride = HUGE, .nr = 1500));

LAYOUT(sparse_one_page_each_1g, build_sparse, expect_sparse,
       SHAPE(.start = FAR, .stride = GIB, .nr = 40));

/* The mappings are separate, so that no reader has to scan the space between them. */
static pid_t build_islands(const struct shape *s)
{
	for (unsigned int i = 0; i < s->nr; i++) {
		uint64_t start = s->start + i * s->stride;

		live_map_small(start, s->bytes);
		live_touch(start, start + PAGE);
	}
	return 0;
}

LAYOUT(islands_one_page_each_512g, build_islands, expect_sparse,
       SHAPE(.start = FAR, .bytes = HUGE, .stride = 512 * GIB, .nr = 30),
       .region_start = FAR, .region_end = FAR + 16 * TIB);

/* Many VMAs per PTE table: each table must be counted once. */
LAYOUT(islands_many_vmas_a_table, build_islands, expect_sparse,
       SHAPE(.start = FAR + HUGE - 16 * PAGE, .bytes = PAGE, .stride = 3 * PAGE,
	     .nr = 700));

/*
 * A large reservation of which almost nothing is used.  An emulated CPU needs 3 minutes to
 * read the pagemap of 16 TiB.  The smaller variant is for kernels on which the tool has to
 * read pagemap.
 */
static pid_t build_sparse_reserved(const struct shape *s)
{
	live_map_small(s->start, s->bytes);
	for (unsigned int i = 0; i < s->nr; i++)
		live_touch(s->start + i * s->stride,
			   s->start + i * s->stride + PAGE);
	return 0;
}

LAYOUT(reservation_16t, build_sparse_reserved, expect_sparse,
       SHAPE(.start = FAR, .bytes = 16 * TIB, .nr = 5,
	     .stride = 3 * TIB + 77 * GIB + 5 * PAGE),
       .region_start = FAR, .region_end = FAR + 16 * TIB,
       .needs_pagemap_scan = true);

LAYOUT(reservation_960g, build_sparse_reserved, expect_sparse,
       SHAPE(.start = FAR, .bytes = 960 * GIB, .nr = 5,
	     .stride = 203 * GIB + 5 * PAGE));

/* Empty the tables page by page, so that no kernel notices that a table is empty. */
static pid_t build_emptied(const struct shape *s)
{
	for (unsigned int i = 0; i < s->nr; i++) {
		uint64_t page = s->start + i * HUGE + i % 512 * PAGE;

		if (!i)
			live_map_small(s->start, s->nr * HUGE);
		live_touch(page, page + PAGE);
		live_must(madvise((void *)page, PAGE, MADV_DONTNEED));
	}
	return 0;
}

static void expect_emptied(struct expect *e, const struct shape *s)
{
	expect_empty(e, s->start, s->start + s->nr * HUGE);
	/* upper tables above nothing but empty tables are hollow */
	e->empty[PTAUDIT_PMD] = (s->nr * HUGE + GIB - 1) / GIB;
	e->empty[PTAUDIT_PUD] = 1;
}

LAYOUT(emptied_one_table, build_emptied, expect_emptied,
       SHAPE(.start = FAR, .nr = 1));

LAYOUT(emptied_4000_tables, build_emptied, expect_emptied,
       SHAPE(.start = FAR, .nr = 4000));

/* Empty one table of every two, and leave one page in the other. */
static pid_t build_partly_emptied(const struct shape *s)
{
	live_map_small(s->start, s->nr * HUGE);
	live_touch(s->start, s->start + s->nr * HUGE);
	for (uint64_t at = s->start; at < s->start + s->nr * HUGE; at += PAGE)
		if (at % (2 * HUGE) != 3 * PAGE)
			live_must(madvise((void *)at, PAGE, MADV_DONTNEED));
	return 0;
}

static void expect_partly_emptied(struct expect *e, const struct shape *s)
{
	for (uint64_t at = s->start; at < s->start + s->nr * HUGE;
	     at += 2 * HUGE) {
		expect_pages(e, at + 3 * PAGE, at + 4 * PAGE);
		expect_empty(e, at + HUGE, at + 2 * HUGE);
	}
}

LAYOUT(dense_partly_given_back, build_partly_emptied, expect_partly_emptied,
       SHAPE(.start = FAR + 7 * GIB, .nr = 20));

static pid_t build_prot_none(const struct shape *s)
{
	build_dense(s);
	live_must(mprotect((void *)s->start, s->bytes, PROT_NONE));
	return 0;
}

LAYOUT(prot_none_keeps_its_pages, build_prot_none, expect_dense,
       SHAPE(.start = FAR + 17 * PAGE, .bytes = 5 * MIB));

/*
 * Move the middle 4 of 8 MiB by an odd number of pages.  At the old place, the table
 * that no neighbour needs is freed, and those of the neighbours stay.
 */
static pid_t build_mremap(const struct shape *s)
{
	uint64_t to = s->start + 64 * MIB + 5 * PAGE;

	live_map_small(s->start, 8 * MIB);
	live_touch(s->start, s->start + 8 * MIB);
	live_must_be(mremap((void *)(s->start + MIB), 4 * MIB, 4 * MIB,
			    MREMAP_MAYMOVE | MREMAP_FIXED, to) == (void *)to,
		     "mremap");
	return 0;
}

static void expect_mremap(struct expect *e, const struct shape *s)
{
	expect_pages(e, s->start, s->start + MIB);
	expect_pages(e, s->start + 5 * MIB, s->start + 8 * MIB);
	expect_pages(e, s->start + 64 * MIB + 5 * PAGE,
		     s->start + 68 * MIB + 5 * PAGE);
}

LAYOUT(mremap_unaligned, build_mremap, expect_mremap,
       SHAPE(.start = FAR + 3 * GIB));

/* Make the same hole with munmap(). */
static pid_t build_unmapped_middle(const struct shape *s)
{
	live_map_small(s->start, 8 * MIB);
	live_touch(s->start, s->start + 8 * MIB);
	live_must(munmap((void *)(s->start + MIB), 4 * MIB));
	return 0;
}

static void expect_unmapped_middle(struct expect *e, const struct shape *s)
{
	expect_pages(e, s->start, s->start + MIB);
	expect_pages(e, s->start + 5 * MIB, s->start + 8 * MIB);
}

LAYOUT(unmapped_middle, build_unmapped_middle, expect_unmapped_middle,
       SHAPE(.start = FAR + 3 * GIB));

/*
 * The unmapped memory has an untouched neighbour .stride above it.  Tables in the reach
 * of the neighbour stay, although it has no page.
 */
static pid_t build_neighbour(const struct shape *s)
{
	live_map_small(s->start + s->stride, PAGE);
	live_map_small(s->start, PAGE);
	live_touch(s->start, s->start + PAGE);
	live_must(munmap((void *)s->start, PAGE));
	return 0;
}

static void expect_neighbour(struct expect *e, const struct shape *s)
{
	unsigned int lowest = s->stride < HUGE ? PTAUDIT_PTE :
			      s->stride < GIB  ? PTAUDIT_PMD :
						 PTAUDIT_PUD;

	expect_table(e, lowest, s->start);
	for (; lowest <= PTAUDIT_PUD; lowest++)
		e->empty[lowest]++;
}

LAYOUT(neighbour_keeps_pte_table, build_neighbour, expect_neighbour,
       SHAPE(.start = FAR + 9 * GIB, .stride = MIB));

LAYOUT(neighbour_keeps_pmd_table, build_neighbour, expect_neighbour,
       SHAPE(.start = FAR + 9 * GIB, .stride = 100 * MIB));

LAYOUT(neighbour_keeps_pud_table, build_neighbour, expect_neighbour,
       SHAPE(.start = FAR + 9 * GIB, .stride = 20 * GIB));

TEST_HARNESS_MAIN
