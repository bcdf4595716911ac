/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rendering of reports: as text in render/text, as JSON in render/json. */
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
 * struct ptu_render_options - format of the text
 * @raw: one row per line, columns separated by one blank, as scols_table_enable_raw()
 * @no_headings: only rows: no column names, titles and sentences
 * @bytes: sizes in bytes instead of rounded ones
 * @columns: argument of --output: "A,B" or "+A,B"; NULL for the defaults
 * @all_columns: every column
 * @sort: the column to sort rows by; NULL: the order of the table
 * @limit: maximum number of rows that are shown after sorting; 0: all
 * @mappings: show the tables of each mapping
 */
struct ptu_render_options {
	bool raw;
	bool no_headings;
	bool bytes;
	const char *columns;
	bool all_columns;
	const char *sort;
	size_t limit;
	bool mappings;
};

/**
 * ptu_render_prose() - Are titles and sentences printed besides the tables?
 */
static inline bool ptu_render_prose(const struct ptu_render_options *options)
{
	return !options->raw && !options->no_headings;
}

/**
 * ptu_render_text() - Print a report as text, through libsmartcols.
 *
 * Return: 0; -EINVAL an unknown column; as ptu_written(); -ENOMEM.
 */
ptu_must_check int ptu_render_text(const struct ptu_report *report,
				   const struct ptu_render_options *options,
				   FILE *out, struct ptu_err *err);

/**
 * ptu_render_text_check() - Are the options valid for ptu_render_text()?
 * @report: (in) may still lack its processes
 *
 * Return: 0; -EINVAL an unknown column.
 */
ptu_must_check int
ptu_render_text_check(const struct ptu_report *report,
		      const struct ptu_render_options *options,
		      struct ptu_err *err);

/**
 * ptu_render_text_wants_fill() - Does the output need the fill of PTE tables?
 */
bool ptu_render_text_wants_fill(const struct ptu_report *report,
				const struct ptu_render_options *options);

/**
 * ptu_render_check_columns() - List the columns of check, one per line.
 */
void ptu_render_check_columns(FILE *out);

/**
 * ptu_render_estimate_columns() - List the columns of estimate, one per line.
 */
void ptu_render_estimate_columns(FILE *out);

/**
 * ptu_render_mapping_columns() - List the columns of mappings in check and
 *	estimate.
 */
void ptu_render_mapping_columns(FILE *out);

/**
 * ptu_render_json() - Print a report as JSON, through jansson, as
 *	ptaudit-json(5) describes it.
 */
ptu_must_check int ptu_render_json(const struct ptu_report *report,
				   const struct ptu_render_options *options,
				   FILE *out, struct ptu_err *err);

/**
 * ptu_render_ktap() - Print a check as KTAP version 1, with a test per process.
 *
 * A process that makes ptu_report_status() different from 0 is "not ok"; lines before
 * it name the level and the table. A process that was left out without an error is
 * skipped.
 *
 * Return: 0; as ptu_written().
 */
ptu_must_check int ptu_render_ktap(const struct ptu_report *report, FILE *out,
				   struct ptu_err *err);

/**
 * ptu_render_cow_text() - Print a table with a row per mapping, and a summary.
 *
 * Return: 0; -EINVAL an unknown column; as ptu_written(); -ENOMEM.
 */
ptu_must_check int ptu_render_cow_text(const struct ptu_cow_report *report,
				       const struct ptu_render_options *options,
				       FILE *out, struct ptu_err *err);

/**
 * ptu_render_cow_check() - Are the options valid for ptu_render_cow_text()?
 */
ptu_must_check int
ptu_render_cow_check(const struct ptu_render_options *options,
		     struct ptu_err *err);

/**
 * ptu_render_cow_columns() - List the columns, one per line.
 */
void ptu_render_cow_columns(FILE *out);

ptu_must_check int ptu_render_cow_json(const struct ptu_cow_report *report,
				       const struct ptu_render_options *options,
				       FILE *out, struct ptu_err *err);

/**
 * ptu_render_flags_text() - Print groups and single flags, or runs.
 *
 * Return: 0; -EINVAL an unknown column; as ptu_written(); -ENOMEM.
 */
ptu_must_check int
ptu_render_flags_text(const struct ptu_flags_report *report,
		      const struct ptu_render_options *options, FILE *out,
		      struct ptu_err *err);

/**
 * ptu_render_flags_check() - Are the options valid for ptu_render_flags_text()?
 * @with_runs: (in) runs are to be printed
 */
ptu_must_check int
ptu_render_flags_check(const struct ptu_render_options *options, bool with_runs,
		       struct ptu_err *err);

/**
 * ptu_render_flags_columns() - List the columns of groups, one per line.
 */
void ptu_render_flags_columns(FILE *out);

/**
 * ptu_render_flag_runs_columns() - List the columns of runs, one per line.
 */
void ptu_render_flag_runs_columns(FILE *out);

ptu_must_check int
ptu_render_flags_json(const struct ptu_flags_report *report,
		      const struct ptu_render_options *options, FILE *out,
		      struct ptu_err *err);

/**
 * ptu_render_kpagemap_text() - Print a table of flags, a table of count rules, and
 *	a summary.
 *
 * Return: 0; -EINVAL an unknown column; as ptu_written(); -ENOMEM.
 */
ptu_must_check int
ptu_render_kpagemap_text(const struct ptu_kpagemap_report *report,
			 const struct ptu_render_options *options, FILE *out,
			 struct ptu_err *err);

/**
 * ptu_render_kpagemap_check() - Are the options valid for it?
 */
ptu_must_check int
ptu_render_kpagemap_check(const struct ptu_render_options *options,
			  struct ptu_err *err);

/**
 * ptu_render_kpagemap_columns() - List the columns, one per line.
 */
void ptu_render_kpagemap_columns(FILE *out);

ptu_must_check int
ptu_render_kpagemap_json(const struct ptu_kpagemap_report *report,
			 const struct ptu_render_options *options, FILE *out,
			 struct ptu_err *err);

/**
 * ptu_render_footprint_text() - Print a row per process, one for the set, and a
 *	summary.
 *
 * Return: 0; -EINVAL an unknown column; as ptu_written(); -ENOMEM.
 */
ptu_must_check int
ptu_render_footprint_text(const struct ptu_footprint_report *report,
			  const struct ptu_render_options *options, FILE *out,
			  struct ptu_err *err);

/**
 * ptu_render_footprint_check() - Are the options valid for ptu_render_footprint_text()?
 */
ptu_must_check int
ptu_render_footprint_check(const struct ptu_render_options *options,
			   struct ptu_err *err);

/**
 * ptu_render_footprint_wants_smaps() - Does the output need the figures of smaps?
 * @json: (in) the output is JSON
 */
bool ptu_render_footprint_wants_smaps(const struct ptu_render_options *options,
				      bool json);

/**
 * ptu_render_footprint_columns() - List the columns, one per line.
 */
void ptu_render_footprint_columns(FILE *out);

ptu_must_check int
ptu_render_footprint_json(const struct ptu_footprint_report *report,
			  const struct ptu_render_options *options, FILE *out,
			  struct ptu_err *err);

/**
 * ptu_render_totals_text() - Print a table with a row per total, and a summary.
 *
 * Return: 0; -EINVAL an unknown column; as ptu_written(); -ENOMEM.
 */
ptu_must_check int
ptu_render_totals_text(const struct ptu_totals_report *report,
		       const struct ptu_render_options *options, FILE *out,
		       struct ptu_err *err);

/**
 * ptu_render_totals_check() - Are the options valid for ptu_render_totals_text()?
 */
ptu_must_check int
ptu_render_totals_check(const struct ptu_render_options *options,
			struct ptu_err *err);

/**
 * ptu_render_totals_columns() - List the columns, one per line.
 */
void ptu_render_totals_columns(FILE *out);

ptu_must_check int
ptu_render_totals_json(const struct ptu_totals_report *report,
		       const struct ptu_render_options *options, FILE *out,
		       struct ptu_err *err);

/**
 * ptu_render_whatif_text() - Print the tables that could be freed, and what
 *	prevents the rest.
 *
 * With an option for tables, print one row for each way to free tables.  After
 * reclaim --do, print only the freed tables.
 *
 * Return: 0; -EINVAL an unknown column; as ptu_written(); -ENOMEM.
 */
ptu_must_check int
ptu_render_whatif_text(const struct ptu_whatif_report *report,
		       const struct ptu_render_options *options, FILE *out,
		       struct ptu_err *err);

/**
 * ptu_render_whatif_check() - Are the options valid for ptu_render_whatif_text()?
 */
ptu_must_check int
ptu_render_whatif_check(const struct ptu_render_options *options,
			struct ptu_err *err);

/**
 * ptu_render_whatif_columns() - List the columns, one per line.
 */
void ptu_render_whatif_columns(FILE *out);

ptu_must_check int
ptu_render_whatif_json(const struct ptu_whatif_report *report,
		       const struct ptu_render_options *options, FILE *out,
		       struct ptu_err *err);

/**
 * ptu_render_top_text() - Print a row per process, group or run of mappings.
 *
 * Return: 0; -EINVAL an unknown column; as ptu_written(); -ENOMEM.
 */
ptu_must_check int ptu_render_top_text(const struct ptu_top_report *report,
				       const struct ptu_render_options *options,
				       FILE *out, struct ptu_err *err);

/**
 * ptu_render_top_check() - Are the options valid for ptu_render_top_text()?
 */
ptu_must_check int
ptu_render_top_check(enum ptu_top_kind kind,
		     const struct ptu_render_options *options,
		     struct ptu_err *err);

/**
 * ptu_render_top_columns() - List the columns, one per line.
 */
void ptu_render_top_columns(FILE *out);

ptu_must_check int ptu_render_top_json(const struct ptu_top_report *report,
				       const struct ptu_render_options *options,
				       FILE *out, struct ptu_err *err);

/**
 * ptu_render_score_text() - Print a row per estimator and level, then the worst
 *	processes.
 *
 * Return: 0; -EINVAL an unknown column; as ptu_written(); -ENOMEM.
 */
ptu_must_check int
ptu_render_score_text(const struct ptu_score_report *score,
		      const struct ptu_render_options *options, FILE *out,
		      struct ptu_err *err);

/**
 * ptu_render_score_check() - Are the options valid for ptu_render_score_text()?
 */
ptu_must_check int
ptu_render_score_check(const struct ptu_render_options *options,
		       struct ptu_err *err);

/**
 * ptu_render_score_columns() - List the columns, one per line.
 */
void ptu_render_score_columns(FILE *out);

ptu_must_check int
ptu_render_score_json(const struct ptu_score_report *score,
		      const struct ptu_render_options *options, FILE *out,
		      struct ptu_err *err);

/**
 * ptu_render_map_text() - Print a sentence, a strip of cells, the levels, the
 *	mappings.
 *
 * Without a limit, only as many mappings are shown as are easily read.
 *
 * Raw output and output without headings have only the mappings.  For several maps the
 * figures are those of the last one.
 *
 * Return: 0; -EINVAL an unknown column; as ptu_written(); -ENOMEM.
 */
ptu_must_check int ptu_render_map_text(const struct ptu_map_sheet *sheet,
				       const struct ptu_render_options *options,
				       FILE *out, struct ptu_err *err);

/**
 * ptu_render_map_tables() - Print a line for each table and each huge page.
 */
ptu_must_check int
ptu_render_map_tables(const struct ptu_map_report *report,
		      const struct ptu_render_options *options, FILE *out,
		      struct ptu_err *err);

/**
 * ptu_render_map_check() - Are the options valid for ptu_render_map_text()?
 */
ptu_must_check int
ptu_render_map_check(const struct ptu_render_options *options,
		     struct ptu_err *err);

/**
 * ptu_render_map_columns() - List the columns of the mappings, one per line.
 */
void ptu_render_map_columns(FILE *out);

/**
 * ptu_render_map_json() - Print levels and mappings as JSON.
 * @with_tables: (in) also print each table
 */
ptu_must_check int ptu_render_map_json(const struct ptu_map_report *report,
				       const struct ptu_render_options *options,
				       bool with_tables, FILE *out,
				       struct ptu_err *err);

/**
 * ptu_render_map_html() - Print an HTML page that needs no network.
 *
 * Return: 0; -EOPNOTSUPP as ptu_render_map_html_ready(); as ptu_written().
 */
ptu_must_check int ptu_render_map_html(const struct ptu_map_sheet *sheet,
				       FILE *out, struct ptu_err *err);

/**
 * ptu_render_map_html_ready() - Was the tool built with the page?
 *
 * Return: 0; -EOPNOTSUPP if not.
 */
ptu_must_check int ptu_render_map_html_ready(struct ptu_err *err);

/**
 * ptu_render_system_text() - Print a table with the parts of PageTables, and a
 *	summary.
 *
 * Return: 0; -EINVAL an unknown column; as ptu_written(); -ENOMEM.
 */
ptu_must_check int
ptu_render_system_text(const struct ptu_system_report *report,
		       const struct ptu_render_options *options, FILE *out,
		       struct ptu_err *err);

/**
 * ptu_render_system_check() - Are the options valid for ptu_render_system_text()?
 */
ptu_must_check int
ptu_render_system_check(const struct ptu_render_options *options,
			struct ptu_err *err);

/**
 * ptu_render_system_columns() - List the columns, one per line.
 */
void ptu_render_system_columns(FILE *out);

ptu_must_check int
ptu_render_system_json(const struct ptu_system_report *report,
		       const struct ptu_render_options *options, FILE *out,
		       struct ptu_err *err);

/**
 * ptu_render_watch_text() - Print the line of a process or group for one interval.
 * @with_head: (in) with headings above it
 *
 * Return: 0; -EINVAL an unknown column; as ptu_written(); -ENOMEM.
 */
ptu_must_check int
ptu_render_watch_text(const struct ptu_watch_line *line, bool with_head,
		      const struct ptu_render_options *options, FILE *out,
		      struct ptu_err *err);

/**
 * ptu_render_watch_check() - Check options before the first ptu_render_watch_text().
 * @is_group: (in) for lines of a group; else of processes
 */
ptu_must_check int
ptu_render_watch_check(const struct ptu_render_options *options, bool is_group,
		       struct ptu_err *err);

/**
 * ptu_render_watch_columns() - List the columns, one per line.
 */
void ptu_render_watch_columns(FILE *out);

/**
 * ptu_render_watch_json() - Print the line of an interval as a JSON object.
 */
ptu_must_check int
ptu_render_watch_json(const struct ptu_watch_line *line,
		      const struct ptu_host *host,
		      const struct ptu_render_options *options, FILE *out,
		      struct ptu_err *err);

/**
 * ptu_render_watch_peak_text() - Print when a process had most tables, and where.
 */
ptu_must_check int
ptu_render_watch_peak_text(const struct ptu_watch_peak *peak,
			   const struct ptu_render_options *options, FILE *out,
			   struct ptu_err *err);

/**
 * ptu_render_watch_peak_json() - Print the peak as a JSON object on one line.
 */
ptu_must_check int ptu_render_watch_peak_json(const struct ptu_watch_peak *peak,
					      const struct ptu_host *host,
					      FILE *out, struct ptu_err *err);

/**
 * ptu_render_watch_group_peak_text() - Print when a group had most tables, and which
 *	processes.
 */
ptu_must_check int
ptu_render_watch_group_peak_text(const struct ptu_watch_group_peak *peak,
				 const struct ptu_render_options *options,
				 FILE *out, struct ptu_err *err);

/**
 * ptu_render_watch_group_peak_json() - Print the same as an object on one line.
 */
ptu_must_check int
ptu_render_watch_group_peak_json(const struct ptu_watch_group_peak *peak,
				 const struct ptu_host *host, FILE *out,
				 struct ptu_err *err);

/**
 * ptu_render_watch_over() - Format a sentence about growth that is too fast.
 * @row: (in) a process; or the process that @total names
 * @total: (in) the group, or NULL
 * @limit_bytes: (in) limit per second
 * @ret: (out) [ret_bytes]
 */
void ptu_render_watch_over(const struct ptu_watch_row *row,
			   const struct ptu_watch_total *total,
			   uint64_t limit_bytes, char *ret, size_t ret_bytes);

/**
 * ptu_render_change_text() - Print added and freed tables, by level and by mapping.
 *
 * Return: 0; -EINVAL an unknown column; as ptu_written(); -ENOMEM.
 */
ptu_must_check int
ptu_render_change_text(const struct ptu_change_report *report,
		       const struct ptu_render_options *options, FILE *out,
		       struct ptu_err *err);

/**
 * ptu_render_change_check() - Are the options valid for ptu_render_change_text()?
 */
ptu_must_check int
ptu_render_change_check(const struct ptu_render_options *options,
			struct ptu_err *err);

/**
 * ptu_render_change_columns() - List the columns, one per line.
 */
void ptu_render_change_columns(FILE *out);

ptu_must_check int
ptu_render_change_json(const struct ptu_change_report *report,
		       const struct ptu_render_options *options, FILE *out,
		       struct ptu_err *err);

#endif
