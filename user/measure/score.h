/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compare several estimators with the kernel. */
#ifndef PTU_MEASURE_SCORE_H
#define PTU_MEASURE_SCORE_H

#include <sys/types.h>

#include "base/err.h"
#include "measure/tables.h"
#include "report/score.h"

/**
 * struct ptu_score_ask - what to score
 * @measure: parameters; its estimators are compared one after the other
 * @pids: [nr_pids]
 * @is_group: the user did not name them individually
 * @require_all: lack of permission to read a process is an error
 */
struct ptu_score_ask {
	struct ptu_measure measure;
	const pid_t *pids;
	size_t nr_pids;
	bool is_group;
	bool require_all;
};

/**
 * ptu_measure_score() - Check all processes with each estimator.
 * @ret: (in, out) .levels and .exact_only select what counts; sets the rows
 *
 * Return: 0, even if processes could not be measured; -errno.
 */
ptu_must_check int ptu_measure_score(const struct ptu_score_ask *ask,
				     struct ptu_score_report *ret,
				     struct ptu_err *err);

#endif
