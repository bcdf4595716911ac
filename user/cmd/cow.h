/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* `ptaudit cow`: find the copied pages in private mappings. */
#ifndef PTU_CMD_COW_H
#define PTU_CMD_COW_H

#include <stdio.h>

#include "base/err.h"
#include "cmd/options.h"

/**
 * ptu_cow_command() - Classify the pages of private mappings, and print the result.
 * @out: (in) stream for the report
 * @ret_status: (out) the exit status: 1 if pagemap and kpageflags disagree
 *
 * Return: 0; -errno as ptu_mapped_walk(), and nothing was shown.
 */
ptu_must_check int ptu_cow_command(const struct ptu_options *options, FILE *out,
				   int *ret_status, struct ptu_err *err);

#endif
