/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which estimators --estimator means, and which side of the kernel --truth. */
#ifndef PTU_CMD_CHOOSE_H
#define PTU_CMD_CHOOSE_H

#include "acquire/kernel_side.h"
#include "base/err.h"
#include "cmd/options.h"
#include "measure/choose.h"

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
 * ptu_choose_pid() - The PID that was named, or the only one of the recording.
 *
 * Return: 0; -EINVAL the recording has several.
 */
ptu_must_check int ptu_choose_pid(const struct ptu_options *options, pid_t *ret,
				  struct ptu_err *err);

#endif
