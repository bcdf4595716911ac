/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mark the result of a check on the maps of both sides.  Pure. */
#ifndef PTU_COMPARE_MAP_CHECK_H
#define PTU_COMPARE_MAP_CHECK_H

#include "compare/table_diff.h"
#include "report/map_sheet.h"

/**
 * ptu_map_mark_check() - Mark each difference with its cause.
 * @diffs: (in) with their causes
 * @process: (in) of the same check; has the differences between module and BPF
 * @sheet: (in, out) from ptu_sheet_make()
 *
 * Marks the differences that the report's rows count, and unexplained contents and
 * huge pages.
 */
void ptu_map_mark_check(const struct ptu_diffs *diffs,
			const struct ptu_process *process,
			struct ptu_map_sheet *sheet);

#endif
