/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* `ptaudit system`: what PageTables consists of. */
#ifndef PTU_CMD_SYSTEM_H
#define PTU_CMD_SYSTEM_H

#include <stdio.h>

#include "base/err.h"
#include "cmd/options.h"

/**
 * ptu_system_command() - Measure, show.
 * @out: (in) where the report goes
 *
 * Return: 0; -errno with a sentence, and nothing was shown.
 */
ptu_must_check int ptu_system_command(const struct ptu_options *options,
				      FILE *out, struct ptu_err *err);

#endif
