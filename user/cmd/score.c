// SPDX-License-Identifier: LGPL-2.1-or-later
/* Connect choosing, measuring and rendering of a score; must not do any of them. */
#include "cmd/score.h"

#include <errno.h>
#include <stdlib.h>

#include "acquire/kernel_side.h"
#include "acquire/procfs.h"
#include "acquire/recording.h"
#include "cmd/choose.h"
#include "cmd/select.h"
#include "measure/score.h"
#include "render/render.h"

/* Get the named estimators; a word names one or several. */
static int choose(const struct ptu_options *options,
		  const struct ptu_estimator **ret, size_t *ret_nr,
		  struct ptu_err *err)
{
	size_t word, i, nr;
	int error = 0;

	*ret_nr = 0;
	for (word = 0; !error && word < options->nr_scored; word++) {
		error = ptu_choose_estimators(options->scored[word],
					      ret + *ret_nr, &nr, err);
		if (!error)
			*ret_nr += nr;
	}
	for (i = 0; !error && i < *ret_nr; i++)
		if (options->from && ret[i]->program)
			error = ptu_err_set(err, -EINVAL,
					    "%s cannot be used with a recording: it would measure this machine",
					    ret[i]->name);
	return error;
}

static int check_levels(const struct ptu_options *options,
			const struct ptu_geometry *geo, struct ptu_err *err)
{
	unsigned int level;

	for (level = 0; level < PTAUDIT_NR_LEVELS; level++)
		if (options->levels & 1u << level && !geo->unfolded[level])
			return ptu_err_set(err, -EINVAL,
					   "there is no level %s on this machine",
					   ptu_level_name(level));
	return 0;
}

static int measure(const struct ptu_options *options,
		   struct ptu_measure *measure, struct ptu_score_report *ret,
		   struct ptu_err *err)
{
	struct ptu_score_ask ask = {
		.measure = *measure,
		.is_group = ptu_select_is_group(options),
		.require_all = options->require_all,
		.pids = options->pids,
		.nr_pids = options->nr_pids,
	};
	pid_t *pids = NULL;
	int error = 0;

	if (ask.is_group) {
		error = ptu_select_group(options, &pids, &ask.nr_pids, err);
		ask.pids = pids;
	}
	if (!error)
		error = ptu_measure_score(&ask, ret, err);
	free(pids);
	return error;
}

static int show(const struct ptu_options *options,
		const struct ptu_score_report *score, FILE *out,
		struct ptu_err *err)
{
	return options->json ?
		       ptu_render_score_json(score, &options->render, out,
					     err) :
		       ptu_render_score_text(score, &options->render, out, err);
}

int ptu_score_command(const struct ptu_options *options, FILE *out,
		      struct ptu_score_report *ret, struct ptu_err *err)
{
	const struct ptu_estimator **estimators;
	struct ptu_score_report score = {
		.levels = options->levels ? options->levels : ~0u,
		.exact_only = options->exact_only,
	};
	struct ptu_kernel_side side = { 0 };
	struct ptu_geometry geo;
	struct ptu_measure how = { .geo = &geo,
				   .side = &side,
				   .freeze = options->freeze,
				   .is_recording = options->from != NULL,
				   .counts = true };
	int error = ptu_render_score_check(&options->render, err);

	if (error)
		return error;
	estimators = calloc(options->nr_scored * PTU_MAX_ESTIMATORS,
			    sizeof(const struct ptu_estimator *));
	if (!estimators)
		return ptu_err_set(err, -ENOMEM, "no memory for estimators");
	how.estimators = estimators;
	if (options->from)
		error = ptu_recording_use(options->from, err);
	if (!error)
		error = choose(options, estimators, &how.nr_estimators, err);
	if (!error)
		error = ptu_proc_geometry(&geo, err);
	if (!error)
		error = check_levels(options, &geo, err);
	if (!error)
		error = ptu_side_open(options->truth, &geo, &side, err);
	if (!error)
		error = measure(options, &how, &score, err);
	if (!error)
		error = show(options, &score, out, err);
	ptu_side_close(&side);
	free(estimators);
	if (error)
		ptu_score_report_deinit(&score);
	else
		*ret = score;
	return error;
}
