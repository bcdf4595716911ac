// SPDX-License-Identifier: GPL-2.0-only
/* The columns of mappings. */
#include <stdlib.h>

#include "render/render.h"
#include "render/text/parts.h"

#include "support/rows.h"
#include "support/sample.h"
#include "support/unit.h"

/* Without the empty line before the table, so that row 0 is the heading. */
static bool sees_empty, counts_entries;

static int render_mappings(const struct ptu_render_options *options, FILE *out,
			   struct ptu_err *err)
{
	struct sample s;
	struct ptu_text text = { .report = &s.report, .options = options };
	struct printed *lines = printed_begin();
	int error;

	sample_estimate(&s);
	s.processes[0].sees_empty = sees_empty;
	if (counts_entries)
		s.processes[0].fill = (struct ptu_fill){ .tables = 1,
							 .counted = 1 };
	s.report.page_bytes = 4096;
	s.mappings[0] = (struct ptu_mapping_row){
		.start = 0x400000,
		.end = 0x900000,
		.perms = "r-xp",
		.path = "/bin/x",
		.low = { 3, 5, 7, 11, 90 },
		.high = { 4, 5, 9, 11, 90 },
		.leaves = 13,
		/* 3 tables with 192 of 1536 entries: 12.5 % */
		.fill = { .tables = 3,
			  .counted = 3,
			  .entries = 192,
			  .room = 1536,
			  .in_class = { 2, 0, 0, 1, 0 } },
	};
	text.out = lines->out;
	error = ptu_text_mappings(&text, &s.processes[0], err);
	fputs(printed_end(lines) + 1, out);
	return error;
}

UNIT_TEST(each_column_of_mappings_has_its_member)
{
	static const struct cell cells[] = {
		{ 1, "START", "0x400000" },
		{ 1, "END", "0x900000" },
		{ 1, "PERMS", "r-xp" },
		{ 1, "PATH", "/bin/x" },
		{ 1, "PTE", "3-4" },
		{ 1, "PMD", "5" },
		{ 1, "PUD", "7-9" },
		{ 1, "P4D", "11" },
		{ 1, "LEAVES", "13" },
		/* 3 + 5 + 7 + 11 tables of 4 KiB; not the PGD */
		{ 1, "SIZE", "104K" },
		{ 1, "EMPTY", "2" },
		{ 1, "FILL", "12.5" },
		/* the mapping without tables is left out */
		{ 2, "START", "0x40000000" },
		{ 2, "PERMS", "rw-s" },
		{ 2, "LEAVES", "1" },
		{ 3, "START", "0xffffffffffe00000" },
		{ 3, "PERMS", "-" },
		{ 3, "PATH", "(no\\x20mapping)" },
	};

	sees_empty = true;
	CHECK_COLUMNS(render_mappings, cells);
}

static const char *heading(void)
{
	static char line[256];
	const char *text = text_of(render_mappings,
				   (struct ptu_render_options){ .raw = true });

	snprintf(line, sizeof(line), "%.*s", (int)strcspn(text, "\n"), text);
	return line;
}

/* The process has no P4D tables: the level is folded. */
UNIT_TEST(default_columns_of_mappings_are_those_that_are_known)
{
#define ALWAYS "START END PERMS PATH PTE PMD PUD LEAVES SIZE"
	static const struct cell unknown[] = { { 1, "EMPTY", "-" },
					       { 2, "FILL", "-" } };

	sees_empty = counts_entries = false;
	CHECK_STR(heading(), ALWAYS);
	CHECK_CELLS(render_mappings, unknown);
	sees_empty = true;
	CHECK_STR(heading(), ALWAYS " EMPTY");
	counts_entries = true;
	CHECK_STR(heading(), ALWAYS " EMPTY FILL");
	sees_empty = false;
	CHECK_STR(heading(), ALWAYS " FILL");
}

UNIT_TEST(entries_are_counted_if_the_column_fill_is_wanted)
{
	static const struct {
		const char *columns;
		const char *sort;
		bool wanted;
	} cases[] = {
		{ "FILL", NULL, true },	     { "SIZE,FILL", NULL, true },
		{ "FILL,SIZE", NULL, true }, { "SIZE,EMPTY", NULL, false },
		{ NULL, NULL, false },	     { NULL, "fill", true },
		{ "SIZE", "FILL", true },    { "SIZE", "SIZE", false },
	};
	struct ptu_render_options options = { .raw = false };
	struct sample s;

	sample_estimate(&s);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		options.columns = cases[i].columns;
		options.sort = cases[i].sort;
		for (int table = 0; table < 3; table++) {
			options.mappings = table == 1;
			s.report.is_all = table == 2;
			CHECK_EQ(ptu_render_text_wants_fill(&s.report,
							    &options),
				 cases[i].wanted);
		}
	}
}

UNIT_TEST(mappings_without_tables_are_counted_in_text)
{
	CHECK_HAS(text_of(render_mappings, TEXT),
		  "mappings without a counted table or huge page: 1\n");
}

UNIT_MAIN
