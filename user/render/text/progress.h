/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A progress bar for terminals. */
#ifndef PTU_RENDER_TEXT_PROGRESS_H
#define PTU_RENDER_TEXT_PROGRESS_H

#include <stdint.h>
#include <stdio.h>

/**
 * struct ptu_progress - the bar
 * @out: terminal, or NULL: do not draw
 * @what: name of the activity
 * @shown: displayed percentage
 */
struct ptu_progress {
	FILE *out;
	const char *what;
	int shown;
};

/**
 * ptu_progress_begin() - Initialize the bar without drawing it.
 * @out: (in) a terminal, or NULL
 */
void ptu_progress_begin(struct ptu_progress *progress, FILE *out,
			const char *what);

/**
 * ptu_progress_show() - Draw the bar if it has changed.
 * @arg: (in, out) the struct ptu_progress; void, so that the function can be a callback
 */
void ptu_progress_show(void *arg, uint64_t done, uint64_t all);

/**
 * ptu_progress_end() - Erase the bar.
 */
void ptu_progress_end(struct ptu_progress *progress);

#endif
