/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the terminal takes; for render/text only. */
#ifndef PTU_RENDER_TEXT_TERMINAL_H
#define PTU_RENDER_TEXT_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/**
 * ptu_terminal_colours() - Is it one that shows colours, without NO_COLOR?
 */
bool ptu_terminal_colours(FILE *out);

/**
 * ptu_terminal_columns() - Its width; of a file what COLUMNS says.
 *
 * Return: columns; 80 where nothing says so.
 */
size_t ptu_terminal_columns(FILE *out);

/**
 * ptu_terminal_is_utf8() - Does the locale encode characters as UTF-8?
 */
bool ptu_terminal_is_utf8(void);

#endif
