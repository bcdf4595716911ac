// SPDX-License-Identifier: LGPL-2.1-or-later
/* Parse hexadecimal numbers; must not know what they mean. */
#include "base/hex.h"

#define MAX_DIGITS 16

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

bool ptu_hex_take(const char **at, char stop, uint64_t *ret)
{
	const char *s = *at;
	uint64_t value = 0;

	while (digit(*s) >= 0 && s - *at < MAX_DIGITS)
		value = value << 4 | (uint64_t)digit(*s++);
	if (s == *at || *s != stop || (**at == '0' && s - *at > 1))
		return false;
	*at = s + 1;
	*ret = value;
	return true;
}
