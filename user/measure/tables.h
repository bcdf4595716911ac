/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Measures one process: reads both sides, compares, explains, fills a report.
 * No output.
 */
#ifndef PTU_MEASURE_TABLES_H
#define PTU_MEASURE_TABLES_H

#include "acquire/kernel_side.h"
#include "acquire/procfs.h"
#include "estimate/estimator.h"
#include "model/geometry.h"
#include "report/report.h"

#define PTU_WHOLE_TRIES 4 /* a process is compared so often, at most */
#define PTU_LOCAL_TRIES 5 /* ... and so often a table that differs */
#define PTU_LOCAL_DIFFS \
	256 /* differing tables that are compared again, at most */

struct ptu_check_maps;

/**
 * struct ptu_measure - how to measure
 * @geo: the machine's geometry
 * @side: `check`: the kernel's side
 * @estimators: [nr_estimators], the first one is compared with the kernel
 * @freeze: stop the process while it is measured
 * @orphans: also hold the kernel's two walks against each other
 * @is_recording: what is measured is a recording: it is asked once
 * @nameless: an estimate's mappings may go without their names
 * @fill: an estimate counts the used entries of each PTE table
 * @counts: `check`: a program may state counts instead of naming tables
 * @error: (out) negative errno that kept the process from being measured, or NULL
 * @maps: `check`: (out) what was compared, of one process, or NULL
 */
struct ptu_measure {
	const struct ptu_geometry *geo;
	const struct ptu_kernel_side *side;
	const struct ptu_estimator **estimators;
	size_t nr_estimators;
	bool freeze;
	bool orphans;
	bool is_recording;
	bool nameless;
	bool fill;
	bool counts;
	int *error;
	struct ptu_check_maps *maps;
};

/**
 * ptu_measure_check() - Kernel against estimator.
 * @ret: (out) .status and .error say how it went; zombies and kernel threads
 *	are FAILED with a sentence
 *
 * Return: 0, also where the process could not be measured; -ENOMEM.
 */
ptu_must_check int ptu_measure_check(const struct ptu_measure *measure,
				     pid_t pid, struct ptu_process *ret);

/**
 * ptu_measure_estimate() - Userspace only; opens nothing under debugfs.
 */
ptu_must_check int ptu_measure_estimate(const struct ptu_measure *measure,
					pid_t pid, struct ptu_process *ret);

/**
 * ptu_measure_estimate_open() - The same of a process that is open already.
 * @proc: (in) is closed here
 */
ptu_must_check int ptu_measure_estimate_open(const struct ptu_measure *measure,
					     struct ptu_proc *proc,
					     struct ptu_process *ret);

/**
 * ptu_measure_identify() - Who it is, and whether it can have tables at all.
 * @proc: (out) close with ptu_proc_close()
 * @ret: (out) zeroed but for who it is
 *
 * Return: 0; -ESRCH no such process, or it ended; -EINVAL a kernel thread or a
 * zombie; -errno.
 */
ptu_must_check int ptu_measure_identify(pid_t pid, struct ptu_proc *proc,
					struct ptu_process *ret,
					struct ptu_err *err);

/**
 * ptu_measure_failed() - Set .status and .error.
 */
void ptu_measure_failed(struct ptu_process *process, int error,
			const struct ptu_err *err);

#endif
