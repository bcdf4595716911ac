/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Puts the tables of either side into a map.  Pure. */
#ifndef PTU_COMPARE_MAP_H
#define PTU_COMPARE_MAP_H

#include "base/err.h"
#include "model/kernel_tables.h"
#include "model/table_set.h"
#include "model/vma.h"
#include "report/map.h"

/**
 * ptu_map_draw() - Enter what is claimed, and join the mappings.
 * @claims: (in) of an estimator, or of ptu_fill_of_kernel()
 * @kernel: (in) the walk that they were made of, or NULL
 * @sees_empty: (in) the claims have tables that hold nothing, too
 * @ret: (in, out) .geo is there, and of an estimate what ptu_tally_estimate() has
 *	entered; the rest is entered here.  Deinit it on failure, too
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_map_draw(const struct ptu_tables *claims,
				const struct ptu_snapshot *kernel,
				const struct ptu_vmas *vmas, bool sees_empty,
				struct ptu_map_report *ret);

#endif
