// SPDX-License-Identifier: GPL-2.0-only
/* The parameters of the module hold; its sources describe each. */
#include "lib/lib.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *path_of(const char *name, char path[64])
{
	snprintf(path, 64, "/sys/module/hold/parameters/%s", name);
	return path;
}

const char *live_hold_missing(const char *name)
{
	char path[64];

	return access(path_of(name, path), W_OK) ? "the module hold" : NULL;
}

int live_hold_set(const char *name, int value)
{
	char path[64], text[16];

	snprintf(text, sizeof(text), "%d", value);
	return live_set(path_of(name, path), text);
}

int live_hold_get(const char *name)
{
	char path[64], text[16];

	return atoi(live_file(path_of(name, path), text, sizeof(text)));
}
