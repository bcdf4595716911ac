// SPDX-License-Identifier: GPL-2.0-only
/* Sizes on the command line.  Other numbers are tested with the options that have them. */
#include "base/parse.h"

#include <errno.h>

#include "support/unit.h"

UNIT_TEST(a_size_is_bytes_or_has_a_suffix)
{
	static const struct {
		const char *text;
		unsigned long long bytes;
	} sizes[] = {
		{ "0", 0 },
		{ "4096", 4096 },
		{ "1K", 1024 },
		{ "64M", 64ull << 20 },
		{ "3G", 3ull << 30 },
		{ "2T", 2ull << 40 },
		{ "18446744073709551615", ~0ull },
		{ "18014398509481983K", ~0ull - 1023 },
	};
	struct ptu_err err = { "" };
	unsigned long long bytes;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		bytes = 1;
		CHECK_EQ(ptu_parse_bytes(sizes[i].text, &bytes, &err), 0);
		CHECK_EQ(bytes, sizes[i].bytes);
	}
}

UNIT_TEST(other_words_are_no_sizes)
{
	static const char *const words[] = {
		"",
		"K",
		"1k",
		"1KB",
		"1 K",
		" 1",
		"-1",
		"+1",
		"0x10",
		"1P",
		"1.5K",
		"18446744073709551616",
		"18014398509481984K",
		"16777216T",
	};
	unsigned long long bytes = 7;
	struct ptu_err err;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		err.text[0] = '\0';
		CHECK_EQ(ptu_parse_bytes(words[i], &bytes, &err), -EINVAL);
		CHECK(strstr(err.text, "is not a size"));
	}
	CHECK_EQ(bytes, 7);
}

UNIT_MAIN
