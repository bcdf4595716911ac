// SPDX-License-Identifier: LGPL-2.1-or-later
/* Measure, print and wait in turn; must not compare. */
#include "cmd/watch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "acquire/child.h"
#include "acquire/host.h"
#include "acquire/tree.h"
#include "base/clock.h"
#include "base/signals.h"
#include "cmd/choose.h"
#include "cmd/select.h"
#include "measure/watch.h"
#include "render/render.h"

/* Reading the tables of a group may take 2 % of an interval. */
#define BUDGET_PART 50

/* On a terminal, repeat the headings after this number of lines. */
#define LINES_A_HEAD 20

/**
 * struct watching - state of the command from one interval to the next
 * @watch: the last measurement
 * @run: the command; .pid is 0 if there is none
 * @nr_lines: lines since the headings
 * @is_over: something grew faster than allowed
 * @time: time of day, as printed in a line
 */
struct watching {
	const struct ptu_options *options;
	FILE *out;
	void (*say)(const char *sentence);
	struct ptu_watch watch;
	struct ptu_run run;
	struct ptu_host host;
	size_t nr_lines;
	bool is_over;
	char time[16];
};

static int read_time(struct watching *w, struct ptu_err *err)
{
	const time_t now = time(NULL);
	struct tm tm;

	if (!localtime_r(&now, &tm) ||
	    !strftime(w->time, sizeof(w->time), "%H:%M:%S", &tm))
		strcpy(w->time, "-");
	return ptu_host_read(&w->host, err);
}

/* Does the next line need headings above it? */
static bool begin_line(struct watching *w)
{
	const struct ptu_render_options *render = &w->options->render;

	if (w->nr_lines == LINES_A_HEAD && !render->raw &&
	    isatty(fileno(w->out)))
		w->nr_lines = 0;
	return !w->nr_lines++ && !render->no_headings;
}

static int show_line(struct watching *w, const struct ptu_watch_line *line,
		     struct ptu_err *err)
{
	const struct ptu_options *options = w->options;

	return options->json ?
		       ptu_render_watch_json(line, &w->host, &options->render,
					     w->out, err) :
		       ptu_render_watch_text(line, begin_line(w),
					     &options->render, w->out, err);
}

static void say_over(struct watching *w, const struct ptu_watch_row *row,
		     const struct ptu_watch_total *total)
{
	char sentence[1024];

	w->is_over = true;
	ptu_render_watch_over(row, total, w->watch.limit_bytes, sentence,
			      sizeof(sentence));
	w->say(sentence);
}

static int show_process(struct watching *w, struct ptu_watch_row *row,
			struct ptu_err *err)
{
	const struct ptu_watch_line line = { .time = w->time, .row = row };
	int error = show_line(w, &line, err);

	if (!error && row->is_over)
		say_over(w, row, NULL);
	return error;
}

static int look_at_processes(struct watching *w, struct ptu_err *err)
{
	size_t i = 0;
	int error = 0;

	while (!error && i < w->watch.nr) {
		struct ptu_watch_row row;

		error = ptu_watch_process(&w->watch, i, &row, err);
		if (error)
			break;
		ptu_err_clear(err);
		error = show_process(w, &row, err);
		i += !row.ended;
		ptu_growth_deinit(&row.growth);
	}
	return error;
}

/* List the processes that the command and its children have started. */
static int list_started(pid_t **pids, size_t *nr_pids, struct ptu_err *err)
{
	const pid_t self = getpid();
	size_t i, kept = 0;
	int error = ptu_tree_list(&self, 1, pids, nr_pids, err);

	for (i = 0; !error && i < *nr_pids; i++)
		if ((*pids)[i] != self)
			(*pids)[kept++] = (*pids)[i];
	*nr_pids = kept;
	return error;
}

/* The group may have become empty meanwhile. */
static int list(struct watching *w, pid_t **pids, size_t *nr_pids,
		struct ptu_err *err)
{
	int error = w->run.pid ?
			    list_started(pids, nr_pids, err) :
			    ptu_select_group(w->options, pids, nr_pids, err);

	if (w->watch.at_ns && (error == -ESRCH || error == -ENOENT)) {
		ptu_err_clear(err);
		return 0;
	}
	return error;
}

static int look_at_group(struct watching *w, struct ptu_err *err)
{
	const uint64_t budget_ns = (uint64_t)w->options->interval_ns /
				   BUDGET_PART;
	struct ptu_watch_total total;
	size_t nr_pids = 0;
	pid_t *pids = NULL;
	int error = list(w, &pids, &nr_pids, err);

	if (!error)
		error = ptu_watch_group(&w->watch, pids, nr_pids,
					w->watch.at_ns ? budget_ns : 0, &total,
					err);
	free(pids);
	if (error)
		return error;
	error = show_line(w,
			  &(struct ptu_watch_line){ .time = w->time,
						    .total = &total,
						    .row = &total.most },
			  err);
	if (!error && total.is_over)
		say_over(w, &total.most, &total);
	ptu_growth_deinit(&total.most.growth);
	return error;
}

/*
 * Wait for the next interval, for the end of the command, or for a signal. Skip missed
 * intervals.
 */
static void wait_until(const struct watching *w, uint64_t *until_ns,
		       uint64_t interval_ns)
{
	*until_ns += interval_ns;
	/* with --tree, SIGCHLD may be of an adopted process */
	do
		ptu_signals_wait(*until_ns);
	while (w->options->tree && w->run.pid && ptu_run_reap(&w->run) &&
	       !ptu_signals_pending() && ptu_now_ns() < *until_ns);
	if (ptu_now_ns() > *until_ns + interval_ns)
		*until_ns = ptu_now_ns();
}

static int watch(struct watching *w, struct ptu_err *err)
{
	const bool is_group = ptu_select_is_group(w->options);
	uint64_t until_ns = ptu_now_ns();
	size_t nr = 0;
	int error;

	for (;;) {
		const bool is_last = is_group && w->run.pid &&
				     !ptu_run_reap(&w->run);

		error = read_time(w, err);
		if (!error)
			error = is_group ? look_at_group(w, err) :
					   look_at_processes(w, err);
		if (error || w->is_over || nr++ == w->options->count)
			return error;
		if (is_last || (!is_group && !w->watch.nr))
			return 0;
		wait_until(w, &until_ns, (uint64_t)w->options->interval_ns);
		if (ptu_signals_pending())
			return 0;
	}
}

static int show_group_peak(struct watching *w, struct ptu_err *err)
{
	const struct ptu_watch_group_peak *peak = &w->watch.group_peak;

	return w->options->json ?
		       ptu_render_watch_group_peak_json(peak, &w->host, w->out,
							err) :
		       ptu_render_watch_group_peak_text(peak,
							&w->options->render,
							w->out, err);
}

/* With --raw and --noheadings, only the lines are printed; JSON always has the peaks. */
static int show_peaks(struct watching *w, struct ptu_err *err)
{
	const struct ptu_render_options *render = &w->options->render;
	int error = 0;
	size_t i;

	if (!w->options->json && !ptu_render_prose(render))
		return 0;
	if (w->watch.group_peak.vmpte_bytes)
		return show_group_peak(w, err);
	for (i = 0; !error && i < w->watch.nr_peaks; i++) {
		const struct ptu_watch_peak *peak = &w->watch.peaks[i];

		if (!peak->vmpte_bytes)
			continue;
		error = w->options->json ?
				ptu_render_watch_peak_json(peak, &w->host,
							   w->out, err) :
				ptu_render_watch_peak_text(peak, render, w->out,
							   err);
	}
	return error;
}

static int choose(const struct ptu_options *options, struct ptu_view_ask *ask,
		  struct ptu_kernel_side *side, struct ptu_err *err)
{
	int error = ptu_choose_built_in(options->estimators,
					"watch takes one built-in estimator",
					&ask->estimator, err);

	if (!error)
		error = ptu_choose_side(options, ask->geo, side, &ask->side,
					err);
	if (!error && ask->side)
		ptu_side_tables_alone(ask->side);
	return error;
}

static int watch_all(struct watching *w, struct ptu_err *err)
{
	const struct ptu_options *options = w->options;
	const bool is_group = ptu_select_is_group(options);
	const pid_t *pids = w->run.pid ? &w->run.pid : options->pids;
	int error = 0;

	if (!is_group)
		error = ptu_watch_begin(&w->watch, pids,
					w->run.pid ? 1 : options->nr_pids, err);
	if (!error)
		error = watch(w, err);
	/* the command may end before its first sample */
	if (w->run.pid &&
	    (error == -ESRCH || error == -EINVAL ||
	     (!error && !(is_group ? w->watch.group_peak.vmpte_bytes :
				     w->watch.peaks[0].vmpte_bytes)))) {
		ptu_err_clear(err);
		return ptu_err_set(err, -ESRCH,
				   "%s ended before it could be measured",
				   w->run.name);
	}
	return error;
}

int ptu_watch_command(const struct ptu_options *options, FILE *out,
		      void (*say)(const char *), int *ret_status,
		      struct ptu_err *err)
{
	struct ptu_kernel_side side = { 0 };
	struct ptu_signals signals;
	struct ptu_err end = { "" };
	struct ptu_geometry geo;
	struct watching w = {
		.options = options,
		.out = out,
		.say = say,
		.watch = { .ask = { .geo = &geo },
			   .has_limit = options->has_over,
			   .limit_bytes = options->over_bytes },
	};
	int error = ptu_render_watch_check(&options->render,
					   ptu_select_is_group(options), err);

	/* write a line with one call */
	setvbuf(out, NULL, _IOFBF, BUFSIZ);
	if (!error)
		error = ptu_proc_geometry(&geo, err);
	if (!error)
		error = choose(options, &w.watch.ask, &side, err);
	if (!error && options->argv && options->tree)
		error = ptu_run_adopt(err);
	if (!error && options->argv)
		error = ptu_run_start(options->argv, PTU_RUN_FREELY, &w.run,
				      err);
	/* a signal that ends the watch is pending until the peaks are shown */
	ptu_signals_hold(&signals);
	if (!error)
		error = watch_all(&w, err);
	if (!error)
		error = show_peaks(&w, err);
	ptu_watch_deinit(&w.watch);
	ptu_side_close(&side);
	if (w.run.pid && ptu_signals_pending())
		kill(w.run.pid, SIGTERM);
	ptu_signals_release(&signals);
	if (w.run.pid && ptu_run_end(&w.run, &end))
		say(end.text);
	*ret_status = w.is_over;
	return error;
}
