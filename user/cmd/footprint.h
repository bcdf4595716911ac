/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* `ptaudit footprint`: what processes take, each one and all as one. */
#ifndef PTU_CMD_FOOTPRINT_H
#define PTU_CMD_FOOTPRINT_H

#include <stdio.h>

#include "base/err.h"
#include "cmd/options.h"
#include "report/footprint.h"

/**
 * ptu_footprint_command() - Choose, read, show.
 * @out: (in) where the report goes
 * @ret: (out) the report that was shown; deinit with
 *	ptu_footprint_report_deinit(); untouched on failure
 *
 * Return: 0, also where single processes could not be measured; -errno with a
 * sentence, and nothing was shown.
 */
ptu_must_check int ptu_footprint_command(const struct ptu_options *options,
					 FILE *out,
					 struct ptu_footprint_report *ret,
					 struct ptu_err *err);

void ptu_footprint_report_deinit(struct ptu_footprint_report *report);

#endif
