/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads processes at two moments, and compares them. */
#ifndef PTU_MEASURE_CHANGE_H
#define PTU_MEASURE_CHANGE_H

#include "measure/view.h"
#include "report/change.h"

/**
 * struct ptu_moment - processes as they are in /proc, or in the recording in use
 * @host: the machine, and when
 * @states: [nr] by PID
 */
struct ptu_moment {
	struct ptu_host host;
	char boot_id[64];
	struct ptu_state *states;
	size_t nr;
};

/**
 * ptu_moment_read() - Read one process, or all that there are.
 * @pid: (in) 0 for all
 * @ret: (out) deinit with ptu_moment_deinit(), also after a failure
 *
 * Return: 0; -ESRCH no such process; -errno as ptu_view_read().
 */
ptu_must_check int ptu_moment_read(const struct ptu_view_ask *ask, pid_t pid,
				   struct ptu_moment *ret, struct ptu_err *err);

/**
 * ptu_moment_same() - Is a PID the same process at both moments?
 * @before: (in) start time, in ticks after that boot
 * @after: (in) likewise
 *
 * Return: 0; -ESTALE no.
 */
ptu_must_check int ptu_moment_same(pid_t pid, const char *boot_before,
				   uint64_t before, const char *boot_after,
				   uint64_t after, struct ptu_err *err);

/**
 * ptu_moment_compare() - What came and went.
 * @ret: (in, out) .processes; deinit with ptu_change_report_deinit(), also after
 *	a failure
 *
 * Return: 0; -ESTALE a PID belongs to another process in @after: their addresses
 * cannot be compared; -ENOMEM.
 */
ptu_must_check int ptu_moment_compare(const struct ptu_moment *before,
				      const struct ptu_moment *after,
				      const struct ptu_geometry *geo,
				      struct ptu_change_report *ret,
				      struct ptu_err *err);

void ptu_moment_deinit(struct ptu_moment *moment);

#endif
