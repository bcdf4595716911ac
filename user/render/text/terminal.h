/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Properties of the terminal, and text that fits it; for render/text only. */
#ifndef PTU_RENDER_TEXT_TERMINAL_H
#define PTU_RENDER_TEXT_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/**
 * ptu_terminal_colours() - Does the terminal support colours, and is NO_COLOR unset?
 */
bool ptu_terminal_colours(FILE *out);

/**
 * ptu_terminal_columns() - Width of the terminal; for a file, the value of COLUMNS.
 *
 * Return: columns; 80 if unknown.
 */
size_t ptu_terminal_columns(FILE *out);

/**
 * ptu_terminal_is_utf8() - Does the locale encode characters as UTF-8?
 */
bool ptu_terminal_is_utf8(void);

/**
 * ptu_terminal_fit() - Shorten a text to @columns.  Of a path, the beginning is cut off.
 * @text: (in, out) without control characters
 *
 * Return: the text to be shown, which lies in @text.
 */
const char *ptu_terminal_fit(char *text, size_t columns);

#endif
