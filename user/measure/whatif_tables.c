// SPDX-License-Identifier: LGPL-2.1-or-later
/* Read the tables of a process for whatif; must not decide which can be freed. */
#include "measure/whatif.h"

#include <string.h>

/* Convert the kernel's records to claims: tables with their entries, and PMD leaves. */
static int take_records(const struct ptu_snapshot *snapshot,
			const struct ptu_geometry *geo, struct ptu_tables *ret)
{
	const uint64_t reach = ptu_geometry_reach(geo, PTAUDIT_PTE);
	size_t i;

	ptu_tables_init(ret, geo);
	for (i = 0; i < snapshot->nr_records; i++) {
		const struct ptaudit_table *record = &snapshot->records[i];
		const bool is_leaf = record->type == PTAUDIT_RUN;
		struct ptu_table claim = {
			.start = record->start,
			.level = record->level,
			.claim = is_leaf ? PTU_LEAF : PTU_CERTAIN,
			.counted = !is_leaf,
			.entries = is_leaf ? 0 : record->used,
			.markers = (uint16_t)(record->uffd_wp + record->guard),
		};
		unsigned int left = is_leaf ? record->used : 1;
		int error = 0;

		if (is_leaf && (record->kind != PTAUDIT_K_LEAF ||
				record->level != PTAUDIT_PMD))
			continue;
		for (; !error && left; left--, claim.start += reach)
			error = ptu_tables_append(ret, &claim);
		if (error) {
			ptu_tables_deinit(ret);
			return error;
		}
	}
	return 0;
}

static int ask_kernel(const struct ptu_whatif_ask *ask,
		      const struct ptu_proc *proc, struct ptu_vmas *vmas,
		      struct ptu_tables *tables, struct ptu_err *err)
{
	struct ptu_snapshot snapshot;
	int error = ptu_proc_maps(proc, vmas, err);

	if (error)
		return error;
	error = ptu_side_read(ask->side, proc, 0, 0, PTU_WALK_BEFORE, &snapshot,
			      err);
	if (!error) {
		error = take_records(&snapshot, ask->geo, tables);
		ptu_snapshot_deinit(&snapshot);
	}
	if (!error) {
		error = ptu_proc_maps_same(proc, vmas, err);
		if (error)
			ptu_tables_deinit(tables);
	}
	if (error)
		ptu_vmas_deinit(vmas);
	return error;
}

/*
 * Mark tables as not certain where mappings changed, and the tables above them.
 * Return: number of these tables.
 */
static size_t doubt(struct ptu_tables *tables, const struct ptu_spans *changed)
{
	size_t i, nr = 0;

	for (i = 0; i < tables->nr_tables; i++) {
		struct ptu_table *table = &tables->tables[i];

		if (table->claim != PTU_CERTAIN ||
		    table->level == PTAUDIT_PGD ||
		    !ptu_spans_touch(changed, table->start,
				     table->start +
					     ptu_geometry_reach(tables->geo,
								table->level)))
			continue;
		table->claim = PTU_MAYBE;
		nr++;
	}
	return nr;
}

/* @ret_changed: (out) see ptu_whatif_tables() */
static int estimate(const struct ptu_whatif_ask *ask,
		    const struct ptu_proc *proc, struct ptu_vmas *vmas,
		    struct ptu_tables *tables, size_t *ret_changed,
		    struct ptu_err *err)
{
	struct ptu_evidence evidence;
	int error = ptu_proc_evidence(proc, ask->geo,
				      ask->estimator->needs | PTU_NEEDS_COUNTS |
					      PTU_TAKES_CHANGES,
				      0, UINT64_MAX, &evidence, err);

	if (error)
		return error;
	ptu_tables_init(tables, ask->geo);
	error = ask->estimator->estimate(&evidence, tables, err);
	if (error) {
		ptu_tables_deinit(tables);
	} else {
		*ret_changed = doubt(tables, &evidence.changed);
		*vmas = evidence.vmas;
		memset(&evidence.vmas, 0, sizeof(evidence.vmas));
	}
	ptu_evidence_deinit(&evidence);
	return error;
}

int ptu_whatif_tables(const struct ptu_whatif_ask *ask,
		      const struct ptu_proc *proc, struct ptu_vmas *vmas,
		      struct ptu_tables *tables, size_t *ret_changed,
		      struct ptu_err *err)
{
	int error;

	*ret_changed = 0;
	error = ask->side ? ask_kernel(ask, proc, vmas, tables, err) :
			    estimate(ask, proc, vmas, tables, ret_changed, err);
	if (error)
		return error;
	error = ptu_proc_flags(proc, vmas, err);
	if (error) {
		ptu_tables_deinit(tables);
		ptu_vmas_deinit(vmas);
	}
	return error;
}
