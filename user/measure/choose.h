/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Select the estimators for --estimator. */
#ifndef PTU_MEASURE_CHOOSE_H
#define PTU_MEASURE_CHOOSE_H

#include <stddef.h>

#include "base/err.h"
#include "estimate/estimator.h"

#define PTU_MAX_ESTIMATORS 16

/**
 * ptu_choose_estimators() - Find estimators by their names.
 * @names: "a,b", "all", or NULL for the best available one; a name with a slash is
 *	a program
 * @ret: (out) [PTU_MAX_ESTIMATORS] valid until the process ends
 * @ret_nr: (out) number of estimators
 *
 * Return: 0; -EINVAL with a sentence; -errno.
 */
ptu_must_check int ptu_choose_estimators(const char *names,
					 const struct ptu_estimator **ret,
					 size_t *ret_nr, struct ptu_err *err);

/**
 * ptu_choose_built_in() - Find the estimator of a command that accepts no program.
 * @sentence: (in) error message if several, or a program, were given
 *
 * Return: 0; -EINVAL with a sentence.
 */
ptu_must_check int ptu_choose_built_in(const char *names, const char *sentence,
				       const struct ptu_estimator **ret,
				       struct ptu_err *err);

/**
 * ptu_best_estimator() - The best estimator on the running kernel, or for the
 *	recording in use.
 *
 * Return: 0; -errno of the test that finds out what PAGEMAP_SCAN of this kernel
 * reports.
 */
ptu_must_check int ptu_best_estimator(const struct ptu_estimator **ret,
				      struct ptu_err *err);

#endif
