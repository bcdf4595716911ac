/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An interactive ranking.  Without ncurses only absent.c is built. */
#ifndef PTU_RENDER_TUI_TUI_H
#define PTU_RENDER_TUI_TUI_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"
#include "render/render.h"
#include "report/top.h"

struct ptu_tui;

/**
 * struct ptu_tui_setup - initial state
 * @kind: kind of the first report, to which the columns of @options apply
 * @column: sort column
 * @interval_ns: time between reports
 * @from: the recording that is shown, which does not change; or NULL
 */
struct ptu_tui_setup {
	enum ptu_top_kind kind;
	const char *column;
	long long interval_ns;
	const char *from;
	const struct ptu_render_options *options;
};

/**
 * struct ptu_tui_wish - parameters of the next report
 * @column: sort column
 * @reverse: reverse the order
 * @first: first visible row
 * @nr: number of visible rows
 */
struct ptu_tui_wish {
	const char *column;
	bool reverse;
	size_t first;
	size_t nr;
};

enum ptu_tui_event {
	PTU_TUI_AGAIN, /* measure again */
	PTU_TUI_OPEN, /* show the mappings of a process, or the processes of a group */
	PTU_TUI_BACK, /* show the previous report */
	PTU_TUI_QUIT
};

/**
 * ptu_tui_note() - Why this build has no live view, a sentence; NULL if it has.
 */
const char *ptu_tui_note(void);

/**
 * ptu_tui_open() - Take over the terminal.
 * @ret: (out) close with ptu_tui_close()
 *
 * SIGHUP, SIGINT, SIGTERM and SIGQUIT end the view, and SIGTSTP stops it. The
 * terminal is restored in each case.
 *
 * Return: 0; -ENOTTY the terminal cannot move its cursor, or there is no ncurses;
 * -EINVAL an unknown column; -ENOMEM.
 */
ptu_must_check int ptu_tui_open(const struct ptu_tui_setup *setup,
				struct ptu_tui **ret, struct ptu_err *err);

/**
 * ptu_tui_stopped() - Becomes different from 0 when no report is needed any more.
 */
const volatile sig_atomic_t *ptu_tui_stopped(void);

/**
 * ptu_tui_wish() - Parameters of the next report of a kind.
 */
struct ptu_tui_wish ptu_tui_wish(const struct ptu_tui *tui,
				 enum ptu_top_kind kind);

/**
 * ptu_tui_say() - Show a sentence until the next key.
 */
void ptu_tui_say(struct ptu_tui *tui, const char *sentence);

/**
 * ptu_tui_show() - Show a report until another one is needed.
 * @row: (out) with PTU_TUI_OPEN: the process or the group
 */
enum ptu_tui_event ptu_tui_show(struct ptu_tui *tui,
				const struct ptu_top_report *report,
				struct ptu_top_row *row);

/**
 * ptu_tui_close() - Restore the terminal.
 *
 * Return: the signal that ended it, or 0.
 */
int ptu_tui_close(struct ptu_tui *tui);

#endif
