// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Choose the processes and the source of their tables, and measure them.  Must not
 * change a process without --do.
 */
#include "cmd/whatif.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "acquire/collapse.h"
#include "acquire/kernel_side.h"
#include "acquire/procfs.h"
#include "acquire/recording.h"
#include "cmd/choose.h"
#include "cmd/select.h"
#include "measure/whatif.h"
#include "render/render.h"

/* Use the estimator that finds empty tables; if there is none, the kernel's side. */
static int choose(struct ptu_whatif_ask *ask, struct ptu_kernel_side *side,
		  struct ptu_err *err)
{
	int error = ptu_best_estimator(&ask->estimator, err);

	if (!error && ask->estimator != &ptu_estimator_written &&
	    !ptu_side_open(PTU_SIDE_AUTO, ask->geo, side, NULL))
		ask->side = side;
	return error;
}

static int measure(const struct ptu_options *options,
		   struct ptu_whatif_ask *ask, struct ptu_whatif_report *report,
		   struct ptu_err *err)
{
	pid_t *pids = NULL;
	int error;

	if (ask->is_group) {
		error = ptu_select_group(options, &pids, &ask->nr_pids, err);
		ask->pids = pids;
	} else {
		ask->pids = options->pids;
		ask->nr_pids = options->nr_pids;
		error = 0;
	}
	if (!error)
		error = ptu_whatif_measure(ask, report, err);
	free(pids);
	return error;
}

/* Does the rule block a table of a process that the user named? */
static bool is_blocked_by(const struct ptu_whatif_report *report, size_t file,
			  enum ptu_whatif_block rule)
{
	size_t i;

	for (i = 0; i < report->nr_places; i++)
		if (report->places[i].file == file &&
		    report->places[i].block == rule &&
		    report->mms[report->places[i].mm].named)
			return true;
	return false;
}

/* If no table can be freed, refuse, and say what blocks those of the named processes. */
static int refuse(const struct ptu_whatif_report *report, struct ptu_err *err)
{
	static const enum ptu_whatif_block rules[] = {
		PTU_BLOCK_NOHUGEPAGE,	PTU_BLOCK_UFFD,	   PTU_BLOCK_MARKERS,
		PTU_BLOCK_THP_DISABLED, PTU_BLOCK_PRIVATE, PTU_BLOCK_UNKNOWN
	};
	size_t i, rule;

	if (ptu_whatif_shared_tables(report))
		return 0;
	for (i = 0; i < report->nr_files; i++)
		for (rule = 0; rule < sizeof(rules) / sizeof(rules[0]); rule++)
			if (is_blocked_by(report, i, rules[rule]))
				return ptu_err_set(err, -EOPNOTSUPP,
						   "no table of %s can be freed: %s",
						   report->files[i].path,
						   ptu_whatif_block_sentence(
							   rules[rule]));
	return 0;
}

/*
 * If --do would refuse, store the reason in the report.  If no table can be freed, --do
 * refuses processes that were named by PID, but not a group (--all, --name).
 */
static void find_refusal(const struct ptu_whatif_ask *ask,
			 struct ptu_whatif_report *report)
{
	struct ptu_err refusal = { "" };

	if (ptu_collapse_ready(&refusal) ||
	    (!ask->is_group && refuse(report, &refusal)))
		memcpy(report->refusal, refusal.text, sizeof(report->refusal));
}

int ptu_whatif_command(const struct ptu_options *options, FILE *out,
		       struct ptu_whatif_report *ret, struct ptu_err *err)
{
	struct ptu_whatif_report report = {
		.is_reclaim = options->command == PTU_CMD_RECLAIM,
		.is_acting = options->act,
		.reclaim = { .has_limit = options->command == PTU_CMD_RECLAIM,
			     .max_fill_bytes = options->max_fill_bytes },
	};
	struct ptu_kernel_side side = { 0 };
	struct ptu_geometry geo;
	struct ptu_whatif_ask ask = {
		.geo = &geo,
		.is_group = ptu_select_is_group(options),
		.is_recording = options->from != NULL,
	};
	int error = ptu_render_whatif_check(&options->render, err);

	if (!error && options->from)
		error = ptu_recording_use(options->from, err);
	if (!error)
		error = ptu_proc_geometry(&geo, err);
	/* check first whether reclaim is possible at all */
	if (!error && options->act)
		error = ptu_collapse_ready(err);
	if (error)
		return error;
	error = choose(&ask, &side, err);
	if (!error)
		error = measure(options, &ask, &report, err);
	report.base.require_all = options->require_all;
	if (!error && !options->from)
		find_refusal(&ask, &report);
	if (!error && options->act && report.refusal[0])
		error = ptu_err_set(err, -EOPNOTSUPP, "%s", report.refusal);
	/* print the plan first, for a terminal or a log */
	if (!error && options->act && !options->json)
		error = ptu_render_whatif_text(&report, &options->render, out,
					       err);
	if (!error && options->act && report.nr_mms)
		error = ptu_reclaim(&ask, &report, err);
	if (!error)
		error = options->json ? ptu_render_whatif_json(&report,
							       &options->render,
							       out, err) :
					ptu_render_whatif_text(&report,
							       &options->render,
							       out, err);
	ptu_side_close(&side);
	if (error)
		ptu_whatif_report_deinit(&report);
	else
		*ret = report;
	return error;
}

int ptu_whatif_status(const struct ptu_whatif_report *report)
{
	int status = ptu_report_status(&report->base);

	if (!status && report->reclaim.done &&
	    report->reclaim.returned_tables < ptu_whatif_shared_tables(report))
		status = 1;
	return status;
}
