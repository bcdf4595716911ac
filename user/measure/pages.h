/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Measures what one process maps: the module's totals, /proc's, and the
 * module's again, mapping by mapping.  No output.
 */
#ifndef PTU_MEASURE_PAGES_H
#define PTU_MEASURE_PAGES_H

#include "model/geometry.h"
#include "report/pages.h"

/**
 * ptu_totals_measure() - Measure a process.
 * @freeze: (in) stop it meanwhile
 * @ret: (out) .status and .error say how it went
 *
 * Return: 0, also where the process could not be measured; -ENOMEM.
 */
ptu_must_check int ptu_totals_measure(pid_t pid, bool freeze,
				      const struct ptu_geometry *geo,
				      struct ptu_totals_process *ret);

#endif
