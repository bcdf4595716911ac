/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Choose the estimators for --estimator and the kernel's side for --truth. */
#ifndef PTU_CMD_CHOOSE_H
#define PTU_CMD_CHOOSE_H

#include "acquire/kernel_side.h"
#include "base/err.h"
#include "cmd/options.h"
#include "measure/choose.h"

/**
 * ptu_choose_side() - The kernel's side for a command that can work without it.
 * @side: (out) zeroed before; close with ptu_side_close()
 * @ret: (out) @side; untouched if an estimator was named, or if --truth was not given
 *	and no side is available
 *
 * Return: 0; -errno with a sentence if the side given by --truth is not available.
 */
ptu_must_check int ptu_choose_side(const struct ptu_options *options,
				   const struct ptu_geometry *geo,
				   struct ptu_kernel_side *side,
				   const struct ptu_kernel_side **ret,
				   struct ptu_err *err);

/**
 * ptu_choose_pid() - The PID that was given, or the only one in the recording.
 *
 * Return: 0; -EINVAL the recording has several processes.
 */
ptu_must_check int ptu_choose_pid(const struct ptu_options *options, pid_t *ret,
				  struct ptu_err *err);

#endif
