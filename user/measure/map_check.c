// SPDX-License-Identifier: LGPL-2.1-or-later
/* Draw each side of a bracket; must not compare. */
#include "measure/map_check.h"

#include <errno.h>
#include <string.h>

#include "acquire/host.h"
#include "compare/map.h"
#include "compare/map_check.h"
#include "compare/table_fill.h"
#include "compare/table_rows.h"

/* Start a map of the process, without tables. */
static struct ptu_map_report *begin(const struct ptu_geometry *geo,
				    const struct ptu_process *p,
				    const char *name,
				    struct ptu_check_maps *ret)
{
	struct ptu_map_report *map = &ret->maps[ret->sheet.nr_sides];

	map->geo = *geo;
	map->process.pid = p->pid;
	map->process.uid = p->uid;
	map->process.vmpte_bytes = p->vmpte_bytes;
	memcpy(map->process.comm, p->comm, sizeof(p->comm));
	ret->sheet.maps[ret->sheet.nr_sides] = map;
	ret->sheet.names[ret->sheet.nr_sides++] = name;
	return map;
}

static int draw_kernel(const struct ptu_snapshot *snapshot,
		       const struct ptu_vmas *vmas, struct ptu_map_report *map)
{
	struct ptu_tables tables;
	int error = ptu_fill_of_kernel(snapshot, &map->geo, &tables);

	if (error)
		return error;
	error = ptu_map_draw(&tables, snapshot, vmas, true, map);
	ptu_tables_deinit(&tables);
	return error;
}

static int draw_sides(const struct ptu_measure *measure,
		      const struct ptu_bracket *b, const struct ptu_process *p,
		      struct ptu_check_maps *ret)
{
	const struct ptu_estimator *estimator = measure->estimators[0];
	const bool by_bpf = measure->side->which == PTU_SIDE_BPF;
	struct ptu_map_report *map;
	int error;

	map = begin(measure->geo, p,
		    by_bpf ? "kernel (BPF)" : "kernel (module)", ret);
	map->source = by_bpf ? PTU_TOP_BPF : PTU_TOP_MODULE;
	error = draw_kernel(&b->after, &b->evidence.vmas, map);
	if (!error && ptu_side_is_both(measure->side)) {
		map = begin(measure->geo, p, "kernel (BPF)", ret);
		map->source = PTU_TOP_BPF;
		error = draw_kernel(&b->bpf, &b->evidence.vmas, map);
	}
	if (error)
		return error;
	map = begin(measure->geo, p, "estimate", ret);
	map->source = PTU_TOP_ESTIMATE;
	map->estimator = estimator->name;
	ptu_tally_estimate(&b->claims, &b->evidence.vmas, measure->geo,
			   p->vmpte_bytes, &map->process);
	return ptu_map_draw(&b->claims, NULL, &b->evidence.vmas,
			    ptu_estimator_sees_empty(estimator), map);
}

int ptu_check_maps_draw(const struct ptu_measure *measure,
			const struct ptu_bracket *b,
			const struct ptu_process *p, struct ptu_check_maps *ret,
			struct ptu_err *err)
{
	struct ptu_host host;
	size_t side;
	int error;

	/* discard the maps of an earlier try, before an exec */
	ptu_check_maps_deinit(ret);
	if (b->stated.stated)
		return ptu_err_set(err, -EINVAL,
				   "the estimator states only numbers of tables: --html needs their addresses");
	error = ptu_host_read(&host, err);
	if (error)
		return error;
	ret->sheet.kind = PTU_SHEET_CHECK;
	error = draw_sides(measure, b, p, ret);
	for (side = 0; side < ret->sheet.nr_sides; side++)
		ret->maps[side].host = host;
	if (!error)
		error = ptu_sheet_make(&ret->sheet);
	if (error)
		return ptu_err_set(err, error, "no memory for the page");
	ptu_map_mark_check(&b->diffs, p, &ret->sheet);
	return 0;
}

void ptu_check_maps_deinit(struct ptu_check_maps *maps)
{
	size_t i;

	ptu_sheet_deinit(&maps->sheet);
	for (i = 0; i < maps->sheet.nr_sides; i++)
		ptu_map_report_deinit(&maps->maps[i]);
	memset(maps, 0, sizeof(*maps));
}
