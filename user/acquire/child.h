/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Runs a command until the moment at which it is measured.  Its standard
 * output goes to standard error, so that the report stands alone.
 */
#ifndef PTU_ACQUIRE_CHILD_H
#define PTU_ACQUIRE_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

/**
 * struct ptu_run - a command that runs
 * @pid: its process
 * @tid: its last thread, which ptrace holds at its exit stop; 0: it runs
 * @at_exit: it stands there, its tables whole; else it runs
 */
struct ptu_run {
	pid_t pid;
	pid_t tid;
	bool at_exit;
};

/**
 * ptu_run_start() - Run a command up to where it is to be measured.
 * @argv: (in) the command, found through PATH, and its arguments
 * @after_ns: (in) let it run so long and measure it running, unless it ends
 *	before; 0: measure it at its exit
 * @ret: (out) end with ptu_run_end()
 *
 * Signals that come to the command are passed on to it; SIGINT and SIGQUIT
 * are left to the command as long as it runs.
 *
 * Return: 0; -ENOENT, -EACCES, ... the command could not be executed;
 * -ESRCH it ended without an exit stop; -errno.
 */
ptu_must_check int ptu_run_start(char *const argv[], long long after_ns,
				 struct ptu_run *ret, struct ptu_err *err);

/**
 * ptu_run_end() - Let the command go on, and wait for its end.
 */
void ptu_run_end(struct ptu_run *run);

#endif
