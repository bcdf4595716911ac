/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compute the score of an estimator from the results of `check`.  Pure. */
#ifndef PTU_COMPARE_SCORE_H
#define PTU_COMPARE_SCORE_H

#include "base/err.h"
#include "report/score.h"

/**
 * ptu_score_add_up() - Compute the score of one estimator.
 * @score: (in) .levels and .exact_only
 * @row: (in, out) .base is the input; the other fields are set
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_score_add_up(const struct ptu_score_report *score,
				    struct ptu_score_row *row);

#endif
