/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The command export. */
#ifndef PTU_CMD_EXPORT_H
#define PTU_CMD_EXPORT_H

#include <stdio.h>

#include "base/err.h"
#include "cmd/options.h"

/**
 * ptu_export_command() - Count by group, and write metrics.
 * @out: (in) used for "-"
 *
 * A file is replaced atomically when it is complete; after a failure it is unchanged.
 *
 * Return: 0; -errno with a sentence.
 */
ptu_must_check int ptu_export_command(const struct ptu_options *options,
				      FILE *out, struct ptu_err *err);

#endif
