/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The command top. */
#ifndef PTU_CMD_TOP_H
#define PTU_CMD_TOP_H

#include <stdio.h>

#include "base/err.h"
#include "cmd/options.h"
#include "measure/top.h"

/**
 * ptu_top_measure() - Measure one ranking.
 * @ask: (in, out) parameters; sets its PIDs
 * @ret: (out) free() its rows
 *
 * Return: 0; -errno with a sentence.
 */
ptu_must_check int ptu_top_measure(const struct ptu_options *options,
				   struct ptu_top_ask *ask,
				   struct ptu_top_report *ret,
				   struct ptu_err *err);

/**
 * ptu_top_command() - Rank processes, groups or mappings, and print them.
 *
 * On a terminal it is interactive.  Otherwise, with an interval, it repeats until it is
 * killed or writing fails.
 *
 * Return: 0; -errno with a sentence.
 */
ptu_must_check int ptu_top_command(const struct ptu_options *options, FILE *out,
				   struct ptu_err *err);

#endif
