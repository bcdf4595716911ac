// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Measures one process after the other.  Must not look into their tables.
 */
#include "survey.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host.h"
#include "procfs.h"

int ptu_survey_begin(const struct ptu_measure *measure, bool is_check,
		     struct ptu_report *ret, struct ptu_err *err)
{
	struct ptu_report report = { .is_check = is_check };
	struct ptu_host host;
	int error = ptu_host_read(&host, err);

	if (!error)
		error = ptu_proc_boot_id(report.boot_id, sizeof(report.boot_id),
					 err);
	if (error)
		return error;
	snprintf(report.time, sizeof(report.time), "%s", host.time);
	snprintf(report.kernel_release, sizeof(report.kernel_release), "%s",
		 host.release);
	snprintf(report.machine, sizeof(report.machine), "%s", host.machine);
	memcpy(report.level_unfolded, measure->geo->unfolded,
	       sizeof(report.level_unfolded));
	report.page_bytes = measure->geo->page_bytes;
	report.estimator = measure->estimators[0]->name;
	report.has_orphans = measure->orphans;
	*ret = report;
	return 0;
}

/* Room for one more process, zeroed; it counts once nr_processes says so. */
static struct ptu_process *next(struct ptu_report *report, struct ptu_err *err)
{
	struct ptu_process *processes;

	processes = reallocarray(report->processes, report->nr_processes + 1,
				 sizeof(*processes));
	if (!processes) {
		ptu_err_set(err, -ENOMEM, "no memory for another process");
		return NULL;
	}
	report->processes = processes;
	processes += report->nr_processes;
	memset(processes, 0, sizeof(*processes));
	return processes;
}

int ptu_survey_add(const struct ptu_measure *measure, pid_t pid,
		   struct ptu_report *report, struct ptu_err *err)
{
	struct ptu_process *process = next(report, err);
	int error;

	if (!process)
		return -ENOMEM;
	error = report->is_check ? ptu_measure_check(measure, pid, process) :
				   ptu_measure_estimate(measure, pid, process);
	if (error)
		return ptu_err_set(err, error, "measuring %d failed: %s",
				   (int)pid, strerror(-error));
	process->pid = pid;
	process->self = pid == getpid() && !measure->is_recording;
	report->nr_processes++;
	return 0;
}

/*
 * The process measured last is left out again if one before it has the same
 * address space: clone(CLONE_VM) without CLONE_THREAD, vfork().
 */
static void drop_if_shared(struct ptu_report *report)
{
	struct ptu_process *last = &report->processes[report->nr_processes - 1];
	size_t i;

	if (last->status != PTU_STATUS_OK || !last->mm)
		return;
	for (i = 0; i + 1 < report->nr_processes; i++) {
		struct ptu_process *process = &report->processes[i];

		if (process->status != PTU_STATUS_OK || process->mm != last->mm)
			continue;
		process->nr_sharing++;
		report->nr_sharing++;
		report->nr_processes--;
		ptu_process_deinit(last);
		return;
	}
}

/* Kernel threads and zombies: nothing to measure, which is no failure. */
static bool left_out(pid_t pid, struct ptu_report *report)
{
	struct ptu_proc proc;
	bool out = true;

	if (ptu_proc_open(pid, &proc, NULL))
		return false; /* measuring it says what is wrong with it */
	if (proc.kthread)
		report->nr_kthreads++;
	else if (proc.state == 'Z' || proc.state == 'X')
		report->nr_zombies++;
	else
		out = false;
	ptu_proc_close(&proc);
	return out;
}

/*
 * A process that ended between the look at its state and its measurement is
 * gone, whatever the measurement made of the zombie.
 */
static void settle_ended(struct ptu_process *process)
{
	struct ptu_proc proc;
	int error;

	if (process->status == PTU_STATUS_OK ||
	    process->status == PTU_STATUS_GONE)
		return;
	error = ptu_proc_open(process->pid, &proc, NULL);
	if (error == -ESRCH) {
		process->status = PTU_STATUS_GONE;
	} else if (!error) {
		if (proc.state == 'Z' || proc.state == 'X')
			process->status = PTU_STATUS_GONE;
		ptu_proc_close(&proc);
	}
}

int ptu_survey_all(const struct ptu_measure *measure, struct ptu_report *report,
		   struct ptu_err *err)
{
	size_t nr_pids = 0;
	pid_t *pids = NULL;
	int error;
	size_t i;

	report->is_all = true;
	error = ptu_proc_list(&pids, &nr_pids, err);
	for (i = 0; !error && i < nr_pids; i++) {
		if (left_out(pids[i], report))
			continue;
		error = ptu_survey_add(measure, pids[i], report, err);
		if (error)
			break;
		settle_ended(&report->processes[report->nr_processes - 1]);
		drop_if_shared(report);
	}
	free(pids);
	return error;
}
