// SPDX-License-Identifier: LGPL-2.1-or-later
/* Connect measuring and rendering of page flags; must not do either. */
#include "cmd/flags.h"

#include "acquire/recording.h"
#include "measure/flags.h"
#include "render/render.h"

int ptu_flags_command(const struct ptu_options *options, FILE *out,
		      struct ptu_err *err)
{
	struct ptu_flags_report report;
	int error = ptu_render_flags_check(&options->render, options->ranges,
					   err);

	if (!error && options->from)
		error = ptu_recording_use(options->from, err);
	if (!error)
		error = ptu_measure_flags(options->pids[0], &options->range,
					  options->ranges, &report, err);
	if (error)
		return error;
	error = options->json ? ptu_render_flags_json(&report, &options->render,
						      out, err) :
				ptu_render_flags_text(&report, &options->render,
						      out, err);
	ptu_pageflags_deinit(&report.counted);
	return error;
}
