/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The strip of a map as characters; for render/text/map.c only. */
#ifndef PTU_RENDER_TEXT_MAP_PICTURE_H
#define PTU_RENDER_TEXT_MAP_PICTURE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"
#include "report/map_sheet.h"

/**
 * struct ptu_picture - drawing options
 * @columns: width of the terminal
 * @utf8: block elements may be used
 * @colours: colours may be used
 */
struct ptu_picture {
	size_t columns;
	bool utf8;
	bool colours;
};

/**
 * ptu_picture_draw() - Draw lines of cells, each after its first address, and a legend.
 *
 * Below each line of the first map come those of the other maps, then a line that marks
 * the cells with added or freed tables.
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_picture_draw(const struct ptu_map_sheet *sheet,
				    const struct ptu_picture *picture,
				    FILE *out);

#endif
