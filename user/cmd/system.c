// SPDX-License-Identifier: LGPL-2.1-or-later
/* Connect measuring and rendering of PageTables; must not do either. */
#include "cmd/system.h"

#include <malloc.h>

#include "acquire/recording.h"
#include "measure/system.h"
#include "render/render.h"
#include "render/text/progress.h"

int ptu_system_command(const struct ptu_options *options, FILE *out,
		       FILE *progress, struct ptu_err *err)
{
	struct ptu_progress bar;
	const struct ptu_watcher watcher = { .show = ptu_progress_show,
					     .arg = &bar };
	struct ptu_system_report report;
	int error = ptu_render_system_check(&options->render, err);

	if (!error && options->from)
		error = ptu_recording_use(options->from, err);
	if (error)
		return error;
	/* our own tables are measured too: keep freed memory for the next attempt */
	mallopt(M_MMAP_MAX, 0);
	mallopt(M_TRIM_THRESHOLD, -1);
	ptu_progress_begin(&bar, progress, "page frames");
	error = ptu_measure_system(options->truth, &watcher, &report, err);
	ptu_progress_end(&bar);
	if (error)
		return error;
	error = options->json ?
			ptu_render_system_json(&report, &options->render, out,
					       err) :
			ptu_render_system_text(&report, &options->render, out,
					       err);
	ptu_system_report_deinit(&report);
	return error;
}
