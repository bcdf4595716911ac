// SPDX-License-Identifier: LGPL-2.1-or-later
/* List the processes of a group.  Must not measure them. */
#include "cmd/select.h"

#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <regex.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "acquire/cgroup.h"
#include "acquire/procfs.h"
#include "acquire/tree.h"
#include "acquire/unit.h"
#include "base/parse.h"

/**
 * struct sieve - selection criteria
 * @uid: real user ID
 * @unit: systemd unit
 * @name: regular expression for comm in /proc/PID/stat
 * @by_user: @uid is set
 * @by_name: @name is compiled
 */
struct sieve {
	uid_t uid;
	char unit[NAME_MAX + 1];
	regex_t name;
	bool by_user;
	bool by_name;
};

bool ptu_select_is_group(const struct ptu_options *options)
{
	return ptu_options_is_group(options) ||
	       (options->from && !options->nr_pids);
}

static void tree_name(const struct ptu_options *options, char *ret,
		      size_t ret_bytes)
{
	size_t used = (size_t)snprintf(ret, ret_bytes, "tree"), i;

	for (i = 0; i < options->nr_roots && used < ret_bytes; i++)
		used += (size_t)snprintf(ret + used, ret_bytes - used, " %d",
					 (int)options->roots[i]);
}

void ptu_select_name(const struct ptu_options *options, char *ret,
		     size_t ret_bytes)
{
	if (options->user)
		snprintf(ret, ret_bytes, "user %s", options->user);
	else if (options->cgroup)
		snprintf(ret, ret_bytes, "cgroup %s", options->cgroup);
	else if (options->unit)
		snprintf(ret, ret_bytes, "unit %s", options->unit);
	else if (options->name)
		snprintf(ret, ret_bytes, "name %s", options->name);
	else if (options->tree)
		tree_name(options, ret, ret_bytes);
	else
		snprintf(ret, ret_bytes, "all processes");
}

/* Try a name before a number, because a name may consist of digits. */
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

static int find_name(const char *expression, regex_t *ret, struct ptu_err *err)
{
	int error = regcomp(ret, expression, REG_EXTENDED | REG_NOSUB);
	char why[128];

	if (!error)
		return 0;
	regerror(error, ret, why, sizeof(why));
	return ptu_err_set(err, -EINVAL,
			   "--name '%s' is not a regular expression: %s",
			   expression, why);
}

static int make_sieve(const struct ptu_options *options, struct sieve *ret,
		      struct ptu_err *err)
{
	int error = 0;

	ret->by_user = options->user != NULL;
	if (options->user)
		error = find_user(options->user, &ret->uid, err);
	if (!error && options->unit)
		error = ptu_unit_name(options->unit, ret->unit, err);
	if (!error && options->name) {
		error = find_name(options->name, &ret->name, err);
		ret->by_name = !error;
	}
	return error;
}

/* Return: 1; 0; -ESTALE another thread can be read; -errno. */
static int matches(const struct sieve *sieve, const struct ptu_proc *proc,
		   struct ptu_err *err)
{
	struct ptu_proc_status status;
	int ret;

	if (sieve->by_name)
		return !regexec(&sieve->name, proc->comm, 0, NULL, 0);
	if (sieve->by_user) {
		ret = ptu_proc_status(proc, &status, err);
		return ret ? ret : status.uid == sieve->uid;
	}
	ret = ptu_unit_has(sieve->unit, proc);
	return ret == -ESRCH ? ptu_proc_gone(proc, err) : ret;
}

/* Does the process match? Return: 1; 0; -ESRCH it ended; -errno. */
static int keeps(const struct sieve *sieve, pid_t pid, struct ptu_err *err)
{
	struct ptu_proc proc;
	int ret = ptu_proc_open(pid, &proc, err);

	if (ret)
		return ret;
	do {
		ptu_err_clear(err);
		ret = matches(sieve, &proc, err);
	} while (ret == -ESTALE && !ptu_proc_reopen(&proc));
	ptu_proc_close(&proc);
	return ret;
}

/* Drop processes that do not match or have ended. */
static int sift(const struct sieve *sieve, pid_t *pids, size_t *nr_pids,
		struct ptu_err *err)
{
	size_t i, kept = 0;

	for (i = 0; i < *nr_pids; i++) {
		int ret = keeps(sieve, pids[i], err);

		if (ret > 0)
			pids[kept++] = pids[i];
		else if (ret < 0 && ret != -ESRCH)
			return ret;
		else
			ptu_err_clear(err);
	}
	*nr_pids = kept;
	return 0;
}

/* List the processes among which the sieve chooses. */
static int list_all(const struct ptu_options *options, pid_t **pids,
		    size_t *nr_pids, struct ptu_err *err)
{
	if (options->cgroup)
		return ptu_cgroup_list(options->cgroup, pids, nr_pids, err);
	if (options->tree)
		return ptu_tree_list(options->roots, options->nr_roots, pids,
				     nr_pids, err);
	return ptu_proc_list(pids, nr_pids, err);
}

int ptu_select_group(const struct ptu_options *options, pid_t **pids,
		     size_t *nr_pids, struct ptu_err *err)
{
	char name[512];
	pid_t *list = NULL;
	size_t nr = 0;
	struct sieve sieve = { .by_user = false };
	int error = make_sieve(options, &sieve, err);

	if (!error)
		error = list_all(options, &list, &nr, err);
	if (!error && (options->user || options->unit || options->name))
		error = sift(&sieve, list, &nr, err);
	if (sieve.by_name)
		regfree(&sieve.name);
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
