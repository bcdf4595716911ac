/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers as recordings have them: no sign, no prefix, no blanks.  Pure. */
#ifndef PTU_BASE_HEX_H
#define PTU_BASE_HEX_H

#include <stdbool.h>
#include <stdint.h>

/**
 * ptu_hex_take() - Take a number in lower-case hexadecimal.
 * @at: (in, out) its first digit; behind @stop where there is such a number
 * @stop: (in) the character that must follow
 *
 * Return: whether there was a number of at most 64 bits, without zeros in front.
 */
bool ptu_hex_take(const char **at, char stop, uint64_t *ret);

#endif
