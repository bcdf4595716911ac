// SPDX-License-Identifier: GPL-2.0-only
/*
 * `ptaudit cow` on private mappings that were built page by page.  The expected figures
 * come from what the builders do, never from pagemap.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include "fixtures/cow.h"

#define NR_HUGE "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages"
#define RANDOM_PAGES 2000

static uint64_t seed;

/* xorshift64*: builder and test compute the same numbers. */
static uint64_t next_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return (*state * 0x2545f4914f6cdd1dULL) >> 33;
}

static pid_t build_four_pages(const struct shape *s)
{
	map_file(s->start, 4);
	live_touch(s->start, s->start + PAGE);
	live_touch(s->start + 2 * PAGE, s->start + 3 * PAGE);
	read_page(s->start + 3 * PAGE);
	return become_nobody();
}

/* Each page is untouched, read, written, or first read and then written. */
static pid_t build_random(const struct shape *s)
{
	uint64_t state = seed;

	map_file(s->start, RANDOM_PAGES);
	for (uint64_t i = 0; i < RANDOM_PAGES; i++) {
		uint64_t what = next_random(&state) % 4;

		if (what & 1)
			read_page(s->start + i * PAGE);
		if (what & 2)
			live_touch(s->start + i * PAGE,
				   s->start + (i + 1) * PAGE);
	}
	return become_nobody();
}

/* Called before the builder starts. */
static struct figures expect_random(void)
{
	struct figures figures = { 0 };
	uint64_t state;

	seed = (uint64_t)time(NULL) * 2654435761u + (uint64_t)getpid();
	live_note("seed of the random pages: %llu", (unsigned long long)seed);
	state = seed;

	for (uint64_t i = 0; i < RANDOM_PAGES; i++) {
		uint64_t what = next_random(&state) % 4;

		if (what & 2)
			figures.copied++;
		else if (what & 1)
			figures.original++;
		else
			figures.untouched++;
	}
	return figures;
}

/* Five of eight pages are read, then two of the five are written. */
static pid_t build_zero(const struct shape *s)
{
	map_small(s->start, 8);
	for (unsigned int i = 0; i < 5; i++)
		read_page(s->start + i * PAGE);
	live_touch(s->start, s->start + 2 * PAGE);
	return become_nobody();
}

/* 64 pages are written, of which the first 40 are swapped out. */
static pid_t build_swapped(const struct shape *s)
{
	live_swap_on();
	map_small(s->start, 64);
	live_touch(s->start, s->start + 64 * PAGE);
	live_page_out(s->start, s->start + 40 * PAGE);
	return become_nobody();
}

/* One slot is written, one is read, one is untouched. */
static pid_t build_thp(const struct shape *s)
{
	map_huge(s->start, 3);
	live_touch(s->start, s->start + PAGE);
	read_page(s->start + HUGE);
	must_be_huge(s->start, 1);
	return become_nobody();
}

static pid_t build_hugetlb(const struct shape *s)
{
	char text[16];

	live_must(live_set(NR_HUGE, "8"));
	live_must_be(atoi(live_file(NR_HUGE, text, sizeof(text))) == 8,
		     "nr_hugepages");
	live_map_fd(s->start, 3 * HUGE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1);
	live_touch(s->start, s->start + PAGE);
	return become_nobody();
}

static void no_hugetlb(void)
{
	live_set(NR_HUGE, "0");
}

static pid_t build_guard(const struct shape *s)
{
	map_small(s->start, 10);
	live_touch(s->start, s->start + 3 * PAGE);
	live_must(madvise((void *)(s->start + 2 * PAGE), 5 * PAGE,
			  MADV_GUARD_INSTALL));
	return become_nobody();
}

COW(four_pages_of_a_file, build_four_pages,
    FIGURES(.untouched = 1, .original = 1, .copied = 2), .undo = fault_around);

COW(random_pages_of_a_file, build_random, .expect = expect_random,
    .undo = fault_around);

COW(zero_page, build_zero,
    FIGURES(.untouched = 3, .original = 3, .copied = 2, .zero = 3));

COW(swapped_out, build_swapped, FIGURES(.copied = 24, .swapped = 40),
    .undo = live_swap_off);

COW(huge, build_thp,
    FIGURES(.untouched = 512, .original = 512, .copied = 512,
	    .huge_zero = 512));

COW(hugetlb, build_hugetlb, FIGURES(.untouched = 1024, .copied = 512),
    .undo = no_hugetlb);

COW(guards, build_guard, FIGURES(.untouched = 8, .copied = 2, .markers = 5),
    .missing = live_guard_missing);

TEST_HARNESS_MAIN
