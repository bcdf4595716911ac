// SPDX-License-Identifier: LGPL-2.1-or-later
/* Added and freed tables as text.  Must not decide what is not in the report. */
#include "report/change.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/escape.h"
#include "render/format.h"
#include "render/render.h"
#include "render/text/grid.h"

/* A level of a mapping, or of a whole process. */
struct row {
	pid_t pid;
	const char *comm;
	unsigned int level;
	uint64_t came;
	uint64_t went;
	uint64_t start;
	uint64_t end;
	const char *name;
};

/* Below the PGD, which is in no mapping, each table is a page. */
static void fill_size(struct ptu_grid_cell *cell, const void *row)
{
	const struct row *r = row;
	const uint64_t came = r->came, went = r->went;
	char text[PTU_FORMAT_LEN];

	snprintf(cell->text, sizeof(cell->text), "%s%s",
		 came > went ? "+" :
		 came < went ? "-" :
			       "",
		 ptu_format_size((came > went ? came - went : went - came) *
					 cell->page_bytes,
				 cell->bytes, text));
}

#define AT(member) offsetof(struct row, member)

static const struct ptu_grid_column columns[] = {
	{ "PID", "process", PTU_RIGHT | PTU_UP, ptu_fill_id, NULL, AT(pid) },
	{ "COMM", "its name", 0, ptu_fill_string, NULL, AT(comm) },
	{ "LEVEL", "pte to p4d", 0, ptu_fill_level, NULL, AT(level) },
	{ "CAME", "tables that only the second one has", PTU_RIGHT,
	  ptu_fill_number, NULL, AT(came) },
	{ "WENT", "tables that only the first one has", PTU_RIGHT,
	  ptu_fill_number, NULL, AT(went) },
	{ "SIZE", "memory of CAME without that of WENT", PTU_RIGHT, fill_size,
	  NULL, 0 },
	{ "START", "first address of the mappings", PTU_RIGHT, ptu_fill_address,
	  NULL, AT(start) },
	{ "END", "their end, exclusive", PTU_RIGHT, ptu_fill_end, NULL,
	  AT(end) },
	{ "NAME", "what is mapped", 0, ptu_fill_string, NULL, AT(name) },
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

/* Return the number of rows written to @ret. */
static size_t level_rows(const struct ptu_changed *p,
			 const struct ptu_growth_row *mapping,
			 struct row ret[PTAUDIT_NR_LEVELS])
{
	unsigned int level;
	size_t nr = 0;

	for (level = 0; level < PTAUDIT_NR_LEVELS; level++) {
		if (mapping->came[level] || mapping->went[level])
			ret[nr++] = (struct row){
				.pid = p->pid,
				.comm = p->comm,
				.level = level,
				.came = mapping->came[level],
				.went = mapping->went[level],
				.start = mapping->start,
				.end = mapping->end,
				.name = mapping->name,
			};
	}
	return nr;
}

static struct row *make_rows(const struct ptu_change_report *report,
			     size_t *ret_nr)
{
	struct row *rows;
	size_t i, k, nr = 0;

	for (i = 0; i < report->nr_processes; i++)
		nr += report->processes[i].growth.nr_rows * PTAUDIT_NR_LEVELS;
	rows = calloc(nr + 1, sizeof(*rows));
	if (!rows)
		return NULL;
	for (i = 0, nr = 0; i < report->nr_processes; i++) {
		const struct ptu_changed *p = &report->processes[i];

		for (k = 0; k < p->growth.nr_rows; k++)
			nr += level_rows(p, &p->growth.rows[k], &rows[nr]);
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
