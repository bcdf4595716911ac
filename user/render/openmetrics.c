// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Metrics as text.  Source: OpenMetrics 1.0, "Text format". The text is also valid in
 * the older Prometheus format, which treats "# UNIT" and "# EOF" as comments.
 */
#include "render/openmetrics.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/version.h"
#include "base/written.h"
#include "model/geometry.h"

/* Write a name as a label value, with control characters and quotes escaped. */
static void put_label(FILE *out, const char *name)
{
	char text[PTU_ESCAPE_BYTES(
		sizeof(((struct ptu_export_group *)0)->name))];
	const char *at;

	for (at = ptu_escape(name, true, text, sizeof(text)); *at; at++) {
		if (*at == '\\' || *at == '"')
			fputc('\\', out);
		fputc(*at, out);
	}
}

static void head(FILE *out, const char *name, const char *unit,
		 const char *help)
{
	fprintf(out, "# TYPE %s gauge\n", name);
	if (unit)
		fprintf(out, "# UNIT %s %s\n", name, unit);
	fprintf(out, "# HELP %s %s\n", name, help);
}

/* Write one number of a group; @level: PTAUDIT_NR_LEVELS for none. */
static void put_group(const struct ptu_export_report *report, FILE *out,
		      const char *metric, const struct ptu_export_group *group,
		      unsigned int level, uint64_t value)
{
	fprintf(out, "%s{", metric);
	if (group == &report->rest) {
		fputs("other=\"true\"", out);
	} else {
		fprintf(out, "%s=\"", report->by);
		put_label(out, group->name);
		fputc('"', out);
	}
	if (level < PTAUDIT_NR_LEVELS)
		fprintf(out, ",level=\"%s\"", ptu_level_name(level));
	fprintf(out, "} %" PRIu64 "\n", value);
}

static uint64_t value_processes(const struct ptu_export_group *group)
{
	return group->nr_processes;
}

static uint64_t value_empty(const struct ptu_export_group *group)
{
	return group->nr_empty;
}

static uint64_t value_deposited(const struct ptu_export_group *group)
{
	return group->nr_deposited;
}

static uint64_t value_vmpte(const struct ptu_export_group *group)
{
	return group->vmpte_bytes;
}

static const struct ptu_export_group *
group_at(const struct ptu_export_report *report, size_t i)
{
	if (i < report->nr_groups)
		return &report->groups[i];
	return i == report->nr_groups && report->nr_rest ? &report->rest : NULL;
}

static void put_levels(const struct ptu_export_report *report, FILE *out,
		       const char *metric, bool bytes)
{
	const struct ptu_export_group *group;
	unsigned int level;
	size_t i;

	for (i = 0; (group = group_at(report, i)); i++) {
		for (level = 0; level < PTAUDIT_NR_LEVELS; level++) {
			if (group->nr_counted && report->unfolded[level])
				put_group(report, out, metric, group, level,
					  bytes ? group->bytes[level] :
						  group->tables[level]);
		}
	}
}

static void put_groups(const struct ptu_export_report *report, FILE *out)
{
	const struct {
		bool is_known;
		bool is_counted; /* printed only for groups with a counted process */
		const char *name, *unit, *help;
		uint64_t (*value)(const struct ptu_export_group *group);
	} metrics[] = {
		{ true, false, "ptaudit_processes", NULL,
		  "Processes of the group; those with one address space count once.",
		  value_processes },
		{ report->has_empty, true, "ptaudit_empty_tables", NULL,
		  "PTE tables without any entry.", value_empty },
		{ report->has_deposited, true, "ptaudit_deposited_tables", NULL,
		  "PTE tables deposited for huge pages; they are in no tree.",
		  value_deposited },
		{ true, false, "ptaudit_uncounted_bytes", "bytes",
		  "VmPTE of processes whose tables were not counted.",
		  value_vmpte },
	};
	const struct ptu_export_group *group;
	size_t i, k;

	if (report->has_levels) {
		head(out, "ptaudit_table_bytes", "bytes",
		     "Memory of page tables in the trees of processes, by level.");
		put_levels(report, out, "ptaudit_table_bytes", true);
		head(out, "ptaudit_tables", NULL,
		     "Page tables in the trees of processes, by level.");
		put_levels(report, out, "ptaudit_tables", false);
	}
	for (k = 0; k < sizeof(metrics) / sizeof(metrics[0]); k++) {
		if (!metrics[k].is_known)
			continue;
		head(out, metrics[k].name, metrics[k].unit, metrics[k].help);
		for (i = 0; (group = group_at(report, i)); i++) {
			if (!metrics[k].is_counted || group->nr_counted)
				put_group(report, out, metrics[k].name, group,
					  PTAUDIT_NR_LEVELS,
					  metrics[k].value(group));
		}
	}
}

int ptu_render_openmetrics(const struct ptu_export_report *report, FILE *out,
			   struct ptu_err *err)
{
	put_groups(report, out);
	head(out, "ptaudit_pagetables_bytes", "bytes",
	     "PageTables of /proc/meminfo.");
	fprintf(out, "ptaudit_pagetables_bytes %" PRIu64 "\n",
		report->pagetables_bytes);
	if (report->has_remainder) {
		head(out, "ptaudit_remainder_bytes", "bytes",
		     "PageTables minus the tables that ptaudit system accounts for.");
		fprintf(out, "ptaudit_remainder_bytes %" PRId64 "\n",
			report->remainder_bytes);
	}
	head(out, "ptaudit_groups", NULL,
	     "Number of groups, including those that are added up as other.");
	fprintf(out, "ptaudit_groups %zu\n",
		report->nr_groups + report->nr_rest);
	head(out, "ptaudit_source", NULL,
	     "Source of the counts: module, bpf, estimate, or vmpte if tables were not counted.");
	fprintf(out, "ptaudit_source{source=\"%s\",version=\"%s\"} 1\n",
		report->source, PTU_VERSION);
	head(out, "ptaudit_last_run_timestamp_seconds", "seconds",
	     "Time of the measurement, in seconds since 1970.");
	fprintf(out, "ptaudit_last_run_timestamp_seconds %.3f\n",
		report->end_s);
	head(out, "ptaudit_last_run_duration_seconds", "seconds",
	     "Duration of the measurement in seconds.");
	fprintf(out, "ptaudit_last_run_duration_seconds %.6f\n# EOF\n",
		report->took_s);
	return ptu_written(out, 0, err);
}
