// SPDX-License-Identifier: GPL-2.0-only
/* Texts that fill their buffers, and numbers with as many digits as 64 bits need. */
#include "base/escape.h"
#include "base/hex.h"
#include "base/names.h"
#include "support/unit.h"

/* The NUL needs a byte too; a write behind the buffer is found by ASan. */
UNIT_TEST(escaped_names_fit_the_buffer)
{
	char four[4], five[5];

	CHECK_STR(ptu_escape("abcd", true, four, sizeof(four)), "abc");
	CHECK_STR(ptu_escape("abcd", true, five, sizeof(five)), "abcd");
	CHECK_STR(ptu_escape("\n", true, four, sizeof(four)), "");
	CHECK_STR(ptu_escape("\n", true, five, sizeof(five)), "\\x0a");
}

UNIT_TEST(long_names_lose_their_beginning)
{
	char six[6], seven[7];

	ptu_name_fit("abcdef", seven, sizeof(seven));
	CHECK_STR(seven, "abcdef");
	ptu_name_fit("abcdef", six, sizeof(six));
	CHECK_STR(six, "...ef");
}

UNIT_TEST(hexadecimal_numbers_have_64_bits)
{
	const char *most = "ffffffffffffffff ", *more = "10000000000000000 ";
	uint64_t value;

	CHECK(ptu_hex_take(&most, ' ', &value));
	CHECK_EQ(value, UINT64_MAX);
	CHECK_EQ(*most, '\0');
	CHECK(!ptu_hex_take(&more, ' ', &value));
}

UNIT_MAIN
