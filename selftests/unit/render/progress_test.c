// SPDX-License-Identifier: GPL-2.0-only
/* The progress line. */
#include "render/text/progress.h"

#include "support/printed.h"
#include "support/unit.h"

static char *progress(uint64_t first, uint64_t second, uint64_t all)
{
	struct printed *shown = printed_begin();
	struct ptu_progress bar;

	ptu_progress_begin(&bar, shown->out, "frames");
	ptu_progress_show(&bar, first, all);
	ptu_progress_show(&bar, second, all);
	ptu_progress_end(&bar);
	/* nothing is shown, so nothing is erased */
	ptu_progress_end(&bar);
	return printed_end(shown);
}

#define TEN "##########"
#define GAP "          "

UNIT_TEST(progress_is_drawn_when_the_percentage_changes)
{
	CHECK_STR(progress(250, 255, 1000),
		  "\rframes [" TEN GAP GAP GAP "]  25%\r\033[K");
	CHECK_STR(progress(250, 260, 1000),
		  "\rframes [" TEN GAP GAP GAP "]  25%"
		  "\rframes [" TEN "#         " GAP GAP "]  26%\r\033[K");
}

UNIT_TEST(progress_ends_at_100)
{
	CHECK_STR(progress(1000, 2000, 1000),
		  "\rframes [" TEN TEN TEN TEN "] 100%\r\033[K");
	CHECK_STR(progress(0, 0, 0),
		  "\rframes [" TEN TEN TEN TEN "] 100%\r\033[K");
}

UNIT_TEST(progress_without_a_terminal_draws_nothing)
{
	struct ptu_progress bar;

	ptu_progress_begin(&bar, NULL, "frames");
	ptu_progress_show(&bar, 1, 2);
	ptu_progress_end(&bar);
	CHECK_EQ(bar.shown, -1);
}

UNIT_MAIN
