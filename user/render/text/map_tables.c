// SPDX-License-Identifier: LGPL-2.1-or-later
/* The tables of a map, one per line.  Must not omit any. */
#include "report/map.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/written.h"
#include "render/render.h"
#include "render/text/grid.h"

struct line {
	const struct ptu_map_report *report;
	const struct ptu_map_table *table;
};

static void fill_level(struct ptu_grid_cell *cell, const void *at)
{
	const struct line *line = at;

	snprintf(cell->text, sizeof(cell->text), "%s",
		 ptu_level_name(line->table->level));
}

static void fill_start(struct ptu_grid_cell *cell, const void *at)
{
	ptu_grid_address(cell, ((const struct line *)at)->table->start);
}

static void fill_entries(struct ptu_grid_cell *cell, const void *at)
{
	const struct ptu_map_table *table = ((const struct line *)at)->table;

	if (table->flags & PTU_MAP_COUNTED)
		snprintf(cell->text, sizeof(cell->text), "%u", table->entries);
	else
		snprintf(cell->text, sizeof(cell->text), "-");
}

static void fill_name(struct ptu_grid_cell *cell, const void *at)
{
	const struct line *line = at;

	snprintf(cell->text, sizeof(cell->text), "%s",
		 ptu_map_name(line->report, line->table));
}

static const struct ptu_grid_column columns[] = {
	{ "LEVEL", "", 0, fill_level, NULL, 0 },
	{ "START", "", PTU_RIGHT, fill_start, NULL, 0 },
	{ "ENTRIES", "", PTU_RIGHT, fill_entries, NULL, 0 },
	{ "NAME", "", 0, fill_name, NULL, 0 },
	{ 0 },
};

int ptu_render_map_tables(const struct ptu_map_report *report,
			  const struct ptu_render_options *options, FILE *out,
			  struct ptu_err *err)
{
	struct ptu_grid grid = {
		.columns = columns,
		.defaults = "LEVEL,START,ENTRIES,NAME",
		.row_bytes = sizeof(struct line),
		.cut = true,
	};
	struct line *lines = calloc(report->nr_tables + 1, sizeof(*lines));
	size_t i;
	int error;

	if (!lines)
		return ptu_err_set(err, -ENOMEM, "no memory for the table");
	for (i = 0; i < report->nr_tables; i++) {
		if (!(report->tables[i].flags & PTU_MAP_LEAF))
			lines[grid.nr_rows++] = (struct line){
				.report = report, .table = &report->tables[i]
			};
	}
	grid.rows = lines;
	error = ptu_grid_print(&grid, options, out, err);
	free(lines);
	return ptu_written(out, error, err);
}
