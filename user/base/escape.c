// SPDX-License-Identifier: LGPL-2.1-or-later
/* Escape bytes that are not printable text. Pure: must not depend on the locale. */
#include "base/escape.h"

#include <stdint.h>
#include <string.h>

/* The smallest code point that needs a sequence of N bytes (RFC 3629). */
static const uint32_t shortest[] = { 0, 0, 0x80, 0x800, 0x10000 };

/*
 * Decode the UTF-8 sequence at @s. Return its length in bytes; 0 if it is not
 * valid.
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
			return 0; /* also stops at the final NUL */
		code = code << 6 | (s[i] & 0x3f);
	}
	if (code < shortest[bytes] || code > 0x10ffff ||
	    (code >= 0xd800 && code <= 0xdfff))
		return 0;
	*ret = code;
	return bytes;
}

/*
 * Characters that move the cursor, or that reorder or hide text: controls, line
 * and paragraph separators, bidirectional and other invisible formats.
 * Source: Unicode 15.0, general categories Cc, Cf, Zl, Zp, without the visible
 * characters of Cf.
 */
static const struct {
	uint32_t first;
	uint32_t last;
} controls[] = {
	{ 0x01, 0x1f },	    { 0x7f, 0x9f },	  { 0xad, 0xad },
	{ 0x61c, 0x61c },   { 0x180e, 0x180e },	  { 0x200b, 0x200f },
	{ 0x2028, 0x202e }, { 0x2060, 0x206f },	  { 0xfeff, 0xfeff },
	{ 0xfff9, 0xfffb }, { 0xe0000, 0xe007f },
};

static bool is_control(uint32_t code)
{
	size_t i;

	for (i = 0; i < sizeof(controls) / sizeof(controls[0]); i++)
		if (code >= controls[i].first && code <= controls[i].last)
			return true;
	return false;
}

/* What is left unescaped. */
enum keep {
	KEEP_CONTROLS, /* all valid UTF-8 */
	KEEP_LINES, /* the same without control characters, except line ends */
	KEEP_NAME,  /* the same without control characters and \xNN sequences */
	KEEP_ASCII  /* the same without characters that are not ASCII */
};

static bool is_kept(uint32_t code, unsigned char next, enum keep keep)
{
	if (keep == KEEP_CONTROLS || (keep == KEEP_LINES && code == '\n'))
		return true;
	return !is_control(code) && !(keep == KEEP_ASCII && code >= 0x80) &&
	       !(keep != KEEP_LINES && code == '\\' && next == 'x');
}

static const char *escape(const char *name, enum keep keep, char *ret,
			  size_t ret_bytes)
{
	static const char hex[] = "0123456789abcdef";
	const unsigned char *s = (const unsigned char *)name;
	size_t used = 0;

	while (*s) {
		uint32_t code = 0;
		size_t bytes = decode(s, &code);
		bool plain = bytes && is_kept(code, s[1], keep);
		size_t i;

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

const char *ptu_escape(const char *name, bool controls_too, char *ret,
		       size_t ret_bytes)
{
	return escape(name, controls_too ? KEEP_NAME : KEEP_CONTROLS, ret,
		      ret_bytes);
}

const char *ptu_escape_to_ascii(const char *name, char *ret, size_t ret_bytes)
{
	return escape(name, KEEP_ASCII, ret, ret_bytes);
}

const char *ptu_escape_sentence(const char *sentence, char *ret,
				size_t ret_bytes)
{
	return escape(sentence, KEEP_LINES, ret, ret_bytes);
}
