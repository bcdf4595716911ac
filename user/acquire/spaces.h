/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Find processes with the same address space: clone(CLONE_VM), vfork(). */
#ifndef PTU_ACQUIRE_SPACES_H
#define PTU_ACQUIRE_SPACES_H

#include <stddef.h>
#include <sys/types.h>

#include "acquire/procfs.h"
#include "base/err.h"

/* A process with the address space, the compared thread, and its start time. */
struct ptu_space {
	pid_t pid;
	pid_t tid;
	uint64_t start_time;
};

/**
 * struct ptu_spaces - one process of each address space
 * @spaces: [nr] in the kernel's order of address spaces
 */
struct ptu_spaces {
	struct ptu_space *spaces;
	size_t nr;
	size_t capacity;
};

/**
 * ptu_spaces_add() - Does an earlier process have the same address space?
 * @proc: (in) not a kernel thread, nor a zombie; it may be closed (.dirfd -1)
 * @ret: (out) that process; or @proc itself, which is then added
 *
 * Uses kcmp(2), which needs permission for both processes.  Both are checked to be
 * alive and unchanged since they were opened.
 *
 * Return: 0; -ESRCH, -ESTALE as ptu_proc_same(); -ENOSYS the kernel does not compare
 * processes; -ENOMEM; -errno.
 */
ptu_must_check int ptu_spaces_add(struct ptu_spaces *spaces,
				  const struct ptu_proc *proc, pid_t *ret);

void ptu_spaces_deinit(struct ptu_spaces *spaces);

#endif
