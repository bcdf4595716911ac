/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which processes share one mm (CLONE_VM without CLONE_THREAD, vfork). */
#ifndef PTU_ACQUIRE_SHARERS_H
#define PTU_ACQUIRE_SHARERS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

/**
 * ptu_share_mm() - Have two threads, neither of them a zombie, the same mm?
 *
 * Return: true; false also where it cannot be asked.
 */
bool ptu_share_mm(pid_t a, pid_t b);

/**
 * ptu_sharers() - All other processes that have this one's mm.
 * @ret: (out) [*ret_nr] ascending, without @pid and the caller; free() it
 *
 * Those that cannot be asked (no kcmp() in the kernel, no permission) and those
 * that ended meanwhile are left out.
 *
 * Return: 0; -errno as ptu_proc_open() and ptu_proc_list().
 */
ptu_must_check int ptu_sharers(pid_t pid, pid_t **ret, size_t *ret_nr,
			       struct ptu_err *err);

#endif
