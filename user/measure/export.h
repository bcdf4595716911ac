/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Count the page tables of all processes by group, each process once. */
#ifndef PTU_MEASURE_EXPORT_H
#define PTU_MEASURE_EXPORT_H

#include "acquire/kernel_side.h"
#include "estimate/estimator.h"
#include "measure/top.h"
#include "report/export.h"

/**
 * struct ptu_export_ask - what to count
 * @geo: the geometry
 * @side: the kernel's side, or NULL: use @estimator
 * @estimator: used if the kernel's side is not available
 * @group: returns the name of a process's group
 */
struct ptu_export_ask {
	const struct ptu_geometry *geo;
	const struct ptu_kernel_side *side;
	const struct ptu_estimator *estimator;
	void (*group)(const struct ptu_proc *proc,
		      const struct ptu_top_row *row, char *ret);
};

/**
 * ptu_measure_export() - Count the tables.
 * @report: (in, out) sets the groups and their figures; the caller sets the other
 *	fields
 *
 * Of a process that cannot be read, keeps changing or takes more than 5 seconds, only
 * VmPTE is reported.  A process that ends meanwhile is left out.
 *
 * Return: 0; -ENOMEM; -errno.
 */
ptu_must_check int ptu_measure_export(const struct ptu_export_ask *ask,
				      struct ptu_export_report *report,
				      struct ptu_err *err);

#endif
