/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Measure the pages of one process, mapping by mapping: the module's totals,
 * /proc's totals, and the module's totals again.  No output.
 */
#ifndef PTU_MEASURE_PAGES_H
#define PTU_MEASURE_PAGES_H

#include "model/geometry.h"
#include "report/pages.h"

/**
 * ptu_totals_measure() - Measure a process.
 * @freeze: (in) stop it during the measurement
 * @ret: (out) result, with .status and .error
 *
 * Return: 0, even if the process could not be measured; -ENOMEM.
 */
ptu_must_check int ptu_totals_measure(pid_t pid, bool freeze,
				      const struct ptu_geometry *geo,
				      struct ptu_totals_process *ret);

#endif
