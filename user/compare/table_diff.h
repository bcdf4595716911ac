/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lays two walks of the kernel and the claims of an estimator side by side,
 * table by table.  Pure; finds differences, gives no reasons (explain.h).
 */
#ifndef PTU_COMPARE_TABLE_DIFF_H
#define PTU_COMPARE_TABLE_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/geometry.h"
#include "model/kernel_tables.h"
#include "model/table_set.h"
#include "report/report.h"

/**
 * struct ptu_diff - a table, or a leaf, that needs a word
 * @start: first address that it maps
 * @level: enum ptaudit_level; of a leaf: of the table that it lies in
 * @leaf: a leaf, not a table
 * @contents: both have the table, but not the same number of entries in it
 * @kernel: the later walk has it
 * @stable: both walks say the same of it, and it was not replaced meanwhile
 * @claim: what the estimator says: enum ptu_claim, or 0
 * @entries: with @contents: what the estimator counts
 * @why: filled in by ptu_explain()
 * @record: of the table, or of the run with the leaf; zero if the kernel has
 *	none
 */
struct ptu_diff {
	uint64_t start;
	uint8_t level;
	bool leaf;
	bool contents;
	bool kernel;
	bool stable;
	uint8_t claim;
	uint16_t entries;
	enum ptu_why why;
	struct ptaudit_table record;
};

/**
 * struct ptu_diffs - the result of a comparison
 * @diffs: [nr_diffs] in the order of start, the higher level first, tables
 *	before leaves: each table or leaf on which the later walk and the
 *	estimator differ, each claim that is only possible, and each PTE table
 *	that both have with other contents
 * @matched: tables that both have, the estimator for certain, by level
 */
struct ptu_diffs {
	struct ptu_diff *diffs;
	size_t nr_diffs;
	size_t capacity;
	uint64_t matched[PTAUDIT_NR_LEVELS];
};

/**
 * ptu_compare() - Find the differences.
 * @before: (in) the walk before the estimate
 * @after: (in) the walk after it, of the same range
 * @claims: (in) the estimate
 * @start: (in) only what maps an address from here ...
 * @end: (in) ... to here, and nothing beyond: tables that stick out are left
 *	aside; 0 and UINT64_MAX for all
 * @ret: (out) deinit with ptu_diffs_deinit()
 *
 * Where the estimate and the later walk agree, the earlier one is not asked.
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_compare(const struct ptu_snapshot *before,
			       const struct ptu_snapshot *after,
			       const struct ptu_tables *claims,
			       const struct ptu_geometry *geo, uint64_t start,
			       uint64_t end, struct ptu_diffs *ret,
			       struct ptu_err *err);

/**
 * ptu_diff_differs() - Do the two sides really differ there?
 *
 * A possible claim that the record settles as a leaf is none.
 */
bool ptu_diff_differs(const struct ptu_diff *diff);

/**
 * ptu_diffs_find() - The difference about one table or leaf, or NULL.
 */
struct ptu_diff *ptu_diffs_find(const struct ptu_diffs *diffs, uint64_t start,
				unsigned int level, bool leaf);

void ptu_diffs_deinit(struct ptu_diffs *diffs);

#endif
