/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The command diff. */
#ifndef PTU_CMD_DIFF_H
#define PTU_CMD_DIFF_H

#include <stdio.h>

#include "base/err.h"
#include "cmd/options.h"

/**
 * ptu_diff_command() - Show which tables came and went.
 * @ret_status: (out) 0: none; 1: some
 *
 * Return: 0; -errno.
 */
ptu_must_check int ptu_diff_command(const struct ptu_options *options,
				    FILE *out, int *ret_status,
				    struct ptu_err *err);

#endif
