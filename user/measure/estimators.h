/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Run the estimators for one process, one after the other. */
#ifndef PTU_MEASURE_ESTIMATORS_H
#define PTU_MEASURE_ESTIMATORS_H

#include "measure/tables.h"
#include "model/evidence.h"
#include "model/table_set.h"

/**
 * ptu_estimator_run() - Get the claims of one estimator.
 * @pid: (in) argument of a program
 * @ret: (out) free with ptu_tables_deinit(); empty on failure
 * @stated: (out) counts stated by a program; NULL: it must name tables
 *
 * Return: 0; -ENOMEM; the error of ptu_program_run() or of the estimator.
 */
ptu_must_check int
ptu_estimator_run(const struct ptu_estimator *estimator, pid_t pid,
		  const struct ptu_evidence *evidence, struct ptu_tables *ret,
		  struct ptu_stated *stated, struct ptu_err *err);

/**
 * ptu_estimators_need() - PTU_NEEDS_* of all estimators together.
 */
unsigned int ptu_estimators_need(const struct ptu_measure *measure);

/**
 * ptu_estimators_run_all() - Add a row per estimator; the first one has already
 *	run.
 * @first: (in) claims of the first one
 * @p: (in, out) sets .estimators
 *
 * Return: 0, even if an estimator fails: its row has the error; -ENOMEM.
 */
ptu_must_check int ptu_estimators_run_all(const struct ptu_measure *measure,
					  const struct ptu_evidence *evidence,
					  const struct ptu_tables *first,
					  struct ptu_process *p);

#endif
