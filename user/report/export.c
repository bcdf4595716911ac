// SPDX-License-Identifier: LGPL-2.1-or-later
/* Add up groups and limit their number; must not measure. */
#define _GNU_SOURCE
#include "report/export.h"

#include <stdlib.h>
#include <string.h>

uint64_t ptu_export_total(const struct ptu_export_group *group,
			  uint64_t page_bytes)
{
	uint64_t bytes = group->vmpte_bytes + group->nr_deposited * page_bytes;
	unsigned int level;

	for (level = 0; level < PTAUDIT_NR_LEVELS; level++)
		bytes += group->bytes[level];
	return bytes;
}

void ptu_export_add(struct ptu_export_group *to,
		    const struct ptu_export_group *from)
{
	unsigned int level;

	to->nr_processes += from->nr_processes;
	to->nr_counted += from->nr_counted;
	for (level = 0; level < PTAUDIT_NR_LEVELS; level++) {
		to->tables[level] += from->tables[level];
		to->bytes[level] += from->bytes[level];
	}
	to->nr_empty += from->nr_empty;
	to->nr_deposited += from->nr_deposited;
	to->vmpte_bytes += from->vmpte_bytes;
}

struct ptu_export_group *ptu_export_find(struct ptu_export_report *report,
					 const char *name)
{
	struct ptu_export_group *groups = report->groups;
	size_t i;

	for (i = 0; i < report->nr_groups; i++) {
		if (!strcmp(groups[i].name, name))
			return &groups[i];
	}
	groups = reallocarray(groups, report->nr_groups + 1, sizeof(*groups));
	if (!groups)
		return NULL;
	report->groups = groups;
	groups += report->nr_groups++;
	memset(groups, 0, sizeof(*groups));
	strncpy(groups->name, name, sizeof(groups->name) - 1);
	return groups;
}

static int by_total(const void *a, const void *b, void *arg)
{
	const struct ptu_export_group *one = a, *other = b;
	const struct ptu_export_report *report = arg;
	const uint64_t bytes = ptu_export_total(one, report->host.page_bytes);
	const uint64_t others = ptu_export_total(other,
						 report->host.page_bytes);

	return bytes != others ? (bytes < others) - (bytes > others) :
				 strcmp(one->name, other->name);
}

void ptu_export_limit(struct ptu_export_report *report, size_t limit)
{
	size_t i;

	if (report->nr_groups)
		qsort_r(report->groups, report->nr_groups,
			sizeof(*report->groups), by_total, report);
	if (!limit || report->nr_groups <= limit)
		return;
	for (i = limit; i < report->nr_groups; i++)
		ptu_export_add(&report->rest, &report->groups[i]);
	report->nr_rest = report->nr_groups - limit;
	report->nr_groups = limit;
}

void ptu_export_report_deinit(struct ptu_export_report *report)
{
	free(report->groups);
	memset(report, 0, sizeof(*report));
}
