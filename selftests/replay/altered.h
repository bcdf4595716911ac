/* SPDX-License-Identifier: GPL-2.0-only */
/* Recordings of selftests/data that a test alters. */
#ifndef ALTERED_H
#define ALTERED_H

#include <stdio.h>
#include <stdlib.h>

/**
 * altered() - Make a directory with a recording, `a`, and an altered copy of it, `b`.
 * @dir: (in, out) as for mkdtemp()
 * @name: (in) the recording, relative to selftests/data
 * @change: (in) shell command that alters `b`, in which it runs
 *
 * The manifest of `b` is that of the altered files.
 *
 * Return: 0; else a command failed.
 */
static inline int altered(char *dir, const char *name, const char *change)
{
	char command[1024];

	if (!mkdtemp(dir))
		return -1;
	snprintf(command, sizeof(command),
		 "cd %s && cp -r " DATA
		 "/%s a && cp -r a b && cd b && %s && " MANIFEST " .",
		 dir, name, change);
	return system(command);
}

/**
 * altered_end() - Remove the directory.
 *
 * Return: 0; else the command failed.
 */
static inline int altered_end(const char *dir)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

#endif
