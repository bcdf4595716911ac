/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The strip of a map, drawn with characters; for render/text/map.c only. */
#ifndef PTU_RENDER_TEXT_MAP_PICTURE_H
#define PTU_RENDER_TEXT_MAP_PICTURE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"
#include "report/map_sheet.h"

/**
 * struct ptu_picture - how to draw
 * @columns: width of the terminal
 * @utf8: block elements may be used
 * @colours: and colours
 */
struct ptu_picture {
	size_t columns;
	bool utf8;
	bool colours;
};

/**
 * ptu_picture_draw() - Lines of cells, each behind its first address, and a legend.
 *
 * Below a line of the first map are those of the others, then one that marks the
 * cells in which tables came or went.
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_picture_draw(const struct ptu_map_sheet *sheet,
				    const struct ptu_picture *picture,
				    FILE *out);

#endif
