/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Examine the tables of one process of a ranking. */
#ifndef PTU_MEASURE_TOP_LOOK_H
#define PTU_MEASURE_TOP_LOOK_H

#include "measure/top.h"

/**
 * ptu_top_look() - Fill in the fields of @row about tables, except VmPTE.
 * @deadline_ns: (in) ptu_now_ns() after which no further piece is examined
 * @row: (in, out) has VmPTE
 * @joined: (out) [nr_joined] its mappings, free() it; or NULL
 *
 * Return: 0, even if only VmPTE is known; -ESRCH it ended; -ENOMEM.
 */
ptu_must_check int ptu_top_look(const struct ptu_top_ask *ask,
				struct ptu_proc *proc, uint64_t deadline_ns,
				struct ptu_top_row *row,
				struct ptu_top_row **joined, size_t *nr_joined);

#endif
