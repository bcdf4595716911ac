// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Growth as lines, each printed before the next one is known.  Must not decide
 * anything that is not in the report.
 */
#include "report/watch.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/escape.h"
#include "base/written.h"
#include "render/format.h"
#include "render/render.h"
#include "render/text/grid.h"
#include "render/watch_columns.h"

int ptu_render_watch_check(const struct ptu_render_options *options,
			   bool is_group, struct ptu_err *err)
{
	const struct ptu_grid table = ptu_watch_table(NULL, is_group);

	return ptu_grid_check(&table, options, err);
}

void ptu_render_watch_columns(FILE *out)
{
	ptu_grid_help(ptu_watch_columns, out);
}

int ptu_render_watch_text(const struct ptu_watch_line *line, bool with_head,
			  const struct ptu_render_options *options, FILE *out,
			  struct ptu_err *err)
{
	const struct ptu_grid table = ptu_watch_table(line,
						      line->total != NULL);
	struct ptu_render_options own = *options;

	own.no_headings = !with_head;
	return ptu_written(out, ptu_grid_print(&table, &own, out, err), err);
}

int ptu_render_watch_peak_text(const struct ptu_watch_peak *peak,
			       const struct ptu_render_options *options,
			       FILE *out, struct ptu_err *err)
{
	char size[PTU_FORMAT_LEN];
	char name[PTU_ESCAPE_BYTES(sizeof(peak->tables.rows->name))];
	size_t i;

	fprintf(out,
		"\nprocess %d (%s) had most page tables %.3f s after the start: VmPTE %s\n",
		(int)peak->pid,
		ptu_escape(peak->comm, true, name, sizeof(name)), peak->seconds,
		ptu_format_exact(peak->vmpte_bytes, options->bytes, size));
	if (peak->tables.nr_rows && peak->tables_seconds < peak->seconds)
		fprintf(out, "its tables %.3f s after the start:\n",
			peak->tables_seconds);
	for (i = 0; i < peak->tables.nr_rows && i < PTU_WATCH_MAPPINGS; i++) {
		const struct ptu_growth_row *row = &peak->tables.rows[i];

		fprintf(out,
			"%s in %s 0x%" PRIx64 "-0x%" PRIx64
			", PTE tables: %" PRIu64 "\n",
			ptu_format_exact((uint64_t)row->bytes, options->bytes,
					 size),
			ptu_escape(row->name, true, name, sizeof(name)),
			row->start, row->end, row->came[PTAUDIT_PTE]);
	}
	return ptu_written(out, 0, err);
}

int ptu_render_watch_group_peak_text(const struct ptu_watch_group_peak *peak,
				     const struct ptu_render_options *options,
				     FILE *out, struct ptu_err *err)
{
	char size[PTU_FORMAT_LEN];
	char name[PTU_ESCAPE_BYTES(sizeof(peak->most->comm))];
	size_t i;

	fprintf(out,
		"\nthe group had most page tables %.3f s after the start: VmPTE %s, processes: %zu\n",
		peak->seconds,
		ptu_format_exact(peak->vmpte_bytes, options->bytes, size),
		peak->nr_processes);
	for (i = 0; i < peak->nr_most; i++) {
		const struct ptu_watch_most *most = &peak->most[i];

		fprintf(out, "%s in process %d (%s)\n",
			ptu_format_exact(most->vmpte_bytes, options->bytes,
					 size),
			(int)most->pid,
			ptu_escape(most->comm, true, name, sizeof(name)));
	}
	return ptu_written(out, 0, err);
}

void ptu_render_watch_over(const struct ptu_watch_row *row,
			   const struct ptu_watch_total *total,
			   uint64_t limit_bytes, char *ret, size_t ret_bytes)
{
	const struct ptu_growth_row *most = row->growth.rows;
	const int64_t growth = total ? total->growth_bytes : row->growth_bytes;
	char size[PTU_FORMAT_LEN], limit[PTU_FORMAT_LEN], own[PTU_FORMAT_LEN];
	char process[128], part[192] = "", where[384] = "";

	snprintf(process, sizeof(process), "process %d (%s)", (int)row->pid,
		 row->comm);
	if (total)
		snprintf(part, sizeof(part), "; the largest part, %s, in %s",
			 ptu_format_exact((uint64_t)row->growth_bytes, false,
					  own),
			 process);
	if (row->growth.nr_rows && most->bytes > 0)
		snprintf(where, sizeof(where),
			 "; most in %.255s 0x%" PRIx64 "-0x%" PRIx64,
			 most->name, most->start, most->end);
	else if (row->why[0])
		snprintf(where, sizeof(where), "; %.255s", row->why);
	snprintf(ret, ret_bytes,
		 "%s: page tables grew by %s in %.3g s, more than %s a second%s%s",
		 total ? "the group" : process,
		 ptu_format_exact((uint64_t)growth, false, size), row->seconds,
		 ptu_format_exact(limit_bytes, false, limit), part, where);
}
