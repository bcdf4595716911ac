/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The command `check --pages`. */
#ifndef PTU_CMD_CHECK_PAGES_H
#define PTU_CMD_CHECK_PAGES_H

#include <stdio.h>

#include "base/err.h"
#include "cmd/options.h"

/**
 * ptu_totals_command() - Compare the pages that processes map, and print the result.
 * @say: (in) takes a sentence on each process that could not be measured
 * @ret_status: (out) 0; 1 if something is unexplained; 2 if something could
 *	not be measured
 *
 * Return: 0; -errno with a sentence.
 */
ptu_must_check int ptu_totals_command(const struct ptu_options *options,
				      FILE *out, void (*say)(const char *),
				      int *ret_status, struct ptu_err *err);

#endif
