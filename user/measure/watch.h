/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Looks at processes again and again, and says what changed meanwhile. */
#ifndef PTU_MEASURE_WATCH_H
#define PTU_MEASURE_WATCH_H

#include "measure/view.h"
#include "report/watch.h"

/**
 * struct ptu_watched - a process as it was seen last
 * @start_time: tells it from another one with the same PID
 * @tid: the thread that is read
 * @ppid: its parent
 * @shares: another process with this address space counts instead; none of those
 *	that are kept
 * @at_ns: CLOCK_MONOTONIC
 * @has_view: @view is of that moment
 */
struct ptu_watched {
	pid_t pid;
	pid_t tid;
	pid_t ppid;
	uint64_t start_time;
	char comm[64];
	bool shares;
	uint64_t at_ns;
	uint64_t vmpte_bytes;
	uint64_t rss_bytes;
	bool has_view;
	struct ptu_view view;
};

/**
 * struct ptu_watch - all that were seen last
 * @ask: who draws tables
 * @processes: [nr] by PID
 * @at_ns: CLOCK_MONOTONIC; 0: nothing was seen yet
 * @has_limit: growth above @limit_bytes a second is too fast
 */
struct ptu_watch {
	struct ptu_view_ask ask;
	struct ptu_watched *processes;
	size_t nr;
	uint64_t at_ns;
	bool has_limit;
	uint64_t limit_bytes;
};

/**
 * ptu_watch_begin() - Remember processes that were named; look at none yet.
 * @watch: (in, out) deinit with ptu_watch_deinit()
 * @pids: (in) [nr_pids]; one named twice is watched once
 *
 * Return: 0; -ESRCH no such process; -EINVAL a kernel thread or a zombie; -ENOMEM.
 */
ptu_must_check int ptu_watch_begin(struct ptu_watch *watch, const pid_t *pids,
				   size_t nr_pids, struct ptu_err *err);

/**
 * ptu_watch_process() - Look at one of them, and at its tables.
 * @at: (in) index; of one that has ended it is free afterwards: those behind it
 *	move up
 * @ret: (out) deinit .growth with ptu_growth_deinit()
 *
 * Return: 0; -ENOMEM; -errno.
 */
ptu_must_check int ptu_watch_process(struct ptu_watch *watch, size_t at,
				     struct ptu_watch_row *ret,
				     struct ptu_err *err);

/**
 * ptu_watch_group() - Look at all processes of a group.
 * @pids: (in) [nr_pids] ascending, also kernel threads and zombies
 * @budget_ns: (in) time for tables; 0: all that changed are looked at
 * @ret: (out) deinit .most.growth with ptu_growth_deinit()
 *
 * VmPTE is read of each.  Tables are looked at where it changed: first those of the
 * process that grew most, of the others as long as there is time.  Processes with one
 * address space count once.
 *
 * Return: 0; -ENOMEM; -errno.
 */
ptu_must_check int ptu_watch_group(struct ptu_watch *watch, const pid_t *pids,
				   size_t nr_pids, uint64_t budget_ns,
				   struct ptu_watch_total *ret,
				   struct ptu_err *err);

void ptu_watch_deinit(struct ptu_watch *watch);

#endif
