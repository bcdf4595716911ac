/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What --help and --list-columns show. */
#ifndef PTU_CMD_HELP_H
#define PTU_CMD_HELP_H

#include <stdio.h>

#include "cmd/options.h"

/**
 * ptu_help() - The command that was named, or the list of commands.
 */
void ptu_help(const struct ptu_options *options, FILE *out);

/**
 * ptu_help_columns() - The columns of the command's table, a line each.
 */
void ptu_help_columns(const struct ptu_options *options, FILE *out);

#endif
