/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Compare two walks of the kernel. Takes the bracket (`tables`, the other walk,
 * `tables`).  No output.
 */
#ifndef PTU_MEASURE_WALKS_H
#define PTU_MEASURE_WALKS_H

#include <stdbool.h>

#include "acquire/kernel_side.h"
#include "acquire/procfs.h"
#include "base/err.h"
#include "compare/walks.h"
#include "report/report.h"

/**
 * ptu_measure_orphans() - Compare the module's two walks.
 * @side: (in) the module
 * @ret: (in, out) sets .orphans; .status becomes PTU_STATUS_UNSTABLE, with .error,
 *	if too many tables were added or freed
 *
 * Return: 0; -ESTALE it called exec() meanwhile; the errors of ptu_side_read();
 * -ENOMEM.
 */
ptu_must_check int ptu_measure_orphans(const struct ptu_kernel_side *side,
				       const struct ptu_proc *proc,
				       struct ptu_process *ret,
				       struct ptu_err *err);

/**
 * ptu_measure_bpf() - Add the differences between the module and the walk by BPF.
 * @side: (in) both
 * @diffs: (in) of a whole process: module, BPF, module
 * @again: (in) measure differences again; false for a recording
 * @ret: (in, out) sets .bpf and .levels[].kernel_bpf. Differences that are not in
 *	flux are added to .unexplained and .levels[].unexplained, for each side that
 *	has the table. .status as for ptu_measure_orphans().
 *
 * Return: as ptu_measure_orphans().
 */
ptu_must_check int ptu_measure_bpf(const struct ptu_kernel_side *side,
				   const struct ptu_proc *proc,
				   const struct ptu_walk_diffs *diffs,
				   bool again, struct ptu_process *ret,
				   struct ptu_err *err);

#endif
