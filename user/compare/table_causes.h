/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find the cause of each difference. A cause is proven from the record of this
 * table and the mappings at its address; otherwise the difference is unexplained.
 * Pure.
 */
#ifndef PTU_COMPARE_TABLE_CAUSES_H
#define PTU_COMPARE_TABLE_CAUSES_H

#include "compare/table_diff.h"
#include "model/vma.h"

/**
 * struct ptu_proof - data for proving causes
 * @before: the walk before the estimate
 * @after: the later walk; ptu_compare() copied its records to the differences
 * @vmas: the mappings in the estimator's evidence
 * @blind: kinds of entries that the estimator's interface does not show, bits 1 <<
 *	PTAUDIT_K_*
 */
struct ptu_proof {
	const struct ptu_geometry *geo;
	const struct ptu_snapshot *before;
	const struct ptu_snapshot *after;
	const struct ptu_vmas *vmas;
	unsigned int blind;
};

/**
 * ptu_explain() - Set .why of each difference.
 * @diffs: from ptu_compare()
 *
 * A difference on which the two walks disagree stays unexplained here; the caller
 * repeats the measurement.
 */
void ptu_explain(struct ptu_diffs *diffs, const struct ptu_proof *proof);

/**
 * ptu_explain_wants_flags() - Would the flags of mappings explain more?
 *
 * The flags are in smaps, which costs as much as everything else together. Read it
 * only if a proof depends on it.
 */
bool ptu_explain_wants_flags(const struct ptu_diffs *diffs,
			     const struct ptu_proof *proof);

#endif
