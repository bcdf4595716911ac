/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compare the module's kpagemap with kpageflags and kpagecount. */
#ifndef PTU_MEASURE_FRAMES_H
#define PTU_MEASURE_FRAMES_H

#include "base/err.h"
#include "measure/watcher.h"
#include "report/frames.h"

/**
 * ptu_measure_frames() - Compare all page frames.
 * @report: (in, out) zeroed
 *
 * Return: 0; -EPROTO unknown format of the module's file; -errno.
 */
ptu_must_check int ptu_measure_frames(const struct ptu_watcher *watcher,
				      struct ptu_kpagemap_report *report,
				      struct ptu_err *err);

#endif
