/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Adds up what `check` found out into the score of an estimator.  Pure. */
#ifndef PTU_COMPARE_SCORE_H
#define PTU_COMPARE_SCORE_H

#include "report/score.h"

/**
 * ptu_score_add_up() - Score one estimator.
 * @score: (in) .levels and .exact_only
 * @row: (in, out) .base is scored; the rest is filled in
 */
void ptu_score_add_up(const struct ptu_score_report *score,
		      struct ptu_score_row *row);

#endif
