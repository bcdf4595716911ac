// SPDX-License-Identifier: GPL-2.0-only
/* What replaces the live view if the tool was built without ncurses. */
#include "render/tui/absent.c"

#include "support/unit.h"

UNIT_TEST(there_is_no_live_view_without_ncurses)
{
	const struct ptu_tui_setup setup = { 0 };
	struct ptu_err err = { "" };
	struct ptu_tui *tui = (struct ptu_tui *)&err;

	CHECK_EQ(ptu_tui_open(&setup, &tui, &err), -ENOTTY);
	CHECK(!tui);
	CHECK(strstr(err.text, "without ncurses"));
	CHECK_STR(err.text, ptu_tui_note());
}

UNIT_MAIN
