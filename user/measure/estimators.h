/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The estimators of one process, asked in turn. */
#ifndef PTU_MEASURE_ESTIMATORS_H
#define PTU_MEASURE_ESTIMATORS_H

#include "measure/tables.h"
#include "model/evidence.h"
#include "model/table_set.h"

/**
 * ptu_estimator_run() - What one estimator claims.
 * @pid: (in) for a program, which is started with it
 * @ret: (out) deinit with ptu_tables_deinit(); nothing on failure
 * @stated: (out) what a program states instead; NULL: it is to name tables
 *
 * Return: 0; -ENOMEM; what ptu_program_run() or the estimator returns.
 */
ptu_must_check int
ptu_estimator_run(const struct ptu_estimator *estimator, pid_t pid,
		  const struct ptu_evidence *evidence, struct ptu_tables *ret,
		  struct ptu_stated *stated, struct ptu_err *err);

/**
 * ptu_estimators_need() - PTU_NEEDS_* of all of them together.
 */
unsigned int ptu_estimators_need(const struct ptu_measure *measure);

/**
 * ptu_estimators_run_all() - A row for each; the first one's claims are there.
 * @first: (in) what the first one claims
 * @p: (in, out) .estimators is filled in
 *
 * Return: 0, also where one of them fails: its row says why; -ENOMEM.
 */
ptu_must_check int ptu_estimators_run_all(const struct ptu_measure *measure,
					  const struct ptu_evidence *evidence,
					  const struct ptu_tables *first,
					  struct ptu_process *p);

#endif
