/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Compare two walks of the kernel with the claims of an estimator, table by table.
 * Pure; finds differences, but not their causes (table_causes.h).
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
 * struct ptu_diff - a table or leaf on which the sides differ
 * @start: first address that it maps
 * @level: enum ptaudit_level; for a leaf: level of the table that holds it
 * @leaf: a leaf, not a table
 * @contents: both sides have the table, but with different numbers of entries
 * @kernel: the later walk has it
 * @stable: both walks have the same record of it, and it was not replaced meanwhile
 * @claim: the estimator's claim: enum ptu_claim, or 0
 * @entries: with @contents: the estimator's number of entries
 * @why: set by ptu_explain()
 * @record: record of the table, or of the run with the leaf; zero if the kernel has
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
 * struct ptu_diffs - result of a comparison
 * @diffs: [nr_diffs] sorted by start, then higher level, then tables before leaves:
 *	each table or leaf on which the later walk and the estimator differ, each
 *	claim that is only possible, and each PTE table with different contents
 * @matched: [level] tables of the kernel that the estimator claims as certain
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
 * @start: (in) compare only what maps an address from here ...
 * @end: (in) ... up to here; tables that reach beyond are ignored; 0 and UINT64_MAX
 *	for all
 * @ret: (out) free with ptu_diffs_deinit()
 *
 * The earlier walk is used only if the estimate and the later walk differ.
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
 * ptu_diff_differs() - Do the two sides really differ?
 *
 * They do not if the claim is only possible and the record shows a leaf.
 */
bool ptu_diff_differs(const struct ptu_diff *diff);

/**
 * ptu_diffs_find() - Find the difference of a table or leaf; NULL if there is none.
 */
struct ptu_diff *ptu_diffs_find(const struct ptu_diffs *diffs, uint64_t start,
				unsigned int level, bool leaf);

void ptu_diffs_deinit(struct ptu_diffs *diffs);

#endif
