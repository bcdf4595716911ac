/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Assign the tables of an estimate to mappings.  Pure. */
#ifndef PTU_COMPARE_MAPPINGS_H
#define PTU_COMPARE_MAPPINGS_H

#include "base/err.h"
#include "model/kernel_tables.h"
#include "model/table_set.h"
#include "model/vma.h"
#include "report/report.h"

/**
 * ptu_mappings_first() - Find the first mapping in the claim's reach.
 *
 * Return: its index; vmas->nr_vmas if there is none.
 */
size_t ptu_mappings_first(const struct ptu_vmas *vmas,
			  const struct ptu_geometry *geo,
			  const struct ptu_table *claim);

/**
 * ptu_mapping_bytes() - Memory of the tables counted with a mapping.
 */
uint64_t ptu_mapping_bytes(const struct ptu_mapping_row *row,
			   const struct ptu_geometry *geo);

/**
 * ptu_tally_mappings() - Count tables and leaves of an estimate by mapping.
 * @claims: (in) of one estimator
 * @vmas: (in) the mappings, sorted
 * @ret: (out) one row per mapping, in order. If there are claims without a mapping
 *	in their reach, a row without permissions follows. The rows and their paths
 *	are one block: free() it.
 *
 * A claim is counted only with the first mapping in its reach, so the rows add up
 * to all claims except the PGD.
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_tally_mappings(const struct ptu_tables *claims,
				      const struct ptu_vmas *vmas,
				      const struct ptu_geometry *geo,
				      struct ptu_mapping_row **ret,
				      size_t *ret_nr);

/**
 * ptu_mappings_estimate_deposited() - Estimate the deposits of the rows.
 * @vmas: (in) mappings of the rows, with what is known from smaps
 * @rows: (in, out) in: the leaves of all of the process; out: .deposited
 *
 * Return: the sum.
 */
uint64_t ptu_mappings_estimate_deposited(const struct ptu_vmas *vmas,
					 const struct ptu_geometry *geo,
					 struct ptu_mapping_row *rows);

/**
 * ptu_mappings_deposited() - Add the kernel's deposits to rows.
 * @vmas: (in) mappings of the rows
 * @rows: (in, out) from ptu_tally_mappings()
 *
 * The kernel counts deposits by PMD table. Each huge page in anonymous memory has one. If
 * the table has more, but not one for each of its huge pages in mappings with a file, the
 * rows of these mappings get .deposited_unsure.
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_mappings_deposited(const struct ptu_snapshot *kernel,
					  const struct ptu_vmas *vmas,
					  const struct ptu_geometry *geo,
					  struct ptu_mapping_row *rows);

/**
 * ptu_tally_kernel() - Count the kernel's tables and used entries by mapping.
 * @ret: (out) .mappings, .fill, .sees_empty and .empty
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_tally_kernel(const struct ptu_snapshot *kernel,
				    const struct ptu_vmas *vmas,
				    const struct ptu_geometry *geo,
				    struct ptu_process *ret);

#endif
