/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stop a process during its measurement, and continue it in any case. */
#ifndef PTU_ACQUIRE_FREEZE_H
#define PTU_ACQUIRE_FREEZE_H

#include <stddef.h>
#include <sys/types.h>

#include "acquire/procfs.h"
#include "base/err.h"

/* Maximum number of processes that can be stopped at once. */
#define PTU_FREEZE_MOST 1024

/**
 * struct ptu_freeze - a stopped process and the processes that share its mm
 * @guard: child that sends SIGCONT when this process closes @fd, either in
 *	ptu_thaw() or by dying; 0 if nothing is frozen
 * @fd: our end of the socket to the guard
 * @pids: [nr] processes that were stopped
 */
struct ptu_freeze {
	pid_t guard;
	int fd;
	pid_t pids[PTU_FREEZE_MOST];
	size_t nr;
};

/**
 * ptu_freeze() - Stop all users of a process's mm, and wait until they have
 *	stopped.
 * @proc: (in) open; (out) its time for reading starts now
 * @ret: (out) for ptu_thaw(); processes that were stopped before are left out
 * @err: (out) not NULL
 *
 * The users are its threads and, as far as kcmp() can tell, other processes created
 * with CLONE_VM.  A parent that waits for its vfork() child counts as stopped.
 * Process 1 cannot be stopped, and ptaudit does not stop itself: both keep running.
 *
 * The guard is told of each process before it is stopped. The guard blocks all
 * signals and has its own session. The processes continue unless SIGKILL hits the
 * guard before it has seen this process end.
 *
 * Return: 0; -ESRCH; -EPERM; -E2BIG too many processes share the mm; -EBUSY a
 * thread did not stop in time; -ECHILD the guard was killed.
 */
ptu_must_check int ptu_freeze(struct ptu_proc *proc, struct ptu_freeze *ret,
			      struct ptu_err *err);

/**
 * ptu_thaw() - Continue the processes.
 */
void ptu_thaw(struct ptu_freeze *freeze);

#endif
