// SPDX-License-Identifier: GPL-2.0-only
/* The metrics of export, from a report made by the test. */
#include "render/openmetrics.h"

#include <errno.h>

#include "base/version.h"
#include "support/rows.h"
#include "support/unit.h"

/* With four levels there is no P4D table. */
static const struct ptu_export_report counted = {
	.by = "comm",
	.source = "module",
	.has_levels = true,
	.has_empty = true,
	.has_deposited = true,
	.unfolded = { [PTAUDIT_PTE] = true,
		      [PTAUDIT_PMD] = true,
		      [PTAUDIT_PUD] = true,
		      [PTAUDIT_PGD] = true },
	.groups =
		(struct ptu_export_group[]){
			{ .name = "q\"\\\n\xff",
			  .nr_processes = 3,
			  .nr_counted = 2,
			  .tables = { [PTAUDIT_PTE] = 11,
				      [PTAUDIT_PMD] = 12,
				      [PTAUDIT_PUD] = 13,
				      [PTAUDIT_P4D] = 14,
				      [PTAUDIT_PGD] = 15 },
			  .bytes = { [PTAUDIT_PTE] = 21,
				     [PTAUDIT_PMD] = 22,
				     [PTAUDIT_PUD] = 23,
				     [PTAUDIT_P4D] = 24,
				     [PTAUDIT_PGD] = 25 },
			  .nr_empty = 31,
			  .nr_deposited = 32,
			  .vmpte_bytes = 33 },
			{ .name = "uncounted",
			  .nr_processes = 1,
			  .tables = { [PTAUDIT_PTE] = 98 },
			  .nr_empty = 98,
			  .nr_deposited = 98,
			  .vmpte_bytes = 40960 },
		},
	.nr_groups = 2,
	.rest = { .nr_processes = 5,
		  .nr_counted = 4,
		  .tables = { [PTAUDIT_PTE] = 51 },
		  .bytes = { [PTAUDIT_PTE] = 52 },
		  .nr_empty = 53,
		  .nr_deposited = 54 },
	.nr_rest = 4,
	.pagetables_bytes = UINT64_C(1) << 40,
	.has_remainder = true,
	.remainder_bytes = -4096,
	.end_s = 1700000000.25,
	.took_s = 0.125,
};

static const struct ptu_export_report *report;

static int render(const struct ptu_render_options *options, FILE *out,
		  struct ptu_err *err)
{
	return ptu_render_openmetrics(report, out, err);
}

/* The text of a metric: from its TYPE line to the next one. */
static const char *metric_of(const struct ptu_export_report *of,
			     const char *name, char ret[1 << 12])
{
	char head[128];
	const char *text, *start, *end;

	report = of;
	text = text_of(render, TEXT);
	snprintf(head, sizeof(head), "# TYPE %s gauge\n", name);
	start = strstr(text, head);
	if (!start)
		return "";
	start += strlen(head);
	end = strstr(start, "# TYPE");
	snprintf(ret, 1 << 12, "%.*s",
		 (int)(end ? (size_t)(end - start) : strlen(start)), start);
	return ret;
}

/* A line ends in "\n", and the quote and each backslash of a name are escaped. */
#define SHOWN "q\\\"\\\\\\\\x0a\\\\xff"

UNIT_TEST(tables_are_by_group_and_unfolded_level)
{
	char text[1 << 12];

	CHECK_STR(metric_of(&counted, "ptaudit_table_bytes", text),
		  "# UNIT ptaudit_table_bytes bytes\n"
		  "# HELP ptaudit_table_bytes Memory of page tables in the trees of processes, by level.\n"
		  "ptaudit_table_bytes{comm=\"" SHOWN "\",level=\"pte\"} 21\n"
		  "ptaudit_table_bytes{comm=\"" SHOWN "\",level=\"pmd\"} 22\n"
		  "ptaudit_table_bytes{comm=\"" SHOWN "\",level=\"pud\"} 23\n"
		  "ptaudit_table_bytes{comm=\"" SHOWN "\",level=\"pgd\"} 25\n"
		  "ptaudit_table_bytes{other=\"true\",level=\"pte\"} 52\n"
		  "ptaudit_table_bytes{other=\"true\",level=\"pmd\"} 0\n"
		  "ptaudit_table_bytes{other=\"true\",level=\"pud\"} 0\n"
		  "ptaudit_table_bytes{other=\"true\",level=\"pgd\"} 0\n");
	CHECK_STR(metric_of(&counted, "ptaudit_tables", text),
		  "# HELP ptaudit_tables Page tables in the trees of processes, by level.\n"
		  "ptaudit_tables{comm=\"" SHOWN "\",level=\"pte\"} 11\n"
		  "ptaudit_tables{comm=\"" SHOWN "\",level=\"pmd\"} 12\n"
		  "ptaudit_tables{comm=\"" SHOWN "\",level=\"pud\"} 13\n"
		  "ptaudit_tables{comm=\"" SHOWN "\",level=\"pgd\"} 15\n"
		  "ptaudit_tables{other=\"true\",level=\"pte\"} 51\n"
		  "ptaudit_tables{other=\"true\",level=\"pmd\"} 0\n"
		  "ptaudit_tables{other=\"true\",level=\"pud\"} 0\n"
		  "ptaudit_tables{other=\"true\",level=\"pgd\"} 0\n");
}

UNIT_TEST(a_group_without_a_counted_process_has_no_number_of_tables)
{
	char text[1 << 12];

	CHECK_STR(metric_of(&counted, "ptaudit_processes", text),
		  "# HELP ptaudit_processes Processes of the group; those with one address space count once.\n"
		  "ptaudit_processes{comm=\"" SHOWN "\"} 3\n"
		  "ptaudit_processes{comm=\"uncounted\"} 1\n"
		  "ptaudit_processes{other=\"true\"} 5\n");
	CHECK_STR(metric_of(&counted, "ptaudit_empty_tables", text),
		  "# HELP ptaudit_empty_tables PTE tables without any entry.\n"
		  "ptaudit_empty_tables{comm=\"" SHOWN "\"} 31\n"
		  "ptaudit_empty_tables{other=\"true\"} 53\n");
	CHECK_STR(metric_of(&counted, "ptaudit_deposited_tables", text),
		  "# HELP ptaudit_deposited_tables PTE tables deposited for huge pages; they are in no tree.\n"
		  "ptaudit_deposited_tables{comm=\"" SHOWN "\"} 32\n"
		  "ptaudit_deposited_tables{other=\"true\"} 54\n");
	CHECK_STR(metric_of(&counted, "ptaudit_uncounted_bytes", text),
		  "# UNIT ptaudit_uncounted_bytes bytes\n"
		  "# HELP ptaudit_uncounted_bytes VmPTE of processes whose tables were not counted.\n"
		  "ptaudit_uncounted_bytes{comm=\"" SHOWN "\"} 33\n"
		  "ptaudit_uncounted_bytes{comm=\"uncounted\"} 40960\n"
		  "ptaudit_uncounted_bytes{other=\"true\"} 0\n");
}

UNIT_TEST(the_machine_and_the_measurement_have_metrics)
{
	char text[1 << 12];

	CHECK_STR(metric_of(&counted, "ptaudit_pagetables_bytes", text),
		  "# UNIT ptaudit_pagetables_bytes bytes\n"
		  "# HELP ptaudit_pagetables_bytes PageTables of /proc/meminfo.\n"
		  "ptaudit_pagetables_bytes 1099511627776\n");
	CHECK_STR(metric_of(&counted, "ptaudit_remainder_bytes", text),
		  "# UNIT ptaudit_remainder_bytes bytes\n"
		  "# HELP ptaudit_remainder_bytes PageTables minus the tables that ptaudit system accounts for.\n"
		  "ptaudit_remainder_bytes -4096\n");
	/* two that are named and four that are added up */
	CHECK_STR(metric_of(&counted, "ptaudit_groups", text),
		  "# HELP ptaudit_groups Number of groups, including those that are added up as other.\n"
		  "ptaudit_groups 6\n");
	CHECK_STR(metric_of(&counted, "ptaudit_source", text),
		  "# HELP ptaudit_source Source of the counts: module, bpf, estimate, or vmpte if tables were not counted.\n"
		  "ptaudit_source{source=\"module\",version=\"" PTU_VERSION
		  "\"} 1\n");
	CHECK_STR(metric_of(&counted, "ptaudit_last_run_timestamp_seconds",
			    text),
		  "# UNIT ptaudit_last_run_timestamp_seconds seconds\n"
		  "# HELP ptaudit_last_run_timestamp_seconds Time of the measurement, in seconds since 1970.\n"
		  "ptaudit_last_run_timestamp_seconds 1700000000.250\n");
	CHECK_STR(metric_of(&counted, "ptaudit_last_run_duration_seconds",
			    text),
		  "# UNIT ptaudit_last_run_duration_seconds seconds\n"
		  "# HELP ptaudit_last_run_duration_seconds Duration of the measurement in seconds.\n"
		  "ptaudit_last_run_duration_seconds 0.125000\n# EOF\n");
}

/* Only VmPTE, without a remainder, and each group named. */
UNIT_TEST(a_metric_that_is_not_known_is_left_out)
{
	static const char *const known[] = {
		"processes",
		"uncounted_bytes",
		"pagetables_bytes",
		"groups",
		"source",
		"last_run_timestamp_seconds",
		"last_run_duration_seconds",
	};
	const struct ptu_export_report vmpte = {
		.by = "user",
		.source = "vmpte",
		.groups = (struct ptu_export_group[]){ { .name = "root",
							 .nr_processes = 2 } },
		.nr_groups = 1,
		.rest = { .nr_processes = 9 },
	};
	char text[1 << 12];
	const char *at;

	CHECK_STR(metric_of(&vmpte, "ptaudit_processes", text),
		  "# HELP ptaudit_processes Processes of the group; those with one address space count once.\n"
		  "ptaudit_processes{user=\"root\"} 2\n");
	at = text_of(render, TEXT);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		char head[128];

		snprintf(head, sizeof(head), "# TYPE ptaudit_%s gauge\n",
			 known[i]);
		at = strstr(at, "# TYPE ");
		CHECK(at && !strncmp(at, head, strlen(head)));
		at++;
	}
	CHECK(!strstr(at, "# TYPE "));
}

UNIT_TEST(a_failed_write_is_an_error)
{
	struct ptu_err err = { "" };
	FILE *out = fopen("/dev/full", "w");

	CHECK(out);
	CHECK_EQ(ptu_render_openmetrics(&counted, out, &err), -ENOSPC);
	CHECK_HAS(err.text, "cannot write the output");
	fclose(out);
}

UNIT_MAIN
