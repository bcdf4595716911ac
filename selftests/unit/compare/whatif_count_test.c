// SPDX-License-Identifier: GPL-2.0-only
/* The figures of one process: tables of anonymous memory, how full they are, huge pages. */
#include "compare/whatif.h"

#include <stdlib.h>

#include "support/build.h"
#include "support/unit.h"

#define SLOT (2 * MIB)
#define BASE (16 * TIB)
#define FILE_INODE 99

static struct ptu_vma vmas[8];
static size_t nr_vmas;
static struct ptu_tables tables;
static struct ptu_whatif_mm mm;

static void begin(void)
{
	ptu_tables_deinit(&tables);
	ptu_tables_init(&tables, &four_levels);
	nr_vmas = 0;
	mm = (struct ptu_whatif_mm){ 0 };
}

/* Map some slots, which follow the last mapping: a shared file, or anonymous memory. */
static uint64_t map(unsigned int nr_slots, uint64_t inode)
{
	const uint64_t start = nr_vmas ? vmas[nr_vmas - 1].end : BASE;

	vmas[nr_vmas++] = (struct ptu_vma){ .start = start,
					    .end = start + nr_slots * SLOT,
					    .device = inode ? 7 : 0,
					    .inode = inode,
					    .has_flags = true,
					    .perms = { 'r', 'w', '-',
						       inode ? 's' : 'p' } };
	return start;
}

static struct ptu_table *table(uint64_t start, unsigned int entries)
{
	struct ptu_table *ret;

	if (ptu_tables_add(&tables, PTAUDIT_PTE, start, PTU_CERTAIN))
		abort();
	ptu_tables_count_entries(&tables, 1);
	ret = &tables.tables[tables.nr_tables - 1];
	ret->entries = (uint16_t)entries;
	return ret;
}

static void count(void)
{
	const struct ptu_vmas all = { .vmas = vmas, .nr_vmas = nr_vmas };
	const struct ptu_whatif_space space = { &four_levels, &all, &tables,
						0 };

	ptu_whatif_count(&space, &mm);
}

UNIT_TEST(anonymous_tables_are_counted_apart)
{
	uint64_t start = map(2, 0);

	table(start, 5);
	table(start + SLOT, 0);
	table(map(1, FILE_INODE), 5);
	/* its entries are not known, so it may have pages */
	table(map(1, 0), 0)->counted = false;
	/* guard regions, and a page among them */
	start = map(2, 0);
	table(start, 512)->markers = 512;
	table(start + SLOT, 512)->markers = 511;
	/* pages of a device */
	table(map(1, 0), 5);
	vmas[nr_vmas - 1].flags = PTU_VM_MIXEDMAP;
	count();
	CHECK_EQ(mm.pte_tables, 7);
	CHECK_EQ(mm.anon_tables, 3);
	CHECK_EQ(mm.anon_counted, 2);
	CHECK_EQ(mm.anon_entries, 5 + 1);
	CHECK_EQ(mm.marker_tables, 1);
}

/* Of the file, a hole in a tmpfs gets a page of its own; its count of zero pages means nothing. */
UNIT_TEST(tables_of_zero_pages_are_counted)
{
	const uint64_t start = map(4, 0);

	table(start, 512)->zeros = 512;
	table(start + SLOT, 1)->zeros = 1;
	table(start + 2 * SLOT, 512)->zeros = 511;
	table(start + 3 * SLOT, 0);
	table(map(1, FILE_INODE), 3)->zeros = 3;
	count();
	CHECK_EQ(mm.zero_tables, 2);
	CHECK_EQ(mm.anon_tables, 3);
}

/* Two huge pages of anonymous memory; one of the file; one of 1 GiB has no deposited table. */
UNIT_TEST(huge_pages_of_anonymous_memory_are_counted)
{
	const uint64_t start = map(3, 0), file = map(1, FILE_INODE);

	table(start, 1);
	CHECK(!ptu_tables_add(&tables, PTAUDIT_PMD, start + SLOT, PTU_LEAF));
	CHECK(!ptu_tables_add(&tables, PTAUDIT_PMD, start + 2 * SLOT,
			      PTU_LEAF));
	CHECK(!ptu_tables_add(&tables, PTAUDIT_PMD, file, PTU_LEAF));
	vmas[nr_vmas - 1].end = BASE + GIB;
	CHECK(!ptu_tables_add(&tables, PTAUDIT_PUD, map(512, 0), PTU_LEAF));
	count();
	CHECK_EQ(mm.anon_huge_pages, 2);
	CHECK_EQ(mm.pte_tables, 1);
}

UNIT_MAIN_WITH(begin, NULL)
