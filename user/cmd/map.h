/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The command map. */
#ifndef PTU_CMD_MAP_H
#define PTU_CMD_MAP_H

#include <stdio.h>

#include "base/err.h"
#include "cmd/options.h"

/**
 * ptu_map_command() - Read the tables of one process and print their location.
 *
 * Return: 0; -errno with a sentence.
 */
ptu_must_check int ptu_map_command(const struct ptu_options *options, FILE *out,
				   struct ptu_err *err);

#endif
