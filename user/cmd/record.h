/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* `ptaudit record`: write all data that is read of processes into a directory. */
#ifndef PTU_CMD_RECORD_H
#define PTU_CMD_RECORD_H

#include <stdbool.h>

#include "base/err.h"
#include "cmd/options.h"

/**
 * ptu_record_command() - Record the selected processes.
 * @say: (in) prints a sentence about each thing that is not in the recording
 * @ret_status: (out) exit status: 0; 2 if a process could not be recorded for a
 *	reason other than lack of permission
 *
 * Return: 0; -errno as ptu_record_begin(), ptu_record_add() and ptu_record_end():
 * then there is no recording.
 */
ptu_must_check int ptu_record_command(const struct ptu_options *options,
				      void (*say)(const char *),
				      int *ret_status, struct ptu_err *err);

#endif
