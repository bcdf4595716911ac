/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The groups of --by. */
#ifndef PTU_CMD_GROUP_H
#define PTU_CMD_GROUP_H

#include "acquire/procfs.h"
#include "base/err.h"
#include "report/top.h"

/* @row: .uid and .comm are valid; @ret: [256] */
typedef void (*ptu_group_of)(const struct ptu_proc *proc,
			     const struct ptu_top_row *row, char *ret);

/* Values of --by, NULL-terminated. */
extern const char *const ptu_group_words[];

/**
 * ptu_group_choose() - Get the function that names the group of a process.
 * @by: (in) value of --by, or NULL: @ret becomes NULL
 *
 * Return: 0; -EINVAL @by is unknown.
 */
ptu_must_check int ptu_group_choose(const char *by, ptu_group_of *ret,
				    struct ptu_err *err);

#endif
