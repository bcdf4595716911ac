/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Read processes at two moments and compare them. */
#ifndef PTU_MEASURE_CHANGE_H
#define PTU_MEASURE_CHANGE_H

#include "measure/view.h"
#include "report/change.h"

/**
 * struct ptu_moment - processes as shown by /proc, or by the recording in use
 * @host: machine and time
 * @states: [nr] sorted by PID
 */
struct ptu_moment {
	struct ptu_host host;
	char boot_id[64];
	struct ptu_state *states;
	size_t nr;
};

/**
 * ptu_moment_read() - Read one process, or all processes.
 * @pid: (in) 0 for all
 * @ret: (out) free with ptu_moment_deinit(), even after a failure
 *
 * Return: 0; -ESRCH no such process; -errno as ptu_view_read().
 */
ptu_must_check int ptu_moment_read(const struct ptu_view_ask *ask, pid_t pid,
				   struct ptu_moment *ret, struct ptu_err *err);

/**
 * ptu_moment_same() - Is a PID the same process at both moments?
 * @before: (in) earlier start time, in ticks after boot @boot_before
 * @after: (in) later start time, in ticks after boot @boot_after
 *
 * Return: 0 if it is; -ESTALE if not.
 */
ptu_must_check int ptu_moment_same(pid_t pid, const char *boot_before,
				   uint64_t before, const char *boot_after,
				   uint64_t after, struct ptu_err *err);

/**
 * ptu_moment_compare() - Find added and freed tables.
 * @ret: (in, out) sets .processes; free with ptu_change_report_deinit(), even after
 *	a failure
 *
 * Return: 0; -ESTALE a PID belongs to another process in @after, so addresses
 * cannot be compared; -ENOMEM.
 */
ptu_must_check int ptu_moment_compare(const struct ptu_moment *before,
				      const struct ptu_moment *after,
				      const struct ptu_geometry *geo,
				      struct ptu_change_report *ret,
				      struct ptu_err *err);

void ptu_moment_deinit(struct ptu_moment *moment);

#endif
