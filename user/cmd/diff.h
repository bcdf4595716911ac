/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The command diff. */
#ifndef PTU_CMD_DIFF_H
#define PTU_CMD_DIFF_H

#include <stdio.h>

#include "base/err.h"
#include "cmd/options.h"
#include "estimate/estimator.h"

/**
 * ptu_diff_command() - Show which tables came and went.
 * @ret_status: (out) 0: none; 1: some
 *
 * Return: 0; -errno.
 */
ptu_must_check int ptu_diff_command(const struct ptu_options *options,
				    FILE *out, int *ret_status,
				    struct ptu_err *err);

/**
 * ptu_diff_pids() - Find out which of the two sides is a PID.
 * @ret: (out) [2] 0: it is a recording
 *
 * Return: 0; -EINVAL both are.
 */
ptu_must_check int ptu_diff_pids(const struct ptu_options *options, pid_t *ret,
				 struct ptu_err *err);

/**
 * ptu_diff_use() - Switch to /proc or to the recording.
 *
 * Return: 0; what ptu_recording_use() returns.
 */
ptu_must_check int ptu_diff_use(const char *word, pid_t pid,
				struct ptu_err *err);

/**
 * ptu_diff_choose() - Choose an estimator that works for both sides.
 *
 * Both sides must use the same estimator, otherwise the difference means nothing.
 *
 * Return: 0; -EINVAL with a sentence.
 */
ptu_must_check int ptu_diff_choose(const struct ptu_options *options,
				   const pid_t *pids,
				   const struct ptu_estimator **ret,
				   struct ptu_err *err);

/**
 * ptu_diff_same_shape() - Do both sides have the same geometry?
 *
 * Return: 0; -EINVAL no.
 */
ptu_must_check int ptu_diff_same_shape(const struct ptu_geometry *a,
				       const struct ptu_geometry *b,
				       struct ptu_err *err);

#endif
