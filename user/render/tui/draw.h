/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Paints what is seen; for render/tui only. */
#ifndef PTU_RENDER_TUI_DRAW_H
#define PTU_RENDER_TUI_DRAW_H

#include "render/tui/view.h"

/* Lines that are no rows: title, headings, a sentence, keys. */
#define PTU_DRAW_FRAME 4

/**
 * struct ptu_draw - all that is on the screen
 * @picked: on the page of columns, the one that a key would toggle
 * @message: instead of the keys, or ""
 */
struct ptu_draw {
	const struct ptu_tui_setup *setup;
	const struct ptu_view *view;
	const struct ptu_top_report *report;
	enum ptu_view_page page;
	size_t picked;
	const char *message;
};

/**
 * ptu_draw_init() - Choose colours; after ncurses has begun.
 */
void ptu_draw_init(void);

/**
 * ptu_draw() - Paint it, in the size that the terminal has now.
 */
void ptu_draw(const struct ptu_draw *draw);

#endif
