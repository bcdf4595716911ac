// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A map as data of a page.  Must not let a name end the script that it stands in, nor
 * decide anything that is not in the report.
 */
#include "report/map.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "render/html/page.h"
#include "render/render.h"

#define KIND_HUGE 1
#define KIND_COUNTED 2

/* As a string of JSON in which nothing means anything to HTML. */
static void put_text(const char *text, FILE *out)
{
	char escaped[PTU_ESCAPE_BYTES(256)];
	const char *c;

	fputc('"', out);
	for (c = ptu_escape(text, true, escaped, sizeof(escaped)); *c; c++) {
		if (strchr("\"\\<>&'", *c))
			fprintf(out, "\\u%04x", (unsigned int)*c);
		else
			fputc(*c, out);
	}
	fputc('"', out);
}

static void put_levels(const struct ptu_map_report *report, FILE *out)
{
	unsigned int level = PTAUDIT_PGD + 1;
	const char *comma = "";

	fputs(",\"levels\":[", out);
	while (level-- > 0) {
		const struct ptu_fill *fill = &report->fills[level];

		if (!report->geo.unfolded[level])
			continue;
		fprintf(out,
			"%s[\"%s\",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
			",%" PRId64 ",%" PRIu64 "]",
			comma, ptu_level_name(level), fill->tables,
			fill->tables *
				ptu_geometry_table_bytes(&report->geo, level),
			fill->entries, fill->room,
			report->process.sees_empty ?
				(int64_t)report->process.empty[level] :
				-1,
			report->leaves[level]);
		comma = ",";
	}
	fputc(']', out);
}

static void put_mappings(const struct ptu_map_report *report, FILE *out)
{
	size_t i;

	fputs(",\"mappings\":[", out);
	for (i = 0; i < report->nr_rows; i++) {
		const struct ptu_top_row *row = &report->rows[i];

		fputs(i ? ",[" : "[", out);
		put_text(row->name, out);
		fprintf(out,
			",\"0x%" PRIx64 "\",\"0x%" PRIx64 "\",%" PRIu64
			",%" PRIu64 ",%" PRIu64 ",%" PRId64 ",%" PRIu64
			",%" PRIu64 ",%" PRIu64 "]",
			row->start, row->end,
			ptu_map_waste_bytes(report, &row->fill),
			row->total_bytes, row->fill.tables,
			row->has_empty ? (int64_t)row->empty_tables : -1,
			row->fill.entries, row->fill.room, row->leaves);
	}
	fputc(']', out);
}

/* What the picture consists of: PTE tables, and huge pages where they begin. */
static bool is_drawn(const struct ptu_map_table *table)
{
	return table->level == PTAUDIT_PTE || table->flags & PTU_MAP_LEAF;
}

struct span {
	uint64_t start;
	uint64_t end;
	size_t row;
};

static int compare_spans(const void *a, const void *b)
{
	const struct span *left = a, *right = b;

	return (left->start > right->start) - (left->start < right->start);
}

/* The rows by address: they are sorted by waste. */
static struct span *rows_by_address(const struct ptu_map_report *report)
{
	struct span *spans = calloc(report->nr_rows + 1, sizeof(*spans));
	size_t i;

	if (!spans)
		return NULL;
	for (i = 0; i < report->nr_rows; i++)
		spans[i] = (struct span){ report->rows[i].start,
					  report->rows[i].end, i };
	qsort(spans, report->nr_rows, sizeof(*spans), compare_spans);
	return spans;
}

/* Which row the table is counted with, by the mapping that it is counted with. */
static long row_of(const struct ptu_map_report *report,
		   const struct span *spans, const struct ptu_map_table *table)
{
	size_t low = 0, high = report->nr_rows;
	uint64_t start;

	if (table->mapping == PTU_MAP_NOWHERE)
		return -1;
	start = report->process.mappings[table->mapping].start;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (spans[middle].start <= start)
			low = middle + 1;
		else
			high = middle;
	}
	return low && start < spans[low - 1].end ? (long)spans[low - 1].row :
						   -1;
}

/* One array: what each table has of it. */
static void put_array(const struct ptu_map_report *report,
		      const struct span *spans, const char *name, int which,
		      FILE *out)
{
	uint64_t reach = UINT64_C(1) << report->geo.shift[PTAUDIT_PMD];
	uint64_t slot, last = 0;
	const char *comma = "";
	size_t i;

	fprintf(out, ",\"%s\":[", name);
	for (i = 0; i < report->nr_tables; i++) {
		const struct ptu_map_table *table = &report->tables[i];

		if (!is_drawn(table))
			continue;
		slot = table->start / reach;
		switch (which) {
		case 0: /* from the one before */
			fprintf(out, "%s%" PRIu64, comma, slot - last);
			break;
		case 1:
			fprintf(out, "%s%u", comma, table->entries);
			break;
		case 2:
			fprintf(out, "%s%d", comma,
				table->flags & PTU_MAP_LEAF    ? KIND_HUGE :
				table->flags & PTU_MAP_COUNTED ? KIND_COUNTED :
								 0);
			break;
		default:
			fprintf(out, "%s%ld", comma,
				row_of(report, spans, table));
		}
		last = slot;
		comma = ",";
	}
	fputc(']', out);
}

static void put_data(const struct ptu_map_report *report,
		     const struct span *spans, FILE *out)
{
	static const char *const arrays[] = { "slots", "used", "kinds",
					      "rows" };
	const struct ptu_process *p = &report->process;
	int i;

	fputs("{\"comm\":", out);
	put_text(p->comm, out);
	fputs(",\"kernel\":", out);
	put_text(report->host.release, out);
	fputs(",\"time\":", out);
	put_text(report->host.time, out);
	fprintf(out,
		",\"source\":\"%s%s\",\"pid\":%d,\"total\":%" PRIu64
		",\"waste\":%" PRIu64 ",\"unseen\":%" PRIu64
		",\"entries\":%u,\"reach\":%" PRIu64,
		report->estimator ? "estimated by " :
				    "the kernel's tables, read by ",
		report->estimator ? report->estimator :
				    ptu_top_source_name(report->source),
		(int)p->pid, ptu_map_total_bytes(report),
		ptu_map_waste_bytes(report, &p->fill),
		ptu_map_unseen_bytes(report),
		report->geo.nr_entries[PTAUDIT_PTE],
		UINT64_C(1) << report->geo.shift[PTAUDIT_PMD]);
	put_levels(report, out);
	put_mappings(report, out);
	for (i = 0; i < 4; i++)
		put_array(report, spans, arrays[i], i, out);
	fputc('}', out);
}

int ptu_render_map_html_ready(struct ptu_err *err)
{
	if (ptu_page_text())
		return 0;
	return ptu_err_set(err, -EOPNOTSUPP,
			   "this ptaudit was built without pages: install esbuild, node-d3-zoom, node-d3-scale and node-d3-selection, then make clean user");
}

int ptu_render_map_html(const struct ptu_map_report *report, FILE *out,
			struct ptu_err *err)
{
	const char *page = ptu_page_text();
	const char *marker = page ? strstr(page, PTU_PAGE_MARKER) : NULL;
	struct span *spans;

	if (!marker)
		return ptu_render_map_html_ready(err);
	spans = rows_by_address(report);
	if (!spans)
		return ptu_err_set(err, -ENOMEM, "no memory for the page");
	fwrite(page, 1, (size_t)(marker - page), out);
	put_data(report, spans, out);
	fputs(marker + strlen(PTU_PAGE_MARKER), out);
	free(spans);
	if (ferror(out))
		return ptu_err_set(err, -EIO, "writing the page failed");
	return 0;
}
