// SPDX-License-Identifier: LGPL-2.1-or-later
/* Look up and free the evidence read from /proc. */
#include "model/evidence.h"

#include <stdlib.h>
#include <string.h>

/* Index of the first slot at or above the address. */
static size_t find_slot(const struct ptu_scan *scan, uint64_t addr)
{
	size_t low = 0, high = scan->nr_slots;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (scan->slots[middle].start < addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool ptu_evidence_shows_hole(const struct ptu_evidence *evidence, uint64_t addr)
{
	const struct ptu_geometry *geo = evidence->geo;
	const uint64_t reach = ptu_geometry_reach(geo, PTAUDIT_PTE);
	uint64_t start, end;
	size_t i = ptu_vmas_find(&evidence->vmas, addr), shown;
	const struct ptu_vma *vma = &evidence->vmas.vmas[i];

	if (i == evidence->vmas.nr_vmas || vma->start > addr)
		return false;
	start = vma->start > evidence->start ? vma->start : evidence->start;
	end = vma->end < evidence->end ? vma->end : evidence->end;
	start = ptu_geometry_base(geo, PTAUDIT_PTE, start);
	end = ptu_geometry_base(geo, PTAUDIT_PTE, end - 1) + reach;
	shown = find_slot(&evidence->scan, end) -
		find_slot(&evidence->scan, start);
	return shown < (end - start) / reach;
}

void ptu_scan_deinit(struct ptu_scan *scan)
{
	free(scan->slots);
	memset(scan, 0, sizeof(*scan));
}

void ptu_evidence_deinit(struct ptu_evidence *evidence)
{
	ptu_vmas_deinit(&evidence->vmas);
	ptu_spans_deinit(&evidence->changed);
	ptu_slots_deinit(&evidence->slots);
	ptu_scan_deinit(&evidence->scan);
}
