// SPDX-License-Identifier: LGPL-2.1-or-later
/* Read mappings and tables of one moment; must not count them. */
#include "measure/map.h"

#include <errno.h>
#include <string.h>

#include "acquire/host.h"
#include "acquire/procfs.h"
#include "compare/map.h"
#include "compare/table_fill.h"
#include "compare/table_rows.h"
#include "measure/tables.h"

static int draw_kernel(const struct ptu_map_ask *ask,
		       const struct ptu_proc *proc, const struct ptu_vmas *vmas,
		       struct ptu_map_report *ret, struct ptu_err *err)
{
	struct ptu_snapshot snapshot;
	struct ptu_tables tables;
	int error = ptu_side_read(ask->side, proc, 0, 0, PTU_WALK_AFTER,
				  &snapshot, err);

	if (error)
		return error;
	error = ptu_proc_maps_same(proc, vmas, err);
	if (!error)
		error = ptu_fill_of_kernel(&snapshot, ask->geo, &tables);
	if (!error) {
		error = ptu_map_draw(&tables, &snapshot, vmas, true, ret);
		ptu_tables_deinit(&tables);
	}
	ptu_snapshot_deinit(&snapshot);
	return error;
}

/* Return -EAGAIN if the mappings changed meanwhile. */
static int draw_kernel_still(const struct ptu_map_ask *ask,
			     const struct ptu_proc *proc,
			     struct ptu_map_report *ret, struct ptu_err *err)
{
	struct ptu_vmas vmas;
	int error = ptu_proc_maps(proc, &vmas, err);

	if (error)
		return error;
	error = draw_kernel(ask, proc, &vmas, ret, err);
	ptu_vmas_deinit(&vmas);
	return error;
}

static int draw_estimate(const struct ptu_map_ask *ask,
			 const struct ptu_proc *proc,
			 struct ptu_map_report *ret, struct ptu_err *err)
{
	const struct ptu_estimator *estimator = ask->estimator;
	const bool sees_empty = ptu_estimator_sees_empty(estimator);
	struct ptu_evidence evidence;
	struct ptu_proc_status status = { 0 };
	struct ptu_tables claims;
	int error = ptu_proc_evidence(proc, ask->geo,
				      estimator->needs | PTU_NEEDS_COUNTS |
					      PTU_TAKES_CHANGES,
				      0, UINT64_MAX, &evidence, err);

	if (error)
		return error;
	ptu_tables_init(&claims, ask->geo);
	error = ptu_tables_add_pgd(&claims);
	if (!error)
		error = estimator->estimate(&evidence, &claims, err);
	if (!error)
		error = ptu_proc_status(proc, &status, err);
	if (!error) {
		ptu_tables_doubt(&claims, &evidence.changed);
		ptu_tally_estimate(&claims, &evidence.vmas, ask->geo,
				   status.vmpte_bytes, &ret->process);
		error = ptu_map_draw(&claims, NULL, &evidence.vmas, sees_empty,
				     ret);
	}
	ptu_tables_deinit(&claims);
	ptu_evidence_deinit(&evidence);
	return error;
}

/* Repeat until the mappings did not change meanwhile, or time runs out. */
static int draw_open(const struct ptu_map_ask *ask, const struct ptu_proc *proc,
		     struct ptu_map_report *ret, struct ptu_err *err)
{
	const struct ptu_map_report blank = *ret;
	unsigned int try;
	int error = -EAGAIN;

	for (try = 0; error == -EAGAIN && ptu_proc_try_again(proc, try);
	     try++) {
		if (try)
			ptu_map_report_deinit(ret);
		*ret = blank;
		ptu_err_clear(err);
		error = ask->side ? draw_kernel_still(ask, proc, ret, err) :
				    draw_estimate(ask, proc, ret, err);
	}
	if (error == -EAGAIN && !err->text[0])
		error = ptu_proc_changed(proc, try, err);
	if (!error)
		error = ptu_proc_same(proc, err);
	return error;
}

/* Return -ESTALE if the thread that was read has ended or called exec(). */
static int draw_once(const struct ptu_map_ask *ask, struct ptu_map_report *ret,
		     struct ptu_err *err)
{
	struct ptu_proc proc;
	int error = ptu_measure_identify(ask->pid, &proc, &ret->process, err);

	if (error)
		return error;
	error = draw_open(ask, &proc, ret, err);
	ptu_proc_close(&proc);
	return error;
}

int ptu_measure_map(const struct ptu_map_ask *ask, struct ptu_map_report *ret,
		    struct ptu_err *err)
{
	struct ptu_map_report blank = {
		.geo = *ask->geo,
		.source = !ask->side			   ? PTU_TOP_ESTIMATE :
			  ask->side->which == PTU_SIDE_BPF ? PTU_TOP_BPF :
							     PTU_TOP_MODULE,
		.estimator = ask->side ? NULL : ask->estimator->name,
	};
	struct ptu_map_report report;
	unsigned int try;
	int error = ptu_host_read(&blank.host, err);

	if (!error)
		error = ptu_proc_boot_id(blank.boot_id, sizeof(blank.boot_id),
					 err);
	if (error)
		return error;
	error = -ESTALE;
	for (try = 0; try < PTU_OPEN_TRIES && error == -ESTALE; try++) {
		report = blank;
		ptu_err_clear(err);
		error = draw_once(ask, &report, err);
		if (error)
			ptu_map_report_deinit(&report);
	}
	if (error == -ENOMEM)
		return ptu_err_set(err, error, "no memory for the map");
	if (!error)
		*ret = report;
	return error;
}
