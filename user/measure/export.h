/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts the page tables of all processes by group, each process once. */
#ifndef PTU_MEASURE_EXPORT_H
#define PTU_MEASURE_EXPORT_H

#include "acquire/kernel_side.h"
#include "estimate/estimator.h"
#include "measure/top.h"
#include "report/export.h"

/**
 * struct ptu_export_ask - what is to be counted
 * @geo: the geometry
 * @side: the kernel's side, or NULL: by @estimator
 * @estimator: where the kernel's side is not to be had
 * @group: name of the group of a process
 */
struct ptu_export_ask {
	const struct ptu_geometry *geo;
	const struct ptu_kernel_side *side;
	const struct ptu_estimator *estimator;
	void (*group)(const struct ptu_proc *proc,
		      const struct ptu_top_row *row, char *ret);
};

/**
 * ptu_measure_export() - Count them.
 * @report: (in, out) gets its groups and what they have; the rest is the caller's
 *
 * A process that cannot be looked at, or that has more than 256 MiB of tables, has
 * VmPTE alone.  One that ends meanwhile is left out.
 *
 * Return: 0; -ENOMEM; -errno.
 */
ptu_must_check int ptu_measure_export(const struct ptu_export_ask *ask,
				      struct ptu_export_report *report,
				      struct ptu_err *err);

#endif
