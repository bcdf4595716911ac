/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compare the module's kpagemap with kpageflags and kpagecount. */
#ifndef PTU_MEASURE_FRAMES_H
#define PTU_MEASURE_FRAMES_H

#include <stdint.h>

#include "base/err.h"
#include "report/frames.h"

/**
 * struct ptu_watcher - progress callback of a long measurement
 * @show: called from time to time
 */
struct ptu_watcher {
	void (*show)(void *arg, uint64_t done, uint64_t all);
	void *arg;
};

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
