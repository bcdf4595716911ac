/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Check that the options and processes of a command are a valid combination. */
#ifndef PTU_CMD_OPTIONS_FIT_H
#define PTU_CMD_OPTIONS_FIT_H

#include "base/err.h"
#include "cmd/options.h"

/**
 * ptu_options_fit() - Refuse conflicting and missing options.
 * @command: (in) name of the command
 *
 * Return: 0; -EINVAL with a sentence.
 */
ptu_must_check int ptu_options_fit(const struct ptu_options *options,
				   const char *command, struct ptu_err *err);

#endif
