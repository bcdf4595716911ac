// SPDX-License-Identifier: LGPL-2.1-or-later
/* Names of kinds of pages. */
#include "report/cow.h"

#include <stdlib.h>
#include <string.h>

const char *ptu_cow_kind_name(enum ptu_cow_kind kind)
{
	static const char *const names[] = {
		[PTU_COW_UNTOUCHED] = "untouched",
		[PTU_COW_ORIGINAL] = "original",
		[PTU_COW_COPIED] = "copied",
		[PTU_COW_SHARED] = "copied_shared",
		[PTU_COW_SWAPPED] = "copied_swapped",
	};

	return kind < PTU_NR_COW_KINDS ? names[kind] : "?";
}

void ptu_cow_report_deinit(struct ptu_cow_report *report)
{
	free(report->rows);
	free(report->names);
	memset(report, 0, sizeof(*report));
}
