/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names that anybody may choose, made fit for JSON and terminals.  Pure. */
#ifndef PTU_BASE_ESCAPE_H
#define PTU_BASE_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>

/* Each byte becomes four at most. */
#define PTU_ESCAPE_BYTES(bytes) (4 * (bytes) + 1)

/**
 * ptu_escape() - Write what cannot be shown as \xNN.
 * @name: (in) any bytes, NUL-terminated
 * @controls_too: (in) escape control characters too (of Unicode: also those that
 *	reorder or hide text), and a backslash that would read as such an escape
 * @ret: (out) valid UTF-8, cut to whole characters if it does not fit
 * @ret_bytes: (in) room in @ret, PTU_ESCAPE_BYTES() is always enough
 *
 * Return: @ret.
 */
const char *ptu_escape(const char *name, bool controls_too, char *ret,
		       size_t ret_bytes);

/**
 * ptu_escape_sentence() - The same for a sentence that quotes such names.
 *
 * Its line ends stay, and so do names in it that are escaped already.
 *
 * Return: @ret.
 */
const char *ptu_escape_sentence(const char *sentence, char *ret,
				size_t ret_bytes);

#endif
