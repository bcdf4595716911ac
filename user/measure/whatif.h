/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which page tables could be given back, over all processes that share memory;
 * and giving back those of shared memory.
 */
#ifndef PTU_MEASURE_WHATIF_H
#define PTU_MEASURE_WHATIF_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "acquire/kernel_side.h"
#include "acquire/procfs.h"
#include "acquire/shmem.h"
#include "base/err.h"
#include "estimate/estimator.h"
#include "model/geometry.h"
#include "model/table_set.h"
#include "model/vma.h"
#include "report/whatif.h"

/**
 * struct ptu_whatif_ask - about whom, and who knows of tables
 * @estimator: draws the tables
 * @side: the kernel draws them instead, or NULL
 * @pids: [nr_pids] processes
 * @is_group: nobody named them one by one
 */
struct ptu_whatif_ask {
	const struct ptu_geometry *geo;
	const struct ptu_estimator *estimator;
	const struct ptu_kernel_side *side;
	const pid_t *pids;
	size_t nr_pids;
	bool is_group;
};

/**
 * ptu_whatif_measure() - Look at the processes, and at all that share memory with them.
 * @ret: (in, out) .reclaim says what may be filled; deinit with
 *	ptu_whatif_report_deinit(), also on failure
 *
 * Changes nothing.
 *
 * Return: 0, also where a process could not be measured; -errno.
 */
ptu_must_check int ptu_whatif_measure(const struct ptu_whatif_ask *ask,
				      struct ptu_whatif_report *ret,
				      struct ptu_err *err);

/**
 * ptu_whatif_tables() - Mappings and tables of a process.
 * @vmas: (out) with flags, where a table or a mapping asks for them
 * @tables: (out)
 *
 * Return: 0; -errno as ptu_proc_evidence() and ptu_side_read().
 */
ptu_must_check int ptu_whatif_tables(const struct ptu_whatif_ask *ask,
				     const struct ptu_proc *proc,
				     struct ptu_vmas *vmas,
				     struct ptu_tables *tables,
				     struct ptu_err *err);

/**
 * ptu_whatif_reopen() - A process of the report, if it is still there.
 *
 * Return: 0; -ESRCH; -errno.
 */
ptu_must_check int ptu_whatif_reopen(const struct ptu_whatif_mm *mm,
				     struct ptu_proc *ret);

/**
 * ptu_whatif_open_file() - The file of a place, through the mapping there.
 *
 * Return: 0; -errno as ptu_shmem_open().
 */
ptu_must_check int ptu_whatif_open_file(const struct ptu_whatif_report *report,
					const struct ptu_whatif_place *place,
					struct ptu_shmem *ret);

/**
 * ptu_reclaim() - Have the kernel make the huge pages that the report predicts.
 * @report: (in, out) of ptu_whatif_measure(); gets what came back
 *
 * Return: 0; -errno of ptu_collapse_ready().
 */
ptu_must_check int ptu_reclaim(const struct ptu_whatif_ask *ask,
			       struct ptu_whatif_report *report,
			       struct ptu_err *err);

#endif
