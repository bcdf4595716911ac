/* SPDX-License-Identifier: GPL-2.0-only */
/* check() prints a line for each expectation; main() returns check_end(). */
#ifndef CHECK_H
#define CHECK_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static unsigned int check_nr, check_failed;

#define check(condition, ...)                                        \
	do {                                                         \
		bool good_ = (condition);                            \
                                                                     \
		printf("%sok %u ", good_ ? "" : "not ", ++check_nr); \
		printf(__VA_ARGS__);                                 \
		putchar('\n');                                       \
		if (!good_) {                                        \
			printf("# %s:%d: %s\n", __FILE__, __LINE__,  \
			       #condition);                          \
			check_failed++;                              \
		}                                                    \
	} while (0)

/* Return the first line of @text that is not empty, for the name of a test. */
static inline const char *check_line(const char *text)
{
	static char line[256];

	text += strspn(text, "\n");
	snprintf(line, sizeof(line), "%.*s", (int)strcspn(text, "\n"), text);
	return line;
}

static inline int check_end(void)
{
	printf("# %u passed, %u failed\n", check_nr - check_failed,
	       check_failed);
	return check_failed || !check_nr;
}

#endif
