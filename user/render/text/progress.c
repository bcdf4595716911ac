// SPDX-License-Identifier: LGPL-2.1-or-later
/* Draw on one line of a terminal; must not check whether there is one. */
#include "render/text/progress.h"

#define WIDTH 40

void ptu_progress_begin(struct ptu_progress *progress, FILE *out,
			const char *what)
{
	progress->out = out;
	progress->what = what;
	progress->shown = -1;
}

void ptu_progress_show(void *arg, uint64_t done, uint64_t all)
{
	struct ptu_progress *progress = arg;
	int percent = all && done < all ? (int)(done * 100 / all) : 100;
	int i;

	if (!progress->out || percent == progress->shown)
		return;
	progress->shown = percent;
	fprintf(progress->out, "\r%s [", progress->what);
	for (i = 0; i < WIDTH; i++)
		fputc(i * 100 < percent * WIDTH ? '#' : ' ', progress->out);
	fprintf(progress->out, "] %3d%%", percent);
	fflush(progress->out);
}

void ptu_progress_end(struct ptu_progress *progress)
{
	if (!progress->out || progress->shown < 0)
		return;
	/* move to the start of the line and erase it (ECMA-48) */
	fputs("\r\033[K", progress->out);
	fflush(progress->out);
	progress->shown = -1;
}
