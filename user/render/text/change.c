// SPDX-License-Identifier: LGPL-2.1-or-later
/* Added and freed tables as text.  Must not decide what is not in the report. */
#include "report/change.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/escape.h"
#include "base/written.h"
#include "render/change_columns.h"
#include "render/format.h"
#include "render/render.h"
#include "render/text/grid.h"

int ptu_render_change_check(const struct ptu_render_options *options,
			    struct ptu_err *err)
{
	const struct ptu_grid grid = { .columns = ptu_change_columns,
				       .defaults = "PID" };

	return ptu_grid_check(&grid, options, err);
}

void ptu_render_change_columns(FILE *out)
{
	ptu_grid_help(ptu_change_columns, out);
}

/* The mapping that grew most comes first, and its rows stay together. */
static int by_growth(const void *a, const void *b)
{
	const struct ptu_change_line *x = a, *y = b;

	if (x->mapping->bytes != y->mapping->bytes)
		return x->mapping->bytes > y->mapping->bytes ? -1 : 1;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->mapping != y->mapping)
		return x->mapping < y->mapping ? -1 : 1;
	return x->level < y->level ? -1 : x->level > y->level;
}

static struct ptu_change_line *make_rows(const struct ptu_change_report *report,
					 size_t *ret_nr)
{
	struct ptu_change_line *rows;
	size_t i, nr = 0;

	for (i = 0; i < report->nr_processes; i++)
		nr += report->processes[i].growth.nr_rows * PTAUDIT_NR_LEVELS;
	rows = calloc(nr + 1, sizeof(*rows));
	if (!rows)
		return NULL;
	for (i = 0, nr = 0; i < report->nr_processes; i++)
		nr += ptu_change_lines(&report->processes[i], &rows[nr]);
	qsort(rows, nr, sizeof(*rows), by_growth);
	*ret_nr = nr;
	return rows;
}

/* VmPTE minus the tables that the estimator sees; may be negative. */
static int64_t unseen_bytes(uint64_t vmpte_bytes, const uint64_t *tables,
			    uint64_t page_bytes)
{
	return (int64_t)(vmpte_bytes -
			 (tables[PTAUDIT_PTE] + tables[PTAUDIT_PMD] +
			  tables[PTAUDIT_PUD]) *
				 page_bytes);
}

static void say_unseen(const struct ptu_changed *p, uint64_t page_bytes,
		       bool in_bytes, FILE *out)
{
	const int64_t before = unseen_bytes(p->vmpte_before, p->growth.before,
					    page_bytes);
	const int64_t after = unseen_bytes(p->vmpte_after, p->growth.after,
					   page_bytes);
	char first[PTU_FORMAT_LEN], then[PTU_FORMAT_LEN];

	if (before == after || before < 0 || after < 0)
		return;
	fprintf(out,
		"VmPTE without these tables: %s, then %s: deposits, tables that the estimator does not see, and changes while it was read\n",
		ptu_format_exact((uint64_t)before, in_bytes, first),
		ptu_format_exact((uint64_t)after, in_bytes, then));
}

static void say_process(const struct ptu_changed *p, uint64_t page_bytes,
			bool in_bytes, FILE *out)
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
				"%s tables: %" PRIu64 ", then %" PRIu64
				": %" PRIu64 " came, %" PRIu64 " went\n",
				ptu_level_name(level), g->before[level],
				g->after[level], g->came[level],
				g->went[level]);
	}
	say_unseen(p, page_bytes, in_bytes, out);
}

/* Of several processes, those that did not change are only counted. */
static void say_processes(const struct ptu_change_report *report, bool in_bytes,
			  FILE *out)
{
	size_t i, nr_same = 0;

	for (i = 0; i < report->nr_processes; i++) {
		const struct ptu_changed *p = &report->processes[i];

		if (report->nr_processes == 1 || ptu_changed_differs(p))
			say_process(p, report->page_bytes, in_bytes, out);
		else
			nr_same++;
	}
	if (nr_same)
		fprintf(out, "%zu process%s did not change\n", nr_same,
			nr_same == 1 ? "" : "es");
}

int ptu_render_change_text(const struct ptu_change_report *report,
			   const struct ptu_render_options *options, FILE *out,
			   struct ptu_err *err)
{
	size_t nr_rows = 0;
	struct ptu_change_line *rows = make_rows(report, &nr_rows);
	const struct ptu_grid grid = {
		.columns = ptu_change_columns,
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
		say_processes(report, options->bytes, out);
		if (nr_rows)
			fputc('\n', out);
	}
	if (nr_rows || !ptu_render_prose(options))
		error = ptu_grid_print(&grid, options, out, err);
	free(rows);
	return ptu_written(out, error, err);
}
