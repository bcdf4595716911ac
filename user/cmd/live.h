/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The command top on a terminal. */
#ifndef PTU_CMD_LIVE_H
#define PTU_CMD_LIVE_H

#include "base/err.h"
#include "cmd/options.h"
#include "measure/top.h"

/**
 * ptu_top_live() - Show rankings until somebody has seen enough.
 * @ask: (in, out) what is to be found first
 *
 * Return: 0; -ENOTTY the terminal cannot do it; -errno with a sentence.
 */
ptu_must_check int ptu_top_live(const struct ptu_options *options,
				struct ptu_top_ask *ask, struct ptu_err *err);

#endif
