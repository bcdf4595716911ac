/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The command top on a terminal. */
#ifndef PTU_CMD_LIVE_H
#define PTU_CMD_LIVE_H

#include "base/err.h"
#include "cmd/options.h"
#include "measure/top.h"

/**
 * ptu_top_live() - Show rankings until the user quits.
 * @ask: (in, out) parameters of the first ranking
 *
 * Return: 0; -ENOTTY the terminal is not suitable; -errno with a sentence.
 */
ptu_must_check int ptu_top_live(const struct ptu_options *options,
				struct ptu_top_ask *ask, struct ptu_err *err);

#endif
