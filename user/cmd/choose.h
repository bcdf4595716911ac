/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which estimators --estimator means, and which side of the kernel --truth. */
#ifndef PTU_CMD_CHOOSE_H
#define PTU_CMD_CHOOSE_H

#include <stddef.h>

#include "acquire/kernel_side.h"
#include "base/err.h"
#include "cmd/options.h"
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
 * ptu_choose_side() - The kernel's side for a command that does without one.
 * @side: (out) zeroed before; close with ptu_side_close()
 * @ret: (out) @side; untouched if an estimator was named, or if --truth named no
 *	side and none is to be had
 *
 * Return: 0; -errno with a sentence if the side that --truth named is not to be had.
 */
ptu_must_check int ptu_choose_side(const struct ptu_options *options,
				   const struct ptu_geometry *geo,
				   struct ptu_kernel_side *side,
				   const struct ptu_kernel_side **ret,
				   struct ptu_err *err);

/**
 * ptu_best_estimator() - The best one that works on the running kernel,
 * or with the recording in use.
 */
const struct ptu_estimator *ptu_best_estimator(void);

#endif
