/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The command top. */
#ifndef PTU_CMD_TOP_H
#define PTU_CMD_TOP_H

#include <stdio.h>

#include "base/err.h"
#include "cmd/options.h"

/**
 * ptu_top_command() - Rank processes, groups or mappings, and show them.
 *
 * With an interval it goes on until it is killed or writing fails.
 *
 * Return: 0; -errno with a sentence.
 */
ptu_must_check int ptu_top_command(const struct ptu_options *options, FILE *out,
				   struct ptu_err *err);

#endif
