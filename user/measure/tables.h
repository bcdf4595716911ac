/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Measure one process: read both sides, compare, explain, and fill in a report. No
 * output.
 */
#ifndef PTU_MEASURE_TABLES_H
#define PTU_MEASURE_TABLES_H

#include "acquire/kernel_side.h"
#include "acquire/procfs.h"
#include "base/clock.h"
#include "estimate/estimator.h"
#include "model/geometry.h"
#include "report/report.h"

/* Maximum numbers: comparisons of a process, and of a table that differs. */
#define PTU_WHOLE_TRIES 4
#define PTU_LOCAL_TRIES 5
/* Maximum number of tables that are compared again alone. */
#define PTU_LOCAL_DIFFS 256
/* Time limit for these comparisons, each of which reads all mappings. */
#define PTU_LOCAL_NS (5 * PTU_NS_PER_SEC)

struct ptu_check_maps;

/**
 * struct ptu_measure - parameters of a measurement
 * @geo: the machine's geometry
 * @side: `check`: the kernel's side
 * @estimators: [nr_estimators]; the first one is compared with the kernel
 * @freeze: stop the process during the measurement
 * @orphans: also compare the module's two walks
 * @is_recording: a recording is measured: do not repeat
 * @by_mapping: an estimate also counts the tables of each mapping
 * @fill: an estimate counts the used entries of each PTE table
 * @counts: `check`: a program may state counts instead of tables
 * @error: (out) negative errno if the process could not be measured; or NULL
 * @maps: `check`: (out) the compared tables of one process; or NULL
 */
struct ptu_measure {
	const struct ptu_geometry *geo;
	const struct ptu_kernel_side *side;
	const struct ptu_estimator **estimators;
	size_t nr_estimators;
	bool freeze;
	bool orphans;
	bool is_recording;
	bool by_mapping;
	bool fill;
	bool counts;
	int *error;
	struct ptu_check_maps *maps;
};

/**
 * ptu_measure_check() - Compare the kernel with an estimator.
 * @ret: (out) result, with .status and .error; zombies and kernel threads are
 *	FAILED with a sentence
 *
 * Return: 0, even if the process could not be measured; -ENOMEM.
 */
ptu_must_check int ptu_measure_check(const struct ptu_measure *measure,
				     pid_t pid, struct ptu_process *ret);

/**
 * ptu_measure_estimate() - Estimate without the kernel's side; opens nothing in
 *	debugfs.
 */
ptu_must_check int ptu_measure_estimate(const struct ptu_measure *measure,
					pid_t pid, struct ptu_process *ret);

/**
 * ptu_measure_estimate_open() - Like ptu_measure_estimate(), for an open process.
 * @proc: (in) is closed
 */
ptu_must_check int ptu_measure_estimate_open(const struct ptu_measure *measure,
					     struct ptu_proc *proc,
					     struct ptu_process *ret);

/**
 * ptu_measure_identify() - Identify a process, and check that it can have tables.
 * @proc: (out) close with ptu_proc_close()
 * @ret: (out) zeroed except for the identity
 *
 * Return: 0; -ESRCH no such process, or it ended; -EINVAL a kernel thread or a
 * zombie; -errno.
 */
ptu_must_check int ptu_measure_identify(pid_t pid, struct ptu_proc *proc,
					struct ptu_process *ret,
					struct ptu_err *err);

/**
 * ptu_measure_failed() - Set .status and .error after a failure.
 */
void ptu_measure_failed(struct ptu_process *process, int error,
			const struct ptu_err *err);

#endif
