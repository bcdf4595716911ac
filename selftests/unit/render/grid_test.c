// SPDX-License-Identifier: GPL-2.0-only
/*
 * How rows become a table: alignment, escapes, colours, and the last column, which is
 * printed separately if it does not affect the others.
 */
#include <errno.h>
#include <libsmartcols.h>
#include <locale.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/rows.h"
#include "support/times.h"
#include "support/unit.h"

/* Is standard output a terminal? Is the stream one to which the table is printed? */
static bool is_stdout_terminal, is_out_terminal;

static int fake_isatty(int fd)
{
	return fd == STDOUT_FILENO ? is_stdout_terminal : is_out_terminal;
}

/*
 * @failure: return value of libsmartcols, and @errno_after the errno it leaves;
 *   0: the real ones
 * @failed_text: the text that it returns; NULL: the real one
 * @nr_apart: number of grids that libsmartcols formatted as text
 */
static int failure, errno_after;
static const char *failed_text;
static unsigned int nr_apart;

/*
 * Leave errno as it was.  Without a terminal, libsmartcols asks for the width,
 * which sets errno.
 */
static int fake_print(struct libscols_table *table)
{
	const int before = errno;
	int error = failure ? failure : scols_print_table(table);

	errno = errno_after ? errno_after : before;
	return error;
}

static int fake_print_to_string(struct libscols_table *table, char **ret)
{
	const int before = errno;
	int error = failure;

	nr_apart++;
	if (failed_text)
		*ret = *failed_text ? strdup(failed_text) : NULL;
	else if (!failure)
		error = scols_print_table_to_string(table, ret);
	errno = errno_after ? errno_after : before;
	return error;
}

static bool table_fails;

static int fake_enable_colors(struct libscols_table *table, int enable)
{
	return table_fails ? -EINVAL : scols_table_enable_colors(table, enable);
}

#define isatty fake_isatty
#define scols_table_enable_colors fake_enable_colors
#define scols_print_table fake_print
#define scols_print_table_to_string fake_print_to_string
#include "render/text/grid.c"
#undef isatty

struct row {
	uint64_t number;
	uint64_t bad;
	uint64_t pages;
	const char *path;
};

/* An earlier call has set errno, and its error does not matter. */
static void fill_after_error(struct ptu_grid_cell *cell, const void *row)
{
	ptu_fill_number(cell, row);
	errno = ENOMEM;
}

#define AT(member) .offset = offsetof(struct row, member)

static const struct ptu_grid_column columns[] = {
	{ "NUMBER", "", PTU_RIGHT, ptu_fill_number, AT(number) },
	{ "BAD", "", PTU_RIGHT | PTU_ALARM, ptu_fill_number, AT(bad) },
	{ "PAGES", "", PTU_RIGHT, ptu_fill_pages, AT(pages) },
	/* at least six columns wide; the name of the second one is longer */
	{ "W", "", PTU_RIGHT | PTU_WIDTH(6), ptu_fill_number, AT(number) },
	{ "WIDENAME", "", PTU_RIGHT | PTU_WIDTH(6), ptu_fill_number,
	  AT(number) },
	{ "AFTER", "", PTU_RIGHT, fill_after_error, AT(number) },
	{ "PATH", "", 0, ptu_fill_string, AT(path) },
	{ NULL },
};

static struct row rows[3];
static struct ptu_grid grid;
static struct ptu_err err;
static int result;

static void set_up(void)
{
	rows[0] = (struct row){ 7, 0, 3, "/a b" };
	rows[1] = (struct row){ 12345678, 5, 2, "/\x1bx" };
	rows[2] = (struct row){ 30, 0, 1, "" };
	grid = (struct ptu_grid){
		.columns = columns,
		.defaults = "NUMBER,PATH",
		.rows = rows,
		.nr_rows = 2,
		.row_bytes = sizeof(rows[0]),
		.page_bytes = 4096,
	};
	is_stdout_terminal = is_out_terminal = false;
	failure = errno_after = 0;
	failed_text = NULL;
	table_fails = false;
	nr_apart = 0;
	err.text[0] = '\0';
	setenv("COLUMNS", "80", 1);
}

#define WITH(...) (&(struct ptu_render_options){ __VA_ARGS__ })
#define PLAIN WITH(.raw = false)

/* What is printed; the result is in @result. */
static const char *printed(const struct ptu_render_options *options)
{
	err.text[0] = '\0';
	return OUTPUT_OF(result = ptu_grid_print(&grid, options, out, &err));
}

/* The same on a terminal of this width. */
static const char *printed_in(const char *width,
			      const struct ptu_render_options *options)
{
	setenv("COLUMNS", width, 1);
	return printed(options);
}

UNIT_TEST(unknown_columns_and_sort_keys_are_refused)
{
	CHECK_EQ(ptu_grid_check(&grid, PLAIN, &err), 0);
	CHECK_EQ(ptu_grid_check(&grid, WITH(.columns = "BAD", .sort = "PATH"),
				&err),
		 0);
	CHECK(ptu_grid_check(&grid, WITH(.columns = "NONE"), &err) == -EINVAL);
	CHECK(ptu_grid_check(&grid, WITH(.sort = "NONE"), &err) == -EINVAL);
	CHECK_STR(printed(WITH(.columns = "NONE")), "");
	CHECK(result == -EINVAL);
	CHECK_STR(printed(WITH(.sort = "NONE")), "");
	CHECK(result == -EINVAL);
	CHECK_HAS(err.text, "NONE");
}

/* 12345678 is wider than its heading, and ESC is escaped. */
UNIT_TEST(the_last_column_is_printed_apart)
{
	CHECK_STR(printed(PLAIN), "  NUMBER PATH\n"
				  "       7 /a b\n"
				  "12345678 /\\x1bx\n");
	CHECK_EQ(result, 0);
	CHECK_EQ(nr_apart, 1);
	CHECK_STR(printed(WITH(.no_headings = true)), "       7 /a b\n"
						      "12345678 /\\x1bx\n");
	CHECK_EQ(nr_apart, 2);
}

/* In another locale than UTF-8, libsmartcols 2.38 never returns from a cell such as "a\u00e9". */
UNIT_TEST(characters_that_the_locale_lacks_are_escaped_in_aligned_cells)
{
	rows[0].path = "a\xc3\xa9";
	CHECK(setlocale(LC_CTYPE, "C"));
	CHECK_STR(printed(WITH(.columns = "PATH,NUMBER")),
		  "PATH        NUMBER\n"
		  "a\\xc3\\xa9        7\n"
		  "/\\x1bx    12345678\n");
	CHECK_EQ(result, 0);
	CHECK(setlocale(LC_CTYPE, "C.UTF-8"));
	CHECK_STR(printed(WITH(.columns = "PATH,NUMBER")),
		  "PATH     NUMBER\n"
		  "a\xc3\xa9            7\n"
		  "/\\x1bx 12345678\n");
	CHECK(setlocale(LC_CTYPE, "C"));
}

/* The output is the same as if the last column was printed apart. */
UNIT_TEST(libsmartcols_prints_all_columns_that_affect_each_other)
{
	grid.colours = true;
	CHECK_STR(printed(PLAIN), "  NUMBER PATH\n"
				  "       7 /a b\n"
				  "12345678 /\\x1bx\n");
	grid.colours = false;
	CHECK_STR(printed(WITH(.columns = "PATH")), "PATH\n"
						    "/a b\n"
						    "/\\x1bx\n");
	CHECK_STR(printed(WITH(.columns = "PATH,NUMBER")),
		  "PATH     NUMBER\n"
		  "/a b          7\n"
		  "/\\x1bx 12345678\n");
	CHECK_STR(printed(WITH(.raw = true)), "NUMBER PATH\n"
					      "7 /a\\x20b\n"
					      "12345678 /\\x1bx\n");
	/* on a terminal libsmartcols cuts off what does not fit */
	is_stdout_terminal = true;
	CHECK_STR(printed(PLAIN), "  NUMBER PATH\n"
				  "       7 /a b\n"
				  "12345678 /\\x1bx\n");
	CHECK_EQ(nr_apart, 0);
	/* this table cuts off its last column itself */
	grid.cut = true;
	printed(PLAIN);
	CHECK_EQ(nr_apart, 1);
}

UNIT_TEST(a_table_without_rows_is_empty)
{
	grid.nr_rows = 0;
	CHECK_STR(printed(PLAIN), "");
	CHECK_EQ(result, 0);
	CHECK_EQ(nr_apart, 0);
}

/* The first column takes 9 characters with the blank behind it. */
UNIT_TEST(the_last_cell_is_shortened_to_the_terminal)
{
	grid.cut = true;
	rows[0].path = "/usr/lib/libx.so";
	rows[1].path = "anything";
	/* a file has no width */
	CHECK_STR(printed_in("25", WITH(.no_headings = true)),
		  "       7 /usr/lib/libx.so\n"
		  "12345678 anything\n");
	CHECK_HAS(printed_in("24", PLAIN), " 7 /usr/lib/libx.so\n");
	is_out_terminal = true;
	CHECK_HAS(printed_in("25", PLAIN), " 7 /usr/lib/libx.so\n");
	CHECK_HAS(printed_in("24", PLAIN), " 7 ..r/lib/libx.so\n");
	CHECK_HAS(printed_in("14", PLAIN), " 7 ...so\n");
	CHECK_HAS(printed(PLAIN), "\n12345678 anyth\n");
	/* four characters remain, even if the line becomes too long */
	CHECK_HAS(printed_in("13", PLAIN), "\n12345678 anyt\n");
	CHECK_HAS(printed_in("12", PLAIN), "\n12345678 anyt\n");
	CHECK_HAS(printed_in("1", PLAIN), "\n12345678 anyt\n");
	grid.cut = false;
	CHECK_HAS(printed(PLAIN), "\n12345678 anything\n");
}

UNIT_TEST(an_additional_row_comes_last_in_any_order)
{
	const struct row sum = { 9, 1, 6, "sum" };

	grid.last = &sum;
	CHECK_STR(printed(WITH(.no_headings = true, .sort = "NUMBER",
			       .limit = 1)),
		  "12345678 /\\x1bx\n"
		  "       9 sum\n");
	grid.colours = true;
	CHECK_HAS(printed(PLAIN), "\n12345678 /\\x1bx\n       9 sum\n");
}

static bool has_no_path(const struct ptu_grid_column *column, const void *row)
{
	return row != &rows[1] || strcmp(column->name, "PATH") != 0;
}

UNIT_TEST(a_cell_without_a_value_is_a_dash)
{
	grid.has = has_no_path;
	CHECK_STR(printed(WITH(.no_headings = true)), "       7 /a b\n"
						      "12345678 -\n");
	/* a raw line has a word for each column */
	grid.has = NULL;
	rows[0].path = "";
	CHECK_STR(printed(WITH(.no_headings = true, .raw = true)),
		  "7 -\n"
		  "12345678 /\\x1bx\n");
	CHECK_STR(printed(WITH(.no_headings = true)), "       7 \n"
						      "12345678 /\\x1bx\n");
}

static bool has_number(const struct ptu_grid_column *column, const void *row)
{
	return row != &rows[0] || strcmp(column->name, "NUMBER") != 0;
}

UNIT_TEST(rows_without_a_value_come_last)
{
	grid.has = has_number;
	CHECK_STR(printed(WITH(.no_headings = true, .sort = "NUMBER")),
		  "12345678 /\\x1bx\n"
		  "       - /a b\n");
}

UNIT_TEST(a_table_has_64_columns_at_most)
{
	char names[65 * 4 + 1] = "";

	for (int i = 0; i < 64; i++)
		strcat(names, i ? ",bad" : "bad");
	CHECK_EQ(ptu_grid_check(&grid, WITH(.columns = names), &err), 0);
	strcat(names, ",bad");
	CHECK_EQ(ptu_grid_check(&grid, WITH(.columns = names), &err), -EINVAL);
	CHECK_STR(err.text, "more than 64 columns");
}

UNIT_TEST(page_counts_are_bytes_if_wanted)
{
	grid.defaults = "PAGES,PATH";
	CHECK_STR(printed(WITH(.raw = true, .no_headings = true)),
		  "3 /a\\x20b\n"
		  "2 /\\x1bx\n");
	CHECK_STR(printed(WITH(.raw = true, .no_headings = true,
			       .bytes = true)),
		  "12288 /a\\x20b\n"
		  "8192 /\\x1bx\n");
}

UNIT_TEST(numbers_that_tell_of_a_problem_are_red)
{
	const char *text;

	grid.defaults = "NUMBER,BAD,PATH";
	CHECK_EQ(times(printed(PLAIN), "\033"), 0);
	grid.colours = true;
	text = printed(PLAIN);
	CHECK_EQ(result, 0);
	CHECK_EQ(times(text, "\033[31m"), 1);
	CHECK_HAS(strstr(text, "\033[31m"), "5");
	CHECK(!strstr(strstr(text, "\033[31m"), "\n12345678"));
}

UNIT_TEST(rows_of_a_problem_are_red)
{
	grid.alarm = true;
	CHECK_EQ(times(printed(PLAIN), "\033"), 0);
	grid.colours = true;
	CHECK_EQ(times(printed(PLAIN), "\033[31m"), 2);
	grid.alarm = false;
	CHECK_EQ(times(printed(PLAIN), "\033"), 0);
}

UNIT_TEST(columns_are_as_wide_as_their_least_width_and_name)
{
	grid.nr_rows = 1;
	/* 6, then 8 for the name */
	grid.defaults = "W,WIDENAME,PATH";
	CHECK_STR(printed(PLAIN), "     W WIDENAME PATH\n"
				  "     7        7 /a b\n");
	/* the widths are the same without headings */
	CHECK_STR(printed(WITH(.no_headings = true)), "     7        7 /a b\n");
	/* a longer value still fits */
	rows[0].number = 1234567;
	CHECK_HAS(printed(WITH(.columns = "WIDENAME,PATH")),
		  "\n 1234567 /a b\n");
}

/* How the table is printed: as a whole, and the last column apart. */
static const char *const ways[] = { "PATH", "NUMBER,PATH" };

UNIT_TEST(a_failure_of_libsmartcols_is_an_error)
{
	for (size_t i = 0; i < 2; i++) {
		grid.defaults = ways[i];
		failure = -EBADF;
		CHECK_STR(printed(PLAIN), "");
		CHECK(result == -EIO);
		CHECK_STR(err.text, "writing the table failed");
		failure = -ENOMEM;
		printed(PLAIN);
		CHECK(result == -ENOMEM);
		CHECK_STR(err.text, "no memory for the table");
		/* libsmartcols returned 0, but some cells are empty */
		failure = 0;
		errno_after = ENOMEM;
		printed(PLAIN);
		CHECK(result == -ENOMEM);
		errno_after = EINTR;
		printed(PLAIN);
		CHECK_EQ(result, 0);
		errno_after = 0;
	}
}

/* The sanitizer finds a table that is not freed. */
UNIT_TEST(a_table_that_cannot_be_set_up_is_an_error)
{
	table_fails = true;
	CHECK_STR(printed(PLAIN), "");
	CHECK(result == -ENOMEM);
	CHECK_STR(err.text, "no memory for the table");
}

UNIT_TEST(an_earlier_errno_is_not_an_error_of_libsmartcols)
{
	CHECK_STR(printed(WITH(.columns = "AFTER", .no_headings = true)),
		  "       7\n12345678\n");
	CHECK_EQ(result, 0);
	CHECK_EQ(nr_apart, 0);
	CHECK_STR(printed(WITH(.columns = "AFTER,PATH", .no_headings = true)),
		  "       7 /a b\n12345678 /\\x1bx\n");
	CHECK_EQ(result, 0);
	CHECK_EQ(nr_apart, 1);
}

UNIT_TEST(a_line_without_its_end_is_an_error)
{
	static const char *const texts[] = {
		"",		   /* no text at all */
		"NUMBER .\n",	   /* no lines below the headings */
		"NUMBER .\n7 .\n", /* one line too few */
		"NUMBER .\n7 x\n8 .\n",
		"NUMBER .\n7 .\n\n8 .\n",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		failed_text = texts[i];
		printed(PLAIN);
		if (result != -ENOMEM)
			UNIT_FAIL("text %zu is accepted, with the result %d", i,
				  result);
	}
	failed_text = "NUMBER .\n7 .\n8 .";
	CHECK_STR(printed(PLAIN), "NUMBER .\n7 /a b\n8 /\\x1bx\n");
	CHECK_EQ(result, 0);
}

UNIT_MAIN_WITH(set_up, NULL)
