/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Marks on the maps of both sides what a check found.  Pure. */
#ifndef PTU_COMPARE_MAP_CHECK_H
#define PTU_COMPARE_MAP_CHECK_H

#include "compare/table_diff.h"
#include "report/map_sheet.h"

/**
 * ptu_map_mark_check() - Mark each difference with its cause.
 * @diffs: (in) with their causes
 * @process: (in) of the same check; what module and BPF differ on is in it
 * @sheet: (in, out) of ptu_sheet_make()
 *
 * Counted are the differences that the rows of the report count, and unexplained
 * contents and huge pages.
 */
void ptu_map_mark_check(const struct ptu_diffs *diffs,
			const struct ptu_process *process,
			struct ptu_map_sheet *sheet);

#endif
