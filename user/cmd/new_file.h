/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A file that is there whole, or not at all. */
#ifndef PTU_CMD_NEW_FILE_H
#define PTU_CMD_NEW_FILE_H

#include <signal.h>
#include <stdio.h>

#include "base/err.h"

/**
 * struct ptu_new_file - a file that is being written
 * @out: what to write to
 * @path: where it will be
 * @other: where it is until then
 * @before: signals that were blocked before
 * @too_large: what SIGXFSZ did before
 */
struct ptu_new_file {
	FILE *out;
	const char *path;
	char *other;
	sigset_t before;
	struct sigaction too_large;
};

/**
 * ptu_new_file_open() - Begin to write it, beside where it will be.
 * @path: (in) is kept; a regular file there is replaced
 * @ret: (out) .out is written to; end with ptu_new_file_close(), until which
 *	 signals that end a process are blocked
 *
 * Return: 0; -EINVAL what is there is no regular file; -errno.
 */
ptu_must_check int ptu_new_file_open(const char *path, struct ptu_new_file *ret,
				     struct ptu_err *err);

/**
 * ptu_new_file_close() - Put it in its place.
 * @error: (in) of writing it: then what was there before stays
 *
 * Return: 0; @error; -errno.
 */
ptu_must_check int ptu_new_file_close(struct ptu_new_file *file, int error,
				      struct ptu_err *err);

#endif
