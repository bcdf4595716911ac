// SPDX-License-Identifier: LGPL-2.1-or-later
/* Replaces the live view if the tool was built without ncurses. */
#include "render/tui/tui.h"

#include <errno.h>

const char *ptu_tui_note(void)
{
	return "This ptaudit was built without ncurses: top prints one table, even on a terminal.";
}

int ptu_tui_open(const struct ptu_tui_setup *setup, struct ptu_tui **ret,
		 struct ptu_err *err)
{
	(void)setup;
	*ret = NULL;
	return ptu_err_set(err, -ENOTTY, "%s", ptu_tui_note());
}

const volatile sig_atomic_t *ptu_tui_stopped(void)
{
	return NULL;
}

struct ptu_tui_wish ptu_tui_wish(const struct ptu_tui *tui,
				 enum ptu_top_kind kind)
{
	(void)tui;
	(void)kind;
	return (struct ptu_tui_wish){ .column = "TOTAL" };
}

void ptu_tui_say(struct ptu_tui *tui, const char *sentence)
{
	(void)tui;
	(void)sentence;
}

enum ptu_tui_event ptu_tui_show(struct ptu_tui *tui,
				const struct ptu_top_report *report,
				struct ptu_top_row *row)
{
	(void)tui;
	(void)report;
	(void)row;
	return PTU_TUI_QUIT;
}

int ptu_tui_close(struct ptu_tui *tui)
{
	(void)tui;
	return 0;
}
