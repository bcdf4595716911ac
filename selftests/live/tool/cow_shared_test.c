// SPDX-License-Identifier: GPL-2.0-only
/*
 * `ptaudit cow` on copies that are mapped by several processes, or several times by one
 * process: forked, huge, merged.  The expected figures come from what the builders do,
 * never from pagemap.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/prctl.h>

#include "fixtures/cow.h"

/* The child copies four pages by writing, so the parent alone maps the original ones. */
static pid_t build_forked(const struct shape *s)
{
	map_file(s->start, 16);
	live_touch(s->start, s->start + 12 * PAGE);
	read_page(s->start + 12 * PAGE);
	live_fork(s->start, s->start + 4 * PAGE);
	return become_nobody();
}

/*
 * Three generations with 16 pages.  The first one writes twelve and reads the others.
 * Its child writes the first four and those that were read.  The grandchild writes the
 * third to the sixth. @generation: the process to measure.
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
 * KSM merges six pages of one content into one, and four of another content into
 * another.  Two pages and those that were only read stay unchanged.
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

/* The child has written one base page of the huge page. */
static pid_t build_thp_partly(const struct shape *s)
{
	map_huge(s->start, 1);
	live_touch(s->start, s->start + HUGE);
	must_be_huge(s->start, 1);
	live_fork(s->start, s->start + PAGE);
	must_be_huge(s->start, 1);
	return become_nobody();
}

COW(forked, build_forked,
    FIGURES(.untouched = 3, .original = 1, .copied = 4, .shared = 8),
    .undo = fault_around);

/* The child has written the first four pages. */
COW(fork_tree, build_tree,
    FIGURES(.untouched = 3, .original = 1, .copied = 4, .shared = 8),
    .undo = fault_around);

/* The child has written five pages, of which the grandchild shares three. */
COW(fork_tree_child, build_tree_child,
    FIGURES(.untouched = 3, .copied = 2, .shared = 11), .undo = fault_around);

COW(fork_tree_grandchild, build_tree_grandchild,
    FIGURES(.untouched = 3, .copied = 4, .shared = 9), .undo = fault_around);

COW(merged, build_merged,
    FIGURES(.untouched = 3, .original = 1, .copied = 2, .shared = 10),
    .undo = fault_around);

COW(huge_forked, build_thp_forked, FIGURES(.shared = 1024));

COW(huge_partly_shared, build_thp_partly, FIGURES(.copied = 1, .shared = 511),
    .partly_shared = true);

TEST_HARNESS_MAIN
