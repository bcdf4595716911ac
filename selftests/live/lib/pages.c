// SPDX-License-Identifier: GPL-2.0-only
/* Reads the module's file `pages`. */
#define _GNU_SOURCE
#include "lib/pages.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/module.h"

const char *const live_pages_names[] = PTAUDIT_PAGES_NAMES;

int live_pages_parse(char *text, struct pages_answer *ret)
{
	char *line;

	memset(ret, 0, sizeof(*ret));
	while ((line = strsep(&text, "\n")) && *line) {
		char *value = strchr(line, ' ');

		if (!value)
			return -EPROTO;
		*value++ = '\0';
		for (unsigned int key = 0; key < PTAUDIT_NR_PAGES_KEYS; key++)
			if (!strcmp(line, live_pages_names[key])) {
				ret->nr[key] = strtoull(value, NULL, 0);
				ret->known[key] = true;
			}
	}
	return 0;
}

int live_pages_text(const char *request, char *text, size_t text_bytes)
{
	int fd = open(LIVE_DEBUGFS "pages", O_RDWR), ret;
	ssize_t got;

	if (fd < 0)
		return -errno;
	ret = live_request(fd, request);
	got = ret ? 0 : read(fd, text, text_bytes - 1);
	if (got < 0)
		ret = -errno;
	text[got > 0 ? got : 0] = '\0';
	close(fd);
	return ret;
}

int live_pages(pid_t pid, uint64_t start, uint64_t end,
	       struct pages_answer *ret)
{
	char request[LIVE_REQUEST], text[4096];
	int err;

	live_make_request(request, pid, start, end);
	err = live_pages_text(request, text, sizeof(text));
	return err ? err : live_pages_parse(text, ret);
}
