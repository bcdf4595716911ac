/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which processes have one and the same address space: clone(CLONE_VM), vfork(). */
#ifndef PTU_SPACES_H
#define PTU_SPACES_H

#include <stddef.h>
#include <sys/types.h>

#include "err.h"

/**
 * struct ptu_spaces - one process of each address space
 * @pids: [nr_pids] in the kernel's order of address spaces
 */
struct ptu_spaces {
	pid_t *pids;
	size_t nr_pids;
	size_t capacity;
};

/**
 * ptu_spaces_add() - Has a process before this one the same address space?
 * @ret: (out) that process, or @pid itself, which is then one of them
 *
 * By kcmp(2): it takes the right to look at both processes.
 *
 * Return: 0; -ESRCH the process ended; -ENOSYS the kernel does not compare
 * processes; -ENOMEM; -errno.
 */
ptu_must_check int ptu_spaces_add(struct ptu_spaces *spaces, pid_t pid,
				  pid_t *ret);

void ptu_spaces_deinit(struct ptu_spaces *spaces);

#endif
