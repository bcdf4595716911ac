// SPDX-License-Identifier: GPL-2.0-only
/*
 * The live view without a terminal: how it takes the terminal and gives it back, what
 * signals do, and how long it waits for keys.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <ncurses.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "render/tui/draw.h"
#include "support/unit.h"

/* Calls of ncurses since the last look, and what it answers. */
static char calls[200];
static bool has_screen, can_move;
static int fake_lines;

static int note(const char *call)
{
	size_t used = strlen(calls);

	snprintf(calls + used, sizeof(calls) - used, "%s%s", used ? " " : "",
		 call);
	return OK;
}

static const char *noted(void)
{
	static char last[sizeof(calls)];

	memcpy(last, calls, sizeof(calls));
	calls[0] = '\0';
	return last;
}

static SCREEN *fake_newterm(void)
{
	note("newterm");
	return has_screen ? (SCREEN *)calls : NULL;
}

static char *fake_tigetstr(void)
{
	return can_move ? calls : NULL;
}

static void fake_resizeterm(int nr_lines, int nr_columns)
{
	char call[40];

	snprintf(call, sizeof(call), "resize %dx%d", nr_columns, nr_lines);
	note(call);
}

/* Keys that were pressed; the last one is ERR. */
static const int no_keys[] = { ERR };
static const int *next_key = no_keys;

static int fake_getch(void)
{
	return *next_key == ERR ? ERR : *next_key++;
}

/* What was painted last, and how often. */
static struct ptu_draw drawn;
static char drawn_message[80];
static unsigned int nr_drawn;

void ptu_draw(const struct ptu_draw *draw)
{
	drawn = *draw;
	snprintf(drawn_message, sizeof(drawn_message), "%s", draw->message);
	nr_drawn++;
}

/* The clock, which goes on while the view waits for a key. */
static uint64_t now_ns;
static long long waited_ns;
static short poll_events;
static bool were_blocked, will_be_blocked;

#define FOREVER (-1)

uint64_t ptu_now_ns(void)
{
	return now_ns;
}

static int fake_ppoll(struct pollfd *fds, nfds_t nr,
		      const struct timespec *timeout, const sigset_t *mask)
{
	sigset_t current;

	sigprocmask(SIG_BLOCK, NULL, &current);
	were_blocked = sigismember(&current, SIGHUP) &&
		       sigismember(&current, SIGWINCH) &&
		       sigismember(&current, SIGTSTP) &&
		       !sigismember(&current, SIGUSR1);
	will_be_blocked = sigismember(mask, SIGHUP) ||
			  sigismember(mask, SIGWINCH) ||
			  sigismember(mask, SIGTSTP);
	waited_ns = FOREVER;
	if (timeout) {
		waited_ns = timeout->tv_sec * 1000000000LL + timeout->tv_nsec;
		if (timeout->tv_nsec >= 1000000000)
			UNIT_FAIL("the timeout has too many nanoseconds");
		now_ns += (uint64_t)waited_ns;
	}
	if (nr != 1 || fds->fd != STDIN_FILENO || fds->events != POLLIN)
		UNIT_FAIL("the tool waits for something else than keys");
	fds->revents = poll_events;
	return poll_events != 0;
}

static struct winsize window;
static bool has_window;

static int fake_ioctl(int fd, unsigned long request, struct winsize *ret)
{
	*ret = window;
	return has_window && fd == STDOUT_FILENO && request == TIOCGWINSZ ? 0 :
									    -1;
}

static void (*handler_of(int number))(int number)
{
	struct sigaction action;

	if (sigaction(number, NULL, &action))
		abort();
	return action.sa_handler;
}

/* SIGTSTP would stop the test. */
static int fake_raise(int number)
{
	return note(number == SIGTSTP && handler_of(number) == SIG_DFL ?
			    "stopped" :
			    "not stopped");
}

#undef LINES
#undef getch
#define LINES fake_lines
#define cbreak() note("cbreak")
#define clearok(window, on) note((on) ? "clear" : "no clear")
#define curs_set(visible) note((visible) ? "cursor" : "no cursor")
#define delscreen(screen) note("delscreen")
#define endwin() note("endwin")
#define getch fake_getch
#define ioctl fake_ioctl
#define keypad(window, on) note((on) ? "keypad" : "no keypad")
#define newterm(type, out, in) fake_newterm()
#define nodelay(window, on) note((on) ? "nodelay" : "delay")
#define noecho() note("noecho")
#define nonl() note("nonl")
#define ppoll fake_ppoll
#define ptu_draw_init() note("colours")
#define raise fake_raise
#define resizeterm fake_resizeterm
#define set_escdelay(ms) note("escdelay")
#define tigetstr(name) fake_tigetstr()
#include "render/tui/tui.c"
#undef raise

#define NR_ROWS 10u

static struct ptu_top_row rows[NR_ROWS];
static struct ptu_top_report report;
static struct ptu_render_options options;
static struct ptu_tui_setup setup;
static struct ptu_err err;
static struct ptu_tui *tui;
static struct ptu_view *view;

static void begin_view(void)
{
	if (ptu_tui_open(&setup, &tui, &err))
		abort();
	view = &tui->views[PTU_TOP_PROCESSES];
}

static void set_up(void)
{
	sigset_t none;

	memset(rows, 0, sizeof(rows));
	for (size_t i = 0; i < NR_ROWS; i++) {
		rows[i].pid = 100 + (pid_t)i;
		rows[i].start = i << 12;
		/* a row with a sentence has been examined */
		strcpy(rows[i].why, "why");
	}
	report = (struct ptu_top_report){ .rows = rows, .nr_rows = NR_ROWS };
	options = (struct ptu_render_options){ .raw = false };
	setup = (struct ptu_tui_setup){ .column = "TOTAL",
					.interval_ns = 2 * NS_PER_SEC,
					.options = &options };
	ended_by = is_resized = is_to_stop = 0;
	setenv("TERM", "xterm", 1);
	has_screen = can_move = true;
	fake_lines = 8;
	next_key = no_keys;
	now_ns = 5000000000;
	poll_events = 0;
	nr_drawn = 0;
	calls[0] = '\0';
	/* this test's caller may have ignored or blocked signals */
	for (size_t i = 0; i < NR_SIGNALS; i++)
		signal(signals[i].signal, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	begin_view();
}

static void tear_down(void)
{
	if (tui)
		ptu_tui_close(tui);
	tui = NULL;
}

/* the signals */

UNIT_TEST(signals_are_handled_unless_the_caller_ignored_them)
{
	tear_down();
	/* nohup ignores SIGHUP in the same way */
	signal(SIGHUP, SIG_IGN);
	signal(SIGTSTP, SIG_IGN);
	begin_view();
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
	CHECK_EQ(ptu_tui_close(tui), SIGTERM);
	tui = NULL;
	CHECK(handler_of(SIGHUP) == SIG_IGN);
	CHECK(handler_of(SIGINT) == SIG_DFL);
	CHECK(handler_of(SIGTERM) == SIG_DFL);
	CHECK(handler_of(SIGWINCH) == SIG_DFL);
}

UNIT_TEST(a_signal_to_stop_is_only_noted)
{
	raise(SIGTSTP);
	CHECK_EQ(is_to_stop, 1);
	CHECK_EQ(*ptu_tui_stopped(), 0);
}

/* opening and closing */

UNIT_TEST(the_terminal_is_set_up_and_given_back)
{
	CHECK(!ptu_tui_note());
	CHECK_STR(noted(),
		  "newterm cbreak noecho nonl keypad nodelay escdelay no cursor colours");
	for (size_t i = 0; i < NR_SIGNALS; i++)
		CHECK(handler_of(signals[i].signal) == signals[i].handler);
	CHECK_EQ(ptu_tui_close(tui), 0);
	tui = NULL;
	CHECK_STR(noted(), "endwin delscreen");
	for (size_t i = 0; i < NR_SIGNALS; i++)
		CHECK(handler_of(signals[i].signal) == SIG_DFL);
}

UNIT_TEST(a_terminal_must_be_able_to_move_its_cursor)
{
	static const char *const terms[] = { "", "dumb" };

	tear_down();
	noted();
	for (size_t i = 0; i < 2; i++) {
		setenv("TERM", terms[i], 1);
		CHECK_EQ(ptu_tui_open(&setup, &tui, &err), -ENOTTY);
	}
	unsetenv("TERM");
	CHECK_EQ(ptu_tui_open(&setup, &tui, &err), -ENOTTY);
	CHECK_STR(noted(), "");
	setenv("TERM", "unknown", 1);
	has_screen = false;
	CHECK_EQ(ptu_tui_open(&setup, &tui, &err), -ENOTTY);
	CHECK_STR(noted(), "newterm");
	has_screen = true;
	can_move = false;
	CHECK_EQ(ptu_tui_open(&setup, &tui, &err), -ENOTTY);
	CHECK_STR(noted(), "newterm endwin delscreen");
	CHECK(handler_of(SIGINT) == SIG_DFL);
}

UNIT_TEST(an_unknown_column_is_refused_before_the_terminal_is_touched)
{
	tear_down();
	noted();
	options.columns = "PID,NONE";
	CHECK_EQ(ptu_tui_open(&setup, &tui, &err), -EINVAL);
	CHECK(strstr(err.text, "NONE"));
	CHECK_STR(noted(), "");
	CHECK(handler_of(SIGINT) == SIG_DFL);
}

/* showing and waiting */

static enum ptu_tui_event show(pid_t *pid)
{
	struct ptu_top_row row = { .pid = 0 };
	enum ptu_tui_event ret;

	nr_drawn = 0;
	noted();
	ret = ptu_tui_show(tui, &report, &row);
	*pid = row.pid;
	return ret;
}

UNIT_TEST(a_report_is_shown_for_the_interval)
{
	pid_t pid;

	CHECK_EQ(show(&pid), PTU_TUI_AGAIN);
	CHECK_EQ(waited_ns, 2000000000);
	CHECK_EQ(nr_drawn, 1);
	CHECK(drawn.view == view && drawn.report == &report);
	CHECK_EQ(pid, 0);
}

UNIT_TEST(a_shorter_report_has_a_selected_row)
{
	pid_t pid;

	view->at = 9;
	view->first = 6;
	report.nr_rows = 3;
	CHECK_EQ(show(&pid), PTU_TUI_AGAIN);
	CHECK_EQ(view->at, 2);
	CHECK_EQ(view->first, 0);
}

/* The rows are examined once the keys are calm, but not shortly before the next report. */
UNIT_TEST(rows_without_figures_are_examined_soon)
{
	pid_t pid;

	rows[3].why[0] = '\0';
	CHECK_EQ(show(&pid), PTU_TUI_AGAIN);
	CHECK_EQ(waited_ns, 100000000);
	tui->setup.interval_ns = 100000000;
	CHECK_EQ(show(&pid), PTU_TUI_AGAIN);
	CHECK_EQ(waited_ns, 100000000);
	tui->setup.interval_ns = 90000000;
	CHECK_EQ(show(&pid), PTU_TUI_AGAIN);
	CHECK_EQ(waited_ns, 90000000);
	tui->setup.interval_ns = 3100000000;
	/* the fifth row is not visible */
	strcpy(rows[3].why, "why");
	rows[4].why[0] = '\0';
	CHECK_EQ(show(&pid), PTU_TUI_AGAIN);
	CHECK_EQ(waited_ns, 3100000000);
}

UNIT_TEST(a_recording_is_shown_until_a_key)
{
	pid_t pid;

	tui->setup.from = "file";
	next_key = (const int[]){ KEY_DOWN, KEY_DOWN, KEY_ENTER, ERR };
	CHECK_EQ(show(&pid), PTU_TUI_OPEN);
	CHECK_EQ(waited_ns, FOREVER);
	CHECK_EQ(pid, 102);
	rows[0].why[0] = '\0';
	view->at = view->first = 0;
	CHECK_EQ(show(&pid), PTU_TUI_AGAIN);
	CHECK_EQ(waited_ns, 100000000);
}

/* The first row is selected, wherever the selection was in an earlier list. */
UNIT_TEST(a_group_and_a_process_are_opened_from_the_top)
{
	static const enum ptu_top_kind opens[][2] = {
		{ PTU_TOP_GROUPS, PTU_TOP_PROCESSES },
		{ PTU_TOP_PROCESSES, PTU_TOP_MAPPINGS },
	};
	struct ptu_top_row row;

	strcpy(rows[1].name, "second");
	for (size_t i = 0; i < 2; i++) {
		const struct ptu_view *from = &tui->views[opens[i][0]];
		const struct ptu_view *to = &tui->views[opens[i][1]];

		report.kind = opens[i][0];
		tui->views[opens[i][0]].at = 0;
		tui->views[opens[i][1]].at = tui->views[opens[i][1]].first = 5;
		next_key = (const int[]){ KEY_DOWN, KEY_ENTER, ERR };
		CHECK_EQ(ptu_tui_show(tui, &report, &row), PTU_TUI_OPEN);
		CHECK_EQ(row.pid, 101);
		CHECK_STR(row.name, "second");
		CHECK_EQ(to->at, 0);
		CHECK_EQ(to->first, 0);
		/* on return, the opened row is selected */
		CHECK_EQ(from->at, 1);
	}
}

UNIT_TEST(a_sentence_is_shown_until_the_next_key)
{
	pid_t pid;

	ptu_tui_say(tui, "no such process");
	show(&pid);
	CHECK_STR(drawn_message, "no such process");
	CHECK_EQ(drawn.page, PTU_VIEW_ROWS);
	next_key = (const int[]){ 'f', KEY_DOWN, ERR };
	show(&pid);
	show(&pid);
	CHECK_STR(drawn_message, "");
	CHECK_EQ(drawn.page, PTU_VIEW_COLUMNS);
	CHECK_EQ(drawn.picked, 1);
}

UNIT_TEST(the_view_ends_with_the_terminal_and_by_a_signal)
{
	static const short ends[] = { POLLHUP, POLLERR, POLLNVAL };
	pid_t pid;

	for (size_t i = 0; i < 3; i++) {
		poll_events = ends[i];
		CHECK_EQ(show(&pid), PTU_TUI_QUIT);
	}
	poll_events = POLLIN;
	CHECK_EQ(show(&pid), PTU_TUI_AGAIN);
	raise(SIGINT);
	CHECK_EQ(show(&pid), PTU_TUI_QUIT);
	CHECK_EQ(nr_drawn, 0);
}

UNIT_TEST(signals_arrive_only_while_it_waits)
{
	sigset_t mask;
	pid_t pid;

	show(&pid);
	CHECK(were_blocked);
	CHECK(!will_be_blocked);
	sigprocmask(SIG_BLOCK, NULL, &mask);
	CHECK(!sigismember(&mask, SIGHUP));
	CHECK(!sigismember(&mask, SIGTSTP));
	/* a signal that has already arrived ends the wait at once */
	waited_ns = 0;
	is_resized = 1;
	CHECK(wait_for(0));
	is_resized = 0;
	is_to_stop = 1;
	CHECK(wait_for(0));
	is_to_stop = 0;
	ended_by = SIGINT;
	CHECK(wait_for(0));
	CHECK_EQ(waited_ns, 0);
	ended_by = 0;
	CHECK(wait_for(0));
	CHECK_EQ(waited_ns, FOREVER);
	/* a moment that has passed */
	CHECK(wait_for((long long)now_ns - 1));
	CHECK_EQ(waited_ns, 0);
}

UNIT_TEST(a_stopped_view_gives_the_terminal_back_meanwhile)
{
	pid_t pid;

	has_window = false;
	is_to_stop = 1;
	CHECK_EQ(show(&pid), PTU_TUI_AGAIN);
	CHECK_STR(noted(), "endwin stopped clear");
	CHECK(handler_of(SIGTSTP) == on_stop);
	CHECK_EQ(is_to_stop, 0);
	CHECK_EQ(is_resized, 0);
}

UNIT_TEST(the_view_takes_the_new_size_of_the_terminal)
{
	pid_t pid;

	has_window = true;
	window = (struct winsize){ .ws_row = 30, .ws_col = 90 };
	is_resized = 1;
	show(&pid);
	CHECK_STR(noted(), "resize 90x30 clear");
	show(&pid);
	CHECK_STR(noted(), "");
	/* a size of zero is unknown */
	window.ws_row = 0;
	is_resized = 1;
	show(&pid);
	CHECK_STR(noted(), "clear");
	window = (struct winsize){ .ws_row = 30 };
	is_resized = 1;
	show(&pid);
	CHECK_STR(noted(), "clear");
	window.ws_col = 90;
	has_window = false;
	is_resized = 1;
	show(&pid);
	CHECK_STR(noted(), "clear");
}

UNIT_MAIN_WITH(set_up, tear_down)
