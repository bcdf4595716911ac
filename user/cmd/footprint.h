/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* `ptaudit footprint`: memory of processes, individually and as a set. */
#ifndef PTU_CMD_FOOTPRINT_H
#define PTU_CMD_FOOTPRINT_H

#include <stdio.h>

#include "base/err.h"
#include "cmd/options.h"
#include "report/footprint.h"

/**
 * ptu_footprint_command() - Measure the memory of a set of processes, and print it.
 * @out: (in) stream for the report
 * @ret: (out) the printed report; free with ptu_footprint_report_deinit();
 *	untouched on failure
 *
 * Return: 0, even if single processes could not be measured; -errno with a
 * sentence, and nothing was printed.
 */
ptu_must_check int ptu_footprint_command(const struct ptu_options *options,
					 FILE *out,
					 struct ptu_footprint_report *ret,
					 struct ptu_err *err);

void ptu_footprint_report_deinit(struct ptu_footprint_report *report);

#endif
