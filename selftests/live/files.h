/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fixture of the tests of the module's files: a target with a layout, and
 * two files open, `counts` and one of those that answer with records.  Included
 * once by each program.
 */
#ifndef LIVE_FILES_H
#define LIVE_FILES_H

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "lib.h"

struct shape {
	uint64_t start, end;
};

static pid_t build_pages(const struct shape *s)
{
	live_must(madvise(live_map(s->start, s->end - s->start, 0),
			  s->end - s->start, MADV_NOHUGEPAGE));
	live_touch(s->start, s->end);
	return 0;
}

/* Sixteen tables, eight on either side of a GiB's edge. */
static const struct shape shape = { FAR + GIB - 8 * HUGE,
				    FAR + GIB + 8 * HUGE };

FIXTURE(files)
{
	struct target target;
	int counts, tables;
	char pid[16];
};

FIXTURE_VARIANT(files)
{
	const char *path; /* of what self->tables is */
};

FIXTURE_VARIANT_ADD(files, tables){
	.path = LIVE_DEBUGFS "tables",
};

FIXTURE_VARIANT_ADD(files, orphans){
	.path = LIVE_DEBUGFS "orphans",
};

FIXTURE_SETUP(files)
{
	ASSERT_EQ(0, live_check_environment());
	ASSERT_EQ(0, target_start(&self->target, build_pages, &shape));
	snprintf(self->pid, sizeof(self->pid), "%d", self->target.pid);
	self->counts = open(LIVE_DEBUGFS "counts", O_RDWR);
	self->tables = open(variant->path, O_RDWR);
	ASSERT_LE(0, self->counts);
	ASSERT_LE(0, self->tables);
}

FIXTURE_TEARDOWN(files)
{
	close(self->counts);
	close(self->tables);
	target_stop(&self->target);
}

#endif
