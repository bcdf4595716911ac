// SPDX-License-Identifier: LGPL-2.1-or-later
/* Measure processes one after the other.  Must not look into their tables. */
#include "measure/processes.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "acquire/host.h"
#include "acquire/procfs.h"
#include "acquire/spaces.h"
#include "base/workers.h"
#include "compare/set.h"

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
	report.truth = is_check ? ptu_side_name(measure->side) : NULL;
	report.has_bpf = is_check && ptu_side_is_both(measure->side);
	report.has_orphans = measure->orphans;
	*ret = report;
	return 0;
}

struct ptu_process *ptu_survey_next(struct ptu_report *report,
				    struct ptu_err *err)
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

static void finish(const struct ptu_measure *measure, pid_t pid,
		   struct ptu_process *process)
{
	process->pid = pid;
	process->self = pid == getpid() && !measure->is_recording;
}

static int measure_one(const struct ptu_measure *measure, bool is_check,
		       pid_t pid, struct ptu_process *ret)
{
	int error = is_check ? ptu_measure_check(measure, pid, ret) :
			       ptu_measure_estimate(measure, pid, ret);

	finish(measure, pid, ret);
	return error;
}

int ptu_survey_add(const struct ptu_measure *measure, pid_t pid,
		   struct ptu_report *report, struct ptu_err *err)
{
	struct ptu_process *process = ptu_survey_next(report, err);
	int error;

	if (!process)
		return -ENOMEM;
	error = measure_one(measure, report->is_check, pid, process);
	if (error)
		return ptu_err_set(err, error, "measuring %d failed: %s",
				   (int)pid, strerror(-error));
	report->nr_processes++;
	return 0;
}

/* An estimate does not read the mm: compare the address spaces by kcmp(2). */
static int find_spaces(const struct ptu_measure *measure,
		       struct ptu_report *report, struct ptu_err *err)
{
	struct ptu_spaces spaces = { 0 };
	int error = 0;
	size_t i;

	if (report->is_check || measure->is_recording)
		return 0;
	for (i = 0; i < report->nr_processes && !error; i++) {
		struct ptu_process *process = &report->processes[i];
		const struct ptu_proc proc = {
			.pid = process->pid,
			.tid = process->tid,
			.start_time = process->start_time,
			.dirfd = -1,
		};

		if (process->status == PTU_STATUS_OK)
			error = ptu_spaces_add(&spaces, &proc, &process->first);
		/* without permission for kcmp(), count the process separately */
		if (!ptu_proc_shortage(error))
			error = 0;
	}
	ptu_spaces_deinit(&spaces);
	return error ? ptu_err_set(err, error, "cannot read all processes: %s",
				   strerror(-error)) :
		       0;
}

/*
 * Drop processes with the address space of an earlier one: clone(CLONE_VM) without
 * CLONE_THREAD, or vfork().
 */
static int drop_shared(struct ptu_report *report)
{
	size_t *owners = ptu_set_owners(report);
	size_t i, kept = 0;

	if (!owners)
		return -ENOMEM;
	for (i = 0; i < report->nr_processes; i++) {
		if (report->processes[i].status != PTU_STATUS_OK)
			owners[i] = i;
		report->processes[owners[i]].nr_sharing += owners[i] != i;
	}
	for (i = 0; i < report->nr_processes; i++) {
		struct ptu_process *process = &report->processes[i];

		if (owners[i] == i)
			report->processes[kept++] = *process;
		else
			ptu_process_deinit(process);
	}
	report->nr_sharing += report->nr_processes - kept;
	report->nr_processes = kept;
	free(owners);
	return 0;
}

/**
 * struct found - result for one PID
 * @kthread: a kernel thread, which is skipped without an error
 * @zombie: a zombie, which is skipped without an error
 * @error: error that ends the survey; 0: @process has the result, also of a failure
 */
struct found {
	bool kthread;
	bool zombie;
	int error;
	struct ptu_process process;
};

static bool leaves_out(const struct ptu_proc *proc, bool *kthread, bool *zombie)
{
	*kthread = proc->kthread;
	*zombie = ptu_proc_is_zombie(proc);
	return *kthread || *zombie;
}

bool ptu_survey_leaves_out(pid_t pid, bool *kthread, bool *zombie)
{
	struct ptu_proc proc;
	bool ret;

	if (ptu_proc_open(pid, &proc, NULL))
		return false; /* the measurement reports the error */
	ret = leaves_out(&proc, kthread, zombie);
	ptu_proc_close(&proc);
	return ret;
}

void ptu_survey_settle(struct ptu_process *process)
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
		if (ptu_proc_is_zombie(&proc))
			process->status = PTU_STATUS_GONE;
		else if (ptu_proc_denied(&proc))
			process->status = PTU_STATUS_DENIED;
		ptu_proc_close(&proc);
	}
}

static void look_at(const struct ptu_measure *measure, bool is_check, pid_t pid,
		    struct found *found)
{
	struct ptu_proc proc;
	bool is_open = !ptu_proc_open(pid, &proc, NULL);

	/* recorded processes had memory: otherwise the measurement reports an error */
	if (is_open && !measure->is_recording &&
	    leaves_out(&proc, &found->kthread, &found->zombie)) {
		ptu_proc_close(&proc);
		return;
	}
	if (is_open && !is_check) {
		found->error = ptu_measure_estimate_open(measure, &proc,
							 &found->process);
		finish(measure, pid, &found->process);
	} else {
		if (is_open)
			ptu_proc_close(&proc);
		/* if it cannot be opened, the measurement reports the reason */
		found->error = measure_one(measure, is_check, pid,
					   &found->process);
	}
	if (found->error)
		return;
	/* in a recording, processes cannot end */
	if (!measure->is_recording)
		ptu_survey_settle(&found->process);
	else if (found->process.status == PTU_STATUS_GONE)
		found->process.status = PTU_STATUS_FAILED;
}

/* Add the result for a PID to the report, in the order of PIDs. */
static int enter(struct ptu_report *report, const struct found *found,
		 struct ptu_err *err)
{
	struct ptu_process *process;

	report->nr_kthreads += found->kthread;
	report->nr_zombies += found->zombie && !found->kthread;
	if (found->kthread || found->zombie)
		return 0;
	if (found->error)
		return ptu_err_set(err, found->error, "measuring %d failed: %s",
				   (int)found->process.pid,
				   strerror(-found->error));
	process = ptu_survey_next(report, err);
	if (!process)
		return -ENOMEM;
	*process = found->process;
	report->nr_processes++;
	return 0;
}

/**
 * struct survey - all processes, distributed to workers
 * @next: index of the next PID to take
 * @found: (out) [nr_pids] in the order of PIDs
 */
struct survey {
	const struct ptu_measure *measure;
	bool is_check;
	const pid_t *pids;
	size_t nr_pids;
	atomic_size_t next;
	struct found *found;
};

static bool take_pid(void *arg, enum ptu_worker worker)
{
	struct survey *s = arg;
	size_t i = atomic_fetch_add(&s->next, 1);

	(void)worker;
	if (i >= s->nr_pids)
		return false;
	/* with two workers, this process would change while it is measured */
	if (s->pids[i] == getpid() && !s->measure->is_recording)
		return true;
	look_at(s->measure, s->is_check, s->pids[i], &s->found[i]);
	return !s->found[i].error;
}

/* Brackets, stopped processes and child processes allow only one worker. */
static bool may_share_out(const struct survey *s)
{
	size_t i;

	if (s->is_check || s->measure->freeze || s->measure->is_recording)
		return false;
	for (i = 0; i < s->measure->nr_estimators; i++)
		if (s->measure->estimators[i]->program)
			return false;
	return true;
}

static void survey(struct survey *s)
{
	size_t i;

	if (!may_share_out(s)) {
		while (take_pid(s, PTU_CALLER))
			;
	} else {
		ptu_workers_run(take_pid, s);
	}
	for (i = 0; i < s->nr_pids; i++)
		if (s->pids[i] == getpid() && !s->measure->is_recording)
			look_at(s->measure, s->is_check, s->pids[i],
				&s->found[i]);
}

int ptu_survey_named(const struct ptu_measure *measure, const pid_t *pids,
		     size_t nr_pids, struct ptu_report *report,
		     struct ptu_err *err)
{
	int error = 0;
	size_t i;

	for (i = 0; !error && i < nr_pids; i++)
		error = ptu_survey_add(measure, pids[i], report, err);
	return error ? error : find_spaces(measure, report, err);
}

int ptu_survey_group(const struct ptu_measure *measure, const pid_t *pids,
		     size_t nr_pids, struct ptu_report *report,
		     struct ptu_err *err)
{
	struct survey s = { .measure = measure,
			    .is_check = report->is_check,
			    .pids = pids,
			    .nr_pids = nr_pids };
	int error = 0;
	size_t i;

	s.found = calloc(nr_pids + 1, sizeof(*s.found));
	if (!s.found)
		return ptu_err_set(err, -ENOMEM, "no memory for all processes");
	survey(&s);
	for (i = 0; i < nr_pids; i++) {
		if (!error)
			error = enter(report, &s.found[i], err);
		else
			ptu_process_deinit(&s.found[i].process);
	}
	free(s.found);
	if (!error)
		error = find_spaces(measure, report, err);
	if (!error && drop_shared(report))
		error = ptu_err_set(err, -ENOMEM,
				    "no memory for all processes");
	return error;
}

int ptu_survey_end(struct ptu_report *report)
{
	return ptu_set_add_up(report);
}
