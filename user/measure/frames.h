/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The module's array of page frames against kpageflags and kpagecount. */
#ifndef PTU_MEASURE_FRAMES_H
#define PTU_MEASURE_FRAMES_H

#include <stdint.h>

#include "base/err.h"
#include "report/frames.h"

/**
 * struct ptu_watcher - who is told how far a long measurement is
 * @show: called now and then
 */
struct ptu_watcher {
	void (*show)(void *arg, uint64_t done, uint64_t all);
	void *arg;
};

/**
 * ptu_measure_frames() - Compare all page frames.
 * @report: (in, out) zeroed
 *
 * Return: 0; -EPROTO the module's file is not understood; -errno.
 */
ptu_must_check int ptu_measure_frames(const struct ptu_watcher *watcher,
				      struct ptu_kpagemap_report *report,
				      struct ptu_err *err);

#endif
