/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Find the descendants of processes through the parents in /proc/PID/stat. */
#ifndef PTU_ACQUIRE_TREE_H
#define PTU_ACQUIRE_TREE_H

#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

/**
 * ptu_tree_list() - List processes, their children, the children of these, and so on.
 * @roots: (in) [nr_roots]
 * @pids: (out) ascending, including the roots that exist; free() it
 *
 * A process whose parent has ended is the child of another process, usually PID 1.
 *
 * Return: 0, also if there is none of them; -errno.
 */
ptu_must_check int ptu_tree_list(const pid_t *roots, size_t nr_roots,
				 pid_t **pids, size_t *nr_pids,
				 struct ptu_err *err);

#endif
