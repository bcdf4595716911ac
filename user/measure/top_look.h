/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tables of one process of a ranking. */
#ifndef PTU_MEASURE_TOP_LOOK_H
#define PTU_MEASURE_TOP_LOOK_H

#include "measure/top.h"

/* A process with more VmPTE is looked at in pieces. */
#define PTU_TOP_WHOLE_BYTES (UINT64_C(256) << 20)

/**
 * ptu_top_look() - Find out what @row says of tables beside VmPTE.
 * @deadline_ns: (in) as of ptu_now_ns(): from then on no further piece is looked at
 * @row: (in, out) with VmPTE
 * @joined: (out) [nr_joined] its mappings, to be freed; or NULL
 *
 * Return: 0, also where only VmPTE is known; -ESRCH it ended; -ENOMEM.
 */
ptu_must_check int ptu_top_look(const struct ptu_top_ask *ask,
				struct ptu_proc *proc, uint64_t deadline_ns,
				struct ptu_top_row *row,
				struct ptu_top_row **joined, size_t *nr_joined);

#endif
