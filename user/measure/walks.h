/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Do two walks of the kernel see the same tables?  The bracket (`tables`, the other
 * walk, `tables`) is here.  No output.
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
 * ptu_measure_orphans() - Hold both walks of the module against each other.
 * @side: (in) the module
 * @ret: (in, out) .orphans is filled in; .status is PTU_STATUS_UNSTABLE, with
 *	.error, if too many tables came and went
 *
 * Return: 0; -ESTALE it started another program meanwhile; what
 * ptu_side_read() returns; -ENOMEM.
 */
ptu_must_check int ptu_measure_orphans(const struct ptu_kernel_side *side,
				       const struct ptu_proc *proc,
				       struct ptu_process *ret,
				       struct ptu_err *err);

/**
 * ptu_measure_bpf() - Enter on what the module and the walk by BPF differ.
 * @side: (in) both
 * @diffs: (in) of a whole process: module, BPF, module
 * @again: (in) bracket again what they differ on: no recording
 * @ret: (in, out) .bpf and .levels[].kernel_bpf are filled in; what is not in
 *	flux is added to .unexplained and .levels[].unexplained, for each side
 *	that has the table; .status as above
 *
 * Return: as above.
 */
ptu_must_check int ptu_measure_bpf(const struct ptu_kernel_side *side,
				   const struct ptu_proc *proc,
				   const struct ptu_walk_diffs *diffs,
				   bool again, struct ptu_process *ret,
				   struct ptu_err *err);

#endif
