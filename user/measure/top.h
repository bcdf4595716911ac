/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Find the processes with most page tables; examine only those that are shown. */
#ifndef PTU_MEASURE_TOP_H
#define PTU_MEASURE_TOP_H

#include <signal.h>

#include "acquire/kernel_side.h"
#include "estimate/estimator.h"
#include "model/geometry.h"
#include "report/top.h"

/**
 * struct ptu_top_ask - what to find
 * @side: the kernel's side, or NULL: use @estimator
 * @estimator: used if the kernel's side is not available, or fails
 * @pids: [nr_pids] processes to rank
 * @pid: rank the mappings of this process; 0: rank processes
 * @column: sort column, as in ptu_top_order()
 * @reverse: reverse the order
 * @limit: maximum number of rows, 0 for all
 * @look_first: index of the first row to examine
 * @nr_looks: number of rows to examine, the others have only VmPTE; 0: all rows in
 *	the result.  Groups, and sorting by examined columns, need all.
 * @most_ns: time limit for examining, 0: 7 seconds
 * @stop: stop examining when this becomes different from 0; or NULL
 * @is_recording: /proc is a recording
 * @group: returns the name of a process's group; NULL: no groups. @proc: an open
 *	process; @row: its data so far; @ret: [256]
 * @only: name of the group whose processes are ranked; NULL: with @group, the groups are
 *	ranked, else all processes
 */
struct ptu_top_ask {
	const struct ptu_geometry *geo;
	const struct ptu_kernel_side *side;
	const struct ptu_estimator *estimator;
	const pid_t *pids;
	size_t nr_pids;
	pid_t pid;
	const char *column;
	bool reverse;
	size_t limit;
	size_t look_first;
	size_t nr_looks;
	uint64_t most_ns;
	const volatile sig_atomic_t *stop;
	bool is_recording;
	void (*group)(const struct ptu_proc *proc,
		      const struct ptu_top_row *row, char *ret);
	const char *only;
};

/**
 * ptu_top_kind() - Kind of the rows in the result.
 */
enum ptu_top_kind ptu_top_kind(const struct ptu_top_ask *ask);

/**
 * ptu_measure_top() - Rank processes by VmPTE, then examine the tables of those
 *	that are shown.
 * @ret: (out) free() its rows; the caller sets .host and .boot_id
 *
 * A row that was not examined has only VmPTE, and says so.  Kernel threads,
 * zombies, and further processes with the same address space are left out.
 *
 * Return: 0; -ESRCH, -EINVAL @pid has no memory; -ENOMEM; -errno.
 */
ptu_must_check int ptu_measure_top(const struct ptu_top_ask *ask,
				   struct ptu_top_report *ret,
				   struct ptu_err *err);

#endif
