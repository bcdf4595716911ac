// SPDX-License-Identifier: LGPL-2.1-or-later
/* Select the processes of a set, measure and print them.  Must not add up memory. */
#include "cmd/footprint.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "acquire/host.h"
#include "acquire/procfs.h"
#include "acquire/recording.h"
#include "acquire/spaces.h"
#include "cmd/select.h"
#include "measure/footprint.h"
#include "measure/processes.h"
#include "measure/tables.h"
#include "render/render.h"

/**
 * struct choosing - selection of the processes
 * @is_recording: the processes are not of this machine, and no file tells which of them
 *	share an address space
 * @is_group: no PIDs were given: kernel threads, zombies and further processes with the
 *	same address space are only counted
 */
struct choosing {
	struct ptu_footprint_report *report;
	struct ptu_spaces spaces;
	bool is_recording;
	bool is_group;
	struct ptu_err *err;
};

void ptu_footprint_report_deinit(struct ptu_footprint_report *report)
{
	ptu_report_deinit(&report->base);
	free(report->rows);
	report->rows = NULL;
}

static struct ptu_process *find_process(struct ptu_report *base, pid_t pid)
{
	size_t i;

	for (i = 0; i < base->nr_processes; i++) {
		if (base->processes[i].pid == pid &&
		    base->processes[i].status == PTU_STATUS_OK)
			return &base->processes[i];
	}
	return NULL;
}

/* Make room in both arrays; incrementing the number of processes keeps both rows. */
static struct ptu_process *next(struct ptu_footprint_report *report,
				struct ptu_err *err)
{
	size_t nr_rows = report->base.nr_processes + 1;
	struct ptu_footprint_row *rows = reallocarray(report->rows, nr_rows,
						      sizeof(*rows));

	if (!rows) {
		ptu_err_set(err, -ENOMEM, "no memory for another process");
		return NULL;
	}
	report->rows = rows;
	memset(&rows[nr_rows - 1], 0, sizeof(*rows));
	return ptu_survey_next(&report->base, err);
}

/* Return: 0; -ENOMEM; other errors are in the .status of the process. */
static int add_process(struct choosing *choosing, pid_t pid)
{
	struct ptu_report *base = &choosing->report->base;
	struct ptu_process *process, *owner = NULL;
	struct ptu_err why = { "" };
	struct ptu_proc proc;
	pid_t first = pid;
	int error;

	if (find_process(base, pid))
		return 0; /* the PID was named twice */
	process = next(choosing->report, choosing->err);
	if (!process)
		return -ENOMEM;
	error = ptu_measure_identify(pid, &proc, process, &why);
	process->self = pid == getpid() && !choosing->is_recording;
	if (!error && choosing->is_recording) {
		ptu_proc_close(&proc);
	} else if (!error) {
		error = ptu_spaces_add(&choosing->spaces, &proc, &first);
		ptu_proc_close(&proc);
		if (error == -ENOMEM)
			return ptu_err_set(choosing->err, error,
					   "no memory for the processes");
		/* errors of this process are reported when it is measured */
		if (error == -ENOSYS)
			choosing->report->spaces_known = false;
		error = 0;
	}
	if (error)
		ptu_measure_failed(process, error, &why);
	if (choosing->is_group)
		ptu_survey_settle(process);
	if (first != pid)
		owner = find_process(base, first);
	if (owner) {
		owner->nr_sharing++;
		base->nr_sharing++;
		if (choosing->is_group)
			return 0;
		choosing->report->rows[base->nr_processes].same_as = owner->pid;
	}
	process->mm = owner ? owner->mm : base->nr_processes + 1;
	base->nr_processes++;
	return 0;
}

static int add_all(struct choosing *choosing, const pid_t *pids, size_t nr_pids)
{
	int error = 0;
	size_t i;

	for (i = 0; !error && i < nr_pids; i++) {
		bool kthread = false, zombie = false;

		if (choosing->is_group &&
		    ptu_survey_leaves_out(pids[i], &kthread, &zombie)) {
			choosing->report->base.nr_kthreads += kthread;
			choosing->report->base.nr_zombies += zombie;
			continue;
		}
		error = add_process(choosing, pids[i]);
	}
	return error;
}

static int choose_group(const struct ptu_options *options,
			struct choosing *choosing)
{
	struct ptu_footprint_report *report = choosing->report;
	size_t nr_pids = 0;
	pid_t *pids = NULL;
	int error;

	choosing->is_group = true;
	report->base.is_all = true;
	report->base.require_all = options->require_all;
	ptu_select_name(options, report->selection, sizeof(report->selection));
	error = ptu_select_group(options, &pids, &nr_pids, choosing->err);
	if (!error)
		error = add_all(choosing, pids, nr_pids);
	if (!error && !report->base.nr_processes)
		error = ptu_err_set(choosing->err, -ESRCH,
				    "%s: there is no process to measure",
				    report->selection);
	free(pids);
	return error;
}

static int choose(const struct ptu_options *options,
		  struct ptu_footprint_report *report, struct ptu_err *err)
{
	struct choosing choosing = { .report = report,
				     .is_recording = options->from != NULL,
				     .err = err };
	int error;

	report->spaces_known = true;
	if (options->nr_pids)
		error = add_all(&choosing, options->pids, options->nr_pids);
	else
		error = choose_group(options, &choosing);
	if (options->from && report->base.nr_processes > 1)
		report->spaces_known = false;
	ptu_spaces_deinit(&choosing.spaces);
	return error;
}

static int begin(struct ptu_footprint_report *report, struct ptu_err *err)
{
	struct ptu_report *base = &report->base;
	struct ptu_host host;
	int error = ptu_host_read(&host, err);

	if (!error)
		error = ptu_proc_boot_id(base->boot_id, sizeof(base->boot_id),
					 err);
	if (error)
		return error;
	snprintf(base->time, sizeof(base->time), "%s", host.time);
	snprintf(base->kernel_release, sizeof(base->kernel_release), "%s",
		 host.release);
	snprintf(base->machine, sizeof(base->machine), "%s", host.machine);
	base->page_bytes = host.page_bytes;
	return 0;
}

static int list_group(const void *options, pid_t **pids, size_t *nr_pids)
{
	return ptu_select_group(options, pids, nr_pids, NULL);
}

/* A set of which no process was measured is an error.  Its reason is preferably a failure. */
static int any_measured(const struct ptu_footprint_report *report,
			struct ptu_err *err)
{
	const struct ptu_process *why = report->base.processes;
	size_t i;

	for (i = 0; i < report->base.nr_processes; i++) {
		const struct ptu_process *process = &report->base.processes[i];

		if (process->status == PTU_STATUS_OK)
			return 0;
		if (why->status == PTU_STATUS_DENIED ||
		    why->status == PTU_STATUS_GONE)
			why = process;
	}
	return ptu_err_set(err, -ESRCH, "%s: no process could be measured%s%s",
			   report->selection, why->error[0] ? ": " : "",
			   why->error);
}

int ptu_footprint_command(const struct ptu_options *options, FILE *out,
			  struct ptu_footprint_report *ret, struct ptu_err *err)
{
	const struct ptu_footprint_ask ask = {
		.wants_smaps = ptu_render_footprint_wants_smaps(&options->render,
								options->json),
		.list = options->nr_pids ? NULL : list_group,
		.arg = options,
	};
	struct ptu_footprint_report report = { 0 };
	int error = ptu_render_footprint_check(&options->render, err);

	if (!error && options->from)
		error = ptu_recording_use(options->from, err);
	if (!error)
		error = begin(&report, err);
	if (!error)
		error = choose(options, &report, err);
	if (!error)
		error = ptu_footprint_measure(&report, &ask, err);
	if (!error && report.base.is_all)
		error = any_measured(&report, err);
	if (!error)
		error = options->json ?
				ptu_render_footprint_json(&report,
							  &options->render, out,
							  err) :
				ptu_render_footprint_text(&report,
							  &options->render, out,
							  err);
	if (error)
		ptu_footprint_report_deinit(&report);
	else
		*ret = report;
	return error;
}
