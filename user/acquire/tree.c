// SPDX-License-Identifier: LGPL-2.1-or-later
/* List descendants; must not measure them. */
#include "acquire/tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "acquire/procfs.h"

/**
 * struct member - a process of the machine
 * @ppid: its parent; 0: none, or the process has ended
 */
struct member {
	pid_t pid;
	pid_t ppid;
	bool is_chosen;
};

static int compare_pid(const void *key, const void *member)
{
	const pid_t pid = *(const pid_t *)key;
	const pid_t other = ((const struct member *)member)->pid;

	return (pid > other) - (pid < other);
}

static bool is_root(pid_t pid, const pid_t *roots, size_t nr_roots)
{
	size_t i;

	for (i = 0; i < nr_roots; i++)
		if (roots[i] == pid)
			return true;
	return false;
}

static int read_parents(struct member *members, size_t nr, struct ptu_err *err)
{
	struct ptu_proc proc;
	size_t i;

	for (i = 0; i < nr; i++) {
		int error = ptu_proc_open(members[i].pid, &proc, NULL);

		if (ptu_proc_shortage(error))
			return ptu_err_set(err, error,
					   "cannot read all processes: %s",
					   strerror(-error));
		if (error)
			continue;
		members[i].ppid = proc.ppid;
		ptu_proc_close(&proc);
	}
	return 0;
}

/* Choose the children of chosen processes. Return: whether there are new ones. */
static bool choose_children(struct member *members, size_t nr)
{
	bool is_changed = false;
	size_t i;

	for (i = 0; i < nr; i++) {
		const struct member *parent;

		if (members[i].is_chosen)
			continue;
		parent = bsearch(&members[i].ppid, members, nr,
				 sizeof(*members), compare_pid);
		if (parent && parent->is_chosen)
			members[i].is_chosen = is_changed = true;
	}
	return is_changed;
}

int ptu_tree_list(const pid_t *roots, size_t nr_roots, pid_t **pids,
		  size_t *nr_pids, struct ptu_err *err)
{
	struct member *members;
	size_t nr = 0, kept = 0, i;
	pid_t *list = NULL;
	int error = ptu_proc_list(&list, &nr, err);

	if (error)
		return error;
	members = calloc(nr + 1, sizeof(*members));
	if (!members) {
		free(list);
		return ptu_err_set(err, -ENOMEM, "no memory for the processes");
	}
	for (i = 0; i < nr; i++)
		members[i] = (struct member){
			.pid = list[i],
			.is_chosen = is_root(list[i], roots, nr_roots)
		};
	error = read_parents(members, nr, err);
	while (!error && choose_children(members, nr))
		;
	for (i = 0; i < nr; i++)
		if (members[i].is_chosen)
			list[kept++] = members[i].pid;
	free(members);
	if (error) {
		free(list);
		return error;
	}
	*pids = list;
	*nr_pids = kept;
	return 0;
}
