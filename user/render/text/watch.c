// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Growth as lines with fixed columns, because each line is printed before the next
 * one is known. Must not decide anything that is not in the report.
 */
#include "report/watch.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/escape.h"
#include "render/format.h"
#include "render/render.h"

/* Buffer for "+1023K". */
#define SIGNED_LEN (PTU_FORMAT_LEN + 1)

static const char *format_signed(int64_t bytes, bool in_bytes,
				 char ret[SIGNED_LEN])
{
	char size[PTU_FORMAT_LEN];
	const uint64_t amount = bytes < 0 ? -(uint64_t)bytes : (uint64_t)bytes;

	snprintf(ret, SIGNED_LEN, "%s%s",
		 bytes < 0 ? "-" :
		 bytes	   ? "+" :
			     "",
		 ptu_format_size(amount, in_bytes, size));
	return ret;
}

/* Print the mapping that grew most, or why it is unknown, or "-". */
static void print_mapping(const struct ptu_watch_row *row, bool in_bytes,
			  FILE *out)
{
	const struct ptu_growth_row *most = row->growth.rows;
	char size[SIGNED_LEN], text[PTU_ESCAPE_BYTES(sizeof(row->why))];

	if (row->why[0])
		fprintf(out, "(%s)",
			ptu_escape(row->why, true, text, sizeof(text)));
	else if (row->growth.nr_rows && most->bytes > 0)
		fprintf(out, "%s %s 0x%" PRIx64,
			format_signed(most->bytes, in_bytes, size),
			ptu_escape(most->name, true, text, sizeof(text)),
			most->start);
	else
		fputc('-', out);
}

static int finish(FILE *out, struct ptu_err *err)
{
	if (fputc('\n', out) == EOF || ferror(out))
		return ptu_err_set(err, -EIO, "writing the report failed");
	return 0;
}

void ptu_render_watch_head(bool is_group, FILE *out)
{
	if (is_group)
		fputs("    TIME PROCS  NEW ENDED  VMPTE  GROWTH MOST\n", out);
	else
		fputs("    TIME     PID  VMPTE  GROWTH   PTE  PMD  PUD COMM            MOST\n",
		      out);
}

static void print_levels(const struct ptu_watch_row *row, FILE *out)
{
	const struct ptu_growth *g = &row->growth;
	char pte[PTU_FORMAT_LEN], pmd[PTU_FORMAT_LEN], pud[PTU_FORMAT_LEN];

	if (!row->has_tables || !row->seconds) {
		fprintf(out, "%5s %4s %4s", "-", "-", "-");
		return;
	}
	fprintf(out, "%5s %4s %4s",
		ptu_format_diff(g->came[PTAUDIT_PTE], g->went[PTAUDIT_PTE],
				pte),
		ptu_format_diff(g->came[PTAUDIT_PMD], g->went[PTAUDIT_PMD],
				pmd),
		ptu_format_diff(g->came[PTAUDIT_PUD], g->went[PTAUDIT_PUD],
				pud));
}

int ptu_render_watch_text(const struct ptu_watch_row *row, const char *time,
			  const struct ptu_render_options *options, FILE *out,
			  struct ptu_err *err)
{
	char comm[PTU_ESCAPE_BYTES(sizeof(row->comm))];
	char vmpte[PTU_FORMAT_LEN], growth[SIGNED_LEN];

	ptu_escape(row->comm, true, comm, sizeof(comm));
	if (row->ended) {
		fprintf(out, "%s %7d %6s %7s %5s %4s %4s %-15s ended", time,
			(int)row->pid, "-", "-", "-", "-", "-", comm);
		return finish(out, err);
	}
	fprintf(out, "%s %7d %6s %7s ", time, (int)row->pid,
		ptu_format_size(row->vmpte_bytes, options->bytes, vmpte),
		row->seconds ? format_signed(row->growth_bytes, options->bytes,
					     growth) :
			       "-");
	print_levels(row, out);
	fprintf(out, " %-15s ", comm);
	print_mapping(row, options->bytes, out);
	return finish(out, err);
}

int ptu_render_watch_total_text(const struct ptu_watch_total *total,
				const char *time,
				const struct ptu_render_options *options,
				FILE *out, struct ptu_err *err)
{
	const struct ptu_watch_row *most = &total->most;
	char comm[PTU_ESCAPE_BYTES(sizeof(most->comm))];
	char vmpte[PTU_FORMAT_LEN], growth[SIGNED_LEN];

	fprintf(out, "%s %5zu %4zu %5zu %6s %7s ", time, total->nr_processes,
		total->nr_started, total->nr_ended,
		ptu_format_size(total->vmpte_bytes, options->bytes, vmpte),
		total->seconds ? format_signed(total->growth_bytes,
					       options->bytes, growth) :
				 "-");
	if (total->has_most) {
		fprintf(out, "%s %d (%s): ",
			format_signed(most->growth_bytes, options->bytes,
				      growth),
			(int)most->pid,
			ptu_escape(most->comm, true, comm, sizeof(comm)));
		print_mapping(most, options->bytes, out);
	} else {
		fputc('-', out);
	}
	return finish(out, err);
}

void ptu_render_watch_over(const struct ptu_watch_row *row,
			   const struct ptu_watch_total *total,
			   uint64_t limit_bytes, char *ret, size_t ret_bytes)
{
	const struct ptu_growth_row *most = row->growth.rows;
	const int64_t growth = total ? total->growth_bytes : row->growth_bytes;
	char size[PTU_FORMAT_LEN], limit[PTU_FORMAT_LEN], own[PTU_FORMAT_LEN];
	char group[128] = "", where[384] = "";

	if (total)
		snprintf(group, sizeof(group), "; most of it, %s, in",
			 ptu_format_exact((uint64_t)row->growth_bytes, false,
					  own));
	if (row->growth.nr_rows && most->bytes > 0)
		snprintf(where, sizeof(where),
			 "; most in %.255s 0x%" PRIx64 "-0x%" PRIx64,
			 most->name, most->start, most->end);
	else if (row->why[0])
		snprintf(where, sizeof(where), "; %.255s", row->why);
	snprintf(ret, ret_bytes,
		 "%s%s process %d (%s): page tables grew by %s in %.3g s, more than %s a second%s",
		 total ? "the group" : "", group, (int)row->pid, row->comm,
		 ptu_format_exact((uint64_t)growth, false, size), row->seconds,
		 ptu_format_exact(limit_bytes, false, limit), where);
}
