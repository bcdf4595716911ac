// SPDX-License-Identifier: GPL-2.0-only
/* Names of page flags, and the number of pages with each set of flags. */
#include "compare/page_flags.h"

#include "model/page_flags.h"
#include "support/unit.h"

#define PAGE UINT64_C(4096)
#define A UINT64_C(0x7f0000000000)
/* Bit numbers of kernel-page-flags.h. */
#define UPTODATE (UINT64_C(1) << 3)
#define LRU (UINT64_C(1) << 5)
#define RESERVED (UINT64_C(1) << 32)

UNIT_TEST(flags_have_the_kernels_names)
{
	static const struct {
		unsigned int bit;
		const char *name;
	} some[] = {
		{ 0, "LOCKED" },
		{ 1, "ERROR" },
		{ 2, "REFERENCED" },
		{ 3, "UPTODATE" },
		{ 4, "DIRTY" },
		{ 5, "LRU" },
		{ 6, "ACTIVE" },
		{ 7, "SLAB" },
		{ 8, "WRITEBACK" },
		{ 9, "RECLAIM" },
		{ 10, "BUDDY" },
		{ 11, "MMAP" },
		{ 12, "ANON" },
		{ 13, "SWAPCACHE" },
		{ 14, "SWAPBACKED" },
		{ 15, "COMPOUND_HEAD" },
		{ 16, "COMPOUND_TAIL" },
		{ 17, "HUGE" },
		{ 18, "UNEVICTABLE" },
		{ 19, "HWPOISON" },
		{ 20, "NOPAGE" },
		{ 21, "KSM" },
		{ 22, "THP" },
		{ 23, "OFFLINE" },
		{ 24, "ZERO_PAGE" },
		{ 25, "IDLE" },
		{ 26, "PGTABLE" },
		{ 32, "RESERVED" },
		{ 33, "MLOCKED" },
		{ 34, "OWNER_2" },
		{ 35, "PRIVATE" },
		{ 36, "PRIVATE_2" },
		{ 37, "OWNER_PRIVATE" },
		{ 38, "ARCH" },
		{ 39, "UNCACHED" },
		{ 40, "SOFTDIRTY" },
		{ 41, "ARCH_2" },
		{ 42, "ARCH_3" },
		{ 47, "ANON_EXCLUSIVE" },
	};
	char name[PTU_PAGEFLAG_LEN];

	for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); i++)
		CHECK_STR(ptu_pageflag_name(some[i].bit, name), some[i].name);
}

UNIT_TEST(unknown_flags_have_numbers)
{
	char text[PTU_PAGEFLAGS_LEN];
	char name[PTU_PAGEFLAG_LEN];

	CHECK_STR(ptu_pageflag_name(27, name), "bit27");
	CHECK_STR(ptu_pageflag_name(63, name), "bit63");
	CHECK_STR(ptu_pageflag_name(64, name), "bit64");
	CHECK_STR(ptu_pageflags_format(0, text), "-");
	CHECK_STR(ptu_pageflags_format(UPTODATE | LRU, text), "UPTODATE,LRU");
	CHECK_STR(ptu_pageflags_format(RESERVED | UINT64_C(1) << 60, text),
		  "RESERVED,bit60");
	/* all names fit, including the last one */
	ptu_pageflags_format(UINT64_MAX, text);
	CHECK_STR(text + strlen(text) - 6, ",bit63");
}

static void add(struct ptu_pageflags *counted, unsigned int page,
		uint64_t flags)
{
	CHECK_EQ(ptu_pageflags_add(counted, A + page * PAGE, PAGE, flags), 0);
}

UNIT_TEST(pages_are_counted_by_group_and_by_flag)
{
	struct ptu_pageflags counted = { 0 };

	add(&counted, 0, LRU);
	add(&counted, 1, UPTODATE | LRU);
	add(&counted, 2, UPTODATE | LRU);
	add(&counted, 3, 0);
	add(&counted, 5, UPTODATE | LRU);
	add(&counted, 6, LRU);
	add(&counted, 7, UPTODATE);
	ptu_pageflags_sort(&counted);
	CHECK_EQ(counted.pages, 7);
	CHECK_EQ(counted.nr_groups, 4);
	CHECK_EQ(counted.groups[0].flags, UPTODATE | LRU);
	CHECK_EQ(counted.groups[0].pages, 3);
	CHECK_EQ(counted.groups[1].flags, LRU);
	CHECK_EQ(counted.groups[1].pages, 2);
	CHECK_EQ(counted.groups[2].flags, 0);
	CHECK_EQ(counted.groups[2].pages, 1);
	CHECK_EQ(counted.groups[3].flags, UPTODATE);
	CHECK_EQ(counted.by_bit[3], 4);
	CHECK_EQ(counted.by_bit[5], 5);
	CHECK_EQ(counted.by_bit[4], 0);
	CHECK_EQ(counted.nr_runs, 0);
	ptu_pageflags_deinit(&counted);
}

UNIT_TEST(runs_end_where_flags_or_addresses_change)
{
	struct ptu_pageflags counted = { .with_runs = true };

	add(&counted, 0, LRU);
	add(&counted, 1, LRU);
	add(&counted, 2, UPTODATE);
	add(&counted, 4, UPTODATE);
	add(&counted, 5, UPTODATE);
	CHECK_EQ(counted.nr_runs, 3);
	CHECK_EQ(counted.runs[0].start, A);
	CHECK_EQ(counted.runs[0].end, A + 2 * PAGE);
	CHECK_EQ(counted.runs[0].flags, LRU);
	CHECK_EQ(counted.runs[1].start, A + 2 * PAGE);
	CHECK_EQ(counted.runs[1].end, A + 3 * PAGE);
	CHECK_EQ(counted.runs[2].start, A + 4 * PAGE);
	CHECK_EQ(counted.runs[2].end, A + 6 * PAGE);
	ptu_pageflags_deinit(&counted);
}

/* More groups and runs than the initial allocation holds. */
UNIT_TEST(a_thousand_groups_and_runs_are_kept)
{
	struct ptu_pageflags counted = { .with_runs = true };

	for (unsigned int i = 0; i < 1000; i++)
		add(&counted, i, (i * 7919) % 1000);
	CHECK_EQ(counted.nr_groups, 1000);
	CHECK_EQ(counted.nr_runs, 1000);
	for (unsigned int i = 0; i < 1000; i++)
		CHECK_EQ(counted.groups[i].flags, i);
	ptu_pageflags_deinit(&counted);
}

UNIT_MAIN
