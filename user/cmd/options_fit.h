/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Do the processes and options of a command go together? */
#ifndef PTU_CMD_OPTIONS_FIT_H
#define PTU_CMD_OPTIONS_FIT_H

#include "base/err.h"
#include "cmd/options.h"

/* Sets of commands, as bits. */
#define PTU_MEASURES (1u << PTU_CMD_CHECK | 1u << PTU_CMD_ESTIMATE)
#define PTU_RECORDS (1u << PTU_CMD_RECORD)
#define PTU_PAGES (1u << PTU_CMD_COW | 1u << PTU_CMD_FLAGS)
#define PTU_FRAMES (1u << PTU_CMD_KPAGEMAP)
#define PTU_FOOTPRINTS (1u << PTU_CMD_FOOTPRINT)
#define PTU_SHOWS (PTU_MEASURES | PTU_PAGES | PTU_FRAMES | PTU_FOOTPRINTS)

/**
 * ptu_options_fit() - Refuse what excludes each other, and what is missing.
 * @command: (in) its name
 *
 * Return: 0; -EINVAL with a sentence.
 */
ptu_must_check int ptu_options_fit(const struct ptu_options *options,
				   const char *command, struct ptu_err *err);

#endif
