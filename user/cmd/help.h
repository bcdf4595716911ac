/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Print the output of --help and --list-columns. */
#ifndef PTU_CMD_HELP_H
#define PTU_CMD_HELP_H

#include <stdio.h>

#include "cmd/options.h"

/**
 * ptu_help() - Print the help of the given command, or the list of commands.
 */
void ptu_help(const struct ptu_options *options, FILE *out);

/**
 * ptu_help_columns() - Print the columns of the command's table, one per line.
 */
void ptu_help_columns(const struct ptu_options *options, FILE *out);

#endif
