// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Visit the processes of a set twice: first for tables, then for pages. So the
 * shared tables are known before the memory mapped by them is read. Must not add up
 * anything.
 */
#include "measure/footprint.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "acquire/file.h"
#include "acquire/module.h"
#include "acquire/page_caps.h"
#include "acquire/procfs.h"
#include "compare/footprint.h"
#include "compare/footprint_tables.h"
#include "compare/table_rows.h"
#include "measure/footprint_inside.h"
#include "measure/footprint_read.h"
#include "measure/footprint_recount.h"
#include "measure/processes.h"
#include "measure/tables.h"
#include "model/geometry.h"
#include "model/kernel_tables.h"

/*
 * Find the module, or its walks in a recording.  If it cannot be used, note the reason
 * and continue; damage of a recording is an error.
 */
static int find_module(struct ptu_footprint_report *report,
		       struct ptu_geometry *geo, uint64_t *ret_reach,
		       struct ptu_err *err)
{
	struct ptu_err why = { "" };
	int error = ptu_proc_geometry(geo, &why);

	*ret_reach = error ? 0 : ptu_geometry_reach(geo, PTAUDIT_PMD);
	if (!error) {
		memcpy(report->base.level_unfolded, geo->unfolded,
		       sizeof(report->base.level_unfolded));
		error = ptu_truth_ready(geo, &why);
	}
	report->by_module = !error;
	if (error && error != -ENOENT && ptu_file_is_recording())
		return ptu_err_set(err, error, "%s", why.text);
	if (error)
		snprintf(report->tables_note, sizeof(report->tables_note), "%s",
			 why.text[0] ? why.text : strerror(-error));
	return 0;
}

static int tables_by_vmpte(const struct ptu_geometry *geo,
			   const struct ptu_proc *proc,
			   struct ptu_process *process, struct ptu_err *err)
{
	struct ptu_vmas vmas = { 0 };
	int error = geo->unfolded[PTAUDIT_P4D] ?
			    ptu_proc_maps(proc, &vmas, err) :
			    0;

	if (!error)
		ptu_footprint_tables_above(geo, &vmas, process);
	ptu_vmas_deinit(&vmas);
	return error;
}

static int tables_by_module(const struct ptu_geometry *geo,
			    const struct ptu_proc *proc,
			    struct ptu_process *process, struct ptu_err *err)
{
	struct ptu_snapshot snapshot;
	int error = -EAGAIN;
	unsigned int try;

	for (try = 0; (error == -EAGAIN || error == -ESTALE) &&
		      ptu_proc_try_again(proc, try);
	     try++) {
		ptu_err_clear(err);
		error = ptu_truth_read(proc, 0, 0, PTU_WALK_BEFORE, geo,
				       &snapshot, err);
	}
	if (error)
		return error;
	error = ptu_tally_tables(&snapshot, geo, process);
	ptu_snapshot_deinit(&snapshot);
	return error;
}

static int read_tables(const struct ptu_geometry *geo, bool by_module,
		       struct ptu_proc *proc, struct ptu_process *process,
		       struct ptu_err *err)
{
	struct ptu_proc_status status;
	int error = ptu_proc_status_of_living(proc, &status, err);

	if (error)
		return error;
	process->has_vmpte = true;
	process->vmpte_bytes = status.vmpte_bytes;
	process->rss_bytes = status.vmrss_bytes;
	return by_module ? tables_by_module(geo, proc, process, err) :
			   tables_by_vmpte(geo, proc, process, err);
}

/* Decide whether an error concerns only this process or all of them. */
static int settle(const struct ptu_footprint_report *report,
		  struct ptu_process *process, const struct ptu_proc *proc,
		  int error, const struct ptu_err *why, struct ptu_err *err)
{
	if (error == -ENOMEM || error == -EPERM)
		return ptu_err_set(err, error, "%s",
				   why->text[0] ? why->text : strerror(-error));
	if (error == -EACCES && proc && ptu_proc_same(proc, NULL) == -ESRCH)
		error = -ESRCH;
	if (!error)
		return 0;
	ptu_measure_failed(process, error, why);
	if (report->base.is_all)
		ptu_survey_settle(process);
	return 0;
}

/*
 * Open process @i, if it is to be measured.
 * @ret_error: (out) error that concerns all processes, or 0
 */
static bool open_to_measure(const struct ptu_footprint_report *report, size_t i,
			    struct ptu_proc *proc, int *ret_error,
			    struct ptu_err *err)
{
	struct ptu_process *process = &report->base.processes[i];
	struct ptu_err why = { "" };
	int error;

	if (process->status != PTU_STATUS_OK || report->rows[i].same_as)
		return false;
	error = ptu_proc_open_again(process->pid, process->start_time, proc,
				    &why);
	*ret_error = settle(report, process, NULL, error, &why, err);
	return !error;
}

static int all_tables(struct ptu_footprint_report *report,
		      const struct ptu_geometry *geo, struct ptu_err *err)
{
	int error = 0;
	size_t i;

	for (i = 0; !error && i < report->base.nr_processes; i++) {
		struct ptu_process *process = &report->base.processes[i];
		struct ptu_err why = { "" };
		struct ptu_proc proc;

		if (!open_to_measure(report, i, &proc, &error, err))
			continue;
		error = read_tables(geo, report->by_module, &proc, process,
				    &why);
		error = settle(report, process, &proc, error, &why, err);
		ptu_proc_close(&proc);
	}
	return error;
}

static int all_pages(struct ptu_footprint_report *report, bool wants_smaps,
		     struct ptu_footprint_tables *tables,
		     struct ptu_footprint_files *files,
		     struct ptu_footprint *footprint, struct ptu_err *err)
{
	int error = 0;
	size_t i;

	for (i = 0; !error && i < report->base.nr_processes; i++) {
		struct ptu_process *process = &report->base.processes[i];
		struct ptu_err why = { "" };
		struct ptu_proc proc;

		if (!open_to_measure(report, i, &proc, &error, err))
			continue;
		do {
			ptu_err_clear(&why);
			error = ptu_footprint_read(&proc, tables, process,
						   wants_smaps, files,
						   footprint, &report->rows[i],
						   &why);
		} while (error == -ESTALE && !ptu_proc_reopen(&proc));
		process->tid = proc.tid;
		if (!error)
			ptu_footprint_tables_done(tables, process);
		error = settle(report, process, &proc, error, &why, err);
		ptu_proc_close(&proc);
	}
	return error;
}

/* Processes with one address space get the same result, even a failure. */
static void copy_to_sharers(struct ptu_footprint_report *report)
{
	size_t i, k;

	for (i = 0; i < report->base.nr_processes; i++) {
		struct ptu_process *process = &report->base.processes[i];

		if (!report->rows[i].same_as ||
		    process->status != PTU_STATUS_OK)
			continue;
		for (k = 0; report->base.processes[k].mm != process->mm; k++)
			;
		process->status = report->base.processes[k].status;
		memcpy(process->error, report->base.processes[k].error,
		       sizeof(process->error));
		process->vmpte_bytes = report->base.processes[k].vmpte_bytes;
		process->rss_bytes = report->base.processes[k].rss_bytes;
		report->rows[i] = report->rows[k];
		report->rows[i].same_as = report->base.processes[k].pid;
	}
}

/* Get the sum of the set.  If its USS lacks shared memory, ask who else maps that. */
static void sum_up_set(struct ptu_footprint_report *report,
		       const struct ptu_footprint_ask *ask,
		       struct ptu_footprint_files *files,
		       struct ptu_footprint *footprint)
{
	struct ptu_footprint_sum *set = &report->set;

	ptu_footprint_set(footprint, set);
	if (ptu_file_is_recording() || report->base.nr_processes < 2 ||
	    set->kinds[PTU_FOOTPRINT_SHMEM] ==
		    set->uss_kinds[PTU_FOOTPRINT_SHMEM])
		return;
	footprint->internal_is_inside = ptu_footprint_files_inside(report, ask,
								   files);
	if (footprint->internal_is_inside)
		ptu_footprint_set(footprint, set);
}

int ptu_footprint_measure(struct ptu_footprint_report *report,
			  const struct ptu_footprint_ask *ask,
			  struct ptu_err *err)
{
	struct ptu_footprint_tables tables = { 0 };
	struct ptu_footprint_files files;
	struct ptu_footprint footprint;
	struct ptu_geometry geo = { 0 };
	uint64_t reach = 0;
	int error = ptu_page_counts(report->base.page_bytes, &report->counts,
				    err);
	size_t i;

	ptu_footprint_files_begin(&files);
	ptu_footprint_init(&footprint, report->base.page_bytes,
			   report->counts != PTU_COUNTS_EXACT);
	if (!error)
		error = find_module(report, &geo, &reach, err);
	if (!error)
		error = all_tables(report, &geo, err);
	tables.reach_bytes = reach;
	if (!error)
		error = ptu_footprint_tables_add_up(report, &tables);
	if (!error)
		error = all_pages(report, ask->wants_smaps, &tables, &files,
				  &footprint, err);
	if (!error && !ptu_file_is_recording())
		error = ptu_footprint_recount_all(&footprint, err);
	/* add up the tables again, without processes that could not be read */
	ptu_footprint_tables_deinit(&tables);
	if (!error)
		error = ptu_footprint_tables_add_up(report, &tables);
	for (i = 0; !error && i < report->base.nr_processes; i++)
		report->ksm_unknown |= report->rows[i].ksm_unknown;
	if (!error) {
		sum_up_set(report, ask, &files, &footprint);
		copy_to_sharers(report);
	}
	ptu_footprint_tables_deinit(&tables);
	ptu_footprint_files_deinit(&files);
	ptu_footprint_deinit(&footprint);
	return error;
}
