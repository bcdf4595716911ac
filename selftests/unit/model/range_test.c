// SPDX-License-Identifier: GPL-2.0-only
/* ADDR[-END] on the command line, and the parts of mappings inside the range. */
#include "model/range.h"

#include "support/unit.h"

#define PAGE UINT64_C(4096)

static const struct ptu_vma vma = { .start = 0x10000, .end = 0x20000 };

UNIT_TEST(addresses_are_hex)
{
	struct ptu_range range = { 0 };

	CHECK_EQ(ptu_range_parse("7f0000000000", &range, NULL), 0);
	CHECK(range.is_given);
	CHECK_EQ(range.start, UINT64_C(0x7f0000000000));
	CHECK_EQ(range.end, 0);
	CHECK_EQ(ptu_range_parse("0x1000-0xA000", &range, NULL), 0);
	CHECK_EQ(range.start, 0x1000);
	CHECK_EQ(range.end, 0xa000);
	CHECK_EQ(ptu_range_parse("0-1000", &range, NULL), 0);
	CHECK_EQ(range.start, 0);
	CHECK_EQ(range.end, 0x1000);
}

UNIT_TEST(malformed_range_is_refused)
{
	static const char *const bad[] = {
		"",
		"x",
		"0x",
		"-",
		"-1000",
		"1000-",
		"1000-x",
		"1000-2000-3000",
		"2000-1000",
		"0-0",
		"1000-1000",
		" 1000",
		"1000 ",
		"+1000",
		"1000--2000",
		"0x0x10",
		"8000000000000000",
		"1000-8000000000000000",
		"10000000000000000000000",
	};
	struct ptu_range range;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct ptu_err err = { .text = "" };

		if (ptu_range_parse(bad[i], &range, &err) != -22)
			UNIT_FAIL("'%s' was accepted", bad[i]);
		CHECK(err.text[0]);
	}
}

UNIT_TEST(mappings_are_clipped_to_whole_pages)
{
	struct ptu_range range = { 0 };
	uint64_t start, end;

	CHECK(ptu_range_clip(&range, &vma, PAGE, &start, &end));
	CHECK_EQ(start, 0x10000);
	CHECK_EQ(end, 0x20000);
	range = (struct ptu_range){ 0x11234, 0x13001, true };
	CHECK(ptu_range_clip(&range, &vma, PAGE, &start, &end));
	CHECK_EQ(start, 0x11000);
	CHECK_EQ(end, 0x14000);
	range = (struct ptu_range){ 0, 0x10000, true };
	CHECK(!ptu_range_clip(&range, &vma, PAGE, &start, &end));
	range = (struct ptu_range){ 0x20000, 0x30000, true };
	CHECK(!ptu_range_clip(&range, &vma, PAGE, &start, &end));
	range = (struct ptu_range){ 0x0, 0x30000, true };
	CHECK(ptu_range_clip(&range, &vma, PAGE, &start, &end));
	CHECK_EQ(start, 0x10000);
	CHECK_EQ(end, 0x20000);
}

UNIT_TEST(single_address_selects_its_mapping)
{
	struct ptu_range range = { 0x1ffff, 0, true };
	uint64_t start, end;

	CHECK(ptu_range_clip(&range, &vma, PAGE, &start, &end));
	CHECK_EQ(start, 0x10000);
	CHECK_EQ(end, 0x20000);
	range.start = 0x20000;
	CHECK(!ptu_range_clip(&range, &vma, PAGE, &start, &end));
	range.start = 0xffff;
	CHECK(!ptu_range_clip(&range, &vma, PAGE, &start, &end));
}

UNIT_TEST(the_kernel_half_has_no_pages_of_the_process)
{
	const struct ptu_vma vsyscall = { .start = UINT64_C(0xffffffffff600000),
					  .end = UINT64_C(0xffffffffff601000) };
	const struct ptu_range all = { 0 };
	uint64_t start, end;

	CHECK(!ptu_range_clip(&all, &vsyscall, PAGE, &start, &end));
}

UNIT_MAIN
