/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Convert differences into the rows of a report.  Pure: adds up; must not decide
 * about causes.
 */
#ifndef PTU_COMPARE_TABLE_ROWS_H
#define PTU_COMPARE_TABLE_ROWS_H

#include "compare/table_diff.h"
#include "model/table_set.h"
#include "model/vma.h"
#include "report/report.h"

/**
 * ptu_tally_claims() - Count an estimator's claims by level.
 * @low: (out) [PTAUDIT_NR_LEVELS] certain tables
 * @high: (out) [PTAUDIT_NR_LEVELS] certain and possible tables
 */
void ptu_tally_claims(const struct ptu_tables *claims, uint64_t *low,
		      uint64_t *high);

/**
 * ptu_tally_vmpte() - Check that tree + deposited = VmPTE.
 * @before: (in) the walk before @vmpte_bytes was read
 * @after: (in) the walk after it, whose tables are added up
 * @vmpte_bytes: (in) VmPTE as read by the tool
 * @ret: (out) .vmpte_bytes, .tree_bytes, .deposited_tables,
 *	.vmpte_unexplained_bytes, .vmpte_in_flux_bytes
 *
 * If the kernel's counter changed between the walks, the sum must be within the
 * range of its values; if it did not change, the sum must be equal to it.
 */
void ptu_tally_vmpte(const struct ptu_snapshot *before,
		     const struct ptu_snapshot *after, uint64_t vmpte_bytes,
		     const struct ptu_geometry *geo, struct ptu_process *ret);

/**
 * ptu_vmpte_sums_equal() - Is tree + deposited the same in both walks?
 * @before: walk before the estimate
 * @after: walk after it
 *
 * If it is not, tables came or went, although the counter may have its old value again.
 */
bool ptu_vmpte_sums_equal(const struct ptu_snapshot *before,
			  const struct ptu_snapshot *after,
			  const struct ptu_geometry *geo);

/**
 * ptu_tally_vmpte_moved() - Count the unexplained bytes as in flux, because the counter
 *	changed.
 */
void ptu_tally_vmpte_moved(struct ptu_process *ret);

/**
 * ptu_tally_check() - Compute levels, causes, leaves, unexplained and shared
 *	tables.
 * @ret: (out) .status becomes PTU_STATUS_UNSTABLE, with .error, if more than 5 % of
 *	the tables (or 8, whichever is more) are in flux. If the sum was outside the
 *	range of VmPTE, that difference counts as in flux too.
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_tally_check(const struct ptu_diffs *diffs,
				   const struct ptu_snapshot *kernel,
				   const struct ptu_geometry *geo,
				   struct ptu_process *ret);

/**
 * ptu_tally_counts() - Compare stated numbers with the kernel's.
 * @before: (in) the walk before the numbers were stated
 * @after: (in) the walk after it, whose tables are counted
 * @ret: (out) .stated; .levels[] of the stated levels: a difference is unexplained,
 *	except the part by which the two walks differ, which is in flux; .leaves,
 *	.deposited_tables, .shared and .status as in ptu_tally_check()
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_tally_counts(const struct ptu_snapshot *before,
				    const struct ptu_snapshot *after,
				    const struct ptu_stated *counts,
				    const struct ptu_geometry *geo,
				    struct ptu_process *ret);

/**
 * ptu_tally_tables() - Count the kernel's tables without a comparison.
 * @ret: (out) .levels[].kernel and .bytes, .leaves, .deposited_tables, .shared
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_tally_tables(const struct ptu_snapshot *kernel,
				    const struct ptu_geometry *geo,
				    struct ptu_process *ret);

/**
 * ptu_tally_flux_limit() - How many tables may be in flux?
 * @tables: (in) number of all tables
 *
 * Return: tables; above this the process is PTU_STATUS_UNSTABLE.
 */
uint64_t ptu_tally_flux_limit(uint64_t tables);

/**
 * ptu_estimate_deposited() - Estimate the tables deposited for one mapping.
 * @leaves: (in) leaves in PMD tables that the estimator found in all of it
 */
uint64_t ptu_estimate_deposited(const struct ptu_vma *vma, uint64_t leaves,
				const struct ptu_geometry *geo);

/**
 * ptu_tally_estimate() - Compute levels and residual without the kernel's side.
 */
void ptu_tally_estimate(const struct ptu_tables *claims,
			const struct ptu_vmas *vmas,
			const struct ptu_geometry *geo, uint64_t vmpte_bytes,
			struct ptu_process *ret);

#endif
