/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * `ptaudit cow`, asked by root and by the memory's owner: the one fixture of all
 * layouts, as layout.h has it for page tables.  A variant builds private mappings
 * and says how many pages of which kind there are.  Included once by each program.
 */
#ifndef LIVE_COW_H
#define LIVE_COW_H

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "copies.h"

#define FAULT_AROUND "/sys/kernel/debug/fault_around_bytes"

/*
 * Pages by kind.  What the kernel cannot tell without root: .zero of original
 * are the zero page, mapped as base pages; .huge_zero as a huge one.
 */
struct figures {
	uint64_t untouched, original, copied, shared, swapped;
	uint64_t zero, huge_zero, markers;
};

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

FIXTURE_SETUP(cow)
{
	const char *missing = variant->missing ? variant->missing() : NULL;

	if (missing) {
		self->skipped = true;
		SKIP(return, "needs %s", missing);
	}
	ASSERT_EQ(0, live_check_environment());
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

#endif
