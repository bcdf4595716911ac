/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tables of a process at one moment, for comparison with another moment. */
#ifndef PTU_MEASURE_VIEW_H
#define PTU_MEASURE_VIEW_H

#include "acquire/kernel_side.h"
#include "acquire/procfs.h"
#include "estimate/estimator.h"
#include "model/table_set.h"
#include "model/vma.h"
#include "report/top.h"

/**
 * struct ptu_view_ask - source of the tables
 * @side: the kernel's side, or NULL: use @estimator
 * @estimator: used if the kernel's side is not available
 */
struct ptu_view_ask {
	const struct ptu_geometry *geo;
	const struct ptu_kernel_side *side;
	const struct ptu_estimator *estimator;
};

/**
 * struct ptu_view - tables and mappings
 * @deposited: PTE tables deposited for huge pages
 */
struct ptu_view {
	struct ptu_tables tables;
	struct ptu_vmas vmas;
	uint64_t deposited;
};

/**
 * ptu_view_read() - Read the tables of a process.
 * @ret: (out) free with ptu_view_deinit(); untouched on failure
 *
 * Return: 0; -ESRCH the process ended; -EACCES, -EPERM no permission to read its mappings;
 * -EAGAIN its mappings or tables changed in each attempt; -ENOMEM; -errno.
 */
ptu_must_check int ptu_view_read(const struct ptu_view_ask *ask,
				 const struct ptu_proc *proc,
				 struct ptu_view *ret, struct ptu_err *err);

void ptu_view_deinit(struct ptu_view *view);

/**
 * ptu_view_source() - Source of its tables.
 */
enum ptu_top_source ptu_view_source(const struct ptu_view_ask *ask);

#endif
