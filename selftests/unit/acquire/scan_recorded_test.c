// SPDX-License-Identifier: GPL-2.0-only
/* The lines of a recorded scan. */
#include "acquire/scan.h"

#include <errno.h>
#include <stdlib.h>

#include "support/build.h"
#include "support/unit.h"

#define A UINT64_C(0x7f0000000000)
#define SLOT (2 * MIB)

static struct ptu_vma vma = { .start = A, .end = A + 16 * SLOT };
static const struct ptu_vmas vmas = { .vmas = &vma, .nr_vmas = 1 };
static struct ptu_scan scan;

static void tear_down(void)
{
	ptu_scan_deinit(&scan);
}

static int parse(const char *text)
{
	ptu_scan_deinit(&scan);
	return ptu_scan_parse(text, &four_levels, &vmas, 0, UINT64_MAX, &scan,
			      NULL);
}

static const char text[] = "7f0000000000 7f0000001000 0 1 5\n"
			   "7f0000200000 7f0000200000 1 1\n"
			   "7f0000400000 7f0000400000 1 0\n"
			   "7f0000600000 7f0000600000 1 0 1\n"
			   "7f0000800000 7f0000800000 0 0 0\n"
			   "7f0000a00000 7f0000a00000 0 1 9 9\n";

UNIT_TEST(lines_are_read_and_written_again)
{
	char *again = NULL;
	size_t bytes;
	FILE *out;

	CHECK_EQ(parse(text), 0);
	CHECK_EQ(scan.nr_slots, 6);
	CHECK(scan.slots[0].counted);
	CHECK_EQ(scan.slots[0].markers, 0);
	CHECK_EQ(scan.slots[5].entries, 9);
	CHECK_EQ(scan.slots[5].markers, 9);
	CHECK_EQ(scan.slots[0].entries, 5);
	CHECK(scan.slots[1].populated && !scan.slots[1].absent);
	/* an entry of hugetlb that is none, and one that is a marker */
	CHECK(!scan.slots[2].populated && !scan.slots[2].absent);
	CHECK(!scan.slots[3].populated && scan.slots[3].absent);
	CHECK(!scan.slots[3].counted);
	CHECK_EQ(scan.slots[3].entries, 0);
	CHECK(scan.slots[4].counted && !scan.slots[4].absent);
	out = open_memstream(&again, &bytes);
	CHECK(out != NULL);
	ptu_scan_record(&scan, out);
	CHECK_EQ(fclose(out), 0);
	CHECK_STR(again, text);
	free(again);
}

static const struct {
	const char *name;
	const char *text;
} damaged[] = {
	{ "a_present_huge_page_that_is_absent",
	  "7f0000200000 7f0000200000 1 1 1\n" },
	{ "a_huge_page_of_two_entries", "7f0000400000 7f0000400000 1 0 2\n" },
	{ "a_huge_page_without_an_entry", "7f0000400000 7f0000400000 1 0 0\n" },
	{ "markers_of_an_absent_huge_page",
	  "7f0000400000 7f0000400000 1 0 1 1\n" },
	{ "more_markers_than_entries", "7f0000600000 7f0000600000 0 1 3 4\n" },
	/* 5 in 16 bits */
	{ "entries_of_five_digits", "7f0000600000 7f0000600000 0 1 65541\n" },
	{ "no_markers", "7f0000600000 7f0000600000 0 1 3 0\n" },
	{ "markers_and_another_number",
	  "7f0000600000 7f0000600000 0 1 3 2 1\n" },
	{ "pages_of_a_slot_that_is_not_populated",
	  "7f0000600000 7f0000600000 0 0 1\n" },
};

UNIT_CASES(is_damage, damaged, one)
{
	CHECK_EQ(parse(one->text), -EBADMSG);
}

UNIT_MAIN_WITH(NULL, tear_down)
