/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Count the flags of the pages that a process maps. */
#ifndef PTU_MEASURE_FLAGS_H
#define PTU_MEASURE_FLAGS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "model/range.h"
#include "report/flags.h"

/**
 * ptu_measure_flags() - Read and count the flags.
 * @range: (in) requested addresses
 * @with_runs: (in) keep runs of adjacent pages with the same flags
 * @ret: (out) deinit .counted with ptu_pageflags_deinit()
 *
 * Return: 0; -errno as ptu_mapped_walk().
 */
ptu_must_check int ptu_measure_flags(pid_t pid, const struct ptu_range *range,
				     bool with_runs,
				     struct ptu_flags_report *ret,
				     struct ptu_err *err);

#endif
