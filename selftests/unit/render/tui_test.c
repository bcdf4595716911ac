// SPDX-License-Identifier: GPL-2.0-only
/* Which signals the live view handles, and how it returns them. */
#if __has_include(<ncurses.h>)

#include "render/tui/tui.c"

#include "support/unit.h"

static void (*handler_of(int number))(int number)
{
	struct sigaction action;

	if (sigaction(number, NULL, &action))
		abort();
	return action.sa_handler;
}

UNIT_TEST(signals_are_handled_unless_the_caller_ignored_them)
{
	struct ptu_tui tui = { 0 };

	/* as by nohup */
	signal(SIGHUP, SIG_IGN);
	signal(SIGTSTP, SIG_IGN);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	take_signals(&tui);
	CHECK(handler_of(SIGHUP) == SIG_IGN);
	CHECK(handler_of(SIGTSTP) == SIG_IGN);
	CHECK(handler_of(SIGINT) == on_end);
	CHECK(handler_of(SIGTERM) == on_end);
	CHECK(handler_of(SIGWINCH) == on_resize);
	CHECK(handler_of(SIGCONT) == on_resize);
	raise(SIGHUP);
	raise(SIGTSTP);
	CHECK_EQ(*ptu_tui_stopped(), 0);
	CHECK_EQ(is_to_stop, 0);
	raise(SIGTERM);
	CHECK_EQ(*ptu_tui_stopped(), SIGTERM);
	CHECK_EQ(is_resized, 0);
	raise(SIGWINCH);
	CHECK_EQ(is_resized, 1);
	give_signals_back(&tui);
	CHECK(handler_of(SIGHUP) == SIG_IGN);
	CHECK(handler_of(SIGINT) == SIG_DFL);
	CHECK(handler_of(SIGTERM) == SIG_DFL);
	CHECK(handler_of(SIGWINCH) == SIG_DFL);
}

#else

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
}

#endif

UNIT_MAIN
