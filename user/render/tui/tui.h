/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A ranking on a terminal, with keys.  Without ncurses there is only absent.c. */
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
 * struct ptu_tui_setup - how it begins
 * @kind: of the first report; the columns of @options are meant for it
 * @column: to sort by
 * @interval_ns: until it wants the next report
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
 * struct ptu_tui_wish - what the next report is to be
 * @column: to sort by
 * @reverse: the other way round
 * @first: the first row that is seen
 * @nr: rows that are seen
 */
struct ptu_tui_wish {
	const char *column;
	bool reverse;
	size_t first;
	size_t nr;
};

enum ptu_tui_event {
	PTU_TUI_AGAIN, /* a new report is wanted */
	PTU_TUI_OPEN,  /* that of the mappings of a process */
	PTU_TUI_BACK,  /* that of before */
	PTU_TUI_QUIT   /* none */
};

/**
 * ptu_tui_note() - Why this build cannot do it, a sentence; NULL: it can.
 */
const char *ptu_tui_note(void);

/**
 * ptu_tui_open() - Take over the terminal.
 * @ret: (out) close with ptu_tui_close()
 *
 * SIGHUP, SIGINT, SIGTERM and SIGQUIT end it, SIGTSTP stops it, each with the
 * terminal as it was before.
 *
 * Return: 0; -ENOTTY the terminal cannot move its cursor, or there is no ncurses
 * here; -EINVAL an unknown column; -ENOMEM.
 */
ptu_must_check int ptu_tui_open(const struct ptu_tui_setup *setup,
				struct ptu_tui **ret, struct ptu_err *err);

/**
 * ptu_tui_stopped() - Becomes other than 0 once there is no need for a report.
 */
const volatile sig_atomic_t *ptu_tui_stopped(void);

/**
 * ptu_tui_wish() - What the next report of a kind is to be.
 */
struct ptu_tui_wish ptu_tui_wish(const struct ptu_tui *tui,
				 enum ptu_top_kind kind);

/**
 * ptu_tui_say() - Show a sentence until the next key.
 */
void ptu_tui_say(struct ptu_tui *tui, const char *sentence);

/**
 * ptu_tui_show() - Show a report, until another one is wanted.
 * @pid: (out) of PTU_TUI_OPEN: whose mappings
 */
enum ptu_tui_event ptu_tui_show(struct ptu_tui *tui,
				const struct ptu_top_report *report,
				pid_t *pid);

/**
 * ptu_tui_close() - Give the terminal back as it was.
 *
 * Return: the signal that ended it, or 0.
 */
int ptu_tui_close(struct ptu_tui *tui);

#endif
