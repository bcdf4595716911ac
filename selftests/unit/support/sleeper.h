/* SPDX-License-Identifier: GPL-2.0-only */
/* A process that does not change and is small. */
#ifndef SLEEPER_H
#define SLEEPER_H

#include <string.h>

#include "acquire/procfs.h"

#include "support/child.h"

/**
 * sleeper_begin() - Begin a process that sleeps, without its shadow memory.
 * @ret: (out) the process; it is closed
 *
 * Return: its PID, for child_end().
 */
static inline pid_t sleeper_begin(struct ptu_proc *ret)
{
	pid_t child = child_fork();

	if (!child) {
		execlp("sleep", "sleep", "600", NULL);
		_exit(1);
	}
	do {
		usleep(1000);
		if (ptu_proc_open(child, ret, NULL))
			abort();
		ptu_proc_close(ret);
	} while (strcmp(ret->comm, "sleep") || ret->state != 'S');
	return child;
}

#endif
