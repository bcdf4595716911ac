// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Match the components of cgroup paths with a unit name.  Needs no cgroup mount, and
 * works with version 2 mounted below unified/.
 */
#define _GNU_SOURCE /* strchrnul() */
#include "acquire/unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acquire/file.h"

/* Source: systemd.unit(5); the unit types that have a cgroup. */
static const char *const kinds[] = { ".service", ".scope", ".slice",
				     ".socket",	 ".mount", ".swap" };

static bool has_kind(const char *name)
{
	const char *dot = strrchr(name, '.');
	size_t i;

	for (i = 0; dot && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!strcmp(dot, kinds[i]))
			return true;
	}
	return false;
}

int ptu_unit_name(const char *name, char ret[NAME_MAX + 1], struct ptu_err *err)
{
	int length = snprintf(ret, NAME_MAX + 1, "%s%s", name,
			      has_kind(name) ? "" : kinds[0]);

	if (!*name || strchr(name, '/') || length > NAME_MAX)
		return ptu_err_set(err, -EINVAL,
				   "'%s' cannot be the name of a unit", name);
	return 0;
}

/* systemd prefixes "_" to a name that could be confused with a kernel file. */
static bool is_unit(const char *part, size_t bytes, const char *unit)
{
	const size_t unit_bytes = strlen(unit);

	if (bytes == unit_bytes + 1 && *part == '_') {
		part++;
		bytes--;
	}
	return bytes == unit_bytes && !memcmp(part, unit, bytes);
}

/* @line: "number:controllers:path" */
static bool line_owns(const char *line, const char *end, const char *unit)
{
	const char *list = memchr(line, ':', (size_t)(end - line));
	const char *path = list ? memchr(list + 1, ':',
					 (size_t)(end - list - 1)) :
				  NULL;

	if (!path)
		return false;
	list++;
	if (path != list && strncmp(list, "name=systemd:", 13) != 0)
		return false;
	while (path && path < end) {
		const char *part = path + 1;

		path = memchr(part, '/', (size_t)(end - part));
		if (is_unit(part, (size_t)((path ? path : end) - part), unit))
			return true;
	}
	return false;
}

bool ptu_unit_owns(const char *text, const char *unit)
{
	while (*text) {
		const char *end = strchrnul(text, '\n');

		if (line_owns(text, end, unit))
			return true;
		text = *end ? end + 1 : end;
	}
	return false;
}

int ptu_unit_has(const char *unit, const struct ptu_proc *proc)
{
	char *text;
	int ret = ptu_file_read(proc->dirfd, "cgroup", 0, &text);

	if (ret)
		return ret;
	ret = ptu_unit_owns(text, unit);
	free(text);
	return ret;
}
