// SPDX-License-Identifier: LGPL-2.1-or-later
/* Find the group of a process; must not measure it. */
#include "cmd/group.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acquire/file.h"
#include "base/names.h"

#define NAME_BYTES 256

static void by_comm(const struct ptu_proc *proc, const struct ptu_top_row *row,
		    char *ret)
{
	(void)proc;
	snprintf(ret, NAME_BYTES, "%s", row->comm);
}

static void by_user(const struct ptu_proc *proc, const struct ptu_top_row *row,
		    char *ret)
{
	const struct passwd *user = getpwuid(row->uid);

	(void)proc;
	if (user)
		snprintf(ret, NAME_BYTES, "%s", user->pw_name);
	else
		snprintf(ret, NAME_BYTES, "%u", (unsigned int)row->uid);
}

/* The path in the version 2 hierarchy, from /proc/PID/cgroup; free() it. NULL: unknown. */
static char *path_of(const struct ptu_proc *proc)
{
	char *text = NULL, *path = NULL;
	const char *line;

	if (ptu_file_read(proc->dirfd, "cgroup", 0, &text))
		return NULL;
	line = !strncmp(text, "0::", 3) ? text : strstr(text, "\n0::");
	if (line) {
		line = strstr(line, "::") + 2;
		path = strndup(line, strcspn(line, "\n"));
	}
	free(text);
	return path;
}

static void by_cgroup(const struct ptu_proc *proc,
		      const struct ptu_top_row *row, char *ret)
{
	char *path = path_of(proc);

	(void)row;
	ptu_name_fit(path ? path : "-", ret, NAME_BYTES);
	free(path);
}

/* The last component of the path that is a service or scope, otherwise a slice. */
static void by_unit(const struct ptu_proc *proc, const struct ptu_top_row *row,
		    char *ret)
{
	static const char *const kinds[] = { ".service", ".scope", ".slice" };
	char *path = path_of(proc), *part, *rest = NULL;
	unsigned int best = 3, kind;

	(void)row;
	snprintf(ret, NAME_BYTES, "-");
	for (part = path ? strtok_r(path, "/", &rest) : NULL; part;
	     part = strtok_r(NULL, "/", &rest)) {
		for (kind = 0; kind < 3; kind++) {
			const char *dot = strrchr(part, '.');

			if (!dot || strcmp(dot, kinds[kind]) != 0 ||
			    kind > best)
				continue;
			best = kind ? kind : 1;
			snprintf(ret, NAME_BYTES, "%s", part);
		}
	}
	free(path);
}

const char *const ptu_group_words[] = { "comm", "user", "cgroup", "unit",
					NULL };

static const ptu_group_of functions[] = { by_comm, by_user, by_cgroup,
					  by_unit };

int ptu_group_choose(const char *by, ptu_group_of *ret, struct ptu_err *err)
{
	size_t i;

	*ret = NULL;
	if (!by)
		return 0;
	for (i = 0; ptu_group_words[i]; i++) {
		if (!strcmp(by, ptu_group_words[i]))
			*ret = functions[i];
	}
	if (!*ret)
		return ptu_err_set(err, -EINVAL,
				   "unknown --by '%s'; there are comm, user, cgroup and unit",
				   by);
	return 0;
}
