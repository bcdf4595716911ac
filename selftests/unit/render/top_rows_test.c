// SPDX-License-Identifier: GPL-2.0-only
/* The table of top with all columns, from a report made by the test. */
#include "render/render.h"

#include "support/rows.h"
#include "support/unit.h"

static struct ptu_top_row top_row = {
	.pid = 61,
	.uid = 62,
	.comm = "one",
	.name = "all",
	.nr_processes = 63,
	.start = 0x1000,
	.end = 0x9000,
	.mapped_bytes = 5 << 12,
	.nr_mappings = 67,
	.total_bytes = 6 << 12,
	.vmpte_bytes = 7 << 12,
	.rss_bytes = 8 << 12,
	.has_empty = true,
	.empty_tables = 64,
	.has_deposited = true,
	.deposited_tables = 65,
	.leaves = 66,
	.fill = { .tables = 1, .counted = 1, .entries = 128, .room = 512 },
	.source = PTU_TOP_BPF,
	.why = "because",
};
static struct ptu_top_report top = { .host.page_bytes = 4096,
				     .rows = &top_row,
				     .nr_rows = 1 };

static int render_top(const struct ptu_render_options *options, FILE *out,
		      struct ptu_err *err)
{
	return ptu_render_top_text(&top, options, out, err);
}

UNIT_TEST(each_column_of_top_has_its_member)
{
	static const struct cell processes[] = {
		{ 1, "TOTAL", "24K" },	  { 1, "EMPTY", "64" },
		{ 1, "DEPOSITED", "65" }, { 1, "FILL", "25" },
		{ 1, "PID", "61" },	  { 1, "UID", "62" },
		{ 1, "COMM", "one" },	  { 1, "VMPTE", "28K" },
		{ 1, "RSS", "32K" },	  { 1, "SOURCE", "bpf" },
		{ 1, "WHY", "because" },
	};
	static const struct cell groups[] = {
		{ 1, "TOTAL", "24K" },	  { 1, "EMPTY", "64" },
		{ 1, "DEPOSITED", "65" }, { 1, "FILL", "25" },
		{ 1, "PID", "61" },	  { 1, "NAME", "all" },
		{ 1, "PROCESSES", "63" }, { 1, "VMPTE", "28K" },
		{ 1, "RSS", "32K" },	  { 1, "SOURCE", "bpf" },
		{ 1, "WHY", "because" },
	};
	static const struct cell mappings[] = {
		{ 1, "TOTAL", "24K" },	  { 1, "EMPTY", "64" },
		{ 1, "DEPOSITED", "65" }, { 1, "FILL", "25" },
		{ 1, "NAME", "all" },	  { 1, "START", "0x1000" },
		{ 1, "END", "0x9000" },	  { 1, "MAPPED", "20K" },
		{ 1, "HUGE", "66" },	  { 1, "MAPPINGS", "67" },
	};

	top.kind = PTU_TOP_PROCESSES;
	CHECK_COLUMNS(render_top, processes);
	top.kind = PTU_TOP_GROUPS;
	CHECK_COLUMNS(render_top, groups);
	top.kind = PTU_TOP_MAPPINGS;
	CHECK_COLUMNS(render_top, mappings);
}

static int render_top_json(const struct ptu_render_options *options, FILE *out,
			   struct ptu_err *err)
{
	return ptu_render_top_json(&top, options, out, err);
}

UNIT_TEST(a_group_shows_which_process_the_reason_is_about)
{
	top.kind = PTU_TOP_GROUPS;
	CHECK_HAS(text_of(render_top, TEXT), " PID WHY\n");
	CHECK_HAS(text_of(render_top, TEXT), "  61 because\n");
	CHECK_HAS(text_of(render_top_json, TEXT), "\"pid\": 61,");
}

UNIT_TEST(rows_that_are_not_shown_count_in_json)
{
	top.kind = PTU_TOP_PROCESSES;
	top.nr_all = 9;
	CHECK_HAS(text_of(render_top_json, TEXT), "\"rows\": 9");
}

UNIT_TEST(figures_of_a_part_are_lower_limits)
{
	const struct ptu_top_row whole = top_row;

	top.kind = PTU_TOP_PROCESSES;
	top_row.is_part = true;
	CHECK_HAS(text_of(render_top, CHOSEN("EMPTY,DEPOSITED,SOURCE")),
		  "  64+       65+ bpf,part\n");
	/* nothing was read */
	top_row.source = PTU_TOP_VMPTE;
	CHECK_HAS(text_of(render_top, CHOSEN("PID,SOURCE")), " 61 vmpte\n");
	top_row = whole;
}

UNIT_MAIN
