// SPDX-License-Identifier: LGPL-2.1-or-later
/* Query the terminal and the environment; must not print. */
#include "render/text/terminal.h"

#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

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
