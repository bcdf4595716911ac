/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Gives each difference its cause, proven on the record of that very table, or
 * leaves it unexplained.  Pure.
 */
#ifndef PTU_EXPLAIN_H
#define PTU_EXPLAIN_H

#include "compare.h"

/**
 * ptu_explain() - Fill in .why of each difference.
 * @diffs: from ptu_compare()
 * @kernel: (in) the later walk, whose records are the proof
 * @blind: (in) kinds of entries that the estimator's interface does not show,
 *	bits 1 << PTAUDIT_K_*
 *
 * A difference that the two walks do not agree on is not explained: it stays
 * unexplained here, and is for the bracket to settle.
 */
void ptu_explain(struct ptu_diffs *diffs, const struct ptu_snapshot *kernel,
		 const struct ptu_geometry *geo, unsigned int blind);

#endif
