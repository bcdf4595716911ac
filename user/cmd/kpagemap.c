// SPDX-License-Identifier: LGPL-2.1-or-later
/* Connect measuring and rendering of page frames; must not do either. */
#include "cmd/kpagemap.h"

#include <errno.h>
#include <stdlib.h>

#include "measure/frames.h"
#include "render/render.h"
#include "render/text/progress.h"

int ptu_kpagemap_command(const struct ptu_options *options, FILE *out,
			 FILE *progress, int *ret_status, struct ptu_err *err)
{
	struct ptu_progress bar;
	const struct ptu_watcher watcher = { .show = ptu_progress_show,
					     .arg = &bar };
	struct ptu_kpagemap_report *report = calloc(1, sizeof(*report));
	const struct ptu_kpagemap *compared;
	int error;

	if (!report)
		return ptu_err_set(err, -ENOMEM, "no memory for the report");
	compared = &report->compared;
	error = ptu_render_kpagemap_check(&options->render, err);
	if (!error) {
		ptu_progress_begin(&bar, progress, "page frames");
		error = ptu_measure_frames(&watcher, report, err);
		ptu_progress_end(&bar);
	}
	if (!error)
		error = options->json ?
				ptu_render_kpagemap_json(report,
							 &options->render, out,
							 err) :
				ptu_render_kpagemap_text(report,
							 &options->render, out,
							 err);
	if (!error)
		*ret_status = compared->ends[PTU_KPAGEMAP_UNEXPLAINED] != 0;
	free(report);
	return error;
}
