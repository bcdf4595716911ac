/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The command export. */
#ifndef PTU_CMD_EXPORT_H
#define PTU_CMD_EXPORT_H

#include <stdio.h>

#include "base/err.h"
#include "cmd/options.h"

/**
 * ptu_export_command() - Count by group, and write metrics.
 * @out: (in) for "-"
 *
 * A file is replaced in one step once all is in it; on failure it stays as it was.
 *
 * Return: 0; -errno with a sentence.
 */
ptu_must_check int ptu_export_command(const struct ptu_options *options,
				      FILE *out, struct ptu_err *err);

#endif
