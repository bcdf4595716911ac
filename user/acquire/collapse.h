/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Test and use the kernel's ways to free tables: probes on our own memory, and
 * process_madvise(MADV_COLLAPSE), the only call that modifies the address space of
 * another process.
 */
#ifndef PTU_ACQUIRE_COLLAPSE_H
#define PTU_ACQUIRE_COLLAPSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "acquire/procfs.h"
#include "base/err.h"

/* The file in a recording. */
#define PTU_COLLAPSE_RECORDED "madvise-frees"

/**
 * ptu_collapse_madvise_frees() - Does MADV_DONTNEED over an empty slot return
 * its table?
 *
 * Tested with a table of our own, or taken from the recording.
 *
 * Return: 1; 0, also if it cannot be tested or was not recorded; -EBADMSG the
 * recording is damaged; -errno.
 */
ptu_must_check int ptu_collapse_madvise_frees(struct ptu_err *err);

/**
 * ptu_collapse_record() - Contents of PTU_COLLAPSE_RECORDED for the running kernel.
 */
const char *ptu_collapse_record(void);

/**
 * ptu_collapse_shmem_enabled() - The active setting of shmem_enabled.
 * @ret: (out) [ret_bytes] "never", "advise", ...; "" if the kernel has no such file
 */
void ptu_collapse_shmem_enabled(char *ret, size_t ret_bytes);

/**
 * ptu_collapse_ready() - Can MADV_COLLAPSE be used?
 *
 * Return: 0; -EOPNOTSUPP the kernel has no MADV_COLLAPSE (6.1 and later have it) or no
 * huge pages, or shmem_enabled is deny; -EPERM no CAP_SYS_NICE; with a sentence.
 */
ptu_must_check int ptu_collapse_ready(struct ptu_err *err);

/**
 * ptu_collapse_disabled() - Has the process set PR_SET_THP_DISABLE?
 */
bool ptu_collapse_disabled(const struct ptu_proc *proc);

/**
 * ptu_collapse_open() - Get a pidfd, which stays valid if the PID is reused.
 *
 * Return: a file descriptor; -ESRCH it ended; -errno.
 */
ptu_must_check int ptu_collapse_open(const struct ptu_proc *proc);

/**
 * ptu_collapse() - Make [@start, @start + @bytes) of the process one huge page.
 * @pidfd: (in) from ptu_collapse_open()
 *
 * The contents are kept, and the process keeps running.
 *
 * Return: 0; -EAGAIN, -EBUSY try again later; -ENOMEM no huge page available; -EINVAL
 * the kernel does not support it there; -errno.
 */
ptu_must_check int ptu_collapse(int pidfd, uint64_t start, uint64_t bytes);

#endif
