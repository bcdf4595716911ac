/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* `ptaudit system`: the parts of PageTables. */
#ifndef PTU_CMD_SYSTEM_H
#define PTU_CMD_SYSTEM_H

#include <stdio.h>

#include "base/err.h"
#include "cmd/options.h"

/**
 * ptu_system_command() - Measure PageTables and its parts, and print the result.
 * @out: (in) stream for the report
 * @progress: (in) stream for a progress bar, or NULL
 *
 * Return: 0; -errno with a sentence, and nothing was printed.
 */
ptu_must_check int ptu_system_command(const struct ptu_options *options,
				      FILE *out, FILE *progress,
				      struct ptu_err *err);

#endif
