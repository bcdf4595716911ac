/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Read the tables and mappings of one process at one moment. */
#ifndef PTU_MEASURE_MAP_H
#define PTU_MEASURE_MAP_H

#include "acquire/kernel_side.h"
#include "estimate/estimator.h"
#include "model/geometry.h"
#include "report/map.h"

/**
 * struct ptu_map_ask - what to draw
 * @side: the kernel's side, or NULL: use @estimator
 * @estimator: a built-in one; tables whose mappings change meanwhile are possible ones
 */
struct ptu_map_ask {
	const struct ptu_geometry *geo;
	const struct ptu_kernel_side *side;
	const struct ptu_estimator *estimator;
	pid_t pid;
};

/**
 * ptu_measure_map() - Read the tables of a process and place them in its mappings.
 * @ret: (out) free with ptu_map_report_deinit(); untouched on failure
 *
 * Return: 0; -ESRCH no such process, or it ended; -EINVAL it has no memory; -EAGAIN
 * it kept changing; -EACCES not allowed to read it; -ENOMEM; -errno.
 */
ptu_must_check int ptu_measure_map(const struct ptu_map_ask *ask,
				   struct ptu_map_report *ret,
				   struct ptu_err *err);

#endif
