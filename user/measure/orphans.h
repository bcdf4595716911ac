/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Do the kernel's two walks see the same tables?  The bracket (`tables`,
 * `orphans`, `tables`) is here.  No output.
 */
#ifndef PTU_MEASURE_ORPHANS_H
#define PTU_MEASURE_ORPHANS_H

#include "acquire/procfs.h"
#include "base/err.h"
#include "model/geometry.h"
#include "report/report.h"

/**
 * ptu_measure_orphans() - Hold both walks of a process against each other.
 * @ret: (in, out) .orphans is filled in; .status is PTU_STATUS_UNSTABLE, with
 *	.error, if too many tables came and went
 *
 * Return: 0; -ESTALE it started another program meanwhile; what
 * ptu_truth_read() returns; -ENOMEM.
 */
ptu_must_check int ptu_measure_orphans(const struct ptu_geometry *geo,
				       const struct ptu_proc *proc,
				       struct ptu_process *ret,
				       struct ptu_err *err);

#endif
