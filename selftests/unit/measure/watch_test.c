// SPDX-License-Identifier: GPL-2.0-only
/*
 * How watch identifies processes between two looks; the test decides which of them share
 * memory.
 */
#include "measure/watch.c"

#include "support/unit.h"

static pid_t pair[2];

bool ptu_share_mm(pid_t a, pid_t b)
{
	return (a == pair[0] && b == pair[1]) || (a == pair[1] && b == pair[0]);
}

static struct ptu_watched seen[] = {
	{ .pid = 10, .tid = 10, .start_time = 100, .vmpte_bytes = 4096 },
	{ .pid = 11, .tid = 11, .start_time = 110, .vmpte_bytes = 8192 },
	{ .pid = 12, .tid = 12, .start_time = 120, .vmpte_bytes = 8192 },
	{ .pid = 13, .tid = 13, .ppid = 10, .start_time = 130 },
	{ .pid = 14, .tid = 14, .ppid = 15, .start_time = 140 },
	{ .pid = 15, .tid = 15, .start_time = 150 },
};
static const struct ptu_watch watch = { .processes = seen, .nr = 6 };

UNIT_TEST(reused_pid_is_another_process)
{
	struct ptu_watched now = { .pid = 11, .start_time = 110 };

	CHECK(before_of(&watch, &now) == &seen[1]);
	now.start_time++;
	CHECK(!before_of(&watch, &now));
	now.pid = 16;
	CHECK(!before_of(&watch, &now));
}

UNIT_TEST(a_child_of_vfork_shares_whatever_its_figures_are)
{
	/* the parent was read at another moment, so either number can be the larger one */
	pair[0] = 10, pair[1] = 13;
	CHECK(shares(&watch, &seen[3]));
	CHECK(!shares(&watch, &seen[0]));
	pair[0] = 15, pair[1] = 14;
	CHECK(shares(&watch, &seen[4]));
	seen[5].shares = true;
	CHECK(!shares(&watch, &seen[4]));
	seen[5].shares = false;
}

UNIT_TEST(first_process_with_the_same_figures_counts)
{
	pair[0] = 11, pair[1] = 12;
	CHECK(!shares(&watch, &seen[1]));
	CHECK(shares(&watch, &seen[2]));
	seen[2].rss_bytes = 1;
	CHECK(!shares(&watch, &seen[2]));
	seen[2].rss_bytes = 0;
	pair[0] = 10;
	CHECK(!shares(&watch, &seen[2]));
}

UNIT_MAIN
