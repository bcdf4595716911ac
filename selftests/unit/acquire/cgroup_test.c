// SPDX-License-Identifier: GPL-2.0-only
/* The processes of a tree of cgroups; directories below /tmp take the place of cgroups. */
#define _GNU_SOURCE
#include "acquire/cgroup.c"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "support/tree.h"
#include "support/unit.h"

#define DEPTH 1200
#define WIDTH 3
#define MOST_FDS 16

static struct ptu_err err;
static struct list list;

static void set_up(void)
{
	tree_make();
	err.text[0] = '\0';
	list = (struct list){ .path = "x", .err = &err };
}

static void tear_down(void)
{
	free(list.pids);
	tree_remove();
}

static int open_top(void)
{
	return openat(tree_fd, ".", O_RDONLY | O_DIRECTORY);
}

/* Make a cgroup with one process below @at.  Return: a descriptor of its directory. */
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
 * DEPTH levels with WIDTH cgroups each; the second cgroup of a level contains the next
 * level. Processes are numbered from 1 in the order of their creation.
 */
static void make_levels(void)
{
	int at = open_top();
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

/* The first read returns @first, each later one @later. */
static int read_twice(const char *first, const char *later)
{
	int fd, ret;

	if (mkfifoat(tree_fd, "cgroup.procs", 0600))
		abort();
	tree_write("later", later);
	if (!fork()) {
		fd = openat(tree_fd, "cgroup.procs", O_WRONLY);
		renameat(tree_fd, "later", tree_fd, "cgroup.procs");
		dprintf(fd, "%s", first);
		_exit(0);
	}
	ret = add_procs(&list, tree_fd);
	wait(NULL);
	return ret;
}

UNIT_TEST(a_process_that_ends_while_it_is_listed_is_left_out)
{
	CHECK_EQ(read_twice("5\n0\n7\n", "5\n7\n"), 0);
	CHECK_STR(err.text, "");
	CHECK_EQ(list.nr_pids, 2);
	CHECK(list.pids[0] == 5 && list.pids[1] == 7);
}

UNIT_TEST(a_process_of_another_namespace_is_refused)
{
	CHECK_EQ(read_twice("5\n0\n", "5\n0\n"), -EXDEV);
	CHECK(strstr(err.text, "of another PID namespace"));
}

UNIT_TEST(a_deep_tree_needs_few_descriptors)
{
	struct rlimit before, few;
	int error;

	make_levels();
	getrlimit(RLIMIT_NOFILE, &before);
	few = before;
	few.rlim_cur = MOST_FDS;
	setrlimit(RLIMIT_NOFILE, &few);
	error = add_tree(&list, open_top());
	setrlimit(RLIMIT_NOFILE, &before);
	CHECK_STR(err.text, "");
	CHECK_EQ(error, 0);
	sort(&list);
	CHECK_EQ(list.nr_pids, DEPTH * WIDTH);
	for (int i = 0; i < DEPTH * WIDTH; i++)
		CHECK_EQ(list.pids[i], i + 1);
}

UNIT_TEST(cgroups_whose_names_begin_with_a_dot_are_listed)
{
	static const char *const names[] = { ".a", "..b", "...", "c" };

	for (int i = 0; i < 4; i++)
		close(make(tree_fd, names[i], i + 1));
	CHECK_EQ(add_tree(&list, open_top()), 0);
	CHECK_STR(err.text, "");
	sort(&list);
	CHECK_EQ(list.nr_pids, 4);
	CHECK(list.pids[0] == 1 && list.pids[3] == 4);
}

UNIT_TEST(a_path_may_begin_with_the_mount_point)
{
	CHECK_STR(below("/sys/fs/cgroup/a", "/sys/fs/cgroup"), "/a");
	CHECK_STR(below("/sys/fs/cgroup", "/sys/fs/cgroup"), "");
	CHECK(!below("/sys/fs/cgroups", "/sys/fs/cgroup"));
	CHECK(!below("/a", "/sys/fs/cgroup"));
}

UNIT_TEST(a_process_that_moved_is_listed_once)
{
	pid_t pids[] = { 7, 3, 7, 5, 3 };
	struct list moved = { .pids = pids, .nr_pids = 5 };

	sort(&moved);
	CHECK_EQ(moved.nr_pids, 3);
	CHECK(pids[0] == 3 && pids[1] == 5 && pids[2] == 7);
}

UNIT_TEST(an_empty_path_is_not_the_root)
{
	size_t nr_pids;
	pid_t *pids;

	CHECK_EQ(ptu_cgroup_list("", &pids, &nr_pids, &err), -EINVAL);
	CHECK(strstr(err.text, "not the path of a cgroup"));
}

UNIT_MAIN_WITH(set_up, tear_down)
