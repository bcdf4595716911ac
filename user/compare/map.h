/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Enter the tables of either side into a map.  Pure. */
#ifndef PTU_COMPARE_MAP_H
#define PTU_COMPARE_MAP_H

#include "base/err.h"
#include "model/kernel_tables.h"
#include "model/table_set.h"
#include "model/vma.h"
#include "report/map.h"

/**
 * ptu_map_draw() - Add the claims to the map and join adjacent mappings.
 * @claims: (in) of an estimator, or from ptu_fill_of_kernel()
 * @kernel: (in) the walk that the claims were made from, or NULL
 * @sees_empty: (in) the claims include empty tables
 * @ret: (in, out) .geo is set by the caller; for an estimate also the results of
 *	ptu_tally_estimate(). Free it even after a failure.
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_map_draw(const struct ptu_tables *claims,
				const struct ptu_snapshot *kernel,
				const struct ptu_vmas *vmas, bool sees_empty,
				struct ptu_map_report *ret);

#endif
