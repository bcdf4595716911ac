/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find page tables that could be freed, in all processes that share memory; and
 * free those of shared memory.
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
 * struct ptu_whatif_ask - processes and source of the tables
 * @estimator: source of the tables
 * @side: the kernel's side, used instead of @estimator; or NULL
 * @pids: [nr_pids] processes
 * @is_group: the user did not name them individually
 * @is_recording: /proc is a recording: no files of shared memory, no other processes
 */
struct ptu_whatif_ask {
	const struct ptu_geometry *geo;
	const struct ptu_estimator *estimator;
	const struct ptu_kernel_side *side;
	const pid_t *pids;
	size_t nr_pids;
	bool is_group;
	bool is_recording;
};

/**
 * ptu_whatif_measure() - Read the processes, and all that share memory with them.
 * @ret: (in, out) .reclaim has the limit for filling; free with
 *	ptu_whatif_report_deinit(), even after a failure
 *
 * Changes nothing.
 *
 * Return: 0, even if a process could not be measured; -errno.
 */
ptu_must_check int ptu_whatif_measure(const struct ptu_whatif_ask *ask,
				      struct ptu_whatif_report *ret,
				      struct ptu_err *err);

/**
 * ptu_whatif_tables() - Read mappings and tables of a process.
 * @vmas: (out) with flags, if a table or a mapping needs them
 * @tables: (out) the tables
 * @ret_changed: (out) number of tables that are not certain, because their mappings
 *	changed meanwhile
 *
 * Return: 0; -errno as ptu_proc_evidence() and ptu_side_read().
 */
ptu_must_check int ptu_whatif_tables(const struct ptu_whatif_ask *ask,
				     const struct ptu_proc *proc,
				     struct ptu_vmas *vmas,
				     struct ptu_tables *tables,
				     size_t *ret_changed, struct ptu_err *err);

/**
 * ptu_whatif_reopen() - Open a process of the report again.
 *
 * Return: 0; -ESRCH it has ended; -errno.
 */
ptu_must_check int ptu_whatif_reopen(const struct ptu_whatif_mm *mm,
				     struct ptu_proc *ret);

/**
 * ptu_whatif_open_file() - Open the file of a place through its mapping.
 *
 * Return: 0; -errno as ptu_shmem_open().
 */
ptu_must_check int ptu_whatif_open_file(const struct ptu_whatif_report *report,
					const struct ptu_whatif_place *place,
					struct ptu_shmem *ret);

/**
 * ptu_reclaim() - Let the kernel make the huge pages that the report predicts.
 * @report: (in, out) from ptu_whatif_measure(); gets the result
 *
 * Return: 0; -errno of ptu_collapse_ready().
 */
ptu_must_check int ptu_reclaim(const struct ptu_whatif_ask *ask,
			       struct ptu_whatif_report *report,
			       struct ptu_err *err);

#endif
