/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The columns of scores, for text and JSON. */
#ifndef PTU_RENDER_SCORE_COLUMNS_H
#define PTU_RENDER_SCORE_COLUMNS_H

#include "render/cells.h"
#include "report/score.h"

/* An estimator at one level. */
struct ptu_score_line {
	const char *name;
	unsigned int level;
	struct ptu_score_level at;
};

/* One of the processes with most errors of an estimator. */
struct ptu_worst_line {
	const char *name;
	struct ptu_score_process who;
	char why[PTU_SCORE_WHY];
};

/* All columns; the last element of each array has no name. */
extern const struct ptu_grid_column ptu_score_columns[];
extern const struct ptu_grid_column ptu_worst_columns[];

/**
 * ptu_score_lines() - Make the rows of an estimator, the highest level first.
 *
 * Return: the number of rows in @ret.
 */
size_t ptu_score_lines(const struct ptu_score_row *row,
		       struct ptu_score_line ret[PTAUDIT_NR_LEVELS]);

/**
 * ptu_worst_line() - Make the row of one of an estimator's worst processes.
 */
struct ptu_worst_line ptu_worst_line(const struct ptu_score_report *report,
				     const struct ptu_score_row *row,
				     const struct ptu_score_worst *worst);

#endif
