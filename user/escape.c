// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Escapes bytes that are no text.  Pure: must not depend on the locale.
 */
#include "escape.h"

#include <stdint.h>
#include <string.h>

/* Smallest code point that needs a sequence of so many bytes (RFC 3629). */
static const uint32_t shortest[] = { 0, 0, 0x80, 0x800, 0x10000 };

/*
 * Bytes of the UTF-8 sequence at @s and its code point; 0 if there is none.
 */
static size_t decode(const unsigned char *s, uint32_t *ret)
{
	uint32_t code;
	size_t bytes;
	size_t i;

	if (s[0] < 0x80) {
		*ret = s[0];
		return 1;
	}
	if ((s[0] & 0xe0) == 0xc0) {
		bytes = 2;
		code = s[0] & 0x1f;
	} else if ((s[0] & 0xf0) == 0xe0) {
		bytes = 3;
		code = s[0] & 0x0f;
	} else if ((s[0] & 0xf8) == 0xf0) {
		bytes = 4;
		code = s[0] & 0x07;
	} else {
		return 0;
	}
	for (i = 1; i < bytes; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0; /* the NUL at the end stops here too */
		code = code << 6 | (s[i] & 0x3f);
	}
	if (code < shortest[bytes] || code > 0x10ffff ||
	    (code >= 0xd800 && code <= 0xdfff))
		return 0;
	*ret = code;
	return bytes;
}

static bool is_control(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

const char *ptu_escape(const char *name, bool controls, char *ret,
		       size_t ret_bytes)
{
	static const char hex[] = "0123456789abcdef";
	const unsigned char *s = (const unsigned char *)name;
	size_t used = 0;

	while (*s) {
		uint32_t code = 0;
		size_t bytes = decode(s, &code);
		bool plain = bytes != 0;
		size_t i;

		if (controls &&
		    (is_control(code) || (code == '\\' && s[1] == 'x')))
			plain = false;
		if (!bytes)
			bytes = 1;
		if (used + (plain ? bytes : 4 * bytes) >= ret_bytes)
			break;
		for (i = 0; i < bytes; i++) {
			if (plain) {
				ret[used++] = (char)s[i];
				continue;
			}
			ret[used++] = '\\';
			ret[used++] = 'x';
			ret[used++] = hex[s[i] >> 4];
			ret[used++] = hex[s[i] & 15];
		}
		s += bytes;
	}
	ret[used] = '\0';
	return ret;
}
