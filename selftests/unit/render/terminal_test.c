// SPDX-License-Identifier: GPL-2.0-only
/* Width and colours of a terminal, and text that is shortened to a width. */
#include <locale.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "support/unit.h"

/* What the terminal answers; without columns the request fails, as for a file. */
static struct winsize window;
static bool is_terminal;

static int fake_ioctl(int fd, unsigned long request, struct winsize *ret)
{
	*ret = window;
	return is_terminal ? 0 : -1;
}

static int fake_isatty(int fd)
{
	return is_terminal;
}

#define ioctl fake_ioctl
#define isatty fake_isatty
#include "render/text/terminal.c"

static void set_up(void)
{
	unsetenv("NO_COLOR");
	unsetenv("COLUMNS");
	setenv("TERM", "xterm", 1);
	setlocale(LC_CTYPE, "C");
	is_terminal = true;
	window = (struct winsize){ .ws_row = 24, .ws_col = 132 };
}

UNIT_TEST(colours_need_a_terminal_that_has_them)
{
	CHECK(ptu_terminal_colours(stdout));
	setenv("TERM", "dumb", 1);
	CHECK(!ptu_terminal_colours(stdout));
	unsetenv("TERM");
	CHECK(!ptu_terminal_colours(stdout));
	setenv("TERM", "xterm", 1);
	is_terminal = false;
	CHECK(!ptu_terminal_colours(stdout));
}

UNIT_TEST(no_color_counts_unless_it_is_empty)
{
	setenv("NO_COLOR", "", 1);
	CHECK(ptu_terminal_colours(stdout));
	setenv("NO_COLOR", "1", 1);
	CHECK(!ptu_terminal_colours(stdout));
}

UNIT_TEST(the_width_is_that_of_the_terminal)
{
	setenv("COLUMNS", "50", 1);
	CHECK_EQ(ptu_terminal_columns(stdout), 132);
	window.ws_col = 1;
	CHECK_EQ(ptu_terminal_columns(stdout), 1);
	/* a serial line does not know its width */
	window.ws_col = 0;
	CHECK_EQ(ptu_terminal_columns(stdout), 50);
	window.ws_col = 132;
	is_terminal = false;
	CHECK_EQ(ptu_terminal_columns(stdout), 50);
}

UNIT_TEST(columns_from_the_environment_are_within_limits)
{
	static const struct {
		const char *columns;
		size_t width;
	} cases[] = {
		{ "1", 1 },	   { "999", 999 }, { "1000", 1000 },
		{ "1001", 1000 },  { "0", 80 },	   { "-1", 80 },
		{ "-5000", 80 },   { "wide", 80 }, { "", 80 },
		{ "99999", 1000 },
	};

	is_terminal = false;
	CHECK_EQ(ptu_terminal_columns(stdout), 80);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		setenv("COLUMNS", cases[i].columns, 1);
		if (ptu_terminal_columns(stdout) != cases[i].width)
			UNIT_FAIL("the width is wrong with COLUMNS=%s",
				  cases[i].columns);
	}
}

/* The text as it is shown in @columns. */
static const char *fitted(const char *text, size_t columns)
{
	static char copy[64];

	snprintf(copy, sizeof(copy), "%s", text);
	return ptu_terminal_fit(copy, columns);
}

UNIT_TEST(the_end_of_a_text_is_cut_off)
{
	CHECK_STR(fitted("abcdef", 7), "abcdef");
	CHECK_STR(fitted("abcdef", 6), "abcdef");
	CHECK_STR(fitted("abcdef", 5), "abcde");
	CHECK_STR(fitted("abcdef", 1), "a");
	CHECK_STR(fitted("abcdef", 0), "");
	CHECK_STR(fitted("", 0), "");
}

UNIT_TEST(the_beginning_of_a_path_is_cut_off)
{
	CHECK_STR(fitted("/a/bcdef", 8), "/a/bcdef");
	CHECK_STR(fitted("/a/bcdef", 7), "..bcdef");
	CHECK_STR(fitted("/a/bcdef", 6), "..cdef");
	CHECK_STR(fitted("/a/bcdef", 3), "..f");
	/* there is no room for more than the mark .. */
	CHECK_STR(fitted("/a/bcdef", 2), "/a");
}

UNIT_TEST(without_utf_8_each_byte_of_a_character_counts)
{
	CHECK(!ptu_terminal_is_utf8());
	/* two bytes, which are not separated */
	CHECK_STR(fitted("a\xc3\xa9z", 4), "a\xc3\xa9z");
	CHECK_STR(fitted("a\xc3\xa9z", 3), "a\xc3\xa9");
	CHECK_STR(fitted("a\xc3\xa9z", 2), "a");
	CHECK_STR(fitted("/\xc3\xa9\xc3\xa9xyz", 6), "..xyz");
}

UNIT_TEST(with_utf_8_characters_have_their_width)
{
	CHECK(setlocale(LC_CTYPE, "C.UTF-8"));
	CHECK(ptu_terminal_is_utf8());
	/* these characters have one column each; an ideograph has two */
	CHECK_STR(fitted("a\u00e9z", 3), "a\u00e9z");
	CHECK_STR(fitted("a\u00e9z", 2), "a\u00e9");
	CHECK_STR(fitted("\u4e2d\u4e2dz", 5), "\u4e2d\u4e2dz");
	CHECK_STR(fitted("\u4e2d\u4e2dz", 4), "\u4e2d\u4e2d");
	CHECK_STR(fitted("\u4e2d\u4e2dz", 3), "\u4e2d");
	/* an accent has no width, and stays with its letter */
	CHECK_STR(fitted("e\u0301z", 2), "e\u0301z");
	CHECK_STR(fitted("e\u0301z", 1), "e\u0301");
}

/* The mark has three bytes in one column: it needs the room of the first bytes. */
UNIT_TEST(with_utf_8_the_mark_of_a_path_has_one_column)
{
	CHECK(setlocale(LC_CTYPE, "C.UTF-8"));
	CHECK_STR(fitted("/a/bcdef", 7), "\u2026bcdef");
	CHECK_STR(fitted("/a/bcdef", 6), "\u2026bcdef");
	CHECK_STR(fitted("/a/bcdef", 5), "\u2026cdef");
	CHECK_STR(fitted("/a/bcdef", 2), "\u2026f");
	CHECK_STR(fitted("/a/bcdef", 1), "/");
	/* a wide character goes as a whole */
	CHECK_STR(fitted("/\u4e2dbcd", 5), "\u2026bcd");
	CHECK_STR(fitted("/a\u4e2dbcd", 6), "\u2026bcd");
}

/* Bytes that are no character count, too. */
UNIT_TEST(with_utf_8_a_wrong_byte_has_one_column)
{
	CHECK(setlocale(LC_CTYPE, "C.UTF-8"));
	CHECK_STR(fitted("a\xff\xff", 2), "a\xff");
	CHECK_STR(fitted("a\xff\xffz", 4), "a\xff\xffz");
}

UNIT_MAIN_WITH(set_up, NULL)
