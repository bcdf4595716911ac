// SPDX-License-Identifier: GPL-2.0-only
/* Descendants of processes, among processes that the test defines. */
#include "acquire/procfs.h"

#include <stdlib.h>
#include <string.h>

#include "support/unit.h"

/* @error: of opening it; 0: it can be opened */
static struct fake {
	pid_t pid;
	pid_t ppid;
	int error;
} all[9];
static size_t nr_all;

int ptu_proc_list(pid_t **pids, size_t *nr_pids, struct ptu_err *err)
{
	*pids = calloc(nr_all + 1, sizeof(**pids));
	for (size_t i = 0; i < nr_all; i++)
		(*pids)[i] = all[i].pid;
	*nr_pids = nr_all;
	return 0;
}

int ptu_proc_open(pid_t pid, struct ptu_proc *ret, struct ptu_err *err)
{
	const struct fake *one = all;

	while (one->pid != pid)
		one++;
	*ret = (struct ptu_proc){ .dirfd = -1, .pid = pid, .ppid = one->ppid };
	return one->error;
}

#define ptu_proc_close(proc) ((void)(proc))
#include "acquire/tree.c"

static void define(const struct fake *from, size_t nr)
{
	memcpy(all, from, nr * sizeof(*from));
	nr_all = nr;
}

#define DEFINE(...)                                  \
	define((const struct fake[]){ __VA_ARGS__ }, \
	       sizeof((const struct fake[]){ __VA_ARGS__ }) / sizeof(*all))

/* The listed PIDs, or the error. */
static const char *tree(const pid_t *roots, size_t nr_roots)
{
	static char text[PTU_ERR_LEN];
	struct ptu_err err = { "" };
	size_t nr = 0, used = 0, i;
	pid_t *pids = NULL;

	text[0] = '\0';
	if (ptu_tree_list(roots, nr_roots, &pids, &nr, &err))
		snprintf(text, sizeof(text), "%s", err.text);
	for (i = 0; i < nr; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 "%d ", (int)pids[i]);
	free(pids);
	return text;
}

#define TREE(...)                            \
	tree((const pid_t[]){ __VA_ARGS__ }, \
	     sizeof((const pid_t[]){ __VA_ARGS__ }) / sizeof(pid_t))

UNIT_TEST(descendants_are_found_in_any_order_of_pids)
{
	/* 9 started 4, which started 7, which started 2 and 3 */
	DEFINE({ 1, 0, 0 }, { 2, 7, 0 }, { 3, 7, 0 }, { 4, 9, 0 }, { 5, 1, 0 },
	       { 6, 5, 0 }, { 7, 4, 0 }, { 8, 1, 0 }, { 9, 1, 0 });
	CHECK_STR(TREE(9), "2 3 4 7 9 ");
	CHECK_STR(TREE(7), "2 3 7 ");
	CHECK_STR(TREE(2), "2 ");
	CHECK_STR(TREE(1), "1 2 3 4 5 6 7 8 9 ");
	/* several roots, one below the other */
	CHECK_STR(TREE(4, 5, 7), "2 3 4 5 6 7 ");
	CHECK_STR(TREE(10), "");
	/* PIDs were reused: the first one is a child, too */
	DEFINE({ 1, 3, 0 }, { 3, 0, 0 });
	CHECK_STR(TREE(3), "1 3 ");
}

UNIT_TEST(a_process_that_ends_has_no_parent)
{
	DEFINE({ 1, 0, 0 }, { 2, 1, 0 }, { 3, 2, -ESRCH }, { 4, 3, 0 });
	CHECK_STR(TREE(2), "2 ");
	CHECK_STR(TREE(3), "3 4 ");
}

UNIT_TEST(a_lack_of_descriptors_is_an_error)
{
	DEFINE({ 1, 0, 0 }, { 2, 1, -EMFILE }, { 3, 2, 0 });
	CHECK_STR(TREE(1), "cannot read all processes: Too many open files");
}

UNIT_MAIN
