// SPDX-License-Identifier: LGPL-2.1-or-later
/* Add up and sort the contents of a map; must not know how it is shown. */
#define _GNU_SOURCE
#include "report/map.h"

#include <stdlib.h>

void ptu_map_report_deinit(struct ptu_map_report *report)
{
	ptu_process_deinit(&report->process);
	free(report->tables);
	free(report->rows);
	report->tables = NULL;
	report->rows = NULL;
}

uint64_t ptu_map_waste_bytes(const struct ptu_map_report *report,
			     const struct ptu_fill *fill)
{
	const uint64_t entry_bytes = ptu_geometry_table_bytes(&report->geo,
							      PTAUDIT_PTE) /
				     report->geo.nr_entries[PTAUDIT_PTE];

	return (fill->room - fill->entries) * entry_bytes +
	       fill->hollow * report->geo.page_bytes;
}

uint64_t ptu_map_total_bytes(const struct ptu_map_report *report)
{
	uint64_t bytes = report->process.deposited_tables *
			 report->geo.page_bytes;
	unsigned int level;

	for (level = 0; level < PTAUDIT_NR_LEVELS; level++)
		bytes += report->fills[level].tables *
			 ptu_geometry_table_bytes(&report->geo, level);
	return bytes;
}

uint64_t ptu_map_unseen_bytes(const struct ptu_map_report *report)
{
	return ptu_process_unseen_bytes(&report->process,
					report->geo.page_bytes);
}

const char *ptu_map_name(const struct ptu_map_report *report,
			 const struct ptu_map_table *table)
{
	if (table->level == PTAUDIT_PGD)
		return "-";
	if (table->mapping == PTU_MAP_NOWHERE)
		return "(no mapping)";
	return ptu_mapping_name(&report->process.mappings[table->mapping]);
}

static int down(uint64_t a, uint64_t b)
{
	return (a < b) - (a > b);
}

static int compare_rows(const void *a, const void *b, void *report)
{
	const struct ptu_top_row *left = a, *right = b;
	int ret = down(ptu_map_waste_bytes(report, &left->fill),
		       ptu_map_waste_bytes(report, &right->fill));

	if (!ret)
		ret = down(left->total_bytes, right->total_bytes);
	return ret ? ret : down(right->start, left->start);
}

void ptu_map_order(struct ptu_map_report *report)
{
	if (report->nr_rows)
		qsort_r(report->rows, report->nr_rows, sizeof(*report->rows),
			compare_rows, report);
}
