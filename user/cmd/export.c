// SPDX-License-Identifier: LGPL-2.1-or-later
/* Connect counting and writing of metrics; must not count. */
#include "cmd/export.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "acquire/host.h"
#include "acquire/procfs.h"
#include "cmd/choose.h"
#include "cmd/group.h"
#include "cmd/new_file.h"
#include "measure/export.h"
#include "measure/system.h"
#include "render/openmetrics.h"

/* Default number of groups. */
#define MOST_GROUPS 100

static double now_s(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int read_remainder(const struct ptu_options *options,
			  struct ptu_export_report *report, struct ptu_err *err)
{
	struct ptu_system_report system;
	int error = ptu_measure_system(options->truth, NULL, &system, err);

	if (error)
		return error;
	report->has_remainder = true;
	report->remainder_bytes = ptu_system_remainder(&system);
	ptu_system_report_deinit(&system);
	return 0;
}

static int measure(const struct ptu_options *options,
		   struct ptu_export_report *report, struct ptu_err *err)
{
	const double begin_s = now_s(CLOCK_MONOTONIC);
	struct ptu_kernel_side side = { 0 };
	struct ptu_geometry geo;
	struct ptu_export_ask ask = { .geo = &geo };
	int error;

	report->by = options->by ? options->by : "comm";
	error = ptu_group_choose(report->by, &ask.group, err);
	if (!error)
		error = ptu_host_read(&report->host, err);
	if (!error)
		error = ptu_proc_geometry(&geo, err);
	if (error)
		return error;
	error = ptu_choose_side(options, &geo, &side, &ask.side, err);
	if (!error && ask.side)
		ptu_side_without_vmas(ask.side);
	if (!error && !ask.side)
		error = ptu_best_estimator(&ask.estimator, err);
	if (!error)
		error = ptu_measure_export(&ask, report, err);
	ptu_side_close(&side);
	if (!error && options->remainder)
		error = read_remainder(options, report, err);
	ptu_export_limit(report, options->render.limit ? options->render.limit :
							 MOST_GROUPS);
	report->end_s = now_s(CLOCK_REALTIME);
	report->took_s = now_s(CLOCK_MONOTONIC) - begin_s;
	return error;
}

static int write_file(const struct ptu_export_report *report, const char *path,
		      struct ptu_err *err)
{
	struct ptu_new_file file;
	int error = ptu_new_file_open(path, &file, err);

	if (error)
		return error;
	error = ptu_render_openmetrics(report, file.out, err);
	/* make the file readable for other users, such as that of node-exporter */
	if (!error && fchmod(fileno(file.out), 0644))
		error = ptu_err_set(err, -errno, "cannot write %s: %m", path);
	return ptu_new_file_close(&file, error, err);
}

int ptu_export_command(const struct ptu_options *options, FILE *out,
		       struct ptu_err *err)
{
	struct ptu_export_report report = { 0 };
	int error = measure(options, &report, err);

	if (!error && strcmp(options->openmetrics, "-") != 0) {
		error = write_file(&report, options->openmetrics, err);
	} else if (!error) {
		error = ptu_render_openmetrics(&report, out, err);
	}
	ptu_export_report_deinit(&report);
	return error;
}
