/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Human-readable numbers.  Pure. */
#ifndef PTU_RENDER_FORMAT_H
#define PTU_RENDER_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PTU_FORMAT_LEN 48

/**
 * ptu_format_size() - For a column: "168K", "1.2G"; with @in_bytes "172032".
 *
 * Return: @ret.
 */
const char *ptu_format_size(uint64_t bytes, bool in_bytes,
			    char ret[PTU_FORMAT_LEN]);

/**
 * ptu_format_exact() - For a sentence: "168 KiB", never rounded.
 *
 * Return: @ret.
 */
const char *ptu_format_exact(uint64_t bytes, bool in_bytes,
			     char ret[PTU_FORMAT_LEN]);

/**
 * ptu_plural() - The ending of a noun behind the number: "" or "s".
 */
static inline const char *ptu_plural(uint64_t nr)
{
	return nr == 1 ? "" : "s";
}

/**
 * ptu_format_percent() - Permille as percent: "2.1", "100".
 *
 * Return: @ret.
 */
const char *ptu_format_percent(unsigned int permille, char ret[PTU_FORMAT_LEN]);

/**
 * ptu_format_at_least() - "526", or "526+" if there may be more.
 *
 * Return: @ret.
 */
const char *ptu_format_at_least(uint64_t number, bool or_more,
				char ret[PTU_FORMAT_LEN]);

/**
 * ptu_format_diff() - @plus - @minus with its sign: "+32", "-1", "0".
 *
 * Return: @ret.
 */
const char *ptu_format_diff(uint64_t plus, uint64_t minus,
			    char ret[PTU_FORMAT_LEN]);

#endif
