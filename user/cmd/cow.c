// SPDX-License-Identifier: LGPL-2.1-or-later
/* Connect measuring and rendering of copies; must not do either. */
#include "cmd/cow.h"

#include "acquire/recording.h"
#include "measure/cow.h"
#include "render/render.h"

int ptu_cow_command(const struct ptu_options *options, FILE *out,
		    int *ret_status, struct ptu_err *err)
{
	struct ptu_cow_report report;
	int error = ptu_render_cow_check(&options->render, err);

	if (!error && options->from)
		error = ptu_recording_use(options->from, err);
	if (!error)
		error = ptu_measure_cow(options->pids[0], &options->range,
					&report, err);
	if (error)
		return error;
	error = (options->json ? ptu_render_cow_json :
				 ptu_render_cow_text)(&report, &options->render,
						      out, err);
	if (!error)
		*ret_status = report.total.disagree != 0;
	ptu_cow_report_deinit(&report);
	return error;
}
