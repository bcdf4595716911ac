/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Measure a set of processes: first their tables, then their pages. */
#ifndef PTU_MEASURE_FOOTPRINT_H
#define PTU_MEASURE_FOOTPRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"
#include "report/footprint.h"

/**
 * struct ptu_footprint_ask - parameters of the measurement
 * @wants_smaps: as for ptu_footprint_read()
 * @list: for a group, list its present PIDs, ascending, to be freed with free(); NULL: the
 *	processes were given by PID.  Return: 0; -errno.
 * @arg: for @list
 */
struct ptu_footprint_ask {
	bool wants_smaps;
	int (*list)(const void *arg, pid_t **pids, size_t *nr_pids);
	const void *arg;
};

/**
 * ptu_footprint_measure() - Measure the processes of a report.
 * @report: (in, out) in: .base and .rows[].same_as; a process that could not be
 *	measured gets a .status and an .error
 *
 * Return: 0; -EPERM page frames are hidden; -ENOMEM; -errno.
 */
ptu_must_check int ptu_footprint_measure(struct ptu_footprint_report *report,
					 const struct ptu_footprint_ask *ask,
					 struct ptu_err *err);

#endif
