// SPDX-License-Identifier: GPL-2.0-only
/* The processes of a tree of cgroups; directories of /tmp stand for cgroups. */
#define _GNU_SOURCE
#include "acquire/cgroup.c"

#include <sys/resource.h>
#include <sys/stat.h>

#include "support/unit.h"

#define DEPTH 1200
#define WIDTH 3
#define MOST_FDS 16

/* @at: a cgroup with one process in it. Return: its directory. */
static int make(int at, const char *name, int pid)
{
	int dir, fd;

	if (mkdirat(at, name, 0700))
		return -1;
	dir = openat(at, name, O_RDONLY | O_DIRECTORY);
	fd = openat(dir, "cgroup.procs", O_WRONLY | O_CREAT, 0600);
	dprintf(fd, "%d\n", pid);
	close(fd);
	return dir;
}

/*
 * DEPTH levels, each with WIDTH cgroups, of which the second one has the next
 * level; processes are numbered from 1 on as they are made.
 */
static void make_tree(const char *top)
{
	int at = open(top, O_RDONLY | O_DIRECTORY);
	int pid = 1;

	for (int level = 0; level < DEPTH; level++) {
		int next = -1;

		for (int i = 0; i < WIDTH; i++) {
			char name[16];
			int dir;

			snprintf(name, sizeof(name), "%d", i);
			dir = make(at, name, pid++);
			if (i == 1)
				next = dir;
			else
				close(dir);
		}
		close(at);
		at = next;
	}
	close(at);
}

UNIT_TEST(a_deep_tree_needs_few_descriptors)
{
	char top[] = "/tmp/cgroup.XXXXXX", command[64];
	struct rlimit before, few;
	struct ptu_err err = { "" };
	struct list list = { .path = "x", .err = &err };
	bool each = true;
	int error;

	CHECK(mkdtemp(top));
	make_tree(top);
	getrlimit(RLIMIT_NOFILE, &before);
	few = before;
	few.rlim_cur = MOST_FDS;
	setrlimit(RLIMIT_NOFILE, &few);
	error = add_tree(&list, open(top, O_RDONLY | O_DIRECTORY));
	setrlimit(RLIMIT_NOFILE, &before);
	snprintf(command, sizeof(command), "rm -rf %s", top);
	CHECK_EQ(system(command), 0);
	CHECK_STR(err.text, "");
	CHECK_EQ(error, 0);
	sort(&list);
	CHECK_EQ(list.nr_pids, DEPTH * WIDTH);
	for (int i = 0; i < DEPTH * WIDTH; i++)
		each &= list.pids[i] == i + 1;
	free(list.pids);
	CHECK(each);
}

UNIT_MAIN
