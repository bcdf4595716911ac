/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Do the processes and options of a command go together? */
#ifndef PTU_CMD_OPTIONS_FIT_H
#define PTU_CMD_OPTIONS_FIT_H

#include "base/err.h"
#include "cmd/options.h"

/**
 * ptu_options_fit() - Refuse what excludes each other, and what is missing.
 * @command: (in) its name
 *
 * Return: 0; -EINVAL with a sentence.
 */
ptu_must_check int ptu_options_fit(const struct ptu_options *options,
				   const char *command, struct ptu_err *err);

#endif
