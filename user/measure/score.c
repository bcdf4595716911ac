// SPDX-License-Identifier: LGPL-2.1-or-later
/* Measure for a score, one estimator after the other; must not compute the score. */
#include "measure/score.h"

#include <errno.h>
#include <stdlib.h>

#include "compare/score.h"
#include "measure/processes.h"

static int score_one(const struct ptu_score_ask *ask,
		     const struct ptu_estimator *estimator,
		     struct ptu_score_row *row, struct ptu_err *err)
{
	struct ptu_measure measure = ask->measure;
	int error;

	measure.estimators = &estimator;
	measure.nr_estimators = 1;
	row->name = estimator->name;
	error = ptu_survey_begin(&measure, true, &row->base, err);
	if (error)
		return error;
	row->base.is_all = ask->is_group;
	row->base.require_all = ask->require_all;
	if (ask->is_group)
		return ptu_survey_group(&measure, ask->pids, ask->nr_pids,
					&row->base, err);
	return ptu_survey_named(&measure, ask->pids, ask->nr_pids, &row->base,
				err);
}

int ptu_measure_score(const struct ptu_score_ask *ask,
		      struct ptu_score_report *ret, struct ptu_err *err)
{
	const size_t nr = ask->measure.nr_estimators;
	int error = 0;

	ret->rows = calloc(nr, sizeof(*ret->rows));
	if (!ret->rows)
		return ptu_err_set(err, -ENOMEM, "no memory for the score");
	while (!error && ret->nr_rows < nr) {
		struct ptu_score_row *row = &ret->rows[ret->nr_rows];

		error = score_one(ask, ask->measure.estimators[ret->nr_rows++],
				  row, err);
		if (!error && ptu_score_add_up(ret, row))
			error = ptu_err_set(err, -ENOMEM,
					    "no memory for the score");
	}
	return error;
}
