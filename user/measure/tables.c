// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Measure one process, with or without the kernel's side.  Must not print, nor know how
 * causes are proven.
 */
#include "measure/tables.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acquire/freeze.h"
#include "acquire/procfs.h"
#include "compare/mappings.h"
#include "compare/table_fill.h"
#include "compare/table_rows.h"
#include "measure/bracket.h"
#include "measure/estimators.h"
#include "measure/map_check.h"

void ptu_measure_failed(struct ptu_process *p, int error,
			const struct ptu_err *err)
{
	p->status = error == -ESRCH  ? PTU_STATUS_GONE :
		    error == -EAGAIN ? PTU_STATUS_UNSTABLE :
				       PTU_STATUS_FAILED;
	snprintf(p->error, sizeof(p->error), "%s",
		 err->text[0] ? err->text : strerror(-error));
}

static void failed(const struct ptu_measure *measure, struct ptu_process *p,
		   int error, const struct ptu_err *err)
{
	ptu_measure_failed(p, error, err);
	if (measure->error)
		*measure->error = error;
}

/* Read its identity from `stat`. */
static int identify_open(const struct ptu_proc *proc, struct ptu_process *p,
			 struct ptu_err *err)
{
	memset(p, 0, sizeof(*p));
	p->pid = proc->pid;
	snprintf(p->comm, sizeof(p->comm), "%s", proc->comm);
	p->start_time = proc->start_time;
	p->tid = proc->tid;
	return ptu_proc_has_memory(proc, err);
}

/* Read its identity from `status`; @ret also returns the other fields. */
static int identify_status(const struct ptu_proc *proc, struct ptu_process *p,
			   struct ptu_proc_status *ret, struct ptu_err *err)
{
	int error = ptu_proc_status(proc, ret, err);

	if (error)
		return error;
	p->uid = ret->uid;
	p->rss_bytes = ret->vmrss_bytes;
	p->has_vmpte = ret->has_mm;
	p->vmpte_bytes = ret->vmpte_bytes;
	return ret->has_mm ? 0 : ptu_proc_gone(proc, err);
}

static int identify_once(pid_t pid, struct ptu_proc *proc,
			 struct ptu_process *p, struct ptu_err *err)
{
	struct ptu_proc_status status;
	int status_error, error;

	memset(p, 0, sizeof(*p));
	p->pid = pid;
	error = ptu_proc_open(pid, proc, err);
	if (error)
		return error;
	error = identify_open(proc, p, err);
	/* a process that cannot be measured also needs its UID */
	status_error = identify_status(proc, p, &status, error ? NULL : err);
	if (!error)
		error = status_error;
	if (error)
		ptu_proc_close(proc);
	return error;
}

int ptu_measure_identify(pid_t pid, struct ptu_proc *proc,
			 struct ptu_process *p, struct ptu_err *err)
{
	int error = identify_once(pid, proc, p, err);
	unsigned int try;

	/* the thread has ended, and another one lives */
	for (try = 1; try < PTU_OPEN_TRIES && error == -ESTALE; try++) {
		ptu_err_clear(err);
		error = identify_once(pid, proc, p, err);
	}
	return error;
}

/* Return -ESTALE if it called exec() meanwhile; then measure again. */
static int check_once(const struct ptu_measure *measure, pid_t pid,
		      struct ptu_process *ret, struct ptu_err *err)
{
	struct ptu_freeze freeze = { 0 };
	struct ptu_proc_status status;
	struct ptu_bracket b = { 0 };
	struct ptu_proc proc;
	int error = ptu_measure_identify(pid, &proc, ret, err);

	if (error)
		return error;
	if (measure->freeze)
		error = ptu_freeze(&proc, &freeze, err);
	if (!error)
		error = ptu_bracket_best(measure, &proc, &b, ret, err);
	if (!error)
		error = ptu_bracket_settle(measure, &proc, &b, err);
	if (!error) {
		ret->mm = b.after.header.mm;
		if (b.stated.stated)
			error = ptu_tally_counts(&b.before, &b.after, &b.stated,
						 measure->geo, ret);
		else
			error = ptu_tally_check(&b.diffs, &b.after,
						measure->geo, ret);
	}
	if (!error)
		error = ptu_tally_kernel(&b.after, &b.evidence.vmas,
					 measure->geo, ret);
	if (!error)
		error = ptu_estimators_run_all(measure, &b.evidence, &b.claims,
					       ret);
	if (!error && ptu_side_is_both(measure->side))
		error = ptu_measure_bpf(measure->side, &proc, &b.sides,
					!measure->is_recording, ret, err);
	if (!error && measure->orphans && ret->status == PTU_STATUS_OK)
		error = ptu_measure_orphans(measure->side, &proc, ret, err);
	if (!error && measure->maps)
		error = ptu_check_maps_draw(measure, &b, ret, measure->maps,
					    err);
	ptu_thaw(&freeze);
	if (error == -EACCES && ptu_proc_same(&proc, NULL) == -ESRCH)
		error = -ESRCH;
	/* a process that is exiting has no mm, but is not a zombie yet */
	if (error == -EINVAL && !measure->is_recording &&
	    !ptu_proc_status(&proc, &status, NULL) && !status.has_mm) {
		ptu_err_clear(err);
		error = ptu_proc_gone(&proc, err);
	}
	ptu_bracket_deinit(&b);
	ptu_proc_close(&proc);
	return error;
}

int ptu_measure_check(const struct ptu_measure *measure, pid_t pid,
		      struct ptu_process *ret)
{
	struct ptu_err err;
	unsigned int try;
	int error = -ESTALE;

	for (try = 0; try < PTU_OPEN_TRIES && error == -ESTALE; try++) {
		if (try)
			ptu_process_deinit(ret);
		ptu_err_clear(&err);
		error = check_once(measure, pid, ret, &err);
	}
	if (error)
		failed(measure, ret, error, &err);
	return error == -ENOMEM ? error : 0;
}

/* Return -ESTALE if the thread has ended; another thread can be read. */
static int estimate_once(const struct ptu_measure *measure,
			 struct ptu_proc *proc, struct ptu_process *ret,
			 struct ptu_err *err)
{
	struct ptu_evidence evidence = { 0 };
	struct ptu_freeze freeze = { 0 };
	struct ptu_proc_status status = { 0 };
	struct ptu_tables claims;
	size_t nr_doubted;
	unsigned int needs = ptu_estimators_need(measure) | PTU_TAKES_CHANGES |
			     (measure->by_mapping ? 0 : PTU_NEEDS_NO_NAMES) |
			     (measure->fill ? PTU_NEEDS_COUNTS :
					      PTU_NEEDS_EMPTY);
	int error = identify_open(proc, ret, err);
	int status_error = identify_status(proc, ret, &status,
					   error ? NULL : err);

	if (!error)
		error = status_error;
	if (!error) {
		ret->tries = 1;
		if (measure->freeze)
			error = ptu_freeze(proc, &freeze, err);
	}
	/* stopping the process may have changed it: read status again */
	if (!error && measure->freeze)
		error = identify_status(proc, ret, &status, err);
	ret->vmpte_before_bytes = status.vmpte_bytes;
	if (!error)
		error = ptu_proc_evidence(proc, measure->geo, needs, 0,
					  UINT64_MAX, &evidence, err);
	if (!error)
		error = identify_status(proc, ret, &status, err);
	if (!error)
		error = ptu_estimator_run(measure->estimators[0], proc->pid,
					  &evidence, &claims, NULL, err);
	ptu_thaw(&freeze);
	if (!error) {
		nr_doubted = ptu_tables_doubt(&claims, &evidence.changed);
		if (nr_doubted > ptu_tally_flux_limit(claims.nr_tables)) {
			error = ptu_err_set(err, -EAGAIN,
					    "process %d: its mappings changed while they were read, around %zu of %zu tables",
					    (int)proc->pid, nr_doubted,
					    claims.nr_tables);
			ptu_tables_deinit(&claims);
		}
	}
	if (!error) {
		ptu_tally_estimate(&claims, &evidence.vmas, measure->geo,
				   status.vmpte_bytes, ret);
		/* a frozen process has page faults only before and after */
		ret->faulted = ret->residual_bytes && !measure->freeze &&
			       ptu_proc_faulted(proc);
		ptu_tally_empty(&claims, measure->geo,
				ptu_estimator_sees_empty(
					measure->estimators[0]),
				ret);
		if (measure->by_mapping)
			error = ptu_tally_mappings(&claims, &evidence.vmas,
						   measure->geo, &ret->mappings,
						   &ret->nr_mappings);
		if (!error)
			error = ptu_estimators_run_all(measure, &evidence,
						       &claims, ret);
		ptu_tables_deinit(&claims);
	}
	ptu_evidence_deinit(&evidence);
	return error;
}

int ptu_measure_estimate_open(const struct ptu_measure *measure,
			      struct ptu_proc *proc, struct ptu_process *ret)
{
	struct ptu_err err = { "" };
	int error = estimate_once(measure, proc, ret, &err);
	unsigned int try;

	for (try = 1; try < PTU_OPEN_TRIES && error == -ESTALE; try++) {
		const pid_t pid = proc->pid;

		ptu_proc_close(proc);
		ptu_process_deinit(ret);
		memset(ret, 0, sizeof(*ret));
		ret->pid = pid;
		ptu_err_clear(&err);
		error = ptu_proc_open(pid, proc, &err);
		if (!error)
			error = estimate_once(measure, proc, ret, &err);
	}
	if (error)
		failed(measure, ret, error, &err);
	ptu_proc_close(proc);
	return error == -ENOMEM ? error : 0;
}

int ptu_measure_estimate(const struct ptu_measure *measure, pid_t pid,
			 struct ptu_process *ret)
{
	struct ptu_err err = { "" };
	struct ptu_proc proc;
	int error = ptu_proc_open(pid, &proc, &err);

	if (!error)
		return ptu_measure_estimate_open(measure, &proc, ret);
	memset(ret, 0, sizeof(*ret));
	ret->pid = pid;
	failed(measure, ret, error, &err);
	return error == -ENOMEM ? error : 0;
}
