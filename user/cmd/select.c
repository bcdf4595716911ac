// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Lists the processes that a command was asked for as a group.  Must not
 * measure them.
 */
#include "cmd/select.h"

#include <errno.h>
#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "acquire/cgroup.h"
#include "acquire/procfs.h"
#include "base/parse.h"

bool ptu_select_is_group(const struct ptu_options *options)
{
	return options->all || options->user || options->cgroup ||
	       (options->from && !options->nr_pids);
}

void ptu_select_name(const struct ptu_options *options, char *ret,
		     size_t ret_bytes)
{
	if (options->user)
		snprintf(ret, ret_bytes, "user %s", options->user);
	else if (options->cgroup)
		snprintf(ret, ret_bytes, "cgroup %s", options->cgroup);
	else
		snprintf(ret, ret_bytes, "all processes");
}

/* A name comes before a number: the name may consist of digits. */
static int find_user(const char *name, uid_t *ret, struct ptu_err *err)
{
	const struct passwd *user;
	unsigned long uid;

	errno = 0;
	user = getpwnam(name);
	if (user) {
		*ret = user->pw_uid;
		return 0;
	}
	errno = 0;
	uid = strtoul(name, NULL, 10);
	if (!ptu_is_digits(name) || errno || uid >= UINT32_MAX)
		return ptu_err_set(err, -EINVAL, "there is no user '%s'", name);
	*ret = (uid_t)uid;
	return 0;
}

/* Keep those of one real user; a process that ended meanwhile is nobody's. */
static int keep_user(uid_t uid, pid_t *pids, size_t *nr_pids,
		     struct ptu_err *err)
{
	size_t i, kept = 0;

	for (i = 0; i < *nr_pids; i++) {
		struct ptu_proc_status status;
		struct ptu_proc proc;
		int error = ptu_proc_open(pids[i], &proc, err);

		if (!error) {
			error = ptu_proc_status(&proc, &status, err);
			ptu_proc_close(&proc);
		}
		if (!error && status.uid == uid)
			pids[kept++] = pids[i];
		if (error && error != -ESRCH)
			return error;
	}
	*nr_pids = kept;
	return 0;
}

int ptu_select_group(const struct ptu_options *options, pid_t **pids,
		     size_t *nr_pids, struct ptu_err *err)
{
	char name[512];
	pid_t *list = NULL;
	size_t nr = 0;
	uid_t uid = 0;
	int error = 0;

	if (options->user)
		error = find_user(options->user, &uid, err);
	if (!error)
		error = options->cgroup ? ptu_cgroup_list(options->cgroup,
							  &list, &nr, err) :
					  ptu_proc_list(&list, &nr, err);
	if (!error && options->user)
		error = keep_user(uid, list, &nr, err);
	if (!error && !nr) {
		ptu_select_name(options, name, sizeof(name));
		error = ptu_err_set(err, -ESRCH,
				    "%s: there is no process to measure", name);
	}
	if (error) {
		free(list);
		return error;
	}
	*pids = list;
	*nr_pids = nr;
	return 0;
}
