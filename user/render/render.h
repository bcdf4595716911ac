/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How a report is shown: text by render_text.c, JSON by render_json.c. */
#ifndef PTU_RENDER_RENDER_H
#define PTU_RENDER_RENDER_H

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"
#include "report/change.h"
#include "report/cow.h"
#include "report/flags.h"
#include "report/footprint.h"
#include "report/frames.h"
#include "report/map.h"
#include "report/map_sheet.h"
#include "report/pages.h"
#include "report/report.h"
#include "report/score.h"
#include "report/system.h"
#include "report/top.h"
#include "report/watch.h"
#include "report/whatif.h"

/**
 * struct ptu_render_options - how text is shown
 * @raw: one row a line, columns by one space, as scols_table_enable_raw()
 * @no_headings: rows alone: no column names, titles and sentences
 * @bytes: sizes in bytes instead of a human form
 * @columns: as --output takes them: "A,B" or "+A,B"; NULL for the defaults
 * @all_columns: every column
 * @sort: the column to sort rows by, NULL: as they are
 * @mappings: of an estimate, what is counted with each mapping
 */
struct ptu_render_options {
	bool raw;
	bool no_headings;
	bool bytes;
	const char *columns;
	bool all_columns;
	const char *sort;
	bool mappings;
};

/**
 * ptu_render_prose() - Are titles and sentences wanted beside the tables?
 */
static inline bool ptu_render_prose(const struct ptu_render_options *options)
{
	return !options->raw && !options->no_headings;
}

/**
 * ptu_render_text() - Through libsmartcols.
 *
 * Return: 0; -EINVAL an unknown column; -EIO output failed; -ENOMEM.
 */
ptu_must_check int ptu_render_text(const struct ptu_report *report,
				   const struct ptu_render_options *options,
				   FILE *out, struct ptu_err *err);

/**
 * ptu_render_text_check() - Would ptu_render_text() take the options?
 * @report: (in) need not hold processes yet
 *
 * Return: 0; -EINVAL an unknown column.
 */
ptu_must_check int
ptu_render_text_check(const struct ptu_report *report,
		      const struct ptu_render_options *options,
		      struct ptu_err *err);

/**
 * ptu_render_text_wants_fill() - Does it show how full PTE tables are?
 */
bool ptu_render_text_wants_fill(const struct ptu_report *report,
				const struct ptu_render_options *options);

/**
 * ptu_render_check_columns() - The columns of check, a line each.
 */
void ptu_render_check_columns(FILE *out);

/**
 * ptu_render_estimate_columns() - The columns of estimate, a line each.
 */
void ptu_render_estimate_columns(FILE *out);

/**
 * ptu_render_mapping_columns() - Those of the mappings in check and estimate.
 */
void ptu_render_mapping_columns(FILE *out);

/**
 * ptu_render_json() - Through jansson; schema 1 as in ptaudit(8).
 */
ptu_must_check int ptu_render_json(const struct ptu_report *report, FILE *out,
				   struct ptu_err *err);

/**
 * ptu_render_ktap() - A check as KTAP version 1: a test for each process.
 *
 * A process that keeps ptu_report_status() from 0 is "not ok", and lines before it say which level and table; one that is left out without harm is skipped.
 *
 * Return: 0; -EIO output failed.
 */
ptu_must_check int ptu_render_ktap(const struct ptu_report *report, FILE *out,
				   struct ptu_err *err);

/**
 * ptu_render_cow_text() - A table with a row a mapping, and what it means.
 *
 * Return: 0; -EINVAL an unknown column; -EIO output failed; -ENOMEM.
 */
ptu_must_check int ptu_render_cow_text(const struct ptu_cow_report *report,
				       const struct ptu_render_options *options,
				       FILE *out, struct ptu_err *err);

/**
 * ptu_render_cow_check() - Would ptu_render_cow_text() take the options?
 */
ptu_must_check int
ptu_render_cow_check(const struct ptu_render_options *options,
		     struct ptu_err *err);

/**
 * ptu_render_cow_columns() - The columns, a line each.
 */
void ptu_render_cow_columns(FILE *out);

ptu_must_check int ptu_render_cow_json(const struct ptu_cow_report *report,
				       const struct ptu_render_options *options,
				       FILE *out, struct ptu_err *err);

/**
 * ptu_render_flags_text() - Groups and single flags, or runs.
 *
 * Return: 0; -EINVAL an unknown column; -EIO output failed; -ENOMEM.
 */
ptu_must_check int
ptu_render_flags_text(const struct ptu_flags_report *report,
		      const struct ptu_render_options *options, FILE *out,
		      struct ptu_err *err);

/**
 * ptu_render_flags_check() - Would ptu_render_flags_text() take the options?
 * @with_runs: (in) it is to show runs
 */
ptu_must_check int
ptu_render_flags_check(const struct ptu_render_options *options, bool with_runs,
		       struct ptu_err *err);

/**
 * ptu_render_flags_columns() - The columns, a line each.
 */
void ptu_render_flags_columns(FILE *out);

ptu_must_check int ptu_render_flags_json(const struct ptu_flags_report *report,
					 FILE *out, struct ptu_err *err);

/**
 * ptu_render_kpagemap_text() - A table with a row a flag, one with a row a rule
 * for counts, and what they mean.
 *
 * Return: 0; -EINVAL an unknown column; -EIO output failed; -ENOMEM.
 */
ptu_must_check int
ptu_render_kpagemap_text(const struct ptu_kpagemap_report *report,
			 const struct ptu_render_options *options, FILE *out,
			 struct ptu_err *err);

/**
 * ptu_render_kpagemap_check() - Would it take the options?
 */
ptu_must_check int
ptu_render_kpagemap_check(const struct ptu_render_options *options,
			  struct ptu_err *err);

/**
 * ptu_render_kpagemap_columns() - The columns, a line each.
 */
void ptu_render_kpagemap_columns(FILE *out);

ptu_must_check int
ptu_render_kpagemap_json(const struct ptu_kpagemap_report *report, FILE *out,
			 struct ptu_err *err);

/**
 * ptu_render_footprint_text() - A row a process, one for the set, and what it means.
 *
 * Return: 0; -EINVAL an unknown column; -EIO output failed; -ENOMEM.
 */
ptu_must_check int
ptu_render_footprint_text(const struct ptu_footprint_report *report,
			  const struct ptu_render_options *options, FILE *out,
			  struct ptu_err *err);

/**
 * ptu_render_footprint_check() - Would ptu_render_footprint_text() take the options?
 */
ptu_must_check int
ptu_render_footprint_check(const struct ptu_render_options *options,
			   struct ptu_err *err);

/**
 * ptu_render_footprint_columns() - The columns, a line each.
 */
void ptu_render_footprint_columns(FILE *out);

ptu_must_check int
ptu_render_footprint_json(const struct ptu_footprint_report *report,
			  const struct ptu_render_options *options, FILE *out,
			  struct ptu_err *err);

/**
 * ptu_render_totals_text() - A table with a row a total, and what it means.
 *
 * Return: 0; -EINVAL an unknown column; -EIO output failed; -ENOMEM.
 */
ptu_must_check int
ptu_render_totals_text(const struct ptu_totals_report *report,
		       const struct ptu_render_options *options, FILE *out,
		       struct ptu_err *err);

/**
 * ptu_render_totals_check() - Would ptu_render_totals_text() take the options?
 */
ptu_must_check int
ptu_render_totals_check(const struct ptu_render_options *options,
			struct ptu_err *err);

/**
 * ptu_render_totals_columns() - The columns, a line each.
 */
void ptu_render_totals_columns(FILE *out);

ptu_must_check int
ptu_render_totals_json(const struct ptu_totals_report *report, FILE *out,
		       struct ptu_err *err);

/**
 * ptu_render_whatif_text() - What could go, by mapping, and what keeps the rest.
 *
 * Of a reclaim that was done only what came back.
 *
 * Return: 0; -EIO output failed.
 */
ptu_must_check int
ptu_render_whatif_text(const struct ptu_whatif_report *report,
		       const struct ptu_render_options *options, FILE *out,
		       struct ptu_err *err);

ptu_must_check int
ptu_render_whatif_json(const struct ptu_whatif_report *report, FILE *out,
		       struct ptu_err *err);

/**
 * ptu_render_top_text() - A row a process, a group or a run of mappings.
 *
 * Return: 0; -EINVAL an unknown column; -EIO output failed; -ENOMEM.
 */
ptu_must_check int ptu_render_top_text(const struct ptu_top_report *report,
				       const struct ptu_render_options *options,
				       FILE *out, struct ptu_err *err);

/**
 * ptu_render_top_check() - Would ptu_render_top_text() take the options?
 */
ptu_must_check int
ptu_render_top_check(const struct ptu_render_options *options,
		     struct ptu_err *err);

/**
 * ptu_render_top_columns() - The columns, a line each.
 */
void ptu_render_top_columns(FILE *out);

ptu_must_check int ptu_render_top_json(const struct ptu_top_report *report,
				       const struct ptu_render_options *options,
				       FILE *out, struct ptu_err *err);

/**
 * ptu_render_score_text() - A row an estimator and level, then the worst processes.
 *
 * Return: 0; -EINVAL an unknown column; -EIO output failed; -ENOMEM.
 */
ptu_must_check int
ptu_render_score_text(const struct ptu_score_report *score,
		      const struct ptu_render_options *options, FILE *out,
		      struct ptu_err *err);

/**
 * ptu_render_score_check() - Would ptu_render_score_text() take the options?
 */
ptu_must_check int
ptu_render_score_check(const struct ptu_render_options *options,
		       struct ptu_err *err);

/**
 * ptu_render_score_columns() - The columns, a line each.
 */
void ptu_render_score_columns(FILE *out);

ptu_must_check int ptu_render_score_json(const struct ptu_score_report *score,
					 FILE *out, struct ptu_err *err);

/**
 * ptu_render_map_text() - A sentence, a strip of cells, the levels, the mappings.
 * @limit: (in) mappings at most, 0 for as many as are easily read
 *
 * Raw output and output without headings have the mappings alone.  Of several maps
 * the figures are of the last one.
 *
 * Return: 0; -EINVAL an unknown column; -EIO output failed; -ENOMEM.
 */
ptu_must_check int ptu_render_map_text(const struct ptu_map_sheet *sheet,
				       const struct ptu_render_options *options,
				       size_t limit, FILE *out,
				       struct ptu_err *err);

/**
 * ptu_render_map_tables() - A line for each table and each huge page.
 */
ptu_must_check int
ptu_render_map_tables(const struct ptu_map_report *report,
		      const struct ptu_render_options *options, FILE *out,
		      struct ptu_err *err);

/**
 * ptu_render_map_check() - Would ptu_render_map_text() take the options?
 */
ptu_must_check int
ptu_render_map_check(const struct ptu_render_options *options,
		     struct ptu_err *err);

/**
 * ptu_render_map_columns() - The columns of the mappings, a line each.
 */
void ptu_render_map_columns(FILE *out);

/**
 * ptu_render_map_json() - Levels and mappings.
 * @with_tables: (in) and each table
 * @limit: (in) mappings at most, 0 for all
 */
ptu_must_check int ptu_render_map_json(const struct ptu_map_report *report,
				       const struct ptu_render_options *options,
				       bool with_tables, size_t limit,
				       FILE *out, struct ptu_err *err);

/**
 * ptu_render_map_html() - A page that needs no network.
 *
 * Return: 0; -EOPNOTSUPP as ptu_render_map_html_ready(); -EIO output failed.
 */
ptu_must_check int ptu_render_map_html(const struct ptu_map_sheet *sheet,
				       FILE *out, struct ptu_err *err);

/**
 * ptu_render_map_html_ready() - Was the tool built with the page?
 *
 * Return: 0; -EOPNOTSUPP no.
 */
ptu_must_check int ptu_render_map_html_ready(struct ptu_err *err);

/**
 * ptu_render_system_text() - A table with a row a part of PageTables, and what it
 * means.
 *
 * Return: 0; -EINVAL an unknown column; -EIO output failed; -ENOMEM.
 */
ptu_must_check int
ptu_render_system_text(const struct ptu_system_report *report,
		       const struct ptu_render_options *options, FILE *out,
		       struct ptu_err *err);

/**
 * ptu_render_system_check() - Would ptu_render_system_text() take the options?
 */
ptu_must_check int
ptu_render_system_check(const struct ptu_render_options *options,
			struct ptu_err *err);

/**
 * ptu_render_system_columns() - The columns, a line each.
 */
void ptu_render_system_columns(FILE *out);

ptu_must_check int
ptu_render_system_json(const struct ptu_system_report *report,
		       const struct ptu_render_options *options, FILE *out,
		       struct ptu_err *err);

/**
 * ptu_render_watch_head() - Headings of the lines below.
 * @is_group: of totals; else of processes
 */
void ptu_render_watch_head(bool is_group, FILE *out);

/**
 * ptu_render_watch_text() - One process in one interval: a line.
 * @time: (in) of the day, to stand first
 *
 * Return: 0; -EIO output failed.
 */
ptu_must_check int
ptu_render_watch_text(const struct ptu_watch_row *row, const char *time,
		      const struct ptu_render_options *options, FILE *out,
		      struct ptu_err *err);

/**
 * ptu_render_watch_total_text() - Print the line of a group for one interval.
 */
ptu_must_check int
ptu_render_watch_total_text(const struct ptu_watch_total *total,
			    const char *time,
			    const struct ptu_render_options *options, FILE *out,
			    struct ptu_err *err);

/**
 * ptu_render_watch_json() - One process in one interval: an object in a line.
 */
ptu_must_check int ptu_render_watch_json(const struct ptu_watch_row *row,
					 const struct ptu_host *host, FILE *out,
					 struct ptu_err *err);

ptu_must_check int
ptu_render_watch_total_json(const struct ptu_watch_total *total,
			    const struct ptu_host *host, FILE *out,
			    struct ptu_err *err);

/**
 * ptu_render_watch_over() - A sentence on a growth that is too fast.
 * @row: (in) a process; or the one of @total that grew most
 * @total: (in) the group, or NULL
 * @limit_bytes: (in) a second
 * @ret: (out) [ret_bytes]
 */
void ptu_render_watch_over(const struct ptu_watch_row *row,
			   const struct ptu_watch_total *total,
			   uint64_t limit_bytes, char *ret, size_t ret_bytes);

/**
 * ptu_render_change_text() - Tables that came and went, by level and by mapping.
 *
 * Return: 0; -EINVAL an unknown column; -EIO output failed; -ENOMEM.
 */
ptu_must_check int
ptu_render_change_text(const struct ptu_change_report *report,
		       const struct ptu_render_options *options, FILE *out,
		       struct ptu_err *err);

/**
 * ptu_render_change_check() - Would ptu_render_change_text() take the options?
 */
ptu_must_check int
ptu_render_change_check(const struct ptu_render_options *options,
			struct ptu_err *err);

/**
 * ptu_render_change_columns() - The columns, a line each.
 */
void ptu_render_change_columns(FILE *out);

ptu_must_check int
ptu_render_change_json(const struct ptu_change_report *report, FILE *out,
		       struct ptu_err *err);

#endif
