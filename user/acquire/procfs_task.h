/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stat and status of processes and threads, for the readers of /proc. */
#ifndef PTU_ACQUIRE_PROCFS_TASK_H
#define PTU_ACQUIRE_PROCFS_TASK_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "acquire/procfs.h"
#include "base/err.h"

/**
 * ptu_task_is_dead() - Does a state mean that the task has ended?
 */
bool ptu_task_is_dead(char state);

/**
 * ptu_task_stat() - Read stat.
 * @dirfd: (in) /proc/PID, or /proc/PID/task/TID
 * @ret: (in) @pid and @tid; (out) the fields that stat has
 *
 * Return: 0; -ESRCH the task has ended (@err has no message); -EIO the text is damaged,
 * or is that of another task; -errno.
 */
ptu_must_check int ptu_task_stat(int dirfd, struct ptu_proc *ret,
				 struct ptu_err *err);

/**
 * ptu_task_recorded() - Which thread is the status of a recording from?
 * @dirfd: (in) directory of process @pid
 * @ret: (out) the thread
 * @ret_state: (out) its state
 *
 * Return: true; false if /proc is read instead of a recording, or if the recorded
 * status does not name a thread of @pid.
 */
bool ptu_task_recorded(int dirfd, pid_t pid, pid_t *ret, char *ret_state);

/**
 * ptu_task_list() - List the entries of a directory that are PIDs.
 * @ret: (out) [*nr_ret] ascending; free() it
 *
 * Return: 0; -errno.
 */
ptu_must_check int ptu_task_list(DIR *dir, pid_t **ret, size_t *nr_ret);

/**
 * ptu_task_find_thread() - Find the first thread that satisfies a condition.
 * @proc: its dirfd is /proc/PID
 * @ret: (out) @proc with the thread's tid, dirfd and stat; ptu_proc_close() it
 *
 * Return: 0; -ESRCH there is none; -errno.
 */
ptu_must_check int
ptu_task_find_thread(const struct ptu_proc *proc,
		     bool (*is_wanted)(const struct ptu_proc *thread),
		     struct ptu_proc *ret);

#endif
