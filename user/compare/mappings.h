/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which mapping each table of an estimate is counted with.  Pure. */
#ifndef PTU_COMPARE_MAPPINGS_H
#define PTU_COMPARE_MAPPINGS_H

#include "base/err.h"
#include "model/kernel_tables.h"
#include "model/table_set.h"
#include "model/vma.h"
#include "report/report.h"

/**
 * ptu_mappings_first() - The first mapping that lies in the claim's reach.
 *
 * Return: its index; vmas->nr_vmas if none does.
 */
size_t ptu_mappings_first(const struct ptu_vmas *vmas,
			  const struct ptu_geometry *geo,
			  const struct ptu_table *claim);

/**
 * ptu_mapping_bytes() - Memory of the tables that are counted with a mapping.
 */
uint64_t ptu_mapping_bytes(const struct ptu_mapping_row *row,
			   const struct ptu_geometry *geo);

/**
 * ptu_tally_mappings() - Tables and leaves of an estimate, by mapping.
 * @claims: (in) of one estimator
 * @vmas: (in) the mappings, sorted
 * @ret: (out) a row for each mapping, in order; behind them one without
 *	permissions if there are claims in whose reach no mapping lies; the rows
 *	and their paths are one block, to be freed as such
 *
 * A claim is counted with the first mapping that lies in its reach, and with no
 * other, so that the rows add up to all claims but the PGD.
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_tally_mappings(const struct ptu_tables *claims,
				      const struct ptu_vmas *vmas,
				      const struct ptu_geometry *geo,
				      struct ptu_mapping_row **ret,
				      size_t *ret_nr);

/**
 * ptu_tally_kernel() - The kernel's tables by mapping, and how full they are.
 * @ret: (out) .mappings, .fill, .sees_empty and .empty
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_tally_kernel(const struct ptu_snapshot *kernel,
				    const struct ptu_vmas *vmas,
				    const struct ptu_geometry *geo,
				    struct ptu_process *ret);

#endif
