// SPDX-License-Identifier: LGPL-2.1-or-later
/* Query the terminal and the environment, and shorten text; must not print. */
#define _GNU_SOURCE
#include "render/text/terminal.h"

#include <langinfo.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#define USUAL_COLUMNS 80
#define MOST_COLUMNS 1000

bool ptu_terminal_colours(FILE *out)
{
	const char *no_color = getenv("NO_COLOR");
	const char *term = getenv("TERM");

	if (no_color && no_color[0])
		return false;
	return isatty(fileno(out)) && term && strcmp(term, "dumb") != 0;
}

size_t ptu_terminal_columns(FILE *out)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	long number;

	if (!ioctl(fileno(out), TIOCGWINSZ, &size) && size.ws_col)
		return size.ws_col;
	number = columns ? strtol(columns, NULL, 10) : 0;
	if (number <= 0)
		return USUAL_COLUMNS;
	return number < MOST_COLUMNS ? (size_t)number : MOST_COLUMNS;
}

bool ptu_terminal_is_utf8(void)
{
	return !strcmp(nl_langinfo(CODESET), "UTF-8");
}

/* Columns of the character at @text, and its bytes; UTF-8 also in other locales. */
static size_t columns_of(const char *text, size_t *ret_bytes)
{
	mbstate_t state = { 0 };
	wchar_t c;
	size_t bytes = mbrtowc(&c, text, MB_LEN_MAX, &state);
	int width = bytes <= MB_LEN_MAX ? wcwidth(c) : -1;

	*ret_bytes = 1;
	while ((text[*ret_bytes] & 0xc0) == 0x80)
		++*ret_bytes;
	return width < 0 ? *ret_bytes : (size_t)width;
}

static size_t width_of(const char *text)
{
	size_t bytes, width = 0;

	for (; *text; text += bytes)
		width += columns_of(text, &bytes);
	return width;
}

const char *ptu_terminal_fit(char *text, size_t columns)
{
	const char *mark = ptu_terminal_is_utf8() ? "\u2026" : "..";
	const size_t width = width_of(text);
	size_t bytes, gone = 0, kept = 0;
	char *at = text;

	if (width <= columns)
		return text;
	if (*text == '/' && width_of(mark) < columns) {
		/* the end of a path is its most useful part */
		while (width - gone + width_of(mark) > columns ||
		       (size_t)(at - text) < strlen(mark)) {
			gone += columns_of(at, &bytes);
			at += bytes;
		}
		at -= strlen(mark);
		memcpy(at, mark, strlen(mark));
		return at;
	}
	while (kept + columns_of(at, &bytes) <= columns) {
		kept += columns_of(at, &bytes);
		at += bytes;
	}
	*at = '\0';
	return text;
}
