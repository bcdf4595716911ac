// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tool detects that no process uses userfaultfd.  Then it needs no flags of mappings to
 * distinguish an empty table from a hole, and creates no userfaultfd to see what a hole of its
 * own looks like.  The kernel's slab cache keeps the memory of each userfaultfd, so the size of
 * the cache shows whether one was created.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "lib/lib.h"

#define CACHE "/sys/kernel/slab/userfaultfd_ctx_cache/"
#define PATIENT_S 60

static long nr_objects(void)
{
	FILE *file = fopen(CACHE "total_objects", "re");
	long ret = -1;

	if (!file)
		return -1;
	if (fscanf(file, "%ld", &ret) != 1)
		ret = -1;
	fclose(file);
	return ret;
}

/* Shrink the cache.  Objects that earlier tests closed are freed a moment later. */
static long give_back_objects(void)
{
	const time_t until = time(NULL) + PATIENT_S;
	long nr;

	do {
		FILE *file = fopen(CACHE "shrink", "we");

		if (!file || fputs("1", file) < 0 || fclose(file))
			return -1;
		nr = nr_objects();
	} while (nr > 0 && time(NULL) < until && !usleep(100000));
	return nr;
}

struct shape {
	uint64_t start;
	uint64_t bytes;
};

static const struct shape shape = { FAR + PAGE, 8 * PAGE };

/* A table whose only page was released. */
static pid_t build_empty(const struct shape *s)
{
	live_map_small(s->start, s->bytes);
	live_touch(s->start, s->start + PAGE);
	live_must(madvise((void *)s->start, PAGE, MADV_DONTNEED));
	return 0;
}

FIXTURE(uffd_unused)
{
	struct target target;
	struct tool_run run;
	char pid_text[16];
};

FIXTURE_SETUP(uffd_unused)
{
	ASSERT_EQ(0, give_back_objects());
	ASSERT_EQ(0, target_start(&self->target, build_empty, &shape));
	snprintf(self->pid_text, sizeof(self->pid_text), "%d",
		 self->target.pid);
}

FIXTURE_TEARDOWN(uffd_unused)
{
	live_run_deinit(&self->run);
	target_stop(&self->target);
}

/* Is the estimator `written`?  Then it must match VmPTE, because it sees empty tables. */
static bool is_by_scan(struct __test_metadata *_metadata,
		       FIXTURE_DATA(uffd_unused) * self)
{
	bool ret;

	ASSERT_EQ(0, LIVE_RUN(&self->run, "estimate", self->pid_text));
	ASSERT_EQ(0, self->run.status);
	ret = strstr(self->run.out, "estimator written,");
	ASSERT_EQ(ret,
		  !!strstr(self->run.out, "the estimate is equal to VmPTE"));
	return ret;
}

TEST_F_TIMEOUT(uffd_unused, tool_creates_no_userfaultfd, 180)
{
	if (!is_by_scan(_metadata, self))
		SKIP(return, "needs PAGEMAP_SCAN");
	ASSERT_EQ(0, nr_objects());
}

/* This test proves that the cache shows a userfaultfd. */
TEST_F_TIMEOUT(uffd_unused, userfaultfd_of_the_test_is_seen, 180)
{
	int fd = live_uffd(0);

	ASSERT_LE(0, fd);
	ASSERT_LT(0, nr_objects());
	is_by_scan(_metadata, self);
	close(fd);
}

TEST_HARNESS_MAIN
