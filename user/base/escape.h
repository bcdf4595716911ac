/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Make untrusted names safe for JSON and terminals.  Pure. */
#ifndef PTU_BASE_ESCAPE_H
#define PTU_BASE_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>

/* A byte becomes at most four. */
#define PTU_ESCAPE_BYTES(bytes) (4 * (bytes) + 1)

/**
 * ptu_escape() - Replace bytes that cannot be shown by \xNN.
 * @name: (in) any bytes, NUL-terminated
 * @controls_too: (in) also escape control characters, characters that reorder
 *	or hide text, and a backslash that looks like the start of \xNN
 * @ret: (out) valid UTF-8; cut at a character if it does not fit
 * @ret_bytes: (in) size of @ret; PTU_ESCAPE_BYTES() is always enough
 *
 * Return: @ret.
 */
const char *ptu_escape(const char *name, bool controls_too, char *ret,
		       size_t ret_bytes);

/**
 * ptu_escape_to_ascii() - The same with controls; also escape all that is not ASCII.
 *
 * Return: @ret.
 */
const char *ptu_escape_to_ascii(const char *name, char *ret, size_t ret_bytes);

/**
 * ptu_escape_sentence() - Replace such bytes in a message that quotes names.
 *
 * Keeps line ends, and names that are already escaped.
 *
 * Return: @ret.
 */
const char *ptu_escape_sentence(const char *sentence, char *ret,
				size_t ret_bytes);

#endif
