// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Write a sheet of maps as data of an HTML page.  Names must not be able to end the
 * script element; must not decide anything that is not on the sheet.
 */
#include "report/map_sheet.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/escape.h"
#include "base/written.h"
#include "render/html/page.h"
#include "render/render.h"

/* Kind of an item on one side. */
enum kind { KIND_UNCOUNTED, KIND_HUGE, KIND_COUNTED, KIND_NONE };

/* Write a JSON string without characters that are special in HTML. */
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

/* Write the figures of one side of a row, or null. */
static void put_figures(const struct ptu_map_report *report,
			const struct ptu_top_row *row, FILE *out)
{
	if (!row) {
		fputs(",null", out);
		return;
	}
	fprintf(out,
		",[%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRId64 ",%" PRIu64
		",%" PRIu64 ",%" PRIu64 "]",
		ptu_map_waste_bytes(report, &row->fill), row->total_bytes,
		row->fill.tables,
		row->has_empty ? (int64_t)row->fill.in_class[PTU_FILL_EMPTY] :
				 -1,
		row->fill.entries, row->fill.room, row->leaves);
}

/* Write name, addresses, tables by mark, then the figures of each side. */
static void put_mappings(const struct ptu_map_sheet *sheet, FILE *out)
{
	size_t i, side;

	fputs(",\"mappings\":[", out);
	for (i = 0; i < sheet->nr_rows; i++) {
		const struct ptu_sheet_row *row = &sheet->rows[i];
		const struct ptu_top_row *first = ptu_sheet_row_first(row);
		const char *comma = "";
		unsigned int mark;

		fputs(i ? ",[" : "[", out);
		put_text(first->name, out);
		fprintf(out, ",\"0x%" PRIx64 "\",\"0x%" PRIx64 "\",{",
			first->start, first->end);
		for (mark = 0; mark < PTU_NR_MARKS; mark++) {
			if (!row->marked[mark])
				continue;
			fprintf(out, "%s\"%u\":%" PRIu64, comma, mark,
				row->marked[mark]);
			comma = ",";
		}
		fputc('}', out);
		for (side = 0; side < sheet->nr_sides; side++)
			put_figures(sheet->maps[side], row->of[side], out);
		fputc(']', out);
	}
	fputc(']', out);
}

/* Write the meaning of the marks that are used. */
static void put_marks(const struct ptu_map_sheet *sheet, FILE *out)
{
	const char *comma = "";
	unsigned int mark;

	fputs(",\"causes\":[", out);
	for (mark = 0; mark < PTU_NR_MARKS; mark++) {
		if (!sheet->marked[mark])
			continue;
		fprintf(out, "%s[%u,\"%s\",\"%s\",%" PRIu64 "]", comma, mark,
			ptu_mark_name(mark), ptu_mark_sentence(mark),
			sheet->marked[mark]);
		comma = ",";
	}
	fputc(']', out);
}

static enum kind kind_of(const struct ptu_map_table *table)
{
	return !table			      ? KIND_NONE :
	       table->flags & PTU_MAP_LEAF    ? KIND_HUGE :
	       table->flags & PTU_MAP_COUNTED ? KIND_COUNTED :
						KIND_UNCOUNTED;
}

enum array { SLOTS, ROWS, MARKS, LEVELS, USED, KINDS };

/* Write one array with an element per item. */
static void put_array(const struct ptu_map_sheet *sheet, const char *name,
		      enum array which, size_t side, FILE *out)
{
	const uint64_t reach = UINT64_C(1)
			       << sheet->maps[0]->geo.shift[PTAUDIT_PMD];
	const char *comma = "";
	uint64_t last = 0;
	size_t i;

	fprintf(out, ",\"%s\":[", name);
	for (i = 0; i < sheet->nr_items; i++) {
		const struct ptu_sheet_item *item = &sheet->items[i];
		const struct ptu_map_table *table = item->of[side];
		int64_t value = 0;

		if (!ptu_sheet_is_drawn(item))
			continue;
		switch (which) {
		case SLOTS: /* distance from the previous item */
			value = (int64_t)(item->start / reach - last);
			last = item->start / reach;
			break;
		case ROWS:
			value = item->row == PTU_MAP_NOWHERE ?
					-1 :
					(int64_t)item->row;
			break;
		case MARKS:
			value = item->mark;
			break;
		case LEVELS:
			value = item->level;
			break;
		case USED:
			value = table ? table->entries : 0;
			break;
		case KINDS:
			value = kind_of(table);
			break;
		}
		fprintf(out, "%s%" PRId64, comma, value);
		comma = ",";
	}
	fputc(']', out);
}

static void put_side(const struct ptu_map_sheet *sheet, size_t side, FILE *out)
{
	const struct ptu_map_report *report = sheet->maps[side];

	fprintf(out, "%s{\"name\":", side ? "," : "");
	put_text(sheet->names[side] ? sheet->names[side] : "tables", out);
	fprintf(out,
		",\"source\":\"%s%s\",\"total\":%" PRIu64 ",\"waste\":%" PRIu64
		",\"unseen\":%" PRIu64 ",\"time\":",
		report->estimator ? "estimated by " :
				    "the kernel's tables, read by ",
		report->estimator ? report->estimator :
				    ptu_top_source_name(report->source),
		ptu_map_total_bytes(report),
		ptu_map_waste_bytes(report, &report->process.fill),
		ptu_map_unseen_bytes(report));
	put_text(report->host.time, out);
	put_levels(report, out);
	put_array(sheet, "used", USED, side, out);
	put_array(sheet, "kinds", KINDS, side, out);
	fputc('}', out);
}

static void put_data(const struct ptu_map_sheet *sheet, FILE *out)
{
	static const char *const modes[] = { [PTU_SHEET_MAP] = "map",
					     [PTU_SHEET_CHECK] = "check",
					     [PTU_SHEET_CHANGE] = "diff" };
	const struct ptu_map_report *first = sheet->maps[0];
	size_t side;

	fprintf(out, "{\"mode\":\"%s\",\"comm\":", modes[sheet->kind]);
	put_text(first->process.comm, out);
	fputs(",\"kernel\":", out);
	put_text(first->host.release, out);
	fputs(",\"time\":", out);
	put_text(first->host.time, out);
	fprintf(out, ",\"pid\":%d,\"entries\":%u,\"reach\":%" PRIu64,
		(int)first->process.pid, first->geo.nr_entries[PTAUDIT_PTE],
		UINT64_C(1) << first->geo.shift[PTAUDIT_PMD]);
	put_mappings(sheet, out);
	put_marks(sheet, out);
	put_array(sheet, "slots", SLOTS, 0, out);
	put_array(sheet, "rows", ROWS, 0, out);
	if (sheet->kind != PTU_SHEET_MAP) {
		put_array(sheet, "marks", MARKS, 0, out);
		put_array(sheet, "above", LEVELS, 0, out);
	}
	fputs(",\"sides\":[", out);
	for (side = 0; side < sheet->nr_sides; side++)
		put_side(sheet, side, out);
	fputs("]}", out);
}

int ptu_render_map_html_ready(struct ptu_err *err)
{
	if (ptu_page_text())
		return 0;
	return ptu_err_set(err, -EOPNOTSUPP,
			   "this ptaudit was built without pages: install esbuild, node-d3-zoom, node-d3-scale and node-d3-selection, then make clean user");
}

int ptu_render_map_html(const struct ptu_map_sheet *sheet, FILE *out,
			struct ptu_err *err)
{
	const char *page = ptu_page_text();
	const char *marker = page ? strstr(page, PTU_PAGE_MARKER) : NULL;

	if (!marker)
		return ptu_render_map_html_ready(err);
	fwrite(page, 1, (size_t)(marker - page), out);
	put_data(sheet, out);
	fputs(marker + strlen(PTU_PAGE_MARKER), out);
	return ptu_written(out, 0, err);
}
