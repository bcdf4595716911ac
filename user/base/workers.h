/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Run work step by step in one or two threads. */
#ifndef PTU_BASE_WORKERS_H
#define PTU_BASE_WORKERS_H

#include <stdbool.h>

enum ptu_worker { PTU_CALLER, PTU_HELPER, PTU_NR_WORKERS };

/**
 * ptu_workers_run() - Call @step until nothing is left to do.
 * @step: (in) does the next step; both threads call it at the same time;
 *	returns whether this worker may call it again. No call may share its
 *	step with another call.
 * @arg: (in) argument of @step
 *
 * A second thread is started if there is a second CPU and the caller has used
 * so much CPU time that starting a thread is cheap in comparison. There is
 * never more than one helper, however deep calls are nested. Both threads have
 * finished when the function returns.
 */
void ptu_workers_run(bool (*step)(void *arg, enum ptu_worker worker),
		     void *arg);

/**
 * ptu_workers_source() - The file descriptor that this thread works with.
 *
 * Return: the descriptor last set by ptu_workers_use() in this thread, -1 if none. A
 * helper inherits it from its caller.
 */
int ptu_workers_source(void);

/**
 * ptu_workers_use() - Set the file descriptor that this thread works with.
 */
void ptu_workers_use(int source);

#endif
