// SPDX-License-Identifier: LGPL-2.1-or-later
/* Wires reading and showing; must not do any of it. */
#include "cmd/map.h"

#include <errno.h>

#include "acquire/procfs.h"
#include "acquire/recording.h"
#include "cmd/choose.h"
#include "cmd/page.h"
#include "measure/map.h"
#include "render/render.h"

static int write_page(const char *path, const struct ptu_map_report *report,
		      struct ptu_err *err)
{
	struct ptu_map_sheet sheet = { .kind = PTU_SHEET_MAP,
				       .maps = { report },
				       .nr_sides = 1 };
	int error = ptu_sheet_make(&sheet);

	error = error ? ptu_err_set(err, error, "no memory for the page") :
			ptu_page_write(path, &sheet, err);
	ptu_sheet_deinit(&sheet);
	return error;
}

static int show(const struct ptu_options *options,
		const struct ptu_map_report *report, FILE *out,
		struct ptu_err *err)
{
	int error;

	if (options->html)
		return write_page(options->html, report, err);
	if (options->json)
		error = ptu_render_map_json(report, &options->render,
					    options->tables, options->limit,
					    out, err);
	else if (options->tables)
		error = ptu_render_map_tables(report, &options->render, out,
					      err);
	else
		error = ptu_render_map_text(report, &options->render,
					    options->limit, out, err);
	if (!error && fflush(out))
		error = ptu_err_set(err, -errno,
				    "writing the report failed: %m");
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
	error = ptu_measure_map(&ask, &report, err);
	if (!error) {
		error = show(options, &report, out, err);
		ptu_map_report_deinit(&report);
	}
	ptu_side_close(&side);
	return error;
}
