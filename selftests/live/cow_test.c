// SPDX-License-Identifier: GPL-2.0-only
/*
 * What `ptaudit cow` says of private mappings that were built page by page, to
 * root and to their owner.  The figures come from what
 * the builders did, never from pagemap.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "copies.h"

/* Source: include/uapi/asm-generic/mman-common.h (6.13 on) */
#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102
#endif

#define NR_HUGE "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages"
#define FAULT_AROUND "/sys/kernel/debug/fault_around_bytes"
#define RANDOM_PAGES 2000

/*
 * Pages by kind.  What the kernel cannot tell without root: .zero of original
 * are the zero page, mapped as base pages; .huge_zero as a huge one.
 */
struct figures {
	uint64_t untouched, original, copied, shared, swapped;
	uint64_t zero, huge_zero, markers;
};

static uint64_t seed;

/* xorshift64*; its numbers are the same in the builder and in the test. */
static uint64_t next_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return (*state * 0x2545f4914f6cdd1dULL) >> 33;
}

/* A private mapping of a file that has data, all of it in the page cache. */
static void map_file(uint64_t start, uint64_t pages)
{
	static const char name[] = "/tmp/cow_test.file";
	char page[PAGE];
	int fd;

	/* a fault is to map the page that is touched, and no other */
	live_must(live_set(FAULT_AROUND, "4096"));
	unlink(name);
	fd = open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
	live_must(fd);
	memset(page, 'x', sizeof(page));
	for (uint64_t i = 0; i < pages; i++)
		live_must(write(fd, page, PAGE) == PAGE ? 0 : -1);
	live_map_fd(start, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE,
		    fd);
	unlink(name);
}

static void fault_around(void)
{
	live_set(FAULT_AROUND, "65536");
}

static pid_t build_four_pages(const struct shape *s)
{
	map_file(s->start, 4);
	live_touch(s->start, s->start + PAGE);
	live_touch(s->start + 2 * PAGE, s->start + 3 * PAGE);
	read_page(s->start + 3 * PAGE);
	return become_nobody();
}

/* Of each page: left alone, read, written, or read and then written. */
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

static struct figures expect_random(void)
{
	struct figures figures = { 0 };
	uint64_t state = seed;

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

/* Eight pages: five are read, two of these written then. */
static pid_t build_zero(const struct shape *s)
{
	map_small(s->start, 8);
	for (unsigned int i = 0; i < 5; i++)
		read_page(s->start + i * PAGE);
	live_touch(s->start, s->start + 2 * PAGE);
	return become_nobody();
}

/* The child has four copies of its own, of which the parent keeps the first ones. */
static pid_t build_forked(const struct shape *s)
{
	map_file(s->start, 16);
	live_touch(s->start, s->start + 12 * PAGE);
	read_page(s->start + 12 * PAGE);
	live_fork(s->start, s->start + 4 * PAGE);
	return become_nobody();
}

/* Sixty-four pages are written; the first 40 go out, and the file's with them. */
static pid_t build_swapped(const struct shape *s)
{
	live_swap_on();
	map_small(s->start, 64);
	live_touch(s->start, s->start + 64 * PAGE);
	live_page_out(s->start, s->start + 40 * PAGE);
	return become_nobody();
}

/* One slot written, one read, one left alone. */
static pid_t build_thp(const struct shape *s)
{
	map_huge(s->start, 3);
	live_touch(s->start, s->start + PAGE);
	read_page(s->start + HUGE);
	must_be_huge(s->start, 1);
	return become_nobody();
}

static pid_t build_thp_forked(const struct shape *s)
{
	map_huge(s->start, 2);
	live_touch(s->start, s->start + 2 * HUGE);
	must_be_huge(s->start, 2);
	live_fork(s->start, s->start);
	return become_nobody();
}

/* The child has one base page of its own instead. */
static pid_t build_thp_partly(const struct shape *s)
{
	map_huge(s->start, 1);
	live_touch(s->start, s->start + HUGE);
	must_be_huge(s->start, 1);
	live_fork(s->start, s->start + PAGE);
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

static const char *missing_guard(void)
{
	void *area = mmap((void *)FAR, PAGE, PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int ret = madvise(area, PAGE, MADV_GUARD_INSTALL);

	munmap(area, PAGE);
	return ret ? "MADV_GUARD_INSTALL" : NULL;
}

static pid_t build_guard(const struct shape *s)
{
	map_small(s->start, 10);
	live_touch(s->start, s->start + 3 * PAGE);
	live_must(madvise((void *)(s->start + 2 * PAGE), 5 * PAGE,
			  MADV_GUARD_INSTALL));
	return become_nobody();
}

FIXTURE(cow)
{
	struct target target;
	struct figures figures;
	struct tool_run run;
	bool skipped;
};

FIXTURE_VARIANT(cow)
{
	live_build build;
	struct figures figures;
	struct figures (*expect)(void); /* instead of .figures */
	const char *(*missing)(void);
	void (*undo)(void);
	/* copies of which pagemap cannot tell whether they are shared */
	bool partly_shared;
};

FIXTURE_VARIANT_ADD(cow, four_pages_of_a_file){
	.build = build_four_pages,
	.figures = { .untouched = 1, .original = 1, .copied = 2 },
	.undo = fault_around,
};

FIXTURE_VARIANT_ADD(cow, random_pages_of_a_file){
	.build = build_random,
	.expect = expect_random,
	.undo = fault_around,
};

FIXTURE_VARIANT_ADD(cow, zero_page){
	.build = build_zero,
	.figures = { .untouched = 3, .original = 3, .copied = 2, .zero = 3 },
};

FIXTURE_VARIANT_ADD(cow, forked){
	.build = build_forked,
	.figures = { .untouched = 3, .original = 1, .copied = 4, .shared = 8 },
	.undo = fault_around,
};

FIXTURE_VARIANT_ADD(cow, swapped_out){
	.build = build_swapped,
	.figures = { .copied = 24, .swapped = 40 },
	.undo = live_swap_off,
};

FIXTURE_VARIANT_ADD(cow, huge){
	.build = build_thp,
	.figures = { .untouched = 512,
		     .original = 512,
		     .copied = 512,
		     .huge_zero = 512 },
};

FIXTURE_VARIANT_ADD(cow, huge_forked){
	.build = build_thp_forked,
	.figures = { .shared = 1024 },
};

FIXTURE_VARIANT_ADD(cow, huge_partly_shared){
	.build = build_thp_partly,
	.figures = { .copied = 1, .shared = 511 },
	.partly_shared = true,
};

FIXTURE_VARIANT_ADD(cow, hugetlb){
	.build = build_hugetlb,
	.figures = { .untouched = 1024, .copied = 512 },
	.undo = no_hugetlb,
};

FIXTURE_VARIANT_ADD(cow, guards){
	.build = build_guard,
	.figures = { .untouched = 8, .copied = 2, .markers = 5 },
	.missing = missing_guard,
};

FIXTURE_SETUP(cow)
{
	const char *missing = variant->missing ? variant->missing() : NULL;

	if (missing) {
		self->skipped = true;
		SKIP(return, "needs %s", missing);
	}
	ASSERT_EQ(0, live_check_environment());
	if (variant->expect) {
		seed = (uint64_t)time(NULL) * 2654435761u + (uint64_t)getpid();
		live_note("seed %llu", (unsigned long long)seed);
	}
	self->figures = variant->expect ? variant->expect() : variant->figures;
	ASSERT_EQ(0, target_start(&self->target, variant->build, &shape));
}

FIXTURE_TEARDOWN(cow)
{
	target_stop(&self->target);
	if (variant->undo)
		variant->undo();
	live_run_deinit(&self->run);
}

static const char *const kinds[] = { "untouched", "original", "copied",
				     "copied_shared", "copied_swapped" };
#define NR_KINDS (sizeof(kinds) / sizeof(kinds[0]))

static int check_sum(const char *where, const json_t *object)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < NR_KINDS; i++)
		sum += number(object, kinds[i]);
	return differs(where, "the sum", sum, number(object, "pages"));
}

/* Rows that fill the range without a gap, and a total that is theirs. */
static int check_rows(const json_t *root, uint64_t start, uint64_t end)
{
	const json_t *rows = json_object_get(root, "mappings");
	const json_t *total = json_object_get(root, "total");
	uint64_t sums[NR_KINDS] = { 0 }, at = start;
	json_t *row;
	size_t i, k;
	int failures = check_sum("total", total);

	json_array_foreach((json_t *)rows, i, row)
	{
		const char *first = json_string_value(
			json_object_get(row, "start"));
		const char *last = json_string_value(
			json_object_get(row, "end"));

		if (!first || !last || strtoull(first, NULL, 16) != at)
			return failures + 1;
		at = strtoull(last, NULL, 16);
		failures += check_sum(first, row);
		failures += differs(first, "pages", number(row, "pages"),
				    (at - strtoull(first, NULL, 16)) / PAGE);
		for (k = 0; k < NR_KINDS; k++)
			sums[k] += number(row, kinds[k]);
	}
	failures += differs("mappings", "end", at, end);
	for (k = 0; k < NR_KINDS; k++)
		failures += differs("total", kinds[k], number(total, kinds[k]),
				    sums[k]);
	return failures;
}

static int check_figures(const json_t *root, const struct figures *f,
			 bool partly_shared)
{
	const json_t *total = json_object_get(root, "total");
	int failures = 0;

	if (partly_shared) {
		failures += differs("total", "copied and copied_shared",
				    number(total, "copied") +
					    number(total, "copied_shared"),
				    f->copied + f->shared);
	} else {
		failures += differs("total", "copied", number(total, "copied"),
				    f->copied);
		failures += differs("total", "copied_shared",
				    number(total, "copied_shared"), f->shared);
	}
	failures += differs("total", "untouched", number(total, "untouched"),
			    f->untouched);
	failures += differs("total", "original", number(total, "original"),
			    f->original);
	failures += differs("total", "copied_swapped",
			    number(total, "copied_swapped"), f->swapped);
	failures += differs("total", "markers", number(total, "markers"),
			    f->markers);
	failures += differs("total", "disagree", number(total, "disagree"), 0);
	return failures;
}

static int check(bool as_root, pid_t pid, struct figures f, bool partly_shared,
		 struct tool_run *run)
{
	uint64_t pages = f.untouched + f.original + f.copied + f.shared +
			 f.swapped;
	uint64_t end = shape.start + pages * PAGE, doubtful = 0;
	char range[48];
	json_t *root;
	int failures;

	/* Source: fs/proc/task_mmu.c: PAGE_IS_PFNZERO from 6.7 on, bit 61 of
	 * the huge zero page from 5.12 on (5.10 has it not, 6.1 has it) */
	if (!as_root && live_system()->version < 6007)
		doubtful = f.zero;
	if (!as_root && live_system()->version < 5012)
		doubtful += f.huge_zero;
	f.original -= doubtful;
	f.shared += doubtful;
	snprintf(range, sizeof(range), "0x%lx-0x%lx", shape.start, end);
	if (run_tool(as_root, "cow", "--json", pid, range, run))
		return 1;
	failures = differs("cow", "exit status", (uint64_t)run->status, 0);
	root = json_loads(run->out, 0, NULL);
	if (!root) {
		live_note("no JSON: %s%s", run->out, run->err);
		return failures + 1;
	}
	failures += differs("pid", "", number(root, "pid"), (uint64_t)pid);
	failures += differs("kpageflags", "",
			    json_is_true(json_object_get(root, "kpageflags")),
			    as_root);
	failures += check_rows(root, shape.start, end);
	failures += check_figures(root, &f, partly_shared && !as_root);
	/* without PFNZERO every page that others map may be the zero page */
	if (!as_root && live_system()->version < 6007) {
		doubtful = number(json_object_get(root, "total"),
				  "copied_shared");
		if (!partly_shared)
			failures += differs("total", "copied_shared", doubtful,
					    f.shared);
	}
	failures += differs("total", "ambiguous",
			    number(json_object_get(root, "total"), "ambiguous"),
			    doubtful);
	if (failures)
		live_note("%s", run->out);
	json_decref(root);
	return failures;
}

TEST_F_TIMEOUT(cow, as_root, 120)
{
	if (self->skipped)
		return;
	ASSERT_EQ(0, check(true, self->target.pid, self->figures,
			   variant->partly_shared, &self->run));
}

TEST_F_TIMEOUT(cow, as_nobody, 120)
{
	if (self->skipped)
		return;
	ASSERT_EQ(0, check(false, self->target.pid, self->figures,
			   variant->partly_shared, &self->run));
}

/* All of a process, with the vdso and what else the kernel put there. */
TEST_F_TIMEOUT(cow, whole_process, 120)
{
	json_t *root;

	if (self->skipped)
		return;
	ASSERT_EQ(0, run_tool(true, "cow", "--json", self->target.pid, NULL,
			      &self->run));
	EXPECT_EQ(0, self->run.status)
	{
		live_note("%s%s", self->run.out, self->run.err);
	}
	root = json_loads(self->run.out, 0, NULL);
	ASSERT_NE(NULL, root);
	EXPECT_EQ(0, number(json_object_get(root, "total"), "disagree"));
	EXPECT_EQ(0, check_sum("total", json_object_get(root, "total")));
	json_decref(root);
}

TEST_HARNESS_MAIN
