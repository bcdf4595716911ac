// SPDX-License-Identifier: GPL-2.0-only
/* Groups of processes: sums, order, and the number of groups kept. */
#include "report/export.h"

#include <stdio.h>
#include <string.h>

#include "support/unit.h"

#define PAGE 4096u

/* Add a process with @tables PTE tables to a group. */
static void add(struct ptu_export_report *report, const char *name,
		uint64_t tables)
{
	struct ptu_export_group one = { .nr_processes = 1 };
	struct ptu_export_group *group = ptu_export_find(report, name);

	one.tables[PTAUDIT_PTE] = tables;
	one.bytes[PTAUDIT_PTE] = tables * PAGE;
	ptu_export_add(group, &one);
}

UNIT_TEST(groups_are_added_up_and_the_largest_kept)
{
	struct ptu_export_report report = { .host.page_bytes = PAGE };

	add(&report, "small", 1);
	add(&report, "large", 5);
	add(&report, "middle", 3);
	add(&report, "small", 1);
	CHECK_EQ(report.nr_groups, 3);
	ptu_export_limit(&report, 1);
	CHECK_EQ(report.nr_groups, 1);
	CHECK(!strcmp(report.groups[0].name, "large"));
	CHECK_EQ(report.nr_rest, 2);
	CHECK_EQ(report.rest.nr_processes, 3);
	CHECK_EQ(report.rest.tables[PTAUDIT_PTE], 5);
	CHECK_EQ(report.rest.bytes[PTAUDIT_PTE], 5 * PAGE);
	ptu_export_report_deinit(&report);
}

UNIT_TEST(total_has_uncounted_levels_and_deposits)
{
	const struct ptu_export_group group = {
		.bytes[PTAUDIT_PMD] = PAGE,
		.nr_deposited = 3,
		.vmpte_bytes = 10 * PAGE,
	};

	CHECK_EQ(ptu_export_total(&group, PAGE), 14 * PAGE);
}

UNIT_TEST(a_limit_that_is_not_reached_leaves_no_rest)
{
	struct ptu_export_report report = { .host.page_bytes = PAGE };

	add(&report, "a", 1);
	add(&report, "b", 1);
	ptu_export_limit(&report, 2);
	CHECK_EQ(report.nr_groups, 2);
	CHECK_EQ(report.nr_rest, 0);
	/* groups of equal size are sorted by name */
	CHECK(!strcmp(report.groups[0].name, "a"));
	ptu_export_report_deinit(&report);
}

UNIT_MAIN
