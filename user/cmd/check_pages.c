// SPDX-License-Identifier: LGPL-2.1-or-later
/* Connect measuring and rendering of page totals; must not do either. */
#include "cmd/check_pages.h"

#include <errno.h>
#include <stdlib.h>

#include "acquire/host.h"
#include "acquire/module.h"
#include "acquire/procfs.h"
#include "measure/pages.h"
#include "model/geometry.h"
#include "render/render.h"
#include "report/pages.h"

static int ready(const struct ptu_options *options, struct ptu_geometry *geo,
		 struct ptu_totals_report *report, struct ptu_err *err)
{
	int error = ptu_render_totals_check(&options->render, err);

	if (!error)
		error = ptu_proc_geometry(geo, err);
	if (!error)
		error = ptu_truth_ready(geo, err);
	if (!error)
		error = ptu_truth_has_pages(err);
	if (!error)
		error = ptu_host_read(&report->host, err);
	if (!error)
		error = ptu_proc_boot_id(report->boot_id,
					 sizeof(report->boot_id), err);
	if (error)
		return error;
	report->processes = calloc(options->nr_pids,
				   sizeof(*report->processes));
	return report->processes ? 0 : -ENOMEM;
}

int ptu_totals_command(const struct ptu_options *options, FILE *out,
		       void (*say)(const char *), int *ret_status,
		       struct ptu_err *err)
{
	struct ptu_totals_report report = { 0 };
	struct ptu_geometry geo;
	int error = ready(options, &geo, &report, err);
	bool is_unstable = false;
	int status = 0;
	size_t i;

	for (i = 0; !error && i < options->nr_pids; i++)
		error = ptu_totals_measure(options->pids[i], options->freeze,
					   &geo,
					   &report.processes
						    [report.nr_processes++]);
	if (!error)
		error = options->json ? ptu_render_totals_json(&report,
							       &options->render,
							       out, err) :
					ptu_render_totals_text(&report,
							       &options->render,
							       out, err);
	for (i = 0; !error && i < report.nr_processes; i++) {
		const struct ptu_totals_process *p = &report.processes[i];

		if (p->status != PTU_STATUS_OK) {
			say(p->error);
			status = 2;
			is_unstable |= p->status == PTU_STATUS_UNSTABLE;
		} else if (p->unexplained && !status) {
			status = 1;
		}
	}
	if (is_unstable && !options->freeze)
		say(PTU_FREEZE_HINT);
	free(report.processes);
	if (!error)
		*ret_status = status;
	return error;
}
