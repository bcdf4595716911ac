// SPDX-License-Identifier: LGPL-2.1-or-later
/* Report whether anything changed; must not compare. */
#include "report/change.h"

#include <stdlib.h>

bool ptu_changed_differs(const struct ptu_changed *p)
{
	return p->growth.nr_rows || p->in_before != p->in_after ||
	       p->vmpte_before != p->vmpte_after;
}

bool ptu_change_any(const struct ptu_change_report *report)
{
	size_t i;

	for (i = 0; i < report->nr_processes; i++)
		if (ptu_changed_differs(&report->processes[i]))
			return true;
	return false;
}

void ptu_change_report_deinit(struct ptu_change_report *report)
{
	while (report->nr_processes)
		ptu_growth_deinit(
			&report->processes[--report->nr_processes].growth);
	free(report->processes);
	report->processes = NULL;
}
