// SPDX-License-Identifier: LGPL-2.1-or-later
/* Read tables and mappings from one source; must not compare. */
#include "measure/view.h"

#include <errno.h>

#include "compare/table_fill.h"
#include "compare/table_rows.h"

static int read_kernel(const struct ptu_view_ask *ask,
		       const struct ptu_proc *proc, struct ptu_view *ret,
		       struct ptu_err *err)
{
	struct ptu_snapshot snapshot;
	int error = ptu_proc_maps(proc, &ret->vmas, err);
	size_t i;

	if (error)
		return error;
	error = ptu_side_read(ask->side, proc, 0, 0, PTU_WALK_BEFORE, &snapshot,
			      err);
	if (error)
		return error;
	for (i = 0; i < snapshot.nr_records; i++)
		ret->deposited += snapshot.records[i].deposited;
	error = ptu_fill_of_kernel(&snapshot, ask->geo, &ret->tables);
	ptu_snapshot_deinit(&snapshot);
	return error;
}

static int read_estimate(const struct ptu_view_ask *ask,
			 const struct ptu_proc *proc, struct ptu_view *ret,
			 struct ptu_err *err)
{
	struct ptu_evidence evidence = { 0 };
	struct ptu_process process = { 0 };
	int error = ptu_proc_evidence(proc, ask->geo, ask->estimator->needs, 0,
				      UINT64_MAX, &evidence, err);

	if (error)
		return error;
	error = ptu_tables_add_pgd(&ret->tables);
	if (!error)
		error = ask->estimator->estimate(&evidence, &ret->tables, err);
	if (!error) {
		ptu_tally_estimate(&ret->tables, &evidence.vmas, ask->geo, 0,
				   &process);
		ret->deposited = process.deposited_tables;
		ret->vmas = evidence.vmas;
		evidence.vmas = (struct ptu_vmas){ 0 };
	}
	ptu_evidence_deinit(&evidence);
	return error;
}

int ptu_view_read(const struct ptu_view_ask *ask, const struct ptu_proc *proc,
		  struct ptu_view *ret, struct ptu_err *err)
{
	struct ptu_view view = { .deposited = 0 };
	int error;

	ptu_tables_init(&view.tables, ask->geo);
	error = ask->side ? read_kernel(ask, proc, &view, err) :
			    read_estimate(ask, proc, &view, err);
	if (error)
		ptu_view_deinit(&view);
	else
		*ret = view;
	return error;
}

void ptu_view_deinit(struct ptu_view *view)
{
	ptu_tables_deinit(&view->tables);
	ptu_vmas_deinit(&view->vmas);
}

enum ptu_top_source ptu_view_source(const struct ptu_view_ask *ask)
{
	if (!ask->side)
		return PTU_TOP_ESTIMATE;
	return ask->side->which == PTU_SIDE_BPF ? PTU_TOP_BPF : PTU_TOP_MODULE;
}
