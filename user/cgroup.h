/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The processes of a cgroup (version 2) and of those below it. */
#ifndef PTU_CGROUP_H
#define PTU_CGROUP_H

#include <stddef.h>
#include <sys/types.h>

#include "err.h"

/**
 * ptu_cgroup_list() - List them.
 * @path: (in) below /sys/fs/cgroup, with this in front or without
 * @pids: (out) ascending, each once; free() it
 *
 * Return: 0; -ENOENT no such cgroup, or no process in it; -EINVAL no cgroup of
 * version 2; -EXDEV a process of another PID namespace; -errno.
 */
ptu_must_check int ptu_cgroup_list(const char *path, pid_t **pids,
				   size_t *nr_pids, struct ptu_err *err);

#endif
