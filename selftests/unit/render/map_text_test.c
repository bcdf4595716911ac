// SPDX-License-Identifier: GPL-2.0-only
/* `map` as text: its sentences, levels and rows; the picture is replaced. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/map_sheet.h"
#include "render/text/map_picture.h"
#include "support/build.h"
#include "support/rows.h"
#include "support/unit.h"

static bool is_terminal;
static int picture_error;
static size_t picture_columns;

static int fake_isatty(int fd)
{
	return is_terminal;
}

static int fake_picture(const struct ptu_picture *picture, FILE *out)
{
	picture_columns = picture->columns;
	fputs("[picture]\n", out);
	return picture_error;
}

#define isatty fake_isatty
#define ptu_picture_draw(sheet, picture, out) fake_picture(picture, out)
#include "render/text/grid.c"
#include "render/text/map.c"

#define NR_ROWS 25

static struct ptu_map_report maps[2];
static struct ptu_top_row rows[2][NR_ROWS];
static struct ptu_sheet_row sheet_rows[NR_ROWS];
static struct ptu_map_sheet sheet;
static struct ptu_err err;

/* Of 3 * 512 entries a third is used; one upper table holds nothing. */
static void set_up(void)
{
	static const struct ptu_fill half = {
		.tables = 1, .counted = 1, .entries = 256, .room = 512
	};

	memset(rows, 0, sizeof(rows));
	memset(sheet_rows, 0, sizeof(sheet_rows));
	for (size_t i = 0; i < NR_ROWS; i++) {
		rows[1][i].start = 0x400000 + i * 0x200000;
		rows[1][i].end = rows[1][i].start + 0x100000;
		rows[1][i].mapped_bytes = 0x80000;
		rows[1][i].total_bytes = 8192;
		snprintf(rows[1][i].name, sizeof(rows[1][i].name),
			 "/usr/lib/%c", (int)('a' + i));
		sheet_rows[i].of[0] = &rows[1][i];
	}
	rows[1][0].fill = (struct ptu_fill){ .tables = 1,
					     .counted = 1,
					     .room = 512 };
	maps[1] = (struct ptu_map_report){
		.geo = four_levels,
		.process = { .pid = 5,
			     .comm = "p",
			     .sees_empty = true,
			     .empty = { [PTAUDIT_PTE] = 1 },
			     .fill = { .tables = 3,
				       .counted = 3,
				       .entries = 512,
				       .room = 1536,
				       .hollow = 1 } },
		.source = PTU_TOP_MODULE,
		.fills = { [PTAUDIT_PTE] = { .tables = 3,
					     .counted = 3,
					     .entries = 512,
					     .room = 1536 },
			   [PTAUDIT_PMD] = half,
			   [PTAUDIT_PUD] = half,
			   [PTAUDIT_PGD] = half },
		.leaves = { [PTAUDIT_PMD] = 4 },
		.rows = rows[1],
		.nr_rows = 2,
	};
	maps[0] = maps[1];
	sheet = (struct ptu_map_sheet){ .maps = { &maps[1] },
					.nr_sides = 1,
					.rows = sheet_rows,
					.nr_rows = 2 };
	is_terminal = false;
	picture_error = 0;
	picture_columns = 0;
	setenv("COLUMNS", "100", 1);
}

static int render(const struct ptu_render_options *options, FILE *out,
		  struct ptu_err *error)
{
	return ptu_render_map_text(&sheet, options, out, error);
}

/* The text with one blank between cells. */
static const char *shown(struct ptu_render_options options)
{
	char *text = text_of(render, options), *to = text;
	const char *from;

	for (from = text; *from; from++)
		if (*from != ' ' || from[1] != ' ')
			*to++ = *from;
	*to = '\0';
	return text;
}

/* The same on a terminal of this width. */
static const char *shown_in(const char *width,
			    struct ptu_render_options options)
{
	setenv("COLUMNS", width, 1);
	return shown(options);
}

/* Begins with the line? */
#define CHECK_BEGINS(text, line)                                       \
	do {                                                           \
		const char *text_ = (text);                            \
		if (strncmp(text_, (line), strlen(line)) != 0) {       \
			UNIT_FAIL("no \"%s\" at:\n%s", (line), text_); \
			return;                                        \
		}                                                      \
	} while (0)

/* 6 tables of 4 KiB; 1024 entries of 8 bytes and a table; 512 entries in the first row. */
UNIT_TEST(text_of_a_map_has_its_parts_in_order)
{
	CHECK_STR(shown(TEXT),
		  "p (5): tables 24K, waste 12K; the largest part, 4K, by /usr/lib/a at 0x400000\n"
		  "the kernel's tables, read by module\n"
		  "waste in upper tables that hold nothing: 4K (1)\n"
		  "\n"
		  "[picture]\n"
		  "\n"
		  "LEVEL TABLES SIZE USED FILL EMPTY HUGE\n"
		  "pgd 1 4K 256 50 0 0\n"
		  " pud 1 4K 256 50 0 0\n"
		  " pmd 1 4K 256 50 0 4\n"
		  " pte 3 12K 512 33.3 1 0\n"
		  "\n"
		  "WASTE SIZE TABLES EMPTY FILL HUGE START MAPPED NAME\n"
		  " 4K 8K 1 - 0 0 0x400000 512K /usr/lib/a\n"
		  " - 8K 0 - - 0 0x600000 512K /usr/lib/b\n");
	CHECK_EQ(picture_columns, 100);
	/* two slots may have tables or huge pages */
	maps[1].possible[PTAUDIT_PTE] = 2;
	CHECK_HAS(shown(TEXT), "\n pte 3-5 12K ");
}

UNIT_TEST(sizes_are_bytes_if_wanted)
{
	const char *text = shown((struct ptu_render_options){ .bytes = true });

	CHECK_BEGINS(text,
		     "p (5): tables 24576, waste 12288; the largest part, 4096, by /usr/lib/a at 0x400000\n");
	CHECK_HAS(text, "hold nothing: 4096 (1)\n");
	CHECK_HAS(text, "\n pte 3 12288 512 ");
	CHECK_HAS(text, "\n 4096 8192 1 ");
}

UNIT_TEST(programs_get_only_the_rows)
{
	CHECK_STR(shown((struct ptu_render_options){
			  .raw = true, .columns = "START,SPAN,NAME" }),
		  "START SPAN NAME\n0x400000 1M /usr/lib/a\n0x600000 1M /usr/lib/b\n");
	CHECK_STR(shown((struct ptu_render_options){ .no_headings = true,
						     .columns = "NAME" }),
		  "/usr/lib/a\n/usr/lib/b\n");
	CHECK_EQ(picture_columns, 0);
}

UNIT_TEST(deposits_of_a_row_may_be_unknown)
{
	rows[1][0].has_deposited = true;
	rows[1][0].deposited_tables = 3;
	rows[1][1].deposited_tables = 4;
	CHECK_STR(shown((struct ptu_render_options){
			  .raw = true, .columns = "NAME,DEPOSITED" }),
		  "NAME DEPOSITED\n/usr/lib/a 3\n/usr/lib/b -\n");
}

UNIT_TEST(upper_tables_that_hold_nothing_are_waste)
{
	rows[1][0].fill = (struct ptu_fill){ .hollow = 1 };
	rows[1][1].fill = (struct ptu_fill){ .tables = 1 };
	CHECK_STR(shown((struct ptu_render_options){ .raw = true,
						     .columns = "NAME,WASTE" }),
		  "NAME WASTE\n/usr/lib/a 4K\n/usr/lib/b -\n");
}

UNIT_TEST(waste_that_is_not_known_is_not_shown)
{
	maps[1].fills[PTAUDIT_PTE].counted = 0;
	CHECK_BEGINS(shown(TEXT),
		     "p (5): tables 24K, used entries are not counted\n");
	maps[1].fills[PTAUDIT_PTE].counted = 3;
	/* no mapping wastes anything */
	rows[1][0].fill.entries = 512;
	CHECK_BEGINS(shown(TEXT), "p (5): tables 24K, waste 12K\n");
	rows[1][0].fill.entries = 0;
	maps[1].nr_rows = 0;
	CHECK_BEGINS(shown(TEXT), "p (5): tables 24K, waste 12K\n");
	strcpy(maps[1].process.comm, "a\x1b");
	maps[1].nr_rows = 2;
	strcpy(rows[1][0].name, "b\x1b");
	CHECK_BEGINS(shown(TEXT),
		     "a\\x1b (5): tables 24K, waste 12K; the largest part, 4K, by b\\x1b at ");
}

/* The complete line has 77 characters. In a line of its own, the sentence has 39 and the name. */
UNIT_TEST(the_worst_mapping_fits_the_terminal)
{
	is_terminal = true;
	CHECK_BEGINS(shown_in("77", TEXT),
		     "p (5): tables 24K, waste 12K; the largest part, 4K, by /usr/lib/a at 0x400000\n");
	CHECK_BEGINS(shown_in("76", TEXT),
		     "p (5): tables 24K, waste 12K;\n the largest part, 4K, by /usr/lib/a at 0x400000\n");
	CHECK_HAS(shown_in("49", TEXT),
		  ";\n the largest part, 4K, by /usr/lib/a at ");
	CHECK_HAS(shown_in("48", TEXT),
		  ";\n the largest part, 4K, by ..r/lib/a at ");
	CHECK_HAS(shown_in("47", TEXT),
		  ";\n the largest part, 4K, by ../lib/a at ");
	CHECK_HAS(shown_in("46", TEXT),
		  ";\n the largest part, 4K, by ../lib/a at ");
	CHECK_HAS(shown_in("10", TEXT),
		  ";\n the largest part, 4K, by ../lib/a at ");
	/* a file has no width */
	is_terminal = false;
	CHECK_HAS(shown(TEXT), "; the largest part, 4K, by /usr/lib/a at ");
}

UNIT_TEST(the_source_and_what_is_not_drawn_are_named)
{
	struct ptu_process *p = &maps[1].process;

	p->fill.hollow = 0;
	/* the kernel's tables are complete, so no line says what is missing */
	CHECK_HAS(shown(TEXT), "\nthe kernel's tables, read by module\n\n");
	maps[1].estimator = "scan";
	p->deposited_tables = 2;
	p->fill.hollow = 3;
	p->residual_bytes = 20480;
	p->sees_empty = false;
	CHECK_HAS(shown(TEXT),
		  "\nestimated by scan\n"
		  "deposited for huge pages: 8K\n"
		  "waste in upper tables that hold nothing: 12K (3)\n"
		  "VmPTE is 20K larger than the tables drawn here:\n"
		  " the estimator scan does not see tables without a page,\n"
		  " or tables of PFN mappings,\n"
		  " or the tables changed while they were read\n\n");
	/* only pagemap and scan cannot see empty PTE tables */
	p->sees_empty = true;
	CHECK_HAS(shown(TEXT),
		  "\n the estimator scan does not see upper tables that hold nothing,\n");
	/* the sum includes two deposited tables */
	CHECK_BEGINS(shown(TEXT), "p (5): tables 32K,");
	p->residual_bytes = -4096;
	CHECK(!strstr(shown(TEXT), "VmPTE"));
}

UNIT_TEST(twenty_rows_are_shown_unless_more_are_wanted)
{
	const struct ptu_render_options names = { .columns = "NAME" };
	struct ptu_render_options more = names;

	sheet.nr_rows = 20;
	CHECK_HAS(shown(names), "\nNAME\n/usr/lib/a\n");
	CHECK_HAS(shown(names), "/usr/lib/t\n");
	CHECK(!strstr(shown(names), "shows all"));
	sheet.nr_rows = 25;
	CHECK_HAS(shown(names), "/usr/lib/t\n20 of 25 rows; -N 25 shows all\n");
	more.limit = 24;
	CHECK_HAS(shown(more), "/usr/lib/x\n24 of 25 rows; -N 25 shows all\n");
	more.limit = 25;
	CHECK_HAS(shown(more), "/usr/lib/y\n");
	CHECK(!strstr(shown(more), "shows all"));
	more.limit = 26;
	CHECK(!strstr(shown(more), "shows all"));
	more.limit = 3;
	more.raw = true;
	CHECK_STR(shown(more), "NAME\n/usr/lib/a\n/usr/lib/b\n/usr/lib/c\n");
	/* raw output has all rows */
	more.limit = 0;
	CHECK_HAS(shown(more), "/usr/lib/y\n");
}

UNIT_TEST(a_narrow_terminal_has_fewer_columns)
{
	const char *text;

	CHECK_HAS(shown_in("79", TEXT), " HUGE START MAPPED NAME\n");
	is_terminal = true;
	text = shown(TEXT);
	CHECK_HAS(text, "\nWASTE SIZE TABLES EMPTY FILL START NAME\n");
	CHECK_HAS(shown_in("80", TEXT),
		  "\nWASTE SIZE TABLES EMPTY FILL HUGE START MAPPED NAME\n");
	sheet.kind = PTU_SHEET_CHANGE;
	CHECK_HAS(shown(TEXT),
		  "\nCAME WENT SIZE TABLES EMPTY FILL HUGE START MAPPED NAME\n");
	CHECK_HAS(shown_in("79", TEXT),
		  "\nCAME WENT SIZE TABLES FILL START NAME\n");
}

UNIT_TEST(names_are_cut_to_the_terminal)
{
	const struct ptu_render_options options = { .raw = false,
						    .columns = "START,NAME" };

	strcpy(rows[1][0].name, "/usr/lib/long/long/long/x");
	CHECK_HAS(shown_in("20", options),
		  "0x400000 /usr/lib/long/long/long/x\n");
	/* 9 characters precede the path */
	is_terminal = true;
	CHECK_HAS(shown(options), "0x400000 ..ng/long/x\n");
}

/* Before: a, b and c.  After: a, b with two more tables, and d; c has gone with one. */
static void change(void)
{
	static struct ptu_top_row *const before = rows[0];

	memcpy(before, rows[1], sizeof(rows[1]));
	before[2].fill.tables = 9;
	before[2].has_empty = true;
	maps[0].process.deposited_tables = 1;
	strcpy(maps[0].host.time, "then");
	sheet.kind = PTU_SHEET_CHANGE;
	sheet.maps[0] = &maps[0];
	sheet.maps[1] = &maps[1];
	sheet.nr_sides = 2;
	sheet.nr_rows = 4;
	sheet.marked[PTU_MARK_CAME] = 2;
	sheet.marked[PTU_MARK_WENT] = 1;
	memset(sheet_rows, 0, sizeof(sheet_rows));
	sheet_rows[0].of[0] = &before[0];
	sheet_rows[0].of[1] = &rows[1][0];
	sheet_rows[1].of[1] = &rows[1][3];
	sheet_rows[2].of[0] = &before[1];
	sheet_rows[2].of[1] = &rows[1][1];
	sheet_rows[2].marked[PTU_MARK_CAME] = 2;
	sheet_rows[3].of[0] = &before[2];
	sheet_rows[3].marked[PTU_MARK_WENT] = 1;
}

UNIT_TEST(a_change_begins_with_its_moments)
{
	CHECK(!strstr(shown(TEXT), "since "));
	change();
	CHECK_HAS(shown(TEXT), "at 0x400000\n"
			       "since then: 2 tables came, 1 went\n"
			       "before: tables 28K\n"
			       "the kernel's tables");
}

UNIT_TEST(rows_that_changed_come_first)
{
	change();
	CHECK_STR(shown((struct ptu_render_options){
			  .raw = true,
			  .columns =
				  "NAME,CAME,WENT,SIZE,TABLES,EMPTY,START,END,MAPPED" }),
		  "NAME CAME WENT SIZE TABLES EMPTY START END MAPPED\n"
		  "/usr/lib/b 2 0 8K 0 - 0x600000 0x700000 512K\n"
		  /* the tables of a mapping that has gone no longer exist */
		  "/usr/lib/c 0 1 0 0 0 0x800000 0x900000 512K\n"
		  "/usr/lib/a 0 0 8K 1 - 0x400000 0x500000 512K\n"
		  "/usr/lib/d 0 0 8K 0 - 0xa00000 0xb00000 512K\n");
	rows[0][2].has_deposited = true;
	rows[0][2].deposited_tables = 5;
	CHECK_HAS(shown((struct ptu_render_options){
			  .raw = true, .columns = "NAME,DEPOSITED" }),
		  "/usr/lib/c 0\n");
	/* in a check, a mark does not mean that a table came or went */
	sheet.kind = PTU_SHEET_CHECK;
	sheet.nr_rows = 3;
	CHECK_STR(shown((struct ptu_render_options){
			  .raw = true, .columns = "NAME,CAME,WENT" }),
		  "NAME CAME WENT\n"
		  "/usr/lib/b - -\n"
		  "/usr/lib/a - -\n"
		  "/usr/lib/d - -\n");
}

UNIT_TEST(a_failed_picture_is_an_error)
{
	const struct ptu_render_options options = { .raw = false };
	const char *text;
	int error;

	err.text[0] = '\0';
	picture_error = -ENOMEM;
	text = OUTPUT_OF(
		error = ptu_render_map_text(&sheet, &options, out, &err));
	CHECK_EQ(error, -ENOMEM);
	CHECK_STR(err.text, "no memory for the picture");
	CHECK(!strstr(text, "NAME"));
}

UNIT_TEST(unknown_columns_are_refused)
{
	struct ptu_render_options options = { .columns = "WASTE,NAME" };
	const char *text = OUTPUT_OF(ptu_render_map_columns(out));

	CHECK_EQ(ptu_render_map_check(&options, &err), 0);
	options.columns = "NONE";
	CHECK(ptu_render_map_check(&options, &err) == -EINVAL);
	CHECK_EQ(ptu_render_map_text(&sheet, &options, stdout, &err), -EINVAL);
	CHECK_HAS(text, " WASTE  ");
	CHECK_HAS(text, " NAME  ");
}

UNIT_MAIN_WITH(set_up, NULL)
