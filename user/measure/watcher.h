/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Progress of a long measurement. */
#ifndef PTU_MEASURE_WATCHER_H
#define PTU_MEASURE_WATCHER_H

#include <stdint.h>

/**
 * struct ptu_watcher - progress callback of a long measurement
 * @show: called from time to time
 */
struct ptu_watcher {
	void (*show)(void *arg, uint64_t done, uint64_t all);
	void *arg;
};

#endif
