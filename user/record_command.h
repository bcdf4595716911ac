/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* `ptaudit record`: all that is read of processes, into a directory. */
#ifndef PTU_RECORD_COMMAND_H
#define PTU_RECORD_COMMAND_H

#include <stdbool.h>

#include "err.h"
#include "options.h"

/**
 * ptu_record_command() - Read, write.
 * @ret_with_kernel: (out) whether the module's answers are in it, too
 *
 * Return: 0; -errno as ptu_record_begin() and ptu_record_add().
 */
ptu_must_check int ptu_record_command(const struct ptu_options *options,
				      bool *ret_with_kernel,
				      struct ptu_err *err);

#endif
