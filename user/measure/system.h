/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Account for all of PageTables. */
#ifndef PTU_MEASURE_SYSTEM_H
#define PTU_MEASURE_SYSTEM_H

#include "acquire/kernel_side.h"
#include "base/err.h"
#include "measure/watcher.h"
#include "report/system.h"

/**
 * ptu_measure_system() - Measure PageTables and each of its parts; of a recording, VmPTE.
 * @choice: (in) how to walk processes; PTU_SIDE_AUTO uses VmPTE if neither is
 *	available; not used with a recording
 * @watcher: (in) sees how many page frames were read, from 0 on in each measurement; or NULL
 * @report: (out) free with ptu_system_report_deinit(); untouched on failure
 *
 * Tables are added and freed meanwhile, also by this process.  If the sum does not
 * match, everything is measured again, a few times; the last result is returned.
 *
 * Return: 0; -ENOMEM; -ENOENT the recording has no meminfo; -errno if /proc cannot be read
 * or @choice is not available.
 */
ptu_must_check int ptu_measure_system(enum ptu_side_choice choice,
				      const struct ptu_watcher *watcher,
				      struct ptu_system_report *report,
				      struct ptu_err *err);

#endif
