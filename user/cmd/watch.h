/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The command watch. */
#ifndef PTU_CMD_WATCH_H
#define PTU_CMD_WATCH_H

#include <stdio.h>

#include "base/err.h"
#include "cmd/options.h"

/**
 * ptu_watch_command() - Print how page tables grow, one line per interval.
 * @say: (in) prints a sentence about growth that is too fast
 * @ret_status: (out) 1: something grew faster than --over
 *
 * Return: 0; -errno.
 */
ptu_must_check int ptu_watch_command(const struct ptu_options *options,
				     FILE *out, void (*say)(const char *),
				     int *ret_status, struct ptu_err *err);

#endif
