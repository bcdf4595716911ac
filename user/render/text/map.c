// SPDX-License-Identifier: LGPL-2.1-or-later
/* A map as text.  Must not decide anything that is not in the report. */
#include "report/map.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/escape.h"
#include "render/format.h"
#include "render/render.h"
#include "render/text/grid.h"
#include "render/text/map_picture.h"
#include "render/text/terminal.h"

/* Mappings that are shown where nobody said how many. */
#define USUAL_ROWS 20

/* One level, or one row of mappings, of a report. */
struct line {
	const struct ptu_map_report *report;
	const struct ptu_top_row *row;
	unsigned int level;
	bool flat; /* without the indentation of levels */
};

static void size(struct ptu_grid_cell *cell, uint64_t bytes)
{
	char text[PTU_FORMAT_LEN];

	snprintf(cell->text, sizeof(cell->text), "%s",
		 ptu_format_size(bytes, cell->bytes, text));
}

static void number(struct ptu_grid_cell *cell, uint64_t value)
{
	snprintf(cell->text, sizeof(cell->text), "%" PRIu64, value);
}

static void percent(struct ptu_grid_cell *cell, const struct ptu_fill *fill)
{
	char text[PTU_FORMAT_LEN];

	snprintf(cell->text, sizeof(cell->text), "%s",
		 fill->counted ?
			 ptu_format_percent(ptu_fill_permille(fill), text) :
			 "-");
}

/* Empty ones among tables, if the source sees them. */
static void empty(struct ptu_grid_cell *cell, bool is_seen, uint64_t nr)
{
	if (is_seen)
		number(cell, nr);
	else
		snprintf(cell->text, sizeof(cell->text), "-");
}

static void level_name(struct ptu_grid_cell *cell, const void *at)
{
	const struct line *line = at;
	unsigned int above = line->level;
	int depth = 0;

	while ((above = ptu_geometry_above(&line->report->geo, above)) <
	       PTAUDIT_NR_LEVELS)
		depth++;
	snprintf(cell->text, sizeof(cell->text), "%*s%s", depth, "",
		 ptu_level_name(line->level));
}

static void level_tables(struct ptu_grid_cell *cell, const void *at)
{
	const struct line *line = at;
	const uint64_t low = line->report->fills[line->level].tables;
	const uint64_t possible = line->report->possible[line->level];

	if (possible)
		snprintf(cell->text, sizeof(cell->text), "%" PRIu64 "-%" PRIu64,
			 low, low + possible);
	else
		number(cell, low);
}

static void level_size(struct ptu_grid_cell *cell, const void *at)
{
	const struct line *line = at;

	size(cell,
	     line->report->fills[line->level].tables *
		     ptu_geometry_table_bytes(&line->report->geo, line->level));
}

static void level_used(struct ptu_grid_cell *cell, const void *at)
{
	const struct line *line = at;
	const struct ptu_fill *fill = &line->report->fills[line->level];

	if (fill->counted)
		number(cell, fill->entries);
	else
		snprintf(cell->text, sizeof(cell->text), "-");
}

static void level_fill(struct ptu_grid_cell *cell, const void *at)
{
	const struct line *line = at;

	percent(cell, &line->report->fills[line->level]);
}

static void level_empty(struct ptu_grid_cell *cell, const void *at)
{
	const struct line *line = at;

	empty(cell, line->report->process.sees_empty,
	      line->report->process.empty[line->level]);
}

static void level_huge(struct ptu_grid_cell *cell, const void *at)
{
	const struct line *line = at;

	number(cell, line->report->leaves[line->level]);
}

static const struct ptu_grid_column level_columns[] = {
	{ "LEVEL", "", false, level_name, NULL, 0 },
	{ "TABLES", "", true, level_tables, NULL, 0 },
	{ "SIZE", "", true, level_size, NULL, 0 },
	{ "USED", "", true, level_used, NULL, 0 },
	{ "FILL", "", true, level_fill, NULL, 0 },
	{ "EMPTY", "", true, level_empty, NULL, 0 },
	{ "HUGE", "", true, level_huge, NULL, 0 },
	{ 0 },
};

static void row_waste(struct ptu_grid_cell *cell, const void *at)
{
	const struct line *line = at;

	if (line->row->fill.counted)
		size(cell, ptu_map_waste_bytes(line->report, &line->row->fill));
	else
		snprintf(cell->text, sizeof(cell->text), "-");
}

static void row_size(struct ptu_grid_cell *cell, const void *at)
{
	size(cell, ((const struct line *)at)->row->total_bytes);
}

static void row_tables(struct ptu_grid_cell *cell, const void *at)
{
	number(cell, ((const struct line *)at)->row->fill.tables);
}

static void row_empty(struct ptu_grid_cell *cell, const void *at)
{
	const struct ptu_top_row *row = ((const struct line *)at)->row;

	empty(cell, row->has_empty, row->empty_tables);
}

static void row_used(struct ptu_grid_cell *cell, const void *at)
{
	const struct ptu_top_row *row = ((const struct line *)at)->row;

	if (row->fill.counted)
		number(cell, row->fill.entries);
	else
		snprintf(cell->text, sizeof(cell->text), "-");
}

static void row_fill(struct ptu_grid_cell *cell, const void *at)
{
	percent(cell, &((const struct line *)at)->row->fill);
}

static void row_huge(struct ptu_grid_cell *cell, const void *at)
{
	number(cell, ((const struct line *)at)->row->leaves);
}

static void row_start(struct ptu_grid_cell *cell, const void *at)
{
	ptu_grid_address(cell, ((const struct line *)at)->row->start);
}

static void row_end(struct ptu_grid_cell *cell, const void *at)
{
	ptu_grid_address(cell, ((const struct line *)at)->row->end);
}

static void row_span(struct ptu_grid_cell *cell, const void *at)
{
	const struct ptu_top_row *row = ((const struct line *)at)->row;

	size(cell, row->end - row->start);
}

static void row_name(struct ptu_grid_cell *cell, const void *at)
{
	snprintf(cell->text, sizeof(cell->text), "%s",
		 ((const struct line *)at)->row->name);
}

static const struct ptu_grid_column row_columns[] = {
	{ "WASTE", "memory of the unused entries of its PTE tables", true,
	  row_waste, NULL, 0 },
	{ "SIZE", "memory of its tables, PTE to P4D", true, row_size, NULL, 0 },
	{ "TABLES", "its PTE tables", true, row_tables, NULL, 0 },
	{ "EMPTY", "PTE tables that hold nothing", true, row_empty, NULL, 0 },
	{ "USED", "used entries of its PTE tables", true, row_used, NULL, 0 },
	{ "FILL", "percent of their entries that are used", true, row_fill,
	  NULL, 0 },
	{ "HUGE", "huge pages", true, row_huge, NULL, 0 },
	{ "START", "first address", true, row_start, NULL, 0 },
	{ "END", "its end, exclusive", true, row_end, NULL, 0 },
	{ "SPAN", "addresses from the first to the end", true, row_span, NULL,
	  0 },
	{ "NAME", "what is mapped", false, row_name, NULL, 0 },
	{ 0 },
};

static const char row_defaults[] =
	"WASTE,SIZE,TABLES,EMPTY,FILL,HUGE,START,SPAN,NAME";

int ptu_render_map_check(const struct ptu_render_options *options,
			 struct ptu_err *err)
{
	const struct ptu_grid grid = { .columns = row_columns,
				       .defaults = row_defaults };

	return ptu_grid_check(&grid, options, err);
}

void ptu_render_map_columns(FILE *out)
{
	ptu_grid_help(row_columns, out);
}

/* Whose tables, how much of them is waste, and what wastes most. */
static void say_first(const struct ptu_map_report *report, bool bytes,
		      FILE *out)
{
	const struct ptu_process *p = &report->process;
	const struct ptu_top_row *worst = report->nr_rows ? report->rows : NULL;
	char comm[PTU_ESCAPE_BYTES(sizeof(p->comm))];
	char name[PTU_ESCAPE_BYTES(sizeof(worst->name))];
	char total[PTU_FORMAT_LEN], waste[PTU_FORMAT_LEN];

	fprintf(out, "%s (%d): tables %s",
		ptu_escape(p->comm, true, comm, sizeof(comm)), (int)p->pid,
		ptu_format_size(ptu_map_total_bytes(report), bytes, total));
	if (!report->fills[PTAUDIT_PTE].counted) {
		fprintf(out, ", how full they are is not known\n");
		return;
	}
	fprintf(out, ", waste %s",
		ptu_format_size(ptu_map_waste_bytes(report, &p->fill), bytes,
				waste));
	if (worst && worst->fill.counted &&
	    ptu_map_waste_bytes(report, &worst->fill))
		fprintf(out, "; most of it, %s, by %s at 0x%" PRIx64,
			ptu_format_size(ptu_map_waste_bytes(report,
							    &worst->fill),
					bytes, waste),
			ptu_escape(worst->name, true, name, sizeof(name)),
			worst->start);
	fputc('\n', out);
}

/* Where that comes from, and what is not in the picture. */
static void say_source(const struct ptu_map_report *report, bool bytes,
		       FILE *out)
{
	const struct ptu_process *p = &report->process;
	const uint64_t unseen = ptu_map_unseen_bytes(report);
	const uint64_t deposited = p->deposited_tables * report->geo.page_bytes;
	char text[PTU_FORMAT_LEN];

	if (report->estimator)
		fprintf(out, "estimated by %s", report->estimator);
	else
		fprintf(out, "the kernel's tables, read by %s",
			ptu_top_source_name(report->source));
	if (deposited)
		fprintf(out, "; with %s deposited for huge pages",
			ptu_format_size(deposited, bytes, text));
	fputs("\n", out);
	if (unseen)
		fprintf(out,
			"VmPTE has %s more than is drawn here: tables without a page, which %s does not see\n",
			ptu_format_size(unseen, bytes, text),
			report->estimator);
}

static int print_levels(const struct ptu_map_report *report,
			const struct ptu_render_options *options, FILE *out,
			struct ptu_err *err)
{
	const struct ptu_render_options shown = { .bytes = options->bytes };
	struct line lines[PTAUDIT_NR_LEVELS];
	const struct ptu_grid grid = {
		.columns = level_columns,
		.defaults = "LEVEL,TABLES,SIZE,USED,FILL,EMPTY,HUGE",
		.rows = lines,
		.row_bytes = sizeof(lines[0]),
	};
	struct ptu_grid filled = grid;
	unsigned int level = PTAUDIT_PGD + 1;

	while (level-- > 0) {
		if (report->geo.unfolded[level])
			lines[filled.nr_rows++] = (struct line){
				.report = report, .level = level
			};
	}
	return ptu_grid_print(&filled, &shown, out, err);
}

static int print_rows(const struct ptu_map_report *report,
		      const struct ptu_render_options *options, size_t nr_rows,
		      FILE *out, struct ptu_err *err)
{
	struct ptu_grid grid = {
		.columns = row_columns,
		.defaults = row_defaults,
		.nr_rows = nr_rows,
		.row_bytes = sizeof(struct line),
		.cut = true,
	};
	struct line *lines = calloc(nr_rows + 1, sizeof(*lines));
	size_t i;
	int error;

	if (!lines)
		return ptu_err_set(err, -ENOMEM, "no memory for the table");
	for (i = 0; i < nr_rows; i++)
		lines[i] = (struct line){ .report = report,
					  .row = &report->rows[i] };
	grid.rows = lines;
	error = ptu_grid_print(&grid, options, out, err);
	free(lines);
	return error;
}

int ptu_render_map_text(const struct ptu_map_report *report,
			const struct ptu_render_options *options, size_t limit,
			FILE *out, struct ptu_err *err)
{
	const struct ptu_picture picture = {
		.columns = ptu_terminal_columns(out),
		.utf8 = ptu_terminal_is_utf8(),
		.colours = ptu_terminal_colours(out),
	};
	const bool prose = ptu_render_prose(options);
	size_t nr_rows = report->nr_rows;
	int error = 0;

	/* who takes the lines apart wants them all */
	if (!limit && prose)
		limit = USUAL_ROWS;
	if (limit && nr_rows > limit)
		nr_rows = limit;
	if (prose) {
		say_first(report, options->bytes, out);
		say_source(report, options->bytes, out);
		fputc('\n', out);
		error = ptu_picture_draw(report, &picture, out);
		if (error)
			return ptu_err_set(err, error,
					   "no memory for the picture");
		fputc('\n', out);
		error = print_levels(report, options, out, err);
		fputc('\n', out);
	}
	if (!error)
		error = print_rows(report, options, nr_rows, out, err);
	if (!error && prose && nr_rows < report->nr_rows)
		fprintf(out, "%zu of %zu rows; -N %zu shows all\n", nr_rows,
			report->nr_rows, report->nr_rows);
	if (!error && ferror(out))
		error = ptu_err_set(err, -EIO, "writing the report failed");
	return error;
}
