/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Paint the view; for render/tui only. */
#ifndef PTU_RENDER_TUI_DRAW_H
#define PTU_RENDER_TUI_DRAW_H

#include "render/tui/view.h"

/* Lines that are not rows: title, headings, a sentence, keys. */
#define PTU_DRAW_FRAME 4

/**
 * struct ptu_draw - contents of the screen
 * @picked: on the page of columns, the column that a key would toggle
 * @message: shown instead of the keys, or ""
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
 * ptu_draw_init() - Set up colours; call this after ncurses was started.
 */
void ptu_draw_init(void);

/**
 * ptu_draw() - Paint the screen in the terminal's current size.
 */
void ptu_draw(const struct ptu_draw *draw);

#endif
