/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stops a process while it is measured, and lets it go whatever happens. */
#ifndef PTU_ACQUIRE_FREEZE_H
#define PTU_ACQUIRE_FREEZE_H

#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

/* Processes that can be stopped at once. */
#define PTU_FREEZE_MOST 1024

/**
 * struct ptu_freeze - a stopped process and those that share its mm
 * @guard: child that sends SIGCONT when this process closes @fd, be it by
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
 * ptu_freeze() - SIGSTOP, and wait until all who have its mm stand still.
 * @ret: (out) for ptu_thaw(); a process that was stopped already is left so
 * @err: (out) not NULL
 *
 * All who have it: its threads, and other processes by CLONE_VM as far as
 * kcmp() tells.  A parent that waits for its vfork child counts as standing.
 *
 * A process is stopped only after the guard has been told of it.  The guard
 * blocks all signals and is in a session of its own: the processes continue
 * unless SIGKILL hits the guard before it has seen this process end.
 *
 * Return: 0; -ESRCH; -EPERM; -E2BIG too many processes share the mm; -EBUSY one
 * did not stop in time; -ECHILD the guard was killed.
 */
ptu_must_check int ptu_freeze(pid_t pid, struct ptu_freeze *ret,
			      struct ptu_err *err);

/**
 * ptu_thaw() - Let it go again.
 */
void ptu_thaw(struct ptu_freeze *freeze);

#endif
