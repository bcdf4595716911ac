/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Find processes that share an mm (CLONE_VM without CLONE_THREAD, vfork). */
#ifndef PTU_ACQUIRE_SHARERS_H
#define PTU_ACQUIRE_SHARERS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

/**
 * ptu_sharers_known() - Does kcmp() work?
 *
 * It may be missing in the kernel (CONFIG_KCMP) or forbidden by seccomp.
 */
bool ptu_sharers_known(void);

/**
 * ptu_sharers() - Find all other processes with the mm of @pid.
 * @ret: (out) [*ret_nr] ascending, without @pid and the caller; free() it
 *
 * Processes that ended, and processes that cannot be compared (no kcmp() in the
 * kernel, no permission), are left out.
 *
 * Return: 0; -errno as ptu_proc_open() and ptu_proc_list(), or if a lack of
 * descriptors or memory hides a process.
 */
ptu_must_check int ptu_sharers(pid_t pid, pid_t **ret, size_t *ret_nr,
			       struct ptu_err *err);

#endif
