// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Control the terminal: keys, signals, size.  Restore the terminal however the tool
 * ends.
 */
#define _GNU_SOURCE
#include "render/tui/tui.h"

#include <errno.h>
#include <ncurses.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "render/tui/draw.h"
#include "render/tui/view.h"

#define NS_PER_SEC 1000000000LL
/* Delay after the last key before newly visible rows are examined. */
#define CALM_NS (NS_PER_SEC / 10)
#define KEY_ESCAPE 27
#define KEY_REDRAW 12 /* Ctrl-L */

struct ptu_tui {
	struct ptu_tui_setup setup;
	struct ptu_view views[PTU_VIEW_KINDS];
	enum ptu_view_page page;
	size_t picked;
	char message[PTU_ERR_LEN];
	SCREEN *screen;
	struct sigaction before[8]; /* indexed like signals[] */
};

/* Signal handlers can only access global variables. */
static volatile sig_atomic_t ended_by, is_resized, is_to_stop;

static void on_end(int signal)
{
	ended_by = signal;
}

static void on_resize(int signal)
{
	(void)signal;
	is_resized = 1;
}

static void on_stop(int signal)
{
	(void)signal;
	is_to_stop = 1;
}

static const struct {
	int signal;
	void (*handler)(int signal);
} signals[] = {
	{ SIGHUP, on_end },   { SIGINT, on_end },      { SIGQUIT, on_end },
	{ SIGTERM, on_end },  { SIGWINCH, on_resize }, { SIGCONT, on_resize },
	{ SIGTSTP, on_stop },
};

#define NR_SIGNALS (sizeof(signals) / sizeof(signals[0]))

static void take_signals(struct ptu_tui *tui)
{
	size_t i;

	for (i = 0; i < NR_SIGNALS; i++) {
		struct sigaction action = { .sa_flags = SA_RESTART };

		action.sa_handler = signals[i].handler;
		sigaction(signals[i].signal, NULL, &tui->before[i]);
		/* keep signals ignored that the caller ignored (nohup) */
		if (tui->before[i].sa_handler != SIG_IGN)
			sigaction(signals[i].signal, &action, NULL);
	}
}

static void give_signals_back(const struct ptu_tui *tui)
{
	size_t i;

	for (i = 0; i < NR_SIGNALS; i++)
		sigaction(signals[i].signal, &tui->before[i], NULL);
}

const char *ptu_tui_note(void)
{
	return NULL;
}

const volatile sig_atomic_t *ptu_tui_stopped(void)
{
	return &ended_by;
}

/* Start ncurses, if the terminal type is known. */
static SCREEN *begin(void)
{
	const char *term = getenv("TERM");
	SCREEN *screen = NULL;

	if (term && *term && strcmp(term, "dumb") != 0)
		screen = newterm(NULL, stdout, stdin);
	if (screen && !tigetstr("cup")) {
		endwin();
		delscreen(screen);
		screen = NULL;
	}
	return screen;
}

int ptu_tui_open(const struct ptu_tui_setup *setup, struct ptu_tui **ret,
		 struct ptu_err *err)
{
	struct ptu_tui *tui = calloc(1, sizeof(*tui));
	int kind, error = 0;

	if (!tui)
		return ptu_err_set(err, -ENOMEM, "no memory for the view");
	tui->setup = *setup;
	for (kind = 0; !error && kind < PTU_VIEW_KINDS; kind++)
		error = ptu_view_init(&tui->views[kind],
				      (enum ptu_top_kind)kind, setup, err);
	if (!error) {
		take_signals(tui);
		tui->screen = begin();
		if (!tui->screen) {
			give_signals_back(tui);
			error = -ENOTTY;
		}
	}
	if (error) {
		free(tui);
		return error;
	}
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(25);
	curs_set(0);
	ptu_draw_init();
	*ret = tui;
	return 0;
}

int ptu_tui_close(struct ptu_tui *tui)
{
	endwin();
	delscreen(tui->screen);
	give_signals_back(tui);
	free(tui);
	return ended_by;
}

static size_t nr_lines(void)
{
	return LINES > PTU_DRAW_FRAME ? (size_t)(LINES - PTU_DRAW_FRAME) : 1;
}

struct ptu_tui_wish ptu_tui_wish(const struct ptu_tui *tui,
				 enum ptu_top_kind kind)
{
	const struct ptu_view *view = &tui->views[kind];

	return (struct ptu_tui_wish){
		.column = view->column,
		.reverse = view->reverse,
		.first = view->first,
		.nr = nr_lines(),
	};
}

void ptu_tui_say(struct ptu_tui *tui, const char *sentence)
{
	snprintf(tui->message, sizeof(tui->message), "%s", sentence);
}

/*
 * Wait for a key, for a signal, or until @until_ns (0: no limit).
 * Return: false if the terminal has gone.
 */
static bool wait_for(long long until_ns)
{
	struct pollfd keys = { .fd = STDIN_FILENO, .events = POLLIN };
	struct timespec pause, *most = NULL;
	sigset_t all, before;
	size_t i;

	if (until_ns) {
		long long rest = until_ns - (long long)ptu_now_ns();

		rest = rest > 0 ? rest : 0;
		pause.tv_sec = rest / NS_PER_SEC;
		pause.tv_nsec = rest % NS_PER_SEC;
		most = &pause;
	}
	/* unblock signals only while waiting, so that none is missed */
	sigemptyset(&all);
	for (i = 0; i < NR_SIGNALS; i++)
		sigaddset(&all, signals[i].signal);
	sigprocmask(SIG_BLOCK, &all, &before);
	if (!ended_by && !is_resized && !is_to_stop)
		ppoll(&keys, 1, most, &before);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return !(keys.revents & (POLLHUP | POLLERR | POLLNVAL));
}

static void stop(void)
{
	struct sigaction by_default = { .sa_handler = SIG_DFL }, ours;

	is_to_stop = 0;
	endwin();
	sigaction(SIGTSTP, &by_default, &ours);
	raise(SIGTSTP);
	/* execution continues here after SIGCONT */
	sigaction(SIGTSTP, &ours, NULL);
	is_resized = 1;
}

static void resize(void)
{
	struct winsize size;

	is_resized = 0;
	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row &&
	    size.ws_col)
		resizeterm(size.ws_row, size.ws_col);
	clearok(curscr, TRUE);
}

static void key_of_columns(struct ptu_tui *tui, struct ptu_view *view, int key)
{
	size_t nr = 0;

	while (ptu_view_column(view, nr))
		nr++;
	switch (key) {
	case KEY_UP:
		tui->picked -= tui->picked > 0;
		break;
	case KEY_DOWN:
		tui->picked += tui->picked + 1 < nr;
		break;
	case KEY_HOME:
		tui->picked = 0;
		break;
	case KEY_END:
		tui->picked = nr - 1;
		break;
	case ' ':
		ptu_view_toggle(view, ptu_view_column(view, tui->picked));
		break;
	case 'q':
	case 'f':
	case KEY_F(2):
	case KEY_F(10):
	case KEY_ESCAPE:
	case '\r':
	case KEY_ENTER:
		tui->page = PTU_VIEW_ROWS;
		break;
	default:
		break;
	}
}

/* Keys for sorting, the same as in top if possible. */
static const struct {
	int key;
	const char *column;
} sort_keys[] = {
	{ 'T', "TOTAL" }, { 'E', "EMPTY" }, { 'F', "FILL" },
	{ 'M', "RSS" },	  { 'N', "PID" },   { 'V', "VMPTE" },
};

static bool sort_key(struct ptu_view *view, int key)
{
	size_t i;

	for (i = 0; i < sizeof(sort_keys) / sizeof(sort_keys[0]); i++) {
		if (sort_keys[i].key == key)
			return ptu_view_sort_by(view, sort_keys[i].column);
	}
	return false;
}

/* Return: true if @ret is the result; false if the view is only drawn again. */
static bool key_of_rows(struct ptu_tui *tui, struct ptu_view *view, int key,
			const struct ptu_top_report *report,
			enum ptu_tui_event *ret)
{
	const long page = (long)nr_lines();
	const bool is_mappings = report->kind == PTU_TOP_MAPPINGS;
	const bool has_back = is_mappings || report->group;

	*ret = PTU_TUI_AGAIN;
	switch (key) {
	case KEY_UP:
		ptu_view_move(view, report, -1, nr_lines());
		return false;
	case KEY_DOWN:
		ptu_view_move(view, report, 1, nr_lines());
		return false;
	case KEY_PPAGE:
		ptu_view_move(view, report, -page, nr_lines());
		return false;
	case KEY_NPAGE:
		ptu_view_move(view, report, page, nr_lines());
		return false;
	case KEY_HOME:
		ptu_view_move(view, report, -(long)report->nr_rows, nr_lines());
		return false;
	case KEY_END:
		ptu_view_move(view, report, (long)report->nr_rows, nr_lines());
		return false;
	case KEY_LEFT:
		view->left -= view->left > 0;
		return false;
	case KEY_RIGHT:
		view->left += view->left + 1 < view->choice.nr_columns;
		return false;
	case 'h':
	case '?':
	case KEY_F(1):
		tui->page = PTU_VIEW_HELP;
		return false;
	case 'f':
	case KEY_F(2):
		tui->page = PTU_VIEW_COLUMNS;
		/* other rows have other columns: begin at the first one */
		tui->picked = 0;
		return false;
	case '<':
	case '>':
		ptu_view_sort_next(view, key == '<' ? -1 : 1);
		return true;
	case 'R':
		view->reverse = !view->reverse;
		view->at = view->first = 0;
		return true;
	case ' ':
		return true;
	case KEY_REDRAW:
		clearok(curscr, TRUE);
		return true;
	case '\r':
	case KEY_ENTER:
		*ret = PTU_TUI_OPEN;
		return !is_mappings && report->nr_rows;
	case KEY_ESCAPE:
		*ret = PTU_TUI_BACK;
		return has_back;
	case 'q':
	case KEY_F(10):
		*ret = has_back && key == 'q' ? PTU_TUI_BACK : PTU_TUI_QUIT;
		return true;
	default:
		return sort_key(view, key);
	}
}

/* Process all pending keys.  Return: as key_of_rows(). */
static bool take_keys(struct ptu_tui *tui, struct ptu_view *view,
		      const struct ptu_top_report *report,
		      enum ptu_tui_event *ret)
{
	int key;

	while ((key = getch()) != ERR) {
		tui->message[0] = '\0';
		if (tui->page == PTU_VIEW_COLUMNS)
			key_of_columns(tui, view, key);
		else if (tui->page == PTU_VIEW_HELP)
			tui->page = PTU_VIEW_ROWS;
		else if (key_of_rows(tui, view, key, report, ret))
			return true;
	}
	return false;
}

enum ptu_tui_event ptu_tui_show(struct ptu_tui *tui,
				const struct ptu_top_report *report,
				struct ptu_top_row *row)
{
	struct ptu_view *view = &tui->views[report->kind];
	const long long end_ns = tui->setup.from ?
					 0 :
					 (long long)ptu_now_ns() +
						 tui->setup.interval_ns;
	enum ptu_tui_event event = PTU_TUI_AGAIN;

	for (;;) {
		long long until_ns = end_ns;
		bool is_whole;

		if (ended_by)
			return PTU_TUI_QUIT;
		if (is_to_stop)
			stop();
		if (is_resized)
			resize();
		ptu_view_settle(view, report, nr_lines());
		ptu_draw(&(struct ptu_draw){ .setup = &tui->setup,
					     .view = view,
					     .report = report,
					     .page = tui->page,
					     .picked = tui->picked,
					     .message = tui->message });
		is_whole = ptu_view_is_whole(view, report, nr_lines());
		if (!is_whole &&
		    (!end_ns || (long long)ptu_now_ns() + CALM_NS < end_ns))
			until_ns = (long long)ptu_now_ns() + CALM_NS;
		if (!wait_for(until_ns))
			return PTU_TUI_QUIT;
		if (take_keys(tui, view, report, &event)) {
			if (event == PTU_TUI_OPEN) {
				*row = view->row;
				view = &tui->views[report->kind == PTU_TOP_GROUPS ?
							   PTU_TOP_PROCESSES :
							   PTU_TOP_MAPPINGS];
				/* begin at the first row, wherever an earlier list was left */
				view->at = view->first = 0;
			}
			return event;
		}
		if (until_ns && (long long)ptu_now_ns() >= until_ns)
			return PTU_TUI_AGAIN;
	}
}
