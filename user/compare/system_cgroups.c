// SPDX-License-Identifier: LGPL-2.1-or-later
/* Add up tables by cgroup; must not know what is charged to cgroups. */
#include "compare/system_cgroups.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Find the path in cgroup version 2. Return: it, not NUL-terminated; NULL if none. */
static const char *own_path(const char *text, size_t *ret_bytes)
{
	const char *line = text;

	while (line && strncmp(line, "0::", 3)) {
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	if (!line)
		return NULL;
	*ret_bytes = strcspn(line + 3, "\n");
	return line + 3;
}

static struct ptu_system_use *add_path(struct ptu_system_uses *uses,
				       const char *path, size_t path_bytes)
{
	struct ptu_system_use *more = reallocarray(uses->uses, uses->nr + 1,
						   sizeof(*more));

	if (!more)
		return NULL;
	uses->uses = more;
	more[uses->nr].bytes = 0;
	more[uses->nr].path = strndup(path, path_bytes);
	return more[uses->nr].path ? &more[uses->nr++] : NULL;
}

int ptu_system_use(struct ptu_system_uses *uses, const char *text,
		   uint64_t bytes)
{
	struct ptu_system_use *use = NULL;
	size_t path_bytes = 0, i;
	const char *path = own_path(text, &path_bytes);

	if (!path)
		return 0;
	for (i = 0; !use && i < uses->nr; i++) {
		if (strlen(uses->uses[i].path) == path_bytes &&
		    !memcmp(uses->uses[i].path, path, path_bytes))
			use = &uses->uses[i];
	}
	if (!use)
		use = add_path(uses, path, path_bytes);
	if (!use)
		return -ENOMEM;
	use->bytes += bytes;
	return 0;
}

static bool is_below(const char *path, const char *group)
{
	size_t bytes = strcmp(group, "/") ? strlen(group) : 0;

	return !strncmp(path, group, bytes) &&
	       (!path[bytes] || path[bytes] == '/');
}

uint64_t ptu_system_uses_below(const struct ptu_system_uses *uses,
			       const char *path)
{
	uint64_t bytes = 0;
	size_t i;

	for (i = 0; i < uses->nr; i++) {
		if (is_below(uses->uses[i].path, path))
			bytes += uses->uses[i].bytes;
	}
	return bytes;
}

void ptu_system_uses_reset(struct ptu_system_uses *uses)
{
	size_t i;

	for (i = 0; i < uses->nr; i++)
		uses->uses[i].bytes = 0;
}

void ptu_system_uses_deinit(struct ptu_system_uses *uses)
{
	size_t i;

	for (i = 0; i < uses->nr; i++)
		free(uses->uses[i].path);
	free(uses->uses);
	memset(uses, 0, sizeof(*uses));
}
