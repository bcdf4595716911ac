/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hexadecimal numbers as written in recordings: no sign, prefix or blanks.  Pure. */
#ifndef PTU_BASE_HEX_H
#define PTU_BASE_HEX_H

#include <stdbool.h>
#include <stdint.h>

/**
 * ptu_hex_take() - Read a number in lower-case hexadecimal.
 * @at: (in, out) its first digit; moved behind @stop on success
 * @stop: (in) the character that must follow the number
 *
 * Return: whether there was a number of at most 64 bits without leading zeros.
 */
bool ptu_hex_take(const char **at, char stop, uint64_t *ret);

#endif
