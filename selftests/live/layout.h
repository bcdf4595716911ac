/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The one fixture of all layouts: a variant builds it in a child and says, by
 * addresses, which tables must be there; the tests below hold for each.
 * Included once by each program, after it has said what its shapes are.
 */
#ifndef LIVE_LAYOUT_H
#define LIVE_LAYOUT_H

#include "kselftest_harness.h"

#include "lib.h"

/* What a variant varies; a builder uses what it needs. */
struct shape {
	uint64_t start;
	uint64_t bytes;
	uint64_t stride;
	unsigned int nr;
	int flags;
};

FIXTURE(layout)
{
	struct target target;
	struct expect expect;
	bool skipped;
};

FIXTURE_VARIANT(layout)
{
	/* Tables wholly inside are the layout's own; 0, 0: 1 TiB from FAR. */
	uint64_t region_start, region_end;
	struct shape shape;
	/* NULL, or what this machine lacks */
	const char *(*missing)(const struct shape *shape);
	live_build build;
	void (*expect)(struct expect * expect, const struct shape *shape);
	/* NULL, or undoes what the builder did to the machine */
	void (*undo)(void);
	/* NULL, or what to do instead of live_check_tool() */
	int (*check_tool)(pid_t pid, const struct expect *expect);
	/* The tool would have to read through pagemap, for minutes. */
	bool needs_pagemap_scan;
};

FIXTURE_SETUP(layout)
{
	const struct shape *shape = &variant->shape;
	const char *missing = variant->missing ? variant->missing(shape) : NULL;

	if (missing) {
		self->skipped = true;
		SKIP(return, "needs %s", missing);
	}
	if (variant->region_end)
		expect_init(&self->expect, variant->region_start,
			    variant->region_end);
	else
		expect_init(&self->expect, FAR, FAR + TIB);
	ASSERT_EQ(0, live_check_environment());
	ASSERT_EQ(0, target_start(&self->target, variant->build, shape));
	variant->expect(&self->expect, shape);
	self->target.memcg.at_hand = self->expect.at_hand;
}

FIXTURE_TEARDOWN(layout)
{
	target_stop(&self->target);
	if (variant->undo)
		variant->undo();
	expect_deinit(&self->expect);
}

TEST_F_TIMEOUT(layout, records_are_exact, 120)
{
	struct answer answer;

	if (self->skipped)
		return;
	ASSERT_EQ(0, live_tables(self->target.pid, &answer));
	EXPECT_EQ(0, expect_compare(&self->expect, &answer));
	EXPECT_EQ(0, live_check_records(&answer));
	EXPECT_EQ(0, live_check_counts(self->target.pid, &answer));
	EXPECT_EQ(0, live_check_vmpte(self->target.pid, &answer));
	EXPECT_EQ(0, live_check_page_flags(&answer));
	EXPECT_EQ(0, live_check_orphans(self->target.pid, &answer));
	EXPECT_EQ(0, live_check_memcg(&self->target.memcg, self->target.pid,
				      &answer));
	live_answer_deinit(&answer);
}

TEST_F_TIMEOUT(layout, tool_agrees, 240)
{
	if (self->skipped)
		return;
	/* Source: fs/proc/task_mmu.c has it from 6.7 on. */
	if (variant->needs_pagemap_scan && live_system()->version < 6007)
		SKIP(return, "needs PAGEMAP_SCAN");
	if (variant->check_tool) {
		ASSERT_EQ(0,
			  variant->check_tool(self->target.pid, &self->expect));
	} else {
		ASSERT_EQ(0, live_check_tool(self->target.pid, &self->expect,
					     !variant->needs_pagemap_scan));
	}
}

#endif
