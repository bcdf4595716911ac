// SPDX-License-Identifier: LGPL-2.1-or-later
/* Read both sides, compare and print them through other layers. */
#include "cmd/diff.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "acquire/procfs.h"
#include "acquire/recording.h"
#include "base/parse.h"
#include "cmd/choose.h"
#include "measure/change.h"
#include "render/render.h"

/* The PID that a word stands for; 0: it is a directory. */
static int pid_of(const char *word, pid_t *ret, struct ptu_err *err)
{
	*ret = 0;
	if (!strcmp(word, "self"))
		*ret = getpid();
	else if (ptu_is_digits(word))
		return ptu_parse_pid(word, ret, err);
	return 0;
}

int ptu_diff_pids(const struct ptu_options *options, pid_t *ret,
		  struct ptu_err *err)
{
	int error = pid_of(options->sides[0], &ret[0], err);

	if (!error)
		error = pid_of(options->sides[1], &ret[1], err);
	if (!error && ret[0] && ret[1])
		error = ptu_err_set(err, -EINVAL,
				    "two PIDs show the same moment: record one (ptaudit record --to DIR PID), and compare it later (ptaudit diff DIR PID)");
	return error;
}

int ptu_diff_use(const char *word, pid_t pid, struct ptu_err *err)
{
	ptu_recording_leave();
	return pid ? 0 : ptu_recording_use(word, err);
}

int ptu_diff_same_shape(const struct ptu_geometry *a,
			const struct ptu_geometry *b, struct ptu_err *err)
{
	if (a->page_bytes == b->page_bytes &&
	    !memcmp(a->unfolded, b->unfolded, sizeof(a->unfolded)))
		return 0;
	return ptu_err_set(err, -EINVAL,
			   "the two sides are of machines with different page tables");
}

int ptu_diff_choose(const struct ptu_options *options, const pid_t *pids,
		    const struct ptu_estimator **ret, struct ptu_err *err)
{
	const struct ptu_estimator *best;
	int error, i;
	size_t nr;

	if (options->estimators)
		return ptu_choose_built_in(options->estimators,
					   "diff takes one built-in estimator",
					   ret, err);
	*ret = &ptu_estimator_written;
	for (i = 0; i < 2; i++) {
		error = ptu_diff_use(options->sides[i], pids[i], err);
		if (!error)
			error = ptu_best_estimator(&best, err);
		if (error)
			return error;
		/* the weaker one, which comes first, works on both sides */
		for (nr = 0;
		     ptu_estimators[nr] != *ret && ptu_estimators[nr] != best;)
			nr++;
		*ret = ptu_estimators[nr];
	}
	return 0;
}

static int compare(const struct ptu_options *options, const pid_t *pids,
		   struct ptu_change_report *report, struct ptu_err *err)
{
	struct ptu_moment moments[2] = { { .nr = 0 }, { .nr = 0 } };
	struct ptu_geometry geo[2] = { { 0 }, { 0 } };
	struct ptu_view_ask ask = { 0 };
	int error = ptu_diff_choose(options, pids, &ask.estimator, err);
	int i;

	for (i = 0; !error && i < 2; i++) {
		error = ptu_diff_use(options->sides[i], pids[i], err);
		if (!error)
			error = ptu_proc_geometry(&geo[i], err);
		ask.geo = &geo[i];
		if (!error)
			error = ptu_moment_read(&ask, pids[0] + pids[1],
						&moments[i], err);
	}
	if (!error)
		error = ptu_diff_same_shape(&geo[0], &geo[1], err);
	if (!error) {
		report->host = moments[1].host;
		memcpy(report->boot_id, moments[1].boot_id,
		       sizeof(report->boot_id));
		report->before.name = options->sides[0];
		report->after.name = options->sides[1];
		strcpy(report->before.time, moments[0].host.time);
		strcpy(report->after.time, moments[1].host.time);
		report->estimator = ask.estimator->name;
		report->page_bytes = geo[1].page_bytes;
		error = ptu_moment_compare(&moments[0], &moments[1], &geo[1],
					   report, err);
	}
	ptu_moment_deinit(&moments[0]);
	ptu_moment_deinit(&moments[1]);
	return error;
}

int ptu_diff_command(const struct ptu_options *options, FILE *out,
		     int *ret_status, struct ptu_err *err)
{
	struct ptu_change_report report = { .nr_processes = 0 };
	pid_t pids[2] = { 0, 0 };
	int error = ptu_render_change_check(&options->render, err);

	if (!error)
		error = ptu_diff_pids(options, pids, err);
	if (!error)
		error = compare(options, pids, &report, err);
	if (!error)
		error = options->json ? ptu_render_change_json(&report,
							       &options->render,
							       out, err) :
					ptu_render_change_text(&report,
							       &options->render,
							       out, err);
	if (!error)
		*ret_status = ptu_change_any(&report);
	ptu_change_report_deinit(&report);
	return error;
}
