/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Gives each difference its cause, proven on the record of that very table and
 * on the mappings at its address, or leaves it unexplained.  Pure.
 */
#ifndef PTU_COMPARE_TABLE_CAUSES_H
#define PTU_COMPARE_TABLE_CAUSES_H

#include "compare/table_diff.h"
#include "model/vma.h"

/**
 * struct ptu_proof - what causes are proven on
 * @before: the walk before the estimate
 * @after: the later walk, whose records ptu_compare() put into the differences
 * @vmas: the mappings as the estimator's evidence has them
 * @blind: kinds of entries that the estimator's interface does not show,
 *	bits 1 << PTAUDIT_K_*
 */
struct ptu_proof {
	const struct ptu_geometry *geo;
	const struct ptu_snapshot *before;
	const struct ptu_snapshot *after;
	const struct ptu_vmas *vmas;
	unsigned int blind;
};

/**
 * ptu_explain() - Fill in .why of each difference.
 * @diffs: from ptu_compare()
 *
 * A difference that the two walks do not agree on is not explained: it stays
 * unexplained here, and is for the bracket to settle.
 */
void ptu_explain(struct ptu_diffs *diffs, const struct ptu_proof *proof);

/**
 * ptu_explain_wants_flags() - Would the flags of mappings explain more?
 *
 * They are in smaps, which costs as much as all else together: it is read for
 * this only where a proof rests on it.
 */
bool ptu_explain_wants_flags(const struct ptu_diffs *diffs,
			     const struct ptu_proof *proof);

#endif
