/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The commands whatif and reclaim. */
#ifndef PTU_CMD_WHATIF_H
#define PTU_CMD_WHATIF_H

#include <stdio.h>

#include "base/err.h"
#include "cmd/options.h"
#include "report/whatif.h"

/**
 * ptu_whatif_command() - Find tables that could be freed; with --do, free
 *	them.
 * @ret: (out) free with ptu_whatif_report_deinit(); untouched on failure
 *
 * Return: 0, and the report's processes say which could not be measured; -errno.
 */
ptu_must_check int ptu_whatif_command(const struct ptu_options *options,
				      FILE *out, struct ptu_whatif_report *ret,
				      struct ptu_err *err);

/**
 * ptu_whatif_status() - Exit status: 1 if fewer tables were freed than predicted.
 */
int ptu_whatif_status(const struct ptu_whatif_report *report);

#endif
