// SPDX-License-Identifier: LGPL-2.1-or-later
/* A map as text.  Must not decide anything that is not in the report. */
#include "report/map_sheet.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/written.h"
#include "render/format.h"
#include "render/map_columns.h"
#include "render/render.h"
#include "render/text/grid.h"
#include "render/text/map_picture.h"
#include "render/text/terminal.h"

/* Default number of displayed mappings. */
#define USUAL_ROWS 20

/* Columns that are left for a name, however narrow the terminal is. */
#define LEAST_NAME 8

/* Below this width of a terminal, names take the place of other columns. */
#define USUAL_WIDTH 80

static const char row_defaults[] =
	"WASTE,SIZE,TABLES,EMPTY,FILL,HUGE,START,MAPPED,NAME";
static const char narrow_defaults[] = "WASTE,SIZE,TABLES,EMPTY,FILL,START,NAME";
static const char change_defaults[] =
	"CAME,WENT,SIZE,TABLES,EMPTY,FILL,HUGE,START,MAPPED,NAME";
static const char narrow_change_defaults[] =
	"CAME,WENT,SIZE,TABLES,FILL,START,NAME";

int ptu_render_map_check(const struct ptu_render_options *options,
			 struct ptu_err *err)
{
	const struct ptu_grid grid = { .columns = ptu_map_row_columns,
				       .defaults = row_defaults };

	return ptu_grid_check(&grid, options, err);
}

void ptu_render_map_columns(FILE *out)
{
	ptu_grid_help(ptu_map_row_columns, out);
}

/* Print the process, its waste, and the mapping that wastes most. */
static void say_first(const struct ptu_map_report *report, bool bytes,
		      size_t columns, FILE *out)
{
	const struct ptu_process *p = &report->process;
	const struct ptu_top_row *worst = report->nr_rows ? report->rows : NULL;
	char comm[PTU_ESCAPE_BYTES(sizeof(p->comm))];
	char name[PTU_ESCAPE_BYTES(sizeof(worst->name))];
	char total[PTU_FORMAT_LEN], waste[PTU_FORMAT_LEN];
	char most[128], where[32];
	size_t used;

	used = (size_t)fprintf(out, "%s (%d): tables %s",
			       ptu_escape(p->comm, true, comm, sizeof(comm)),
			       (int)p->pid,
			       ptu_format_size(ptu_map_total_bytes(report),
					       bytes, total));
	if (!report->fills[PTAUDIT_PTE].counted) {
		fprintf(out, ", used entries are not counted\n");
		return;
	}
	used += (size_t)fprintf(out, ", waste %s",
				ptu_format_size(ptu_map_waste_bytes(report,
								    &p->fill),
						bytes, waste));
	if (!worst || !ptu_map_waste_bytes(report, &worst->fill)) {
		fputc('\n', out);
		return;
	}
	snprintf(most, sizeof(most), "the largest part, %s, by ",
		 ptu_format_size(ptu_map_waste_bytes(report, &worst->fill),
				 bytes, waste));
	snprintf(where, sizeof(where), " at 0x%" PRIx64, worst->start);
	ptu_escape(worst->name, true, name, sizeof(name));
	if (columns &&
	    used + 2 + strlen(most) + strlen(name) + strlen(where) > columns) {
		/* a line of its own */
		const size_t others = 2 + strlen(most) + strlen(where);

		fprintf(out, ";\n  %s%s%s\n", most,
			ptu_terminal_fit(name, columns > others + LEAST_NAME ?
						       columns - others :
						       LEAST_NAME),
			where);
	} else {
		fprintf(out, "; %s%s%s\n", most, name, where);
	}
}

/* Print the source of the tables, and what is not drawn. */
static void say_source(const struct ptu_map_report *report, bool bytes,
		       FILE *out)
{
	const struct ptu_process *p = &report->process;
	const uint64_t unseen = ptu_map_unseen_bytes(report);
	const uint64_t deposited = p->deposited_tables * report->geo.page_bytes;
	const uint64_t nr_hollow = p->fill.hollow;
	char text[PTU_FORMAT_LEN];

	if (report->estimator)
		fprintf(out, "estimated by %s", report->estimator);
	else
		fprintf(out, "the kernel's tables, read by %s",
			ptu_top_source_name(report->source));
	fputc('\n', out);
	if (deposited)
		fprintf(out, "deposited for huge pages: %s\n",
			ptu_format_size(deposited, bytes, text));
	if (nr_hollow)
		fprintf(out,
			"waste in upper tables that hold nothing: %s (%" PRIu64
			")\n",
			ptu_format_size(nr_hollow * report->geo.page_bytes,
					bytes, text),
			nr_hollow);
	if (unseen)
		fprintf(out,
			"VmPTE is %s larger than the tables drawn here:\n"
			"  the estimator %s does not see %s,\n"
			"  or tables of PFN mappings,\n"
			"  or the tables changed while they were read\n",
			ptu_format_size(unseen, bytes, text), report->estimator,
			p->sees_empty ? "upper tables that hold nothing" :
					"tables without a page");
}

static int print_levels(const struct ptu_map_report *report,
			const struct ptu_render_options *options, FILE *out,
			struct ptu_err *err)
{
	const struct ptu_render_options shown = { .bytes = options->bytes };
	struct ptu_map_line lines[PTAUDIT_NR_LEVELS];
	const struct ptu_grid grid = {
		.columns = ptu_map_level_columns,
		.defaults = "LEVEL,TABLES,SIZE,USED,FILL,EMPTY,HUGE",
		.rows = lines,
		.row_bytes = sizeof(lines[0]),
	};
	struct ptu_grid filled = grid;
	unsigned int level = PTAUDIT_PGD + 1;

	while (level-- > 0) {
		if (report->geo.unfolded[level])
			lines[filled.nr_rows++] = (struct ptu_map_line){
				.report = report, .level = level
			};
	}
	return ptu_grid_print(&filled, &shown, out, err);
}

/* Print the two moments and the number of added and freed tables. */
static void say_change(const struct ptu_map_sheet *sheet, bool bytes, FILE *out)
{
	char total[PTU_FORMAT_LEN];

	if (sheet->kind != PTU_SHEET_CHANGE)
		return;
	fprintf(out,
		"since %s: %" PRIu64 " tables came, %" PRIu64
		" went\nbefore: tables %s\n",
		sheet->maps[0]->host.time, sheet->marked[PTU_MARK_CAME],
		sheet->marked[PTU_MARK_WENT],
		ptu_format_size(ptu_map_total_bytes(sheet->maps[0]), bytes,
				total));
}

/* List the last map's rows and the previous map's freed rows; changed rows first. */
static struct ptu_map_line *make_lines(const struct ptu_map_sheet *sheet,
				       struct ptu_top_row *gone)
{
	const size_t last = sheet->nr_sides - 1;
	const bool is_change = sheet->kind == PTU_SHEET_CHANGE;
	struct ptu_map_line *lines = calloc(sheet->nr_rows + 1, sizeof(*lines));
	size_t i, nr = 0;
	int pass;

	for (pass = 0; lines && pass < 2; pass++) {
		for (i = 0; i < sheet->nr_rows; i++) {
			const struct ptu_sheet_row *row = &sheet->rows[i];
			const bool is_marked = row->marked[PTU_MARK_CAME] ||
					       row->marked[PTU_MARK_WENT];

			if (is_marked == (pass == 1))
				continue;
			if (!row->of[last]) {
				gone[i] = (struct ptu_top_row){
					.start = row->of[0]->start,
					.end = row->of[0]->end,
					.mapped_bytes = row->of[0]->mapped_bytes,
					.has_empty = row->of[0]->has_empty,
					.has_deposited =
						row->of[0]->has_deposited,
				};
				strcpy(gone[i].name, row->of[0]->name);
			}
			lines[nr++] = (struct ptu_map_line){
				.report = sheet->maps[last],
				.row = row->of[last] ? row->of[last] : &gone[i],
				.marked = is_change ? row->marked : NULL,
			};
		}
	}
	return lines;
}

static const char *defaults_of(const struct ptu_map_sheet *sheet, FILE *out)
{
	const bool narrow = isatty(fileno(out)) &&
			    ptu_terminal_columns(out) < USUAL_WIDTH;

	if (sheet->kind == PTU_SHEET_CHANGE)
		return narrow ? narrow_change_defaults : change_defaults;
	return narrow ? narrow_defaults : row_defaults;
}

static int print_rows(const struct ptu_map_sheet *sheet,
		      const struct ptu_render_options *options, size_t nr_rows,
		      FILE *out, struct ptu_err *err)
{
	struct ptu_grid grid = {
		.columns = ptu_map_row_columns,
		.defaults = defaults_of(sheet, out),
		.nr_rows = sheet->nr_rows,
		.limit = nr_rows,
		.row_bytes = sizeof(struct ptu_map_line),
		.cut = true,
	};
	struct ptu_top_row *gone = calloc(sheet->nr_rows + 1, sizeof(*gone));
	struct ptu_map_line *lines = gone ? make_lines(sheet, gone) : NULL;
	int error;

	grid.rows = lines;
	error = lines ? ptu_grid_print(&grid, options, out, err) :
			ptu_err_set(err, -ENOMEM, "no memory for the table");
	free(lines);
	free(gone);
	return error;
}

int ptu_render_map_text(const struct ptu_map_sheet *sheet,
			const struct ptu_render_options *options, FILE *out,
			struct ptu_err *err)
{
	const struct ptu_map_report *report = sheet->maps[sheet->nr_sides - 1];
	const struct ptu_picture picture = {
		.columns = ptu_terminal_columns(out),
		.utf8 = ptu_terminal_is_utf8(),
		.colours = ptu_terminal_colours(out),
	};
	const bool prose = ptu_render_prose(options);
	size_t nr_rows = sheet->nr_rows, limit = options->limit;
	int error = 0;

	/* without sentences the output is for programs: print all lines */
	if (!limit && prose)
		limit = USUAL_ROWS;
	if (limit && nr_rows > limit)
		nr_rows = limit;
	if (prose) {
		say_first(report, options->bytes,
			  isatty(fileno(out)) ? picture.columns : 0, out);
		say_change(sheet, options->bytes, out);
		say_source(report, options->bytes, out);
		fputc('\n', out);
		error = ptu_picture_draw(sheet, &picture, out);
		if (error)
			return ptu_err_set(err, error,
					   "no memory for the picture");
		fputc('\n', out);
		error = print_levels(report, options, out, err);
		fputc('\n', out);
	}
	if (!error)
		error = print_rows(sheet, options, nr_rows, out, err);
	if (!error && prose && nr_rows < sheet->nr_rows)
		fprintf(out, "%zu of %zu rows; -N %zu shows all\n", nr_rows,
			sheet->nr_rows, sheet->nr_rows);
	return ptu_written(out, error, err);
}
