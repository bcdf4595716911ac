// SPDX-License-Identifier: LGPL-2.1-or-later
/* Writes beside a file and renames; must not know what is written. */
#define _GNU_SOURCE
#include "cmd/new_file.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int ptu_new_file_open(const char *path, struct ptu_new_file *ret,
		      struct ptu_err *err)
{
	struct ptu_new_file file = { .path = path };
	mode_t mask = umask(0);
	int fd;

	umask(mask);
	if (asprintf(&file.other, "%s.XXXXXX", path) < 0)
		return ptu_err_set(err, -ENOMEM, "no memory for a name");
	fd = mkstemp(file.other);
	if (fd < 0) {
		ptu_err_set(err, -errno, "%s cannot be written: %m", path);
		free(file.other);
		return -EIO;
	}
	/* mkstemp() keeps others out; who asked for a file has a umask */
	if (!fchmod(fd, 0666 & ~mask))
		file.out = fdopen(fd, "w");
	if (!file.out) {
		ptu_err_set(err, -errno, "%s cannot be written: %m", path);
		close(fd);
		unlink(file.other);
		free(file.other);
		return -EIO;
	}
	*ret = file;
	return 0;
}

int ptu_new_file_close(struct ptu_new_file *file, int error,
		       struct ptu_err *err)
{
	if (!error && (fflush(file->out) || fsync(fileno(file->out))))
		error = ptu_err_set(err, -errno, "%s cannot be written: %m",
				    file->path);
	if (fclose(file->out) && !error)
		error = ptu_err_set(err, -errno, "%s cannot be written: %m",
				    file->path);
	if (!error && rename(file->other, file->path))
		error = ptu_err_set(err, -errno, "%s cannot be written: %m",
				    file->path);
	if (error)
		unlink(file->other);
	free(file->other);
	return error;
}
