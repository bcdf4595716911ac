/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Measure a set of processes: first their tables, then their pages. */
#ifndef PTU_MEASURE_FOOTPRINT_H
#define PTU_MEASURE_FOOTPRINT_H

#include "base/err.h"
#include "report/footprint.h"

/**
 * ptu_footprint_measure() - Measure the processes of a report.
 * @report: (in, out) in: .base and .rows[].same_as; a process that could not be
 *	measured gets a .status and an .error
 * @wants_smaps: (in) as for ptu_footprint_read()
 *
 * Return: 0; -EPERM page frames are hidden; -ENOMEM; -errno.
 */
ptu_must_check int ptu_footprint_measure(struct ptu_footprint_report *report,
					 bool wants_smaps, struct ptu_err *err);

#endif
