// SPDX-License-Identifier: LGPL-2.1-or-later
/* Connect reading and rendering of maps; must not do either. */
#include "cmd/map.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "acquire/procfs.h"
#include "acquire/recording.h"
#include "cmd/choose.h"
#include "cmd/diff.h"
#include "cmd/page.h"
#include "measure/change.h"
#include "measure/map.h"
#include "render/render.h"

#define NS_PER_SEC 1000000000LL

/* Print the sheet as text or write it as a page; the caller owns the maps. */
static int show_sheet(const struct ptu_options *options,
		      struct ptu_map_sheet *sheet, FILE *out,
		      struct ptu_err *err)
{
	int error = ptu_sheet_make(sheet);

	if (error)
		error = ptu_err_set(err, error, "no memory for the map");
	else if (options->html)
		error = ptu_page_write(options->html, sheet, out, err);
	else
		error = ptu_render_map_text(sheet, &options->render, out, err);
	ptu_sheet_deinit(sheet);
	return error;
}

static int show(const struct ptu_options *options,
		const struct ptu_map_report *report, FILE *out,
		struct ptu_err *err)
{
	struct ptu_map_sheet sheet = { .kind = PTU_SHEET_MAP,
				       .maps = { report },
				       .nr_sides = 1 };
	int error;

	if (options->json)
		error = ptu_render_map_json(report, &options->render,
					    options->tables, out, err);
	else if (options->tables)
		error = ptu_render_map_tables(report, &options->render, out,
					      err);
	else
		error = show_sheet(options, &sheet, out, err);
	return error;
}

static int show_change(const struct ptu_options *options,
		       const struct ptu_map_report *maps, FILE *out,
		       struct ptu_err *err)
{
	struct ptu_map_sheet sheet = { .kind = PTU_SHEET_CHANGE,
				       .maps = { &maps[0], &maps[1] },
				       .names = { "before", "after" },
				       .nr_sides = 2,
				       .last_alone = options->watch };
	int error = show_sheet(options, &sheet, out, err);

	return error;
}

/*
 * Draw the kernel's side.  Draw the estimate instead if the tables changed during each
 * walk and --truth was not given.
 */
static int measure(const struct ptu_options *options, struct ptu_map_ask *ask,
		   struct ptu_map_report *ret, struct ptu_err *err)
{
	int error = ptu_measure_map(ask, ret, err);

	if (error != -EAGAIN || !ask->side || options->truth != PTU_SIDE_AUTO)
		return error;
	ask->side = NULL;
	ptu_err_clear(err);
	return ptu_measure_map(ask, ret, err);
}

/* Separate two views: clear a terminal, or print a line to a pipe. */
static void part_views(FILE *out)
{
	fputs(isatty(fileno(out)) ? "\033[H\033[2J" : "\n---\n\n", out);
}

/* Repeat until the process has ended, or the count is reached. */
static int watch(const struct ptu_options *options, struct ptu_map_ask *ask,
		 FILE *out, struct ptu_err *err)
{
	const struct timespec pause = {
		.tv_sec = options->interval_ns / NS_PER_SEC,
		.tv_nsec = options->interval_ns % NS_PER_SEC,
	};
	struct ptu_map_report maps[2];
	size_t nr = 0;
	int error = measure(options, ask, &maps[0], err);

	if (error)
		return error;
	if (isatty(fileno(out)))
		part_views(out);
	error = show(options, &maps[0], out, err);
	while (!error && nr++ != options->count) {
		clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
		error = ptu_measure_map(ask, &maps[1], err);
		/* the process had memory before, so it is a zombie now */
		if (error == -EINVAL)
			error = -ESRCH;
		if (!error &&
		    maps[1].process.start_time != maps[0].process.start_time) {
			ptu_map_report_deinit(&maps[1]);
			error = -ESRCH;
		}
		if (error && error != -EAGAIN)
			break;
		part_views(out);
		if (error) {
			/* the next picture is compared with the last one */
			fprintf(out, "%s\n", err->text);
			ptu_err_clear(err);
			error = 0;
			continue;
		}
		error = show_change(options, maps, out, err);
		ptu_map_report_deinit(&maps[0]);
		maps[0] = maps[1];
	}
	ptu_map_report_deinit(&maps[0]);
	/* the end of the watched process is not an error */
	return error == -ESRCH ? 0 : error;
}

/* Read the process of one side. */
static int read_side(const struct ptu_options *options, const pid_t *pids,
		     int side, const struct ptu_estimator *estimator,
		     struct ptu_map_report *ret, struct ptu_err *err)
{
	struct ptu_options one = *options;
	struct ptu_geometry geo;
	struct ptu_map_ask ask = { .geo = &geo,
				   .estimator = estimator,
				   .pid = pids[0] + pids[1] };
	int error = ptu_diff_use(options->sides[side], pids[side], err);

	one.from = options->sides[side];
	if (!error && !ask.pid)
		error = ptu_choose_pid(&one, &ask.pid, err);
	if (!error)
		error = ptu_proc_geometry(&geo, err);
	return error ? error : ptu_measure_map(&ask, ret, err);
}

static int diff(const struct ptu_options *options, FILE *out,
		struct ptu_err *err)
{
	struct ptu_map_report maps[2] = { { .nr_tables = 0 },
					  { .nr_tables = 0 } };
	const struct ptu_estimator *estimator;
	pid_t pids[2];
	int error = ptu_diff_pids(options, pids, err);

	if (!error)
		error = ptu_diff_choose(options, pids, &estimator, err);
	if (!error)
		error = read_side(options, pids, 0, estimator, &maps[0], err);
	if (!error)
		error = read_side(options, pids, 1, estimator, &maps[1], err);
	if (!error)
		error = ptu_diff_same_shape(&maps[0].geo, &maps[1].geo, err);
	if (!error && maps[0].process.pid != maps[1].process.pid)
		error = ptu_err_set(err, -EINVAL,
				    "the two sides are of different processes, %d and %d",
				    (int)maps[0].process.pid,
				    (int)maps[1].process.pid);
	if (!error)
		error = ptu_moment_same(maps[0].process.pid, maps[0].boot_id,
					maps[0].process.start_time,
					maps[1].boot_id,
					maps[1].process.start_time, err);
	if (!error)
		error = show_change(options, maps, out, err);
	ptu_map_report_deinit(&maps[0]);
	ptu_map_report_deinit(&maps[1]);
	return error;
}

int ptu_map_command(const struct ptu_options *options, FILE *out,
		    struct ptu_err *err)
{
	struct ptu_kernel_side side = { 0 };
	struct ptu_map_report report;
	struct ptu_geometry geo;
	struct ptu_map_ask ask = { .geo = &geo };
	int error = ptu_render_map_check(&options->render, err);

	if (!error && options->html)
		error = ptu_render_map_html_ready(err);
	if (!error && options->diff)
		return diff(options, out, err);
	if (!error && options->from)
		error = ptu_recording_use(options->from, err);
	if (!error)
		error = ptu_choose_built_in(options->estimators,
					    "map draws the tables of one built-in estimator",
					    &ask.estimator, err);
	if (!error)
		error = ptu_choose_pid(options, &ask.pid, err);
	if (!error)
		error = ptu_proc_geometry(&geo, err);
	if (error)
		return error;
	error = ptu_choose_side(options, &geo, &side, &ask.side, err);
	if (error)
		return error;
	if (options->watch)
		error = watch(options, &ask, out, err);
	else
		error = measure(options, &ask, &report, err);
	if (!error && !options->watch) {
		error = show(options, &report, out, err);
		ptu_map_report_deinit(&report);
	}
	ptu_side_close(&side);
	return error;
}
