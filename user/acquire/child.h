/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Start a command, and let it run freely or stop it at the moment of the measurement.  Its
 * standard output is redirected to standard error, so that stdout holds only the report.
 */
#ifndef PTU_ACQUIRE_CHILD_H
#define PTU_ACQUIRE_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

/* For @after_ns of ptu_run_start(): do not trace the command. */
#define PTU_RUN_FREELY (-1)

/**
 * struct ptu_run_signals - signal handlers and mask of this process, saved before it
 *	starts a command
 */
struct ptu_run_signals {
	struct sigaction interrupt;
	struct sigaction quit;
	sigset_t mask;
};

/**
 * struct ptu_run - a started command
 * @name: the command, as the caller of ptu_run_start() passed it; not a copy
 * @pid: its process
 * @tid: its last thread, held at its exit stop by ptrace; 0: it is running
 * @at_exit: it is held at its exit stop with its tables still present
 * @is_free: it was started with PTU_RUN_FREELY
 * @signals: if @is_free, the signals that ptu_run_end() restores
 */
struct ptu_run {
	const char *name;
	pid_t pid;
	pid_t tid;
	bool at_exit;
	bool is_free;
	struct ptu_run_signals signals;
};

/**
 * ptu_run_start() - Start a command and run it up to the point of measurement.
 * @argv: (in) the command, found through PATH, and its arguments
 * @after_ns: (in) measure it after this time while it runs, or at its exit if it
 *	ends earlier; 0: at its exit; PTU_RUN_FREELY: return when it has started
 * @ret: (out) end with ptu_run_end()
 *
 * Signals for the command are passed on to it. While it runs, SIGINT and SIGQUIT
 * are left to the command.  If the command runs freely, this process ignores SIGINT and
 * SIGQUIT and blocks SIGCHLD until ptu_run_end().
 *
 * Return: 0; -ENOENT, -EACCES, ... the command could not be executed; -ESRCH it
 * ended without an exit stop; -errno.
 */
ptu_must_check int ptu_run_start(char *const argv[], long long after_ns,
				 struct ptu_run *ret, struct ptu_err *err);

/**
 * ptu_run_adopt() - Let this process become the parent of its descendants whose parent
 *	ends.
 *
 * Return: 0; -errno.
 */
ptu_must_check int ptu_run_adopt(struct ptu_err *err);

/**
 * ptu_run_reap() - Release the zombies of adopted processes.
 *
 * Return: whether the command itself is running.
 */
bool ptu_run_reap(const struct ptu_run *run);

/**
 * ptu_run_end() - Let the command continue, and wait for its end.
 * @ret: (out) a sentence about its end, if the function returns true
 *
 * Return: true if its exit status is not 0 or a signal killed it.
 */
bool ptu_run_end(struct ptu_run *run, struct ptu_err *ret);

#endif
