/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Find empty tables, and the fill of the others.  Pure. */
#ifndef PTU_COMPARE_TABLE_FILL_H
#define PTU_COMPARE_TABLE_FILL_H

#include "base/err.h"
#include "model/kernel_tables.h"
#include "model/table_set.h"
#include "report/report.h"

/**
 * ptu_fill_of_kernel() - Convert a walk of the kernel to a set of claims.
 * @ret: (out) each table with its used entries; for upper tables without the
 *	entries that point to tables; free with ptu_tables_deinit()
 *
 * Used to process the tables of one side; not for comparing the sides.
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_fill_of_kernel(const struct ptu_snapshot *kernel,
				      const struct ptu_geometry *geo,
				      struct ptu_tables *ret);

/**
 * ptu_fill_claim() - Add a claim if it is a certain PTE table.
 */
void ptu_fill_claim(struct ptu_fill *fill, const struct ptu_table *claim,
		    const struct ptu_geometry *geo);

typedef void ptu_empty_fn(void *arg, const struct ptu_table *claim);

/**
 * ptu_each_empty() - Call @fn for each table that is empty, or has only empty ones.
 *
 * The PGD is not among them.
 */
void ptu_each_empty(const struct ptu_tables *claims,
		    const struct ptu_geometry *geo, ptu_empty_fn *fn,
		    void *arg);

/**
 * ptu_tally_empty() - Count the fill of PTE tables and the empty tables.
 * @sees_empty: (in) the claims include empty tables
 * @ret: (out) .fill, .sees_empty and .empty
 */
void ptu_tally_empty(const struct ptu_tables *claims,
		     const struct ptu_geometry *geo, bool sees_empty,
		     struct ptu_process *ret);

#endif
