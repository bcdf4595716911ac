// SPDX-License-Identifier: LGPL-2.1-or-later
/* Open and read files below /proc; must not interpret them. */
#define _GNU_SOURCE /* O_PATH, memrchr() */
#include "acquire/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/workers.h"

int ptu_file_use_recording(const char *dir)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	ptu_workers_use(fd);
	return fd;
}

void ptu_file_leave_recording(void)
{
	const int fd = ptu_file_swap_recording(-1);

	if (fd >= 0)
		close(fd);
}

int ptu_file_swap_recording(int fd)
{
	const int before = ptu_workers_source();

	ptu_workers_use(fd);
	return before;
}

bool ptu_file_is_recording(void)
{
	return ptu_workers_source() >= 0;
}

static int open_at(int dirfd, const char *name, int flags)
{
	int fd;

	do
		fd = openat(dirfd, name, flags | O_CLOEXEC);
	while (fd < 0 && errno == EINTR);
	return fd < 0 ? -errno : fd;
}

int ptu_file_open_above(int dirfd, const char *name, const char **ret_last)
{
	int fd = open_at(dirfd, ".", O_PATH | O_DIRECTORY);
	const char *slash;

	while (fd >= 0 && (slash = strchr(name, '/'))) {
		char component[64];
		size_t bytes = (size_t)(slash - name);
		int below = -ENAMETOOLONG;

		if (bytes < sizeof(component)) {
			memcpy(component, name, bytes);
			component[bytes] = '\0';
			below = open_at(fd, component,
					O_PATH | O_DIRECTORY | O_NOFOLLOW);
		}
		close(fd);
		fd = below;
		name = slash + 1;
	}
	*ret_last = name;
	return fd;
}

int ptu_file_open_recorded(int dirfd, const char *name, int flags)
{
	const char *last;
	int above = ptu_file_open_above(dirfd, name, &last);
	struct stat st;
	int fd, error = 0;

	if (above < 0)
		return above;
	/* do not block on a FIFO, and do not acquire a controlling terminal */
	fd = open_at(above, *last ? last : ".",
		     flags | O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	close(above);
	if (fd < 0 || flags & O_DIRECTORY)
		return fd;
	if (fstat(fd, &st))
		error = -errno;
	else if (!S_ISREG(st.st_mode))
		error = -EBADMSG;
	else if ((uint64_t)st.st_size > PTU_RECORDING_FILE_BYTES)
		error = -EFBIG;
	if (!error)
		return fd;
	close(fd);
	return error;
}

int ptu_file_open(int dirfd, const char *name, int flags)
{
	const int recording = ptu_workers_source();
	char path[128];

	if (recording >= 0)
		return ptu_file_open_recorded(dirfd == PTU_PROC_ROOT ?
						      recording :
						      dirfd,
					      name, flags);
	if (dirfd == PTU_PROC_ROOT) {
		if (strlen(name) >= sizeof(path) - sizeof("/proc/"))
			return -ENAMETOOLONG;
		strcpy(stpcpy(path, "/proc/"), name);
		name = path;
	}
	return open_at(dirfd, name, flags | O_RDONLY);
}

ssize_t ptu_file_pread(int fd, void *buffer, size_t bytes, off_t offset)
{
	size_t done = 0;

	while (done < bytes) {
		ssize_t n = pread(fd, (char *)buffer + done, bytes - done,
				  offset + (off_t)done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

/* read(), not pread(): pread() makes a seq_file start over for each block */
static ssize_t read_some(int fd, char *buffer, size_t bytes)
{
	ssize_t n;

	do
		n = read(fd, buffer, bytes);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

static int read_all(int fd, size_t limit_bytes, char **ret)
{
	size_t capacity = limit_bytes ? limit_bytes + 1 : 65536;
	size_t done = 0;
	char *text = malloc(capacity);
	ssize_t n = text ? 0 : -ENOMEM;

	while (text) {
		n = read_some(fd, text + done, capacity - done - 1);
		if (n <= 0)
			break;
		done += (size_t)n;
		if (done + 1 < capacity)
			continue;
		if (!limit_bytes && capacity <= SIZE_MAX / 2) {
			char *grown = realloc(text, 2 * capacity);

			if (grown) {
				text = grown;
				capacity *= 2;
				continue;
			}
			n = -ENOMEM;
		}
		break;
	}
	if (n >= 0) {
		text[done] = '\0';
		if (strlen(text) != done)
			n = -EIO;
	}
	if (n < 0) {
		free(text);
		return (int)n;
	}
	*ret = text;
	return 0;
}

int ptu_file_read(int dirfd, const char *name, size_t limit_bytes, char **ret)
{
	int fd = ptu_file_open(dirfd, name, 0);
	int error;

	if (fd < 0)
		return fd;
	error = read_all(fd, limit_bytes, ret);
	close(fd);
	return error;
}

/**
 * struct lines - text that was read but not yet passed on
 * @text: [capacity] buffer with @used bytes
 */
struct lines {
	char *text;
	size_t used;
	size_t capacity;
};

/* Pass on the complete lines, or all of the text at the end of the file. */
static int hand_over(struct lines *lines, bool at_end,
		     int (*take)(void *arg, const char *lines), void *arg)
{
	const char *last = memrchr(lines->text, '\n', lines->used);
	size_t whole = last ? (size_t)(last + 1 - lines->text) : 0;
	char next;
	int error;

	if (at_end)
		whole = lines->used;
	next = lines->text[whole];
	lines->text[whole] = '\0';
	if (strlen(lines->text) != whole)
		return -EIO;
	error = whole ? take(arg, lines->text) : 0;
	lines->text[whole] = next;
	lines->used -= whole;
	memmove(lines->text, lines->text + whole, lines->used);
	return error;
}

/* Return: 1 there may be more; 0 at the end of the file; -ENOMEM; -errno. */
static int fill(int fd, struct lines *lines)
{
	if (lines->used + 1 >= lines->capacity) {
		size_t more = lines->capacity ? 2 * lines->capacity : 65536;
		char *grown = realloc(lines->text, more);

		if (!grown)
			return -ENOMEM;
		lines->text = grown;
		lines->capacity = more;
	}
	while (lines->used + 1 < lines->capacity) {
		ssize_t n = read_some(fd, lines->text + lines->used,
				      lines->capacity - lines->used - 1);

		if (n <= 0)
			return (int)n;
		lines->used += (size_t)n;
	}
	return 1;
}

int ptu_file_lines(int dirfd, const char *name,
		   int (*take)(void *arg, const char *lines), void *arg)
{
	int fd = ptu_file_open(dirfd, name, 0);
	struct lines lines = { 0 };
	int more = 1, error = 0;

	if (fd < 0)
		return fd;
	while (!error && more) {
		more = fill(fd, &lines);
		error = more < 0 ? more : hand_over(&lines, !more, take, arg);
	}
	free(lines.text);
	close(fd);
	return error;
}

int ptu_file_list(int dirfd, const char *name, DIR **ret)
{
	int fd = ptu_file_open(dirfd, name, O_DIRECTORY);
	DIR *dir;

	if (fd < 0)
		return fd;
	dir = fdopendir(fd);
	if (!dir) {
		int error = -errno;

		close(fd);
		return error;
	}
	*ret = dir;
	return 0;
}
