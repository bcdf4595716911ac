// SPDX-License-Identifier: GPL-2.0-only
/* PTE tables by used entries: classes, sums and percentages. */
#include "report/fill.h"

#include "support/unit.h"

#define ROOM 512

static struct ptu_fill of(const unsigned int *entries, size_t nr)
{
	struct ptu_fill fill = { 0 };

	for (size_t i = 0; i < nr; i++)
		ptu_fill_add(&fill, entries[i], ROOM);
	return fill;
}

UNIT_TEST(each_class_begins_and_ends_where_it_says)
{
	static const unsigned int entries[] = { 0,  1,	 8,   9,   64,
						65, 511, 512, 511, 512 };
	const struct ptu_fill fill = of(entries, 10);

	CHECK_EQ(fill.in_class[PTU_FILL_EMPTY], 1);
	CHECK_EQ(fill.in_class[PTU_FILL_8], 2);
	CHECK_EQ(fill.in_class[PTU_FILL_64], 2);
	CHECK_EQ(fill.in_class[PTU_FILL_SOME], 3);
	CHECK_EQ(fill.in_class[PTU_FILL_ALL], 2);
	CHECK_EQ(fill.tables, 10);
	CHECK_EQ(fill.counted, 10);
	CHECK_EQ(fill.entries, 1 + 8 + 9 + 64 + 65 + 511 + 512 + 511 + 512);
	CHECK_EQ(fill.room, 5120);
}

UNIT_TEST(classes_have_names)
{
	char name[32];

	CHECK_STR(ptu_fill_class_name(PTU_FILL_EMPTY, ROOM, name), "0");
	CHECK_STR(ptu_fill_class_name(PTU_FILL_8, ROOM, name), "1-8");
	CHECK_STR(ptu_fill_class_name(PTU_FILL_64, ROOM, name), "9-64");
	CHECK_STR(ptu_fill_class_name(PTU_FILL_SOME, ROOM, name), "65-511");
	CHECK_STR(ptu_fill_class_name(PTU_FILL_ALL, ROOM, name), "512");
}

UNIT_TEST(only_0_entries_are_0_percent_and_only_all_are_100_percent)
{
	static const unsigned int none[] = { 0, 0, 0 }, all[] = { 512, 512 };
	static const unsigned int nearly[] = { 512, 512, 512, 512, 511 };
	static const unsigned int hardly[] = { 1, 0, 0, 0, 0 };
	static const unsigned int quarter[] = { 128, 128 };
	struct ptu_fill fill = of(none, 3);

	CHECK_EQ(ptu_fill_permille(&fill), 0);
	fill = of(all, 2);
	CHECK_EQ(ptu_fill_permille(&fill), 1000);
	fill = of(nearly, 5);
	CHECK_EQ(ptu_fill_permille(&fill), 999);
	fill = of(hardly, 5);
	CHECK_EQ(ptu_fill_permille(&fill), 1);
	fill = of(quarter, 2);
	CHECK_EQ(ptu_fill_permille(&fill), 250);
}

UNIT_TEST(uncounted_tables_make_the_fill_incomplete)
{
	static const unsigned int entries[] = { 3, 4 };
	struct ptu_fill fill = of(entries, 2), more = of(entries, 2);

	CHECK(ptu_fill_is_whole(&fill));
	more.tables++;
	more.unasked++;
	fill.markers = 2;
	more.markers = 3;
	CHECK(!ptu_fill_is_whole(&more));
	ptu_fill_merge(&fill, &more);
	CHECK_EQ(fill.tables, 5);
	CHECK_EQ(fill.counted, 4);
	CHECK_EQ(fill.entries, 14);
	CHECK_EQ(fill.markers, 5);
	CHECK_EQ(fill.unasked, 1);
	CHECK(!ptu_fill_is_whole(&fill));
	memset(&fill, 0, sizeof(fill));
	CHECK(!ptu_fill_is_whole(&fill));
}

UNIT_MAIN
