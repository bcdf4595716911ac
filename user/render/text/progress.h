/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A bar that shows how far something is; for terminals. */
#ifndef PTU_RENDER_TEXT_PROGRESS_H
#define PTU_RENDER_TEXT_PROGRESS_H

#include <stdint.h>
#include <stdio.h>

/**
 * struct ptu_progress - the bar
 * @out: where it is drawn, or NULL: nowhere
 * @what: what is done
 * @shown: percent that the line shows
 */
struct ptu_progress {
	FILE *out;
	const char *what;
	int shown;
};

/**
 * ptu_progress_begin() - Nothing is drawn yet.
 * @out: (in) a terminal, or NULL
 */
void ptu_progress_begin(struct ptu_progress *progress, FILE *out,
			const char *what);

/**
 * ptu_progress_show() - Draw it, if it changed.
 */
void ptu_progress_show(struct ptu_progress *progress, uint64_t done,
		       uint64_t all);

/**
 * ptu_progress_end() - Take it off the screen.
 */
void ptu_progress_end(struct ptu_progress *progress);

#endif
