/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which estimators --estimator means. */
#ifndef PTU_MEASURE_CHOOSE_H
#define PTU_MEASURE_CHOOSE_H

#include <stddef.h>

#include "base/err.h"
#include "estimate/estimator.h"

#define PTU_MAX_ESTIMATORS 16

/**
 * ptu_choose_estimators() - Find estimators by their names.
 * @names: "a,b", "all", or NULL for the best one that works here; a name with a
 *	slash in it is a program
 * @ret: (out) [PTU_MAX_ESTIMATORS] they live as long as the process
 * @ret_nr: (out) how many
 *
 * Return: 0; -EINVAL with a sentence.
 */
ptu_must_check int ptu_choose_estimators(const char *names,
					 const struct ptu_estimator **ret,
					 size_t *ret_nr, struct ptu_err *err);

/**
 * ptu_choose_built_in() - Find the one estimator of a command that takes no program.
 * @sentence: (in) what to say of several, or of a program
 *
 * Return: 0; -EINVAL with a sentence.
 */
ptu_must_check int ptu_choose_built_in(const char *names, const char *sentence,
				       const struct ptu_estimator **ret,
				       struct ptu_err *err);

/**
 * ptu_best_estimator() - The best one that works on the running kernel,
 * or with the recording in use.
 */
const struct ptu_estimator *ptu_best_estimator(void);

#endif
