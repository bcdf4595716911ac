/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TIMES_H
#define TIMES_H

#include <string.h>

/* Return: how often the text contains @what. */
static inline unsigned int times(const char *text, const char *what)
{
	unsigned int nr = 0;

	while ((text = strstr(text, what))) {
		text += strlen(what);
		nr++;
	}
	return nr;
}

#endif
