// SPDX-License-Identifier: LGPL-2.1-or-later
/* Connect ranking and rendering; must not do either. */
#include "cmd/top.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "acquire/host.h"
#include "acquire/procfs.h"
#include "acquire/recording.h"
#include "base/nearest.h"
#include "cmd/choose.h"
#include "cmd/group.h"
#include "cmd/live.h"
#include "cmd/select.h"
#include "render/render.h"

#define NS_PER_SEC 1000000000LL

static int show(const struct ptu_options *options,
		const struct ptu_top_report *report, FILE *out,
		struct ptu_err *err)
{
	struct ptu_render_options render = options->render;

	/* the rows are already sorted, because the first ones are examined first */
	render.sort = NULL;
	return (options->json ? ptu_render_top_json :
				ptu_render_top_text)(report, &render, out, err);
}

int ptu_top_measure(const struct ptu_options *options, struct ptu_top_ask *ask,
		    struct ptu_top_report *ret, struct ptu_err *err)
{
	struct ptu_top_report report = { 0 };
	struct ptu_host host;
	char boot_id[sizeof(report.boot_id)];
	pid_t *pids = NULL;
	int error = ptu_host_read(&host, err);

	if (!error)
		error = ptu_proc_boot_id(boot_id, sizeof(boot_id), err);
	if (!error && !ask->pid)
		error = ptu_select_group(options, &pids, &ask->nr_pids, err);
	ask->pids = pids;
	if (!error)
		error = ptu_measure_top(ask, &report, err);
	free(pids);
	if (error)
		return error;
	report.host = host;
	memcpy(report.boot_id, boot_id, sizeof(boot_id));
	*ret = report;
	return 0;
}

/* @before: text between the previous table and this one */
static int once(const struct ptu_options *options, struct ptu_top_ask *ask,
		const char *before, FILE *out, struct ptu_err *err)
{
	struct ptu_top_report report;
	int error = ptu_top_measure(options, ask, &report, err);

	if (error)
		return error;
	if (options->interval_ns && !options->json &&
	    ptu_render_prose(&options->render))
		fprintf(out, "%s%s\n", before, report.host.time);
	error = show(options, &report, out, err);
	free(report.rows);
	return error;
}

/* Is this an interactive terminal? */
static bool is_live(const struct ptu_options *options, FILE *out)
{
	return !options->batch && !options->json &&
	       ptu_render_prose(&options->render) && isatty(fileno(out)) &&
	       isatty(STDIN_FILENO);
}

static int again_and_again(const struct ptu_options *options,
			   struct ptu_top_ask *ask, FILE *out,
			   struct ptu_err *err)
{
	const struct timespec pause = {
		.tv_sec = options->interval_ns / NS_PER_SEC,
		.tv_nsec = options->interval_ns % NS_PER_SEC,
	};
	const char *before = "";
	int error;

	if (is_live(options, out)) {
		error = ptu_top_live(options, ask, err);
		/* the terminal can only print: print a table, as to a pipe */
		if (error != -ENOTTY)
			return error;
	}
	do {
		error = once(options, ask, before, out, err);
		if (error || !options->interval_ns)
			return error;
		before = "\n";
	} while (!nanosleep(&pause, NULL));
	return 0;
}

static int check_order(const struct ptu_top_ask *ask, struct ptu_err *err)
{
	const enum ptu_top_kind kind = ptu_top_kind(ask);
	struct ptu_nearest nearest = { .word = ask->column,
				       .length = strlen(ask->column) };
	char names[128] = "", hint[PTU_NEAREST_HINT];
	const char *name;
	size_t i;

	if (ptu_top_order(kind, NULL, 0, ask->column))
		return 0;
	for (i = 0; (name = ptu_top_order_name(kind, i)); i++) {
		ptu_nearest_try(&nearest, name);
		snprintf(names + strlen(names), sizeof(names) - strlen(names),
			 "%s%s", i ? ", " : "there are ", name);
	}
	return ptu_err_set(err, -EINVAL, "%s cannot be sorted by '%s'; %s",
			   kind == PTU_TOP_MAPPINGS ? "mappings" :
			   kind == PTU_TOP_GROUPS   ? "groups" :
						      "processes",
			   ask->column,
			   ptu_nearest_hint(&nearest, names, hint));
}

int ptu_top_command(const struct ptu_options *options, FILE *out,
		    struct ptu_err *err)
{
	struct ptu_kernel_side side = { 0 };
	struct ptu_geometry geo;
	struct ptu_top_ask ask = {
		.geo = &geo,
		.pid = options->nr_pids ? options->pids[0] : 0,
		.column = options->render.sort ? options->render.sort : "TOTAL",
		.limit = options->render.limit,
		.is_recording = options->from != NULL,
	};
	struct ptu_render_options render = options->render;
	int error;

	render.sort = NULL;
	error = ptu_group_choose(options->by, &ask.group, err);
	if (!error)
		error = ptu_render_top_check(ptu_top_kind(&ask), &render, err);
	if (!error && options->from)
		error = ptu_recording_use(options->from, err);
	if (!error)
		error = check_order(&ask, err);
	if (!error)
		error = ptu_choose_built_in(options->estimators,
					    "top takes one built-in estimator",
					    &ask.estimator, err);
	if (!error)
		error = ptu_proc_geometry(&geo, err);
	if (error)
		return error;
	error = ptu_choose_side(options, &geo, &side, &ask.side, err);
	if (error)
		return error;
	error = again_and_again(options, &ask, out, err);
	ptu_side_close(&side);
	return error;
}
