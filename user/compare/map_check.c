// SPDX-License-Identifier: LGPL-2.1-or-later
/* Enter differences on a sheet; must not classify them. */
#include "compare/map_check.h"

/* Is it counted in a row of causes, or as unexplained? */
static bool is_counted(const struct ptu_diff *diff)
{
	if (diff->why == PTU_WHY_UNEXPLAINED || diff->why == PTU_WHY_UNDECIDED)
		return true;
	return !diff->leaf && diff->kernel != (diff->claim == PTU_CERTAIN);
}

void ptu_map_mark_check(const struct ptu_diffs *diffs,
			const struct ptu_process *process,
			struct ptu_map_sheet *sheet)
{
	size_t i;

	for (i = 0; i < diffs->nr_diffs; i++) {
		const struct ptu_diff *diff = &diffs->diffs[i];

		if (is_counted(diff))
			ptu_sheet_mark(sheet, diff->start, diff->level,
				       diff->leaf, diff->why);
	}
	for (i = 0; i < process->nr_unexplained; i++) {
		const struct ptu_unexplained *row = &process->unexplained[i];

		if (row->side == PTU_SIDE_KERNEL_MODULE ||
		    row->side == PTU_SIDE_KERNEL_BPF)
			ptu_sheet_mark(sheet, row->start, row->level, row->leaf,
				       row->why);
	}
}
