/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* List the processes of a cgroup (version 2) and its descendants. */
#ifndef PTU_ACQUIRE_CGROUP_H
#define PTU_ACQUIRE_CGROUP_H

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

/**
 * ptu_cgroup_mount() - Parse a line of /proc/self/mountinfo.
 * @ret: (out) the mount point; untouched if it is not of type cgroup2
 *
 * Return: is it of type cgroup2?
 */
bool ptu_cgroup_mount(const char *line, char *ret, size_t ret_bytes);

/**
 * ptu_cgroup_root() - The first mount point of cgroup2, or the default one.
 */
void ptu_cgroup_root(char ret[PATH_MAX]);

/**
 * ptu_cgroup_list() - List the processes of a cgroup and its descendants.
 * @path: (in) relative to the mount point of cgroup2; may begin with it or with
 *	/sys/fs/cgroup
 * @pids: (out) ascending, without duplicates; free() it
 *
 * Return: 0; -ENOENT no such cgroup, or it has no processes; -EINVAL @path is
 * empty, or cgroup version 2 is not mounted; -EXDEV a process is in another PID
 * namespace; -errno.
 */
ptu_must_check int ptu_cgroup_list(const char *path, pid_t **pids,
				   size_t *nr_pids, struct ptu_err *err);

/**
 * ptu_cgroup_is_child() - Is this entry of a cgroup's directory a cgroup?
 *
 * Its name may begin with a dot.
 */
bool ptu_cgroup_is_child(const struct dirent *entry);

#endif
