/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* `ptaudit kpagemap`: the module's array of page frames against /proc. */
#ifndef PTU_CMD_KPAGEMAP_H
#define PTU_CMD_KPAGEMAP_H

#include <stdio.h>

#include "base/err.h"
#include "cmd/options.h"

/**
 * ptu_kpagemap_command() - Compare kpagemap with /proc for all page frames, and print the
 *	result.
 * @out: (in) stream for the report
 * @progress: (in) stream for a progress bar, or NULL
 * @ret_status: (out) the exit status: 1 if a page frame is unexplained
 *
 * Return: 0; -EPERM not root; -ENOENT no module; -EBUSY too many page frames
 * kept changing; -errno.  On failure nothing was shown.
 */
ptu_must_check int ptu_kpagemap_command(const struct ptu_options *options,
					FILE *out, FILE *progress,
					int *ret_status, struct ptu_err *err);

#endif
