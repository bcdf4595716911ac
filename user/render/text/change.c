// SPDX-License-Identifier: LGPL-2.1-or-later
/* Tables that came and went as text.  Must not decide what is not in the report. */
#include "report/change.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/escape.h"
#include "render/format.h"
#include "render/render.h"
#include "render/text/grid.h"

/* A mapping and a level, of a process. */
struct row {
	const struct ptu_changed *process;
	const struct ptu_growth_row *mapping;
	unsigned int level;
};

static void fill_pid(struct ptu_grid_cell *cell, const void *row)
{
	snprintf(cell->text, sizeof(cell->text), "%d",
		 (int)((const struct row *)row)->process->pid);
}

static void fill_comm(struct ptu_grid_cell *cell, const void *row)
{
	snprintf(cell->text, sizeof(cell->text), "%s",
		 ((const struct row *)row)->process->comm);
}

static void fill_level(struct ptu_grid_cell *cell, const void *row)
{
	snprintf(cell->text, sizeof(cell->text), "%s",
		 ptu_level_name(((const struct row *)row)->level));
}

static void fill_came(struct ptu_grid_cell *cell, const void *row)
{
	const struct row *r = row;

	snprintf(cell->text, sizeof(cell->text), "%" PRIu64,
		 r->mapping->came[r->level]);
}

static void fill_went(struct ptu_grid_cell *cell, const void *row)
{
	const struct row *r = row;

	snprintf(cell->text, sizeof(cell->text), "%" PRIu64,
		 r->mapping->went[r->level]);
}

/* Below the PGD, of which no mapping has one, each table is a page. */
static void fill_size(struct ptu_grid_cell *cell, const void *row)
{
	const struct row *r = row;
	const uint64_t came = r->mapping->came[r->level];
	const uint64_t went = r->mapping->went[r->level];
	char text[PTU_FORMAT_LEN];

	snprintf(cell->text, sizeof(cell->text), "%s%s",
		 came > went ? "+" :
		 came < went ? "-" :
			       "",
		 ptu_format_size((came > went ? came - went : went - came) *
					 cell->page_bytes,
				 cell->bytes, text));
}

static void fill_start(struct ptu_grid_cell *cell, const void *row)
{
	ptu_grid_address(cell, ((const struct row *)row)->mapping->start);
}

static void fill_end(struct ptu_grid_cell *cell, const void *row)
{
	ptu_grid_address(cell, ((const struct row *)row)->mapping->end);
}

static void fill_name(struct ptu_grid_cell *cell, const void *row)
{
	snprintf(cell->text, sizeof(cell->text), "%s",
		 ((const struct row *)row)->mapping->name);
}

static const struct ptu_grid_column columns[] = {
	{ "PID", "process", true, fill_pid, NULL, 0 },
	{ "COMM", "its name", false, fill_comm, NULL, 0 },
	{ "LEVEL", "pte to p4d", false, fill_level, NULL, 0 },
	{ "CAME", "tables that only the second one has", true, fill_came, NULL,
	  0 },
	{ "WENT", "tables that only the first one has", true, fill_went, NULL,
	  0 },
	{ "SIZE", "memory of CAME without that of WENT", true, fill_size, NULL,
	  0 },
	{ "START", "first address of the mappings", true, fill_start, NULL, 0 },
	{ "END", "their end, exclusive", true, fill_end, NULL, 0 },
	{ "NAME", "what is mapped", false, fill_name, NULL, 0 },
	{ 0 },
};

int ptu_render_change_check(const struct ptu_render_options *options,
			    struct ptu_err *err)
{
	const struct ptu_grid grid = { .columns = columns, .defaults = "PID" };

	return ptu_grid_check(&grid, options, err);
}

void ptu_render_change_columns(FILE *out)
{
	ptu_grid_help(columns, out);
}

static struct row *make_rows(const struct ptu_change_report *report,
			     size_t *ret_nr)
{
	struct row *rows;
	size_t i, k, nr = 0;
	unsigned int level;

	for (i = 0; i < report->nr_processes; i++)
		nr += report->processes[i].growth.nr_rows * PTAUDIT_NR_LEVELS;
	rows = calloc(nr + 1, sizeof(*rows));
	if (!rows)
		return NULL;
	for (i = 0, nr = 0; i < report->nr_processes; i++) {
		const struct ptu_changed *p = &report->processes[i];

		for (k = 0; k < p->growth.nr_rows; k++)
			for (level = 0; level < PTAUDIT_NR_LEVELS; level++)
				if (p->growth.rows[k].came[level] ||
				    p->growth.rows[k].went[level])
					rows[nr++] = (struct row){
						p, &p->growth.rows[k], level
					};
	}
	*ret_nr = nr;
	return rows;
}

static void say_process(const struct ptu_changed *p, bool in_bytes, FILE *out)
{
	char comm[PTU_ESCAPE_BYTES(sizeof(p->comm))];
	char before[PTU_FORMAT_LEN], after[PTU_FORMAT_LEN];
	unsigned int level;

	fprintf(out, "%s (%d): VmPTE %s, then %s%s\n",
		ptu_escape(p->comm, true, comm, sizeof(comm)), (int)p->pid,
		ptu_format_exact(p->vmpte_before, in_bytes, before),
		ptu_format_exact(p->vmpte_after, in_bytes, after),
		!p->in_before ? "; only the second one has it" :
		!p->in_after  ? "; only the first one has it" :
				"");
	for (level = PTAUDIT_NR_LEVELS; level-- > 0;) {
		const struct ptu_growth *g = &p->growth;

		if (g->before[level] || g->after[level])
			fprintf(out,
				"%s: %" PRIu64 " tables, then %" PRIu64
				": %" PRIu64 " came, %" PRIu64 " went\n",
				ptu_level_name(level), g->before[level],
				g->after[level], g->came[level],
				g->went[level]);
	}
}

int ptu_render_change_text(const struct ptu_change_report *report,
			   const struct ptu_render_options *options, FILE *out,
			   struct ptu_err *err)
{
	size_t i, nr_rows = 0;
	struct row *rows = make_rows(report, &nr_rows);
	const struct ptu_grid grid = {
		.columns = columns,
		.defaults = report->nr_processes > 1 ?
				    "PID,LEVEL,CAME,WENT,SIZE,START,END,NAME" :
				    "LEVEL,CAME,WENT,SIZE,START,END,NAME",
		.rows = rows,
		.nr_rows = nr_rows,
		.row_bytes = sizeof(*rows),
		.page_bytes = report->page_bytes,
	};
	int error = 0;

	if (!rows)
		return ptu_err_set(err, -ENOMEM, "no memory for the report");
	if (ptu_render_prose(options)) {
		fprintf(out, "%s (%s), then %s (%s), by estimator %s\n",
			report->before.name, report->before.time,
			report->after.name, report->after.time,
			report->estimator);
		for (i = 0; i < report->nr_processes; i++)
			say_process(&report->processes[i], options->bytes, out);
		if (nr_rows)
			fputc('\n', out);
	}
	if (nr_rows || !ptu_render_prose(options))
		error = ptu_grid_print(&grid, options, out, err);
	free(rows);
	if (!error && ferror(out))
		error = ptu_err_set(err, -EIO, "writing the report failed");
	return error;
}
