/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Accounts for all of PageTables. */
#ifndef PTU_MEASURE_SYSTEM_H
#define PTU_MEASURE_SYSTEM_H

#include "acquire/kernel_side.h"
#include "base/err.h"
#include "report/system.h"

/**
 * ptu_measure_system() - Measure PageTables and each of its parts.
 * @choice: (in) what walks the processes; of PTU_SIDE_AUTO, VmPTE if neither can
 * @report: (out) deinit with ptu_system_report_deinit(); untouched on failure
 *
 * Tables come and go meanwhile, also of this process.  What does not add up is
 * measured again, a few times; the last try stands.
 *
 * Return: 0; -ENOMEM; -errno /proc cannot be read, or @choice cannot walk.
 */
ptu_must_check int ptu_measure_system(enum ptu_side_choice choice,
				      struct ptu_system_report *report,
				      struct ptu_err *err);

#endif
