/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* `ptaudit flags`: the page flags of what a process maps. */
#ifndef PTU_CMD_FLAGS_H
#define PTU_CMD_FLAGS_H

#include <stdio.h>

#include "base/err.h"
#include "cmd/options.h"

/**
 * ptu_flags_command() - Count the combinations of page flags, and print them.
 * @out: (in) stream for the report
 *
 * Return: 0; -EPERM page frames or their flags cannot be read; -errno as
 * ptu_mapped_walk().  On failure nothing was shown.
 */
ptu_must_check int ptu_flags_command(const struct ptu_options *options,
				     FILE *out, struct ptu_err *err);

#endif
