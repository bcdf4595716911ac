/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A temporary directory for the files of one test.  Call tree_make() before each test, and
 * tree_remove() after it, for instance through UNIT_MAIN_WITH().
 */
#ifndef TREE_H
#define TREE_H

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char tree[] = "/tmp/ptaudit-test-XXXXXX";
static int tree_fd = -1;

static inline void tree_make(void)
{
	/* tests close standard input, and must not close a file of their own */
	if (fcntl(STDIN_FILENO, F_GETFD) < 0 &&
	    open("/dev/null", O_RDONLY) != STDIN_FILENO)
		abort();
	memcpy(tree + sizeof(tree) - 7, "XXXXXX", 6);
	if (!mkdtemp(tree))
		abort();
	tree_fd = open(tree, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (tree_fd < 0)
		abort();
}

static inline int tree_remove_one(const char *path, const struct stat *st,
				  int flag, struct FTW *ftw)
{
	return remove(path);
}

static inline void tree_remove(void)
{
	close(tree_fd);
	tree_fd = -1;
	if (nftw(tree, tree_remove_one, 8, FTW_DEPTH | FTW_PHYS))
		abort();
}

/* Create or replace the file, and create the directories above it. */
static inline void tree_write_bytes(const char *name, const void *bytes,
				    size_t nr_bytes)
{
	char above[256];
	const char *slash;
	int fd;

	for (slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
		snprintf(above, sizeof(above), "%.*s", (int)(slash - name),
			 name);
		mkdirat(tree_fd, above, 0700);
	}
	fd = openat(tree_fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
		    0600);
	if (fd < 0 || write(fd, bytes, nr_bytes) != (ssize_t)nr_bytes ||
	    close(fd))
		abort();
}

static inline void tree_write(const char *name, const char *text)
{
	tree_write_bytes(name, text, strlen(text));
}

/* Give the file a size; what it did not have is a hole, which takes no space. */
static inline void tree_size(const char *name, off_t bytes)
{
	int fd = openat(tree_fd, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	struct rlimit limit;

	/* the caller may have set a lower limit for the case that a test never ends */
	if (getrlimit(RLIMIT_FSIZE, &limit))
		abort();
	limit.rlim_cur = limit.rlim_max;
	if (setrlimit(RLIMIT_FSIZE, &limit))
		abort();
	if (fd < 0 || ftruncate(fd, bytes) || close(fd))
		abort();
}

#endif
