/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Holds each of several estimators against the kernel. */
#ifndef PTU_MEASURE_SCORE_H
#define PTU_MEASURE_SCORE_H

#include <sys/types.h>

#include "base/err.h"
#include "measure/tables.h"
#include "report/score.h"

/**
 * struct ptu_score_ask - what is to be scored
 * @measure: how; each of its estimators is compared, one after the other
 * @pids: [nr_pids]
 * @is_group: they were not named one by one
 * @require_all: one that must not be read is a failure
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
 * @ret: (in, out) .levels and .exact_only say what counts; gets the rows
 *
 * Return: 0, also where processes could not be measured; -errno.
 */
ptu_must_check int ptu_measure_score(const struct ptu_score_ask *ask,
				     struct ptu_score_report *ret,
				     struct ptu_err *err);

#endif
