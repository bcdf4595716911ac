/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the kernel does to give tables back: asked of memory of our own, and
 * process_madvise(MADV_COLLAPSE), the one call that acts on another process here.
 */
#ifndef PTU_ACQUIRE_COLLAPSE_H
#define PTU_ACQUIRE_COLLAPSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "acquire/procfs.h"
#include "base/err.h"

/**
 * ptu_collapse_madvise_frees() - Does MADV_DONTNEED over an empty slot return
 * its table?
 *
 * Found out with a table of our own; false where that cannot be seen.
 */
bool ptu_collapse_madvise_frees(void);

/**
 * ptu_collapse_shmem_enabled() - The chosen word of shmem_enabled.
 * @ret: (out) [ret_bytes] "never", "advise", ...; "" where the kernel has none
 */
void ptu_collapse_shmem_enabled(char *ret, size_t ret_bytes);

/**
 * ptu_collapse_ready() - Can we ask the kernel for it?
 *
 * Return: 0; -EOPNOTSUPP the kernel has no MADV_COLLAPSE (6.1 and later have it),
 * no huge pages, or shmem_enabled is deny; -EPERM no CAP_SYS_NICE; with a sentence.
 */
ptu_must_check int ptu_collapse_ready(struct ptu_err *err);

/**
 * ptu_collapse_disabled() - Did the process say PR_SET_THP_DISABLE?
 */
bool ptu_collapse_disabled(const struct ptu_proc *proc);

/**
 * ptu_collapse_open() - Get a handle that no later process with the same PID takes over.
 *
 * Return: a file descriptor; -ESRCH it ended; -errno.
 */
ptu_must_check int ptu_collapse_open(const struct ptu_proc *proc);

/**
 * ptu_collapse() - Make [@start, @start + @bytes) of the process one huge page.
 * @pidfd: (in) of ptu_collapse_open()
 *
 * Contents stay, the process goes on.
 *
 * Return: 0; -EAGAIN, -EBUSY not just now; -ENOMEM no huge page to be had; -EINVAL
 * the kernel does not do it there; -errno.
 */
ptu_must_check int ptu_collapse(int pidfd, uint64_t start, uint64_t bytes);

#endif
