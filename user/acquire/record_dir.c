// SPDX-License-Identifier: LGPL-2.1-or-later
/* Create, list and remove the files of a recording.  Must not interpret them. */
#define _GNU_SOURCE /* fopencookie() */
#include "acquire/record_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "acquire/file.h"

static int cannot_write(const char *name, int error, struct ptu_err *err)
{
	return ptu_err_set(err, error, "cannot write the recording's %s: %s",
			   name, strerror(-error));
}

/*
 * In a directory that everybody may write and that lacks the sticky bit, another
 * user could replace the recording's directory.
 */
static int refuse_open_to_all(int fd, const char *what, const char *path,
			      struct ptu_err *err)
{
	struct stat st;

	if (fstat(fd, &st))
		return ptu_err_set(err, -errno, "%s: %s", path,
				   strerror(errno));
	if (st.st_mode & S_IWOTH && !(st.st_mode & S_ISVTX))
		return ptu_err_set(err, -EPERM,
				   "%s%s is writable by everybody and has no sticky bit: nothing is recorded there",
				   what, path);
	return 0;
}

static int refuse_not_empty(int fd, const char *path, struct ptu_err *err)
{
	int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *entry;
	int error = 0;

	if (!dir) {
		error = ptu_err_set(err, -errno, "cannot list %s: %s", path,
				    strerror(errno));
		if (copy >= 0)
			close(copy);
		return error;
	}
	while (!error && (errno = 0, entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			error = ptu_err_set(err, -ENOTEMPTY,
					    "%s already exists and is not empty",
					    path);
	if (!error && errno)
		error = ptu_err_set(err, -errno, "cannot list %s: %s", path,
				    strerror(errno));
	closedir(dir);
	return error;
}

static void give_spare(struct ptu_record_dir *dir)
{
	size_t i;

	for (i = 0; i < 2; i++) {
		if (dir->spare[i] >= 0)
			close(dir->spare[i]);
		dir->spare[i] = -1;
	}
}

/* Reserve the descriptors that ptu_file_open_above() needs to remove files. */
static int take_spare(struct ptu_record_dir *dir)
{
	size_t i;

	for (i = 0; i < 2; i++) {
		dir->spare[i] = fcntl(dir->fd, F_DUPFD_CLOEXEC, 0);
		if (dir->spare[i] < 0)
			return -errno;
	}
	return 0;
}

/* Make @name in @parent, or use an existing directory. */
static int open_below(int parent, const char *name, const char *path,
		      struct ptu_record_dir *ret, struct ptu_err *err)
{
	bool is_made = !mkdirat(parent, name, 0700);
	int error = 0;

	if (!is_made && errno != EEXIST)
		return ptu_err_set(err, -errno, "cannot create %s: %s", path,
				   strerror(errno));
	ret->fd = openat(parent, name,
			 O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (ret->fd < 0) {
		error = ptu_err_set(err, -errno,
				    errno == ELOOP || errno == ENOTDIR ?
					    "%s already exists and is not a directory" :
					    "cannot open %s: %m",
				    path);
		if (is_made)
			unlinkat(parent, name, AT_REMOVEDIR);
		return error;
	}
	error = refuse_open_to_all(ret->fd, "", path, err);
	if (!error)
		error = refuse_not_empty(ret->fd, path, err);
	if (!error && take_spare(ret))
		error = ptu_err_set(err, -errno, "cannot open %s: %m", path);
	if (!error) {
		ret->parent = is_made ? parent : -1;
		return 0;
	}
	give_spare(ret);
	close(ret->fd);
	if (is_made)
		unlinkat(parent, name, AT_REMOVEDIR);
	return error;
}

int ptu_record_dir_open(const char *path, struct ptu_record_dir *ret,
			struct ptu_err *err)
{
	struct ptu_record_dir dir = { .parent = -1, .spare = { -1, -1 } };
	char *above = strdup(path), *name = strdup(path);
	int error = above && name ? 0 : -ENOMEM;
	int parent = -1;

	if (!error) {
		parent = open(dirname(above),
			      O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		error = parent < 0 ? -errno : 0;
	}
	if (error)
		ptu_err_set(err, error, "cannot create %s: %s", path,
			    strerror(-error));
	if (!error)
		error = refuse_open_to_all(parent, "the directory above ", path,
					   err);
	if (!error) {
		ptu_signals_hold(&dir.signals);
		dir.name = strdup(basename(name));
		error = dir.name ?
				open_below(parent, dir.name, path, &dir, err) :
				-ENOMEM;
		if (error)
			ptu_signals_release(&dir.signals);
	}
	if (dir.parent < 0 && parent >= 0)
		close(parent);
	free(above);
	free(name);
	if (error) {
		free(dir.name);
		return error;
	}
	*ret = dir;
	return 0;
}

/* Make the parent directories of @name. */
static int make_above(int fd, const char *name)
{
	const char *slash;

	for (slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
		char *directory = strndup(name, (size_t)(slash - name));
		const char *last;
		int above, error = 0;

		if (!directory)
			return -ENOMEM;
		above = ptu_file_open_above(fd, directory, &last);
		if (above < 0)
			error = above;
		else if (mkdirat(above, last, 0700) && errno != EEXIST)
			error = -errno;
		if (above >= 0)
			close(above);
		free(directory);
		if (error)
			return error;
	}
	return 0;
}

/* Write callback of a FILE: updates the size and checksum of the written bytes. */
static ssize_t write_through(void *cookie, const char *bytes, size_t nr_bytes)
{
	struct ptu_record_file *file = cookie;
	struct ptu_manifest *manifest = &file->dir->manifest;
	struct ptu_manifest_file *entry =
		&manifest->files[manifest->nr_files - 1];
	size_t done = 0;

	if (entry->bytes + nr_bytes > PTU_RECORDING_FILE_BYTES)
		file->error = -EFBIG;
	if (ptu_signals_pending())
		file->error = -EINTR;
	while (!file->error && done < nr_bytes) {
		ssize_t n = write(file->fd, bytes + done, nr_bytes - done);

		if (n >= 0)
			done += (size_t)n;
		else if (errno != EINTR)
			file->error = -errno;
	}
	if (file->error)
		return 0;
	entry->crc = (uint32_t)crc32_z(entry->crc, (const Bytef *)bytes,
				       nr_bytes);
	entry->bytes += nr_bytes;
	return (ssize_t)nr_bytes;
}

/* Create a file, and a stream @ret->out for it. */
static int create(struct ptu_record_dir *dir, const char *name,
		  struct ptu_record_file *ret)
{
	const cookie_io_functions_t io = { .write = write_through };
	const char *last;
	int above, error = ptu_signals_pending() ? -EINTR :
						   make_above(dir->fd, name);

	*ret = (struct ptu_record_file){ .dir = dir, .fd = -1 };
	if (error)
		return error;
	above = ptu_file_open_above(dir->fd, name, &last);
	if (above < 0)
		return above;
	ret->fd = openat(above, last,
			 O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			 0600);
	error = ret->fd < 0 ? -errno : 0;
	close(above);
	if (error)
		return error;
	ret->out = fopencookie(ret, "w", io);
	if (!ret->out) {
		close(ret->fd);
		return -ENOMEM;
	}
	return 0;
}

int ptu_record_create(struct ptu_record_dir *dir, const char *name,
		      struct ptu_record_file *ret, struct ptu_err *err)
{
	int error;

	/* list it first: after an error all listed files are removed */
	if (!ptu_manifest_add(&dir->manifest, name))
		return cannot_write(name, -ENOMEM, err);
	error = create(dir, name, ret);
	if (!error)
		return 0;
	dir->is_broken = true;
	return cannot_write(name, error, err);
}

int ptu_record_finish(struct ptu_record_file *file, struct ptu_err *err)
{
	const struct ptu_manifest *manifest = &file->dir->manifest;
	const char *name = manifest->files[manifest->nr_files - 1].name;

	if (fclose(file->out) && !file->error)
		file->error = -EIO;
	if (close(file->fd) && !file->error)
		file->error = -errno;
	if (!file->error)
		return 0;
	/* -EFBIG affects this file only */
	if (file->error != -EFBIG)
		file->dir->is_broken = true;
	return cannot_write(name, file->error, err);
}

static void remove_at(int fd, const char *name, int flags)
{
	const char *last;
	int above = ptu_file_open_above(fd, name, &last);

	if (above < 0)
		return;
	unlinkat(above, last, flags);
	close(above);
}

void ptu_record_dir_cut(struct ptu_record_dir *dir, size_t nr_files)
{
	size_t i;

	give_spare(dir);
	for (i = nr_files; i < dir->manifest.nr_files; i++) {
		char *name = dir->manifest.files[i].name;
		char *slash;

		remove_at(dir->fd, name, 0);
		/* a directory that still has files is kept */
		while ((slash = strrchr(name, '/'))) {
			*slash = '\0';
			remove_at(dir->fd, name, AT_REMOVEDIR);
		}
	}
	ptu_manifest_cut(&dir->manifest, nr_files);
	/* without spare descriptors, a later removal may leave files behind */
	if (take_spare(dir))
		give_spare(dir);
}

static void close_dir(struct ptu_record_dir *dir)
{
	ptu_manifest_deinit(&dir->manifest);
	free(dir->name);
	give_spare(dir);
	close(dir->fd);
	if (dir->parent >= 0)
		close(dir->parent);
	ptu_signals_release(&dir->signals);
}

int ptu_record_dir_close(struct ptu_record_dir *dir, struct ptu_err *err)
{
	char *text = ptu_manifest_text(&dir->manifest);
	struct ptu_record_file file;
	int error = text ? 0 : cannot_write(PTU_MANIFEST, -ENOMEM, err);

	if (!error)
		error = ptu_record_create(dir, PTU_MANIFEST, &file, err);
	if (!error) {
		fputs(text, file.out);
		error = ptu_record_finish(&file, err);
	}
	free(text);
	if (error)
		ptu_record_dir_undo(dir);
	else
		close_dir(dir);
	return error;
}

void ptu_record_dir_undo(struct ptu_record_dir *dir)
{
	ptu_record_dir_cut(dir, 0);
	if (dir->parent >= 0)
		unlinkat(dir->parent, dir->name, AT_REMOVEDIR);
	close_dir(dir);
}
