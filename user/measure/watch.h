/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sample processes repeatedly and report their changes. */
#ifndef PTU_MEASURE_WATCH_H
#define PTU_MEASURE_WATCH_H

#include "measure/watched.h"

/**
 * struct ptu_watch - the last samples of all processes
 * @ask: source of the tables
 * @processes: [nr] by PID
 * @at_ns: CLOCK_MONOTONIC of the last sample; 0: none
 * @begun_ns: CLOCK_MONOTONIC of ptu_watch_begin(), or of the first sample of a group
 * @peaks: [nr_peaks] of the processes, in the order in which they were given, also of those
 *	that have ended; a group has none
 * @group_peak: of the group
 * @has_limit: growth above @limit_bytes per second is too fast
 */
struct ptu_watch {
	struct ptu_view_ask ask;
	struct ptu_watched *processes;
	size_t nr;
	uint64_t at_ns;
	uint64_t begun_ns;
	struct ptu_watch_peak *peaks;
	size_t nr_peaks;
	struct ptu_watch_group_peak group_peak;
	bool has_limit;
	uint64_t limit_bytes;
};

/**
 * ptu_watch_begin() - Start to watch processes, without sampling them.
 * @watch: (in, out) free with ptu_watch_deinit()
 * @pids: (in) [nr_pids]; duplicates are watched once
 *
 * Return: 0; -ESRCH no such process; -EINVAL a kernel thread or a zombie; -ENOMEM.
 */
ptu_must_check int ptu_watch_begin(struct ptu_watch *watch, const pid_t *pids,
				   size_t nr_pids, struct ptu_err *err);

/**
 * ptu_watch_process() - Sample a process and its tables.
 * @at: (in) its index; a process that has ended is removed, and later ones move up
 * @ret: (out) free .growth with ptu_growth_deinit()
 *
 * Return: 0; -ENOMEM; -errno.
 */
ptu_must_check int ptu_watch_process(struct ptu_watch *watch, size_t at,
				     struct ptu_watch_row *ret,
				     struct ptu_err *err);

/**
 * ptu_watch_group() - Sample all processes of a group.
 * @pids: (in) [nr_pids] ascending; may include kernel threads and zombies
 * @budget_ns: (in) time limit for tables; 0: read all that changed
 * @ret: (out) free .most.growth with ptu_growth_deinit()
 *
 * Reads VmPTE of each process.  Reads tables if VmPTE changed: first those of the
 * process that @ret names, then those of the others until the time limit.  Processes
 * with one address space count once.
 *
 * Return: 0; -ENOMEM; -errno.
 */
ptu_must_check int ptu_watch_group(struct ptu_watch *watch, const pid_t *pids,
				   size_t nr_pids, uint64_t budget_ns,
				   struct ptu_watch_total *ret,
				   struct ptu_err *err);

/**
 * ptu_watch_is_too_fast() - Is this growth in @seconds above the limit?
 */
bool ptu_watch_is_too_fast(const struct ptu_watch *watch, int64_t growth_bytes,
			   double seconds);

void ptu_watch_deinit(struct ptu_watch *watch);

#endif
