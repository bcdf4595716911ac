/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Work in steps, by one thread or two. */
#ifndef PTU_BASE_WORKERS_H
#define PTU_BASE_WORKERS_H

#include <stdbool.h>

enum ptu_worker { PTU_CALLER, PTU_HELPER, PTU_NR_WORKERS };

/**
 * ptu_workers_run() - Take steps until there are none left.
 * @step: (in) takes the next step, of which no other call may know; from both
 *	threads at once; returns whether it may be called again by this worker
 * @arg: (in) for @step
 *
 * A second thread joins in where there is a second CPU, once the caller has
 * used so much of its own that a thread's start is little beside it.  There is
 * never more than one more, however deep calls are nested.  Both are done when
 * it returns.
 */
void ptu_workers_run(bool (*step)(void *arg, enum ptu_worker worker),
		     void *arg);

/**
 * ptu_workers_source() - A file descriptor that this thread works with.
 *
 * Return: -1, or what ptu_workers_use() said last in this thread; of a helper, what
 * its caller has.
 */
int ptu_workers_source(void);

/**
 * ptu_workers_use() - Work with another one from now on.
 */
void ptu_workers_use(int source);

#endif
