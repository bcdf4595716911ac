// SPDX-License-Identifier: LGPL-2.1-or-later
/* Write a temporary file and rename it; must not know the contents. */
#define _GNU_SOURCE
#include "cmd/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int cannot_write(const char *path, int error, struct ptu_err *err)
{
	return ptu_err_set(err, error, "cannot write %s: %s", path,
			   strerror(-error));
}

/* Refuse to replace special files: rename() would replace /dev/null, too. */
static int refuse_others(const char *path, struct ptu_err *err)
{
	struct stat stat;

	if (lstat(path, &stat))
		return errno == ENOENT ? 0 : cannot_write(path, -errno, err);
	if (S_ISREG(stat.st_mode))
		return 0;
	return ptu_err_set(err, -EINVAL,
			   "%s is not a regular file, and is not replaced",
			   path);
}

/* Create a file in the same directory; `*` and metric collectors ignore its name. */
static int open_beside(struct ptu_new_file *file)
{
	const char *slash = strrchr(file->path, '/');
	const int before = slash ? (int)(slash - file->path) + 1 : 0;
	mode_t mask = umask(0);
	int fd, error = 0;

	umask(mask);
	if (asprintf(&file->other, "%.*s.%s.XXXXXX", before, file->path,
		     file->path + before) < 0)
		return -ENOMEM;
	fd = mkostemp(file->other, O_CLOEXEC);
	if (fd < 0)
		error = -errno;
	/* mkostemp() ignores the umask: set the mode of a normal file */
	else if (fchmod(fd, 0666 & ~mask))
		error = -errno;
	else if (!(file->out = fdopen(fd, "w")))
		error = -ENOMEM;
	if (!error)
		return 0;
	if (fd >= 0) {
		close(fd);
		unlink(file->other);
	}
	free(file->other);
	return error;
}

int ptu_new_file_open(const char *path, struct ptu_new_file *ret,
		      struct ptu_err *err)
{
	struct ptu_new_file file = { .path = path };
	int error = refuse_others(path, err);

	if (error)
		return error;
	ptu_signals_hold(&file.signals);
	error = open_beside(&file);
	if (error) {
		ptu_signals_release(&file.signals);
		return cannot_write(path, error, err);
	}
	*ret = file;
	return 0;
}

static void sync_directory(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *directory = strndup(path, slash ? (size_t)(slash - path) : 0);
	int fd = !directory ? -1 :
			      open(*directory ? directory :
				   slash      ? "/" :
						".",
				   O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0) {
		fsync(fd);
		close(fd);
	}
	free(directory);
}

int ptu_new_file_close(struct ptu_new_file *file, int error,
		       struct ptu_err *err)
{
	const bool is_written = !error;

	if (!error && (fflush(file->out) || fsync(fileno(file->out))))
		error = -errno;
	if (fclose(file->out) && !error)
		error = -errno;
	if (!error && rename(file->other, file->path))
		error = -errno;
	if (error)
		unlink(file->other);
	else
		sync_directory(file->path);
	ptu_signals_release(&file->signals);
	free(file->other);
	return error && is_written ? cannot_write(file->path, error, err) :
				     error;
}
