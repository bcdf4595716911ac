/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The module's file `pages` and `ptaudit check --pages`: the one fixture of all
 * layouts, as layout.h has it for page tables.  A variant builds memory in a
 * child and says how many pages of which kind it maps.  Included once by each
 * program.
 */
#ifndef LIVE_PAGESFILE_H
#define LIVE_PAGESFILE_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "copies.h"

#define PTES (HUGE / PAGE)
#define GIB_PAGES (GIB / PAGE)

static const char *const pages_names[] = PTAUDIT_PAGES_NAMES;

/* Keys that older kernels cannot tell are missing. */
struct pages_answer {
	uint64_t nr[PTAUDIT_NR_PAGES_KEYS];
	bool known[PTAUDIT_NR_PAGES_KEYS];
	unsigned int lines;
};

/* A request and the answer's text; -errno of the call that failed. */
static int pages_text(const char *request, char *text, size_t text_bytes)
{
	int fd = open(LIVE_DEBUGFS "pages", O_RDWR), ret;
	ssize_t got;

	if (fd < 0)
		return -errno;
	ret = live_request(fd, request);
	got = ret ? 0 : read(fd, text, text_bytes - 1);
	if (got < 0)
		ret = -errno;
	text[got > 0 ? got : 0] = '\0';
	close(fd);
	return ret;
}

/* start == end == 0: the whole process. */
static int pages_read(pid_t pid, uint64_t start, uint64_t end,
		      struct pages_answer *ret)
{
	char request[LIVE_REQUEST], text[4096], *line, *rest = text;
	int err;

	live_make_request(request, pid, start, end);
	memset(ret, 0, sizeof(*ret));
	err = pages_text(request, text, sizeof(text));
	if (err)
		return err;
	while ((line = strsep(&rest, "\n")) && *line) {
		char *value = strchr(line, ' ');

		if (!value)
			return -EPROTO;
		*value++ = '\0';
		ret->lines++;
		for (unsigned int key = 0; key < PTAUDIT_NR_PAGES_KEYS; key++)
			if (!strcmp(line, pages_names[key])) {
				ret->nr[key] = strtoull(value, NULL, 0);
				ret->known[key] = true;
			}
	}
	return 0;
}

/* Only kernels before PageAnonExclusive (5.19) lack keys, and these four. */
static bool pages_is_exclusive_key(unsigned int key)
{
	return key == PTAUDIT_P_EXCLUSIVE || key == PTAUDIT_P_EXCLUSIVE_PMD ||
	       key == PTAUDIT_P_EXCLUSIVE_LARGE ||
	       key == PTAUDIT_P_HUGETLB_EXCLUSIVE;
}

/* Prints each key that is not as expected; returns how many. */
static int pages_compare(const struct pages_answer *is,
			 const uint64_t expected[PTAUDIT_NR_PAGES_KEYS])
{
	int failures = 0;

	for (unsigned int key = 0; key < PTAUDIT_NR_PAGES_KEYS; key++) {
		bool known = live_system()->version >= 5019 ||
			     !pages_is_exclusive_key(key);

		if (is->known[key] != known) {
			live_note("pages: %s is %s", pages_names[key],
				  known ? "missing" : "there");
			failures++;
		} else if (known && is->nr[key] != expected[key]) {
			live_note("pages: %s is %lu, not %lu", pages_names[key],
				  is->nr[key], expected[key]);
			failures++;
		}
	}
	return failures;
}

#define KEY(name) [PTAUDIT_P_##name]

/* Of base pages: of one kind, all mapped once, all exclusive. */
#define SMALL_ANON(pages)                                                      \
	KEY(PRESENT) = (pages), KEY(ANON) = (pages), KEY(PTE_PAGES) = (pages), \
	KEY(MAPPED_ONCE) = (pages), KEY(ANON_ONCE) = (pages),                  \
	KEY(EXCLUSIVE) = (pages)

FIXTURE(pages)
{
	struct target target;
	struct tool_run run;
	bool skipped;
};

FIXTURE_VARIANT(pages)
{
	live_build build;
	uint64_t nr[PTAUDIT_NR_PAGES_KEYS];
	const char *(*missing)(void);
	void (*undo)(void);
	/* of `exclusive`: cannot be told by kpageflags */
	uint64_t large_folio;
	/* of `present`: pagemap is silent about them */
	uint64_t pfnmap;
	/* ... and smaps takes them away: as of pfn_leaf_test.c */
	bool taken_by_smaps;
};

FIXTURE_SETUP(pages)
{
	const char *missing = variant->missing ? variant->missing() : NULL;

	if (missing) {
		self->skipped = true;
		SKIP(return, "needs %s", missing);
	}
	ASSERT_EQ(0, live_check_environment());
	ASSERT_EQ(0, target_start(&self->target, variant->build, &shape));
}

FIXTURE_TEARDOWN(pages)
{
	target_stop(&self->target);
	if (variant->undo)
		variant->undo();
	live_run_deinit(&self->run);
}

TEST_F_TIMEOUT(pages, module_is_exact, 120)
{
	struct pages_answer answer;
	struct counts counts;

	if (self->skipped)
		return;
	ASSERT_EQ(0, pages_read(self->target.pid, FAR, FAR + TIB, &answer));
	EXPECT_EQ(0, pages_compare(&answer, variant->nr));
	/* huge leaves are counted by another file of the module, too */
	ASSERT_EQ(0, pages_read(self->target.pid, 0, 0, &answer));
	ASSERT_EQ(0, live_counts(self->target.pid, &counts));
	EXPECT_EQ(counts.leaves[PTAUDIT_PMD] * PTES,
		  answer.nr[PTAUDIT_P_PMD_PAGES] +
			  answer.nr[PTAUDIT_P_HUGETLB_PMD]);
	EXPECT_EQ(counts.leaves[PTAUDIT_PUD] * GIB_PAGES,
		  answer.nr[PTAUDIT_P_PUD_PAGES] +
			  answer.nr[PTAUDIT_P_HUGETLB_PUD]);
}

static json_t *check(pid_t pid, struct tool_run *run)
{
	char word[16];

	snprintf(word, sizeof(word), "%d", pid);
	if (live_run((char *[]){ (char *)live_tool(), "check", "--pages",
				 "--json", word, NULL },
		     run))
		return NULL;
	return json_loads(run->out, 0, NULL);
}

/* Pages that a cause accounts for, of one key. */
static uint64_t cause_pages(const json_t *process, const char *cause,
			    const char *key)
{
	json_t *rows = json_object_get(process, "causes"), *row;
	uint64_t pages = 0;
	size_t i;

	json_array_foreach(rows, i, row)
	{
		const char *a = json_string_value(
			json_object_get(row, "cause"));
		const char *b = json_string_value(json_object_get(row, "key"));

		if (a && b && !strcmp(a, cause) && (!key || !strcmp(b, key)))
			pages += number(row, "pages");
	}
	return pages;
}

/* All keys are there, and what is not equal is explained, to the page. */
static int check_keys(const json_t *process)
{
	json_t *rows = json_object_get(process, "keys"), *row;
	int failures = 0;
	size_t i;

	failures += differs("keys", "number", json_array_size(rows), 32);
	json_array_foreach(rows, i, row)
	{
		const char *key = json_string_value(
			json_object_get(row, "key"));
		uint64_t kernel = number(row, "kernel");
		uint64_t proc = number(row, "proc");
		uint64_t explained = number(row, "explained");

		failures += differs(key, "unexplained",
				    number(row, "unexplained"), 0);
		failures += differs(key, "in_flux", number(row, "in_flux"), 0);
		if (kernel > proc ? kernel - proc > explained :
				    proc - kernel > explained)
			failures += differs(key, "proc", proc, kernel);
	}
	return failures;
}

TEST_F_TIMEOUT(pages, tool_agrees, 240)
{
	const bool tells = live_system()->version >= 5019;
	struct pages_answer answer;
	json_t *root, *process, *kernel;
	uint64_t vvar, pfnmap = variant->pfnmap;

	if (self->skipped)
		return;
	root = check(self->target.pid, &self->run);
	ASSERT_NE(NULL, root)
	{
		live_note("%s%s", self->run.out, self->run.err);
	}
	EXPECT_EQ(0, self->run.status)
	{
		live_note("%s%s", self->run.out, self->run.err);
	}
	EXPECT_EQ(0, number(root, "unexplained"));
	process = json_array_get(json_object_get(root, "processes"), 0);
	EXPECT_EQ(0, check_keys(process));
	EXPECT_EQ(tells ? variant->large_folio : 0,
		  cause_pages(process, "large-folio", NULL));
	/* what the kernel itself maps so into each process */
	if (variant->taken_by_smaps && live_system()->version >= 6012)
		pfnmap = 0;
	vvar = cause_pages(process, "pfnmap", "special") - pfnmap;
	EXPECT_GE(16, vvar);
	EXPECT_EQ(0, cause_pages(process, "device-leaf", NULL));
	EXPECT_EQ(0, cause_pages(process, "average", NULL));
	EXPECT_EQ(true,
		  json_is_true(json_object_get(process, "whole_checked")));
	/* it shows what the module says; a page more is mapped once where the
	 * test, from which the target was forked, has written to its own */
	ASSERT_EQ(0, pages_read(self->target.pid, 0, 0, &answer));
	kernel = json_object_get(process, "kernel");
	for (unsigned int key = 0; key < PTAUDIT_NR_PAGES_KEYS; key++)
		if (answer.known[key] && key != PTAUDIT_P_MAPPED_ONCE &&
		    key != PTAUDIT_P_ANON_ONCE)
			EXPECT_EQ(answer.nr[key],
				  number(kernel, pages_names[key]));
	json_decref(root);
}

#endif
