/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which tables hold nothing, and how full the others are.  Pure. */
#ifndef PTU_COMPARE_TABLE_FILL_H
#define PTU_COMPARE_TABLE_FILL_H

#include "base/err.h"
#include "model/kernel_tables.h"
#include "model/table_set.h"
#include "report/report.h"

/**
 * ptu_fill_of_kernel() - A walk of the kernel as a set of claims.
 * @ret: (out) each table with its used entries, of upper ones those that point
 *	to no table; deinit with ptu_tables_deinit()
 *
 * For what is done with the tables of either side alone, not to compare them.
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_fill_of_kernel(const struct ptu_snapshot *kernel,
				      const struct ptu_geometry *geo,
				      struct ptu_tables *ret);

/**
 * ptu_fill_claim() - Enter a claim, if it is a PTE table that is there.
 */
void ptu_fill_claim(struct ptu_fill *fill, const struct ptu_table *claim,
		    const struct ptu_geometry *geo);

/**
 * ptu_tally_empty() - How full PTE tables are, and what holds nothing.
 * @sees_empty: (in) the claims have tables that hold nothing, too
 * @ret: (out) .fill, .sees_empty and .empty
 */
void ptu_tally_empty(const struct ptu_tables *claims,
		     const struct ptu_geometry *geo, bool sees_empty,
		     struct ptu_process *ret);

#endif
