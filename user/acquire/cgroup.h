/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The processes of a cgroup (version 2) and of those below it. */
#ifndef PTU_ACQUIRE_CGROUP_H
#define PTU_ACQUIRE_CGROUP_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

/**
 * ptu_cgroup_mount() - Read a line of /proc/self/mountinfo.
 * @ret: (out) the mount point; untouched if it is not of cgroup2
 *
 * Return: is it of cgroup2?
 */
bool ptu_cgroup_mount(const char *line, char *ret, size_t ret_bytes);

/**
 * ptu_cgroup_root() - The mount point of cgroup2 that comes first, else where it is
 * by default.
 */
void ptu_cgroup_root(char ret[PATH_MAX]);

/**
 * ptu_cgroup_list() - List them.
 * @path: (in) below the mount point of cgroup2; this, or /sys/fs/cgroup, may
 *	stand in front
 * @pids: (out) ascending, each once; free() it
 *
 * Return: 0; -ENOENT no such cgroup, or no process in it; -EINVAL no cgroup of
 * version 2; -EXDEV a process of another PID namespace; -errno.
 */
ptu_must_check int ptu_cgroup_list(const char *path, pid_t **pids,
				   size_t *nr_pids, struct ptu_err *err);

#endif
