/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The command score. */
#ifndef PTU_CMD_SCORE_H
#define PTU_CMD_SCORE_H

#include <stdio.h>

#include "base/err.h"
#include "cmd/options.h"
#include "report/score.h"

/**
 * ptu_score_command() - Compare each estimator with the kernel, and print its
 *	errors.
 * @ret: (out) deinit with ptu_score_report_deinit()
 *
 * Return: 0; -errno with a sentence, and nothing was shown.
 */
ptu_must_check int ptu_score_command(const struct ptu_options *options,
				     FILE *out, struct ptu_score_report *ret,
				     struct ptu_err *err);

#endif
