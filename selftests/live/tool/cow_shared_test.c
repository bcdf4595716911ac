// SPDX-License-Identifier: GPL-2.0-only
/*
 * What `ptaudit cow` says of copies that several processes have, or one process at
 * several places: forked, huge, merged.  The figures come from what the builders
 * did, never from pagemap.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/prctl.h>

#include "fixtures/cow.h"

/* The child has four copies of its own, of which the parent keeps the first ones. */
static pid_t build_forked(const struct shape *s)
{
	map_file(s->start, 16);
	live_touch(s->start, s->start + 12 * PAGE);
	read_page(s->start + 12 * PAGE);
	live_fork(s->start, s->start + 4 * PAGE);
	return become_nobody();
}

/*
 * Three generations of 16 pages: the first one writes twelve and reads the next,
 * its child then writes the first four and what was read, and the grandchild the
 * third page to the sixth.  @generation: whose pages are looked at.
 */
static pid_t fork_tree(const struct shape *s, unsigned int generation)
{
	pid_t tree[3] = { 0 }, first = getpid();
	int fds[2];

	map_file(s->start, 16);
	live_touch(s->start, s->start + 12 * PAGE);
	read_page(s->start + 12 * PAGE);
	become_nobody();
	live_must(pipe(fds));
	tree[1] = fork();
	live_must(tree[1]);
	if (!tree[1]) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != first)
			_exit(1);
		live_touch(s->start, s->start + 4 * PAGE);
		live_touch(s->start + 12 * PAGE, s->start + 13 * PAGE);
		tree[2] = live_fork(s->start + 2 * PAGE, s->start + 6 * PAGE);
		live_must(write(fds[1], &tree[2], sizeof(tree[2])));
		for (;;)
			pause();
	}
	close(fds[1]);
	live_must_be(read(fds[0], &tree[2], sizeof(tree[2])) == sizeof(tree[2]),
		     "a child and its child");
	return tree[generation];
}

static pid_t build_tree(const struct shape *s)
{
	return fork_tree(s, 0);
}

static pid_t build_tree_child(const struct shape *s)
{
	return fork_tree(s, 1);
}

static pid_t build_tree_grandchild(const struct shape *s)
{
	return fork_tree(s, 2);
}

/*
 * Six copies of one content become one page, four of another one another; two
 * stay as they are, as does what is only read.
 */
static pid_t build_merged(const struct shape *s)
{
	static const char contents[] = "aaaaaabbbbcd";

	map_file(s->start, 16);
	for (unsigned int i = 0; i < 12; i++)
		memset((void *)(s->start + i * PAGE), contents[i], PAGE);
	read_page(s->start + 12 * PAGE);
	live_merge(s->start, s->start + 12 * PAGE, 10);
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

FIXTURE_VARIANT_ADD(cow, forked){
	.build = build_forked,
	.figures = { .untouched = 3, .original = 1, .copied = 4, .shared = 8 },
	.undo = fault_around,
};

/* The child wrote the first four. */
FIXTURE_VARIANT_ADD(cow, fork_tree){
	.build = build_tree,
	.figures = { .untouched = 3, .original = 1, .copied = 4, .shared = 8 },
	.undo = fault_around,
};

/* Of five that it wrote, three are the grandchild's as well. */
FIXTURE_VARIANT_ADD(cow, fork_tree_child){
	.build = build_tree_child,
	.figures = { .untouched = 3, .copied = 2, .shared = 11 },
	.undo = fault_around,
};

FIXTURE_VARIANT_ADD(cow, fork_tree_grandchild){
	.build = build_tree_grandchild,
	.figures = { .untouched = 3, .copied = 4, .shared = 9 },
	.undo = fault_around,
};

FIXTURE_VARIANT_ADD(cow, merged){
	.build = build_merged,
	.figures = { .untouched = 3, .original = 1, .copied = 2, .shared = 10 },
	.undo = fault_around,
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

TEST_HARNESS_MAIN
