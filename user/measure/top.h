/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds who has most memory in page tables; measures only what is shown. */
#ifndef PTU_MEASURE_TOP_H
#define PTU_MEASURE_TOP_H

#include <signal.h>

#include "acquire/kernel_side.h"
#include "estimate/estimator.h"
#include "model/geometry.h"
#include "report/top.h"

/**
 * struct ptu_top_ask - what is to be found
 * @side: the kernel's side, or NULL: by @estimator
 * @estimator: where the kernel's side is not to be had, or fails
 * @pids: [nr_pids] of which processes
 * @pid: or the mappings of this one, 0 for processes
 * @column: how rows are sorted, as ptu_top_order() takes it
 * @reverse: the other way round
 * @limit: rows at most, 0 for all
 * @look_first: look at no process before this row
 * @nr_looks: and at so many rows only, the others have VmPTE; 0: at all that are
 *	in the answer.  Groups, and an order by what is looked at, need all.
 * @most_ns: time for looking, 0: 7 seconds
 * @stop: looking ends once this is not 0, or NULL
 * @is_recording: /proc is a recording
 * @group: name of the group of a process, or NULL: no groups.
 *	@proc: an open process; @row: what is known of it; @ret: [256]
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
};

/**
 * ptu_top_kind() - What the rows of the answer are.
 */
enum ptu_top_kind ptu_top_kind(const struct ptu_top_ask *ask);

/**
 * ptu_measure_top() - Rank them by VmPTE, then look at the tables of those that
 * are shown.
 * @ret: (out) free() its rows; .host and .boot_id are the caller's
 *
 * What is not looked at has VmPTE alone, and says so.  Kernel threads, zombies,
 * and further processes of an address space are left out.
 *
 * Return: 0; -ESRCH, -EINVAL @pid has no memory; -ENOMEM; -errno.
 */
ptu_must_check int ptu_measure_top(const struct ptu_top_ask *ask,
				   struct ptu_top_report *ret,
				   struct ptu_err *err);

#endif
