/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Turns differences into the rows of a report.  Pure: adds up, decides
 * nothing about causes.
 */
#ifndef PTU_COMPARE_TABLE_ROWS_H
#define PTU_COMPARE_TABLE_ROWS_H

#include "compare/table_diff.h"
#include "model/table_set.h"
#include "model/vma.h"
#include "report/report.h"

/**
 * ptu_tally_claims() - What an estimator claims, by level.
 * @low: (out) [PTAUDIT_NR_LEVELS] certain tables
 * @high: (out) [PTAUDIT_NR_LEVELS] certain and possible ones
 */
void ptu_tally_claims(const struct ptu_tables *claims, uint64_t *low,
		      uint64_t *high);

/**
 * ptu_tally_vmpte() - Does the sum close: tree + deposited = VmPTE?
 * @before: (in) the walk before @vmpte_bytes was read
 * @after: (in) the walk behind it, whose tables are summed
 * @vmpte_bytes: (in) VmPTE as the tool read it
 * @ret: (out) .vmpte_bytes, .tree_bytes, .deposited_tables and
 *	.vmpte_unexplained_bytes, .vmpte_in_flux_bytes
 *
 * A counter that moved between the walks leaves a span, in which the sum must
 * lie; one that stood still must be met to the byte.
 */
void ptu_tally_vmpte(const struct ptu_snapshot *before,
		     const struct ptu_snapshot *after, uint64_t vmpte_bytes,
		     const struct ptu_geometry *geo, struct ptu_process *ret);

/**
 * ptu_tally_vmpte_moved() - The counter moved: what is unexplained is in flux.
 */
void ptu_tally_vmpte_moved(struct ptu_process *ret);

/**
 * ptu_tally_check() - Levels, causes, leaves, unexplained and shared tables.
 * @ret: (out) also .status: PTU_STATUS_UNSTABLE, with .error, if more than
 *	5 % of the tables (or 8, whichever is more) are in flux, of those that
 *	the sum and VmPTE differ by too, where it met no value of the counter
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_tally_check(const struct ptu_diffs *diffs,
				   const struct ptu_snapshot *kernel,
				   const struct ptu_geometry *geo,
				   struct ptu_process *ret);

/**
 * ptu_tally_counts() - Bare numbers against what the kernel has.
 * @before: (in) the walk before they were stated
 * @after: (in) the walk behind it, whose tables are counted
 * @ret: (out) .stated; .levels[] of these levels, in which a difference is
 *	unexplained, but for what lies between the two walks: that is in flux;
 *	.leaves, .deposited_tables, .shared and .status as ptu_tally_check()
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_tally_counts(const struct ptu_snapshot *before,
				    const struct ptu_snapshot *after,
				    const struct ptu_stated *counts,
				    const struct ptu_geometry *geo,
				    struct ptu_process *ret);

/**
 * ptu_tally_tables() - What the kernel has, without anything to compare it with.
 * @ret: (out) .levels[].kernel and .bytes, .leaves, .deposited_tables, .shared
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_tally_tables(const struct ptu_snapshot *kernel,
				    const struct ptu_geometry *geo,
				    struct ptu_process *ret);

/**
 * ptu_tally_flux_limit() - How many tables may be in flux.
 * @tables: (in) that there are
 *
 * Return: tables; with more of them the process is PTU_STATUS_UNSTABLE.
 */
uint64_t ptu_tally_flux_limit(uint64_t tables);

/**
 * ptu_tally_estimate() - Levels and residual where there is no kernel side.
 */
void ptu_tally_estimate(const struct ptu_tables *claims,
			const struct ptu_vmas *vmas,
			const struct ptu_geometry *geo, uint64_t vmpte_bytes,
			struct ptu_process *ret);

#endif
