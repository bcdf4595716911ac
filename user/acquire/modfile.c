// SPDX-License-Identifier: LGPL-2.1-or-later
/* Check who may write a file and its parent directories; must not load anything. */
#define _GNU_SOURCE /* secure_getenv() */
#include "acquire/modfile.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* SUDO_UID can be trusted: sudo sets it and ignores its caller's value. */
static bool is_trusted(uid_t uid)
{
	const char *sudo_uid = geteuid() ? NULL : secure_getenv("SUDO_UID");
	char text[16];

	snprintf(text, sizeof(text), "%u", uid);
	return !uid || uid == geteuid() ||
	       (sudo_uid && !strcmp(sudo_uid, text));
}

/* In a sticky directory only the owner can replace a file. */
static bool others_may_write(const struct stat *st)
{
	bool sticky_dir = S_ISDIR(st->st_mode) && st->st_mode & S_ISVTX;

	return !is_trusted(st->st_uid) ||
	       (st->st_mode & (S_IWGRP | S_IWOTH) && !sticky_dir);
}

static int check_one(const char *path, bool is_file, const char *file,
		     struct ptu_err *err)
{
	struct stat st;

	if (lstat(path, &st))
		return ptu_err_set(err, -errno, "%s: %s", path,
				   strerror(errno));
	if (is_file ? !S_ISREG(st.st_mode) : !S_ISDIR(st.st_mode))
		return ptu_err_set(err, -EINVAL, "%s is not a file", file);
	if (others_may_write(&st))
		return ptu_err_set(err, -EPERM,
				   "%s is not loaded: others may write %s (owner %u, mode %04o); copy the module to a directory that only root can write",
				   file, path, st.st_uid, st.st_mode & 07777);
	return 0;
}

int ptu_modfile_check(const char *file, char **ret, struct ptu_err *err)
{
	char *path = realpath(file, NULL);
	char *slash;
	int error;

	if (!path && errno == ENOENT)
		return ptu_err_set(err, -ENOENT, "%s: there is no such file",
				   file);
	if (!path)
		return ptu_err_set(err, -errno, "%s: %s", file,
				   strerror(errno));
	/* from the root down, so that checked directories stay valid */
	error = check_one("/", false, file, err);
	for (slash = strchr(path + 1, '/'); slash && !error;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		error = check_one(path, false, file, err);
		*slash = '/';
	}
	if (!error)
		error = check_one(path, true, file, err);
	if (error) {
		free(path);
		return error;
	}
	*ret = path;
	return 0;
}
