/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A file that appears only when it is complete. */
#ifndef PTU_CMD_NEW_FILE_H
#define PTU_CMD_NEW_FILE_H

#include <stdio.h>

#include "base/err.h"
#include "base/signals.h"

/**
 * struct ptu_new_file - a file being written
 * @out: stream to write to
 * @path: final path
 * @other: temporary path
 * @signals: the signals before
 */
struct ptu_new_file {
	FILE *out;
	const char *path;
	char *other;
	struct ptu_signals signals;
};

/**
 * ptu_new_file_open() - Start to write a file under a temporary name.
 * @path: (in) must outlive @ret; an existing regular file is replaced
 * @ret: (out) write to .out; end with ptu_new_file_close(). Signals that end a
 *	process are blocked until then.
 *
 * Return: 0; -EINVAL @path exists and is not a regular file; -errno.
 */
ptu_must_check int ptu_new_file_open(const char *path, struct ptu_new_file *ret,
				     struct ptu_err *err);

/**
 * ptu_new_file_close() - Move it to its final path.
 * @error: (in) result of writing; if it is not 0, the existing file is kept
 *
 * Return: 0; @error; -errno.
 */
ptu_must_check int ptu_new_file_close(struct ptu_new_file *file, int error,
				      struct ptu_err *err);

#endif
