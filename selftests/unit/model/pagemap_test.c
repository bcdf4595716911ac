// SPDX-License-Identifier: GPL-2.0-only
/* The digest of pagemap entries, one slot of 512 entries at a time. */
#include "model/pagemap.h"

#include <stdlib.h>

#include "support/build.h"
#include "support/unit.h"

/* Bit numbers of Documentation/admin-guide/mm/pagemap.rst. */
#define PRESENT 0x8000000000000000
#define SWAP 0x4000000000000000
#define FILE61 0x2000000000000000
#define GUARD 0x0400000000000000
#define WP 0x0200000000000000
#define EXCLUSIVE 0x0100000000000000
#define SOFT 0x0080000000000000

static uint64_t entries[2048];
static struct ptu_slots slots;
static struct ptu_digest digest;

/* Forget the slots of an earlier digest, and begin another one. */
static void begin(void)
{
	ptu_slots_deinit(&slots);
	slots = (struct ptu_slots){ 0 };
	ptu_pagemap_digest_init(&digest, &four_levels, &slots);
}

static void fill(uint64_t first, uint64_t step, size_t nr_entries)
{
	memset(entries, 0, sizeof(entries));
	for (size_t i = 0; i < nr_entries; i++)
		entries[i] = first + i * step;
}

/* Digest entries[] of one VMA, @at_once entries per call. */
static void digest_at(uint64_t addr, size_t nr_entries, size_t at_once)
{
	begin();
	for (size_t i = 0; i < nr_entries; i += at_once) {
		size_t nr = nr_entries - i < at_once ? nr_entries - i : at_once;

		if (ptu_pagemap_digest(&digest, 3, addr + i * 4096, entries + i,
				       nr))
			UNIT_FAIL("cannot digest the entries from %zu on", i);
	}
	if (ptu_pagemap_digest_end(&digest))
		UNIT_FAIL("cannot end the digest");
}

/* The flags of one complete slot at 0x40000000. */
static unsigned int flags_of_slot(void)
{
	digest_at(0x40000000, 512, 512);
	if (slots.nr_slots == 1)
		return slots.slots[0].flags;
	UNIT_FAIL("there are %zu slots, not 1", slots.nr_slots);
	return 0xffff;
}

static unsigned int flags_of(uint64_t first, uint64_t step, size_t nr_entries)
{
	fill(first, step, nr_entries);
	return flags_of_slot();
}

/* With @word instead of one of 512 entries, there must be no run. */
static void check_no_run(uint64_t first, uint64_t step, size_t at,
			 uint64_t word)
{
	fill(first, step, 512);
	entries[at] = word;
	if (flags_of_slot())
		UNIT_FAIL("a run, although entry %zu is 0x%llx", at,
			  (unsigned long long)word);
}

UNIT_TEST(holes_leave_no_slot)
{
	fill(0, 0, 2048);
	digest_at(0, 2048, 2048);
	CHECK_EQ(slots.nr_slots, 0);
	fill(SOFT, 0, 2048);
	digest_at(0, 2048, 2048);
	CHECK_EQ(slots.nr_slots, 0);
}

UNIT_TEST(entries_are_counted_by_kind)
{
	fill(0, 0, 0);
	entries[1] = PRESENT | 0x1234;
	entries[2] = PRESENT | SOFT | EXCLUSIVE | 0x1235;
	entries[3] = SWAP | 0x40;
	entries[4] = SWAP | WP | 0x60;
	entries[5] = WP;
	entries[6] = GUARD;
	entries[7] = SOFT;
	entries[8] = WP | SOFT;
	entries[511] = PRESENT;
	digest_at(0x40000000, 512, 512);
	CHECK_EQ(slots.nr_slots, 1);
	CHECK_EQ(slots.slots[0].start, 0x40000000);
	CHECK_EQ(slots.slots[0].vma, 3);
	CHECK_EQ(slots.slots[0].present, 3);
	CHECK_EQ(slots.slots[0].nonpresent, 2);
	CHECK_EQ(slots.slots[0].markers, 3);
	CHECK_EQ(slots.slots[0].flags, 0);
	CHECK_EQ(slots.slots[0].pfn, 0);
}

/* As root sees them on 6.18 and 6.12; others see neither type nor offset. */
UNIT_TEST(markers_are_counted_among_the_entries_that_are_not_present)
{
	fill(0, 0, 0);
	entries[0] = SWAP | GUARD | 0x9f;
	entries[1] = SWAP | GUARD;
	entries[2] = SWAP | WP | 0x3f;
	/* 6.13 has no bit 58 */
	entries[3] = SWAP | 0x9f;
	/* swapped out, also from a protected page; under migration; poisoned */
	entries[4] = SWAP | 0x40;
	entries[5] = SWAP | WP | 0x40;
	entries[6] = SWAP | 0x12345d;
	entries[7] = SWAP | 0x5f;
	/* not shown to others than root */
	entries[8] = SWAP | WP;
	digest_at(0x40000000, 512, 512);
	CHECK_EQ(slots.nr_slots, 1);
	CHECK_EQ(slots.slots[0].nonpresent, 9);
	CHECK_EQ(slots.slots[0].shown_markers, 4);
	CHECK_EQ(slots.slots[0].markers, 0);
}

/* A single entry at any place must not be taken for a hole. */
UNIT_TEST(one_entry_makes_a_slot)
{
	static const uint64_t kinds[] = { PRESENT, SWAP, WP, GUARD };
	size_t kind;

	for (kind = 0; kind < 4; kind++) {
		for (size_t i = 0; i < 512; i++) {
			fill(SOFT, 0, 512);
			entries[i] = kinds[kind];
			digest_at(0, 512, 512);
			CHECK_EQ(slots.nr_slots, 1);
			CHECK_EQ(slots.slots[0].present, kind == 0);
			CHECK_EQ(slots.slots[0].nonpresent, kind == 1);
			CHECK_EQ(slots.slots[0].markers, kind >= 2);
		}
	}
}

UNIT_TEST(a_mapping_that_begins_and_ends_within_slots)
{
	/* the last page of a slot, an empty slot, then one page */
	fill(0, 0, 0);
	entries[0] = PRESENT | 0x77;
	entries[513] = PRESENT | 0x78;
	digest_at(0x7fffffbff000, 514, 514);
	CHECK_EQ(slots.nr_slots, 2);
	CHECK_EQ(slots.slots[0].start, 0x7fffffa00000);
	CHECK_EQ(slots.slots[0].present, 1);
	CHECK_EQ(slots.slots[0].pfn, 0);
	CHECK_EQ(slots.slots[1].start, 0x7fffffe00000);
	CHECK_EQ(slots.slots[1].present, 1);
	CHECK_EQ(slots.slots[1].pfn, 0x78);
}

UNIT_TEST(last_page_of_the_address_space_has_a_slot)
{
	fill(PRESENT, 0, 1);
	digest_at(0x7fffffffe000, 1, 1);
	CHECK_EQ(slots.nr_slots, 1);
	CHECK_EQ(slots.slots[0].start, 0x7fffffe00000);
	digest_at(0xffffffffffe000, 1, 1);
	CHECK_EQ(slots.slots[0].start, 0xffffffffe00000);
}

UNIT_TEST(a_slot_of_two_mappings_has_two_summaries)
{
	fill(PRESENT | 0x200, 1, 512);
	begin();
	CHECK_EQ(ptu_pagemap_digest(&digest, 0, 0x200000, entries, 256), 0);
	CHECK_EQ(ptu_pagemap_digest(&digest, 1, 0x300000, entries + 256, 256),
		 0);
	CHECK_EQ(ptu_pagemap_digest_end(&digest), 0);
	CHECK_EQ(slots.nr_slots, 2);
	CHECK_EQ(slots.slots[0].start, 0x200000);
	CHECK_EQ(slots.slots[0].vma, 0);
	CHECK_EQ(slots.slots[0].present, 256);
	CHECK_EQ(slots.slots[0].flags, 0);
	CHECK_EQ(slots.slots[1].start, 0x200000);
	CHECK_EQ(slots.slots[1].vma, 1);
	CHECK_EQ(slots.slots[1].present, 256);
	CHECK_EQ(slots.slots[1].flags, 0);
}

UNIT_TEST(digest_does_not_depend_on_the_calls)
{
	static const size_t at_once[] = { 1, 3, 255, 512, 513, 1024 };

	for (size_t i = 0; i < sizeof(at_once) / sizeof(at_once[0]); i++) {
		fill(PRESENT | 0x400, 1, 1024);
		digest_at(0x40000000, 1024, at_once[i]);
		CHECK_EQ(slots.nr_slots, 2);
		CHECK_EQ(slots.slots[0].present, 512);
		CHECK_EQ(slots.slots[0].pfn, 0x400);
		CHECK_EQ(slots.slots[0].flags, PTU_SLOT_PFN_RUN);
		CHECK_EQ(slots.slots[1].start, 0x40200000);
		CHECK_EQ(slots.slots[1].present, 512);
		CHECK_EQ(slots.slots[1].pfn, 0x600);
		CHECK_EQ(slots.slots[1].flags, PTU_SLOT_PFN_RUN);
	}
}

UNIT_TEST(a_pfn_run_is_512_pages_from_an_aligned_one)
{
	fill(PRESENT | 0x123400, 1, 512);
	CHECK_EQ(flags_of_slot(), PTU_SLOT_PFN_RUN);
	/* bits outside the PFN do not matter */
	entries[7] |= SOFT | EXCLUSIVE;
	CHECK_EQ(flags_of_slot(), PTU_SLOT_PFN_RUN);
}

UNIT_TEST(near_miss_of_a_pfn_run_is_no_run)
{
	const uint64_t first = PRESENT | 0x123400;

	/* not aligned: shifted by one page, by half a slot */
	CHECK_EQ(flags_of(first + 1, 1, 512), 0);
	CHECK_EQ(flags_of(first + 0x100, 1, 512), 0);
	/* PFN 0 is not a page */
	CHECK_EQ(flags_of(PRESENT | 0x0, 1, 512), 0);
	CHECK_EQ(flags_of(first, 1, 511), 0);
	/* descending, and constant */
	CHECK_EQ(flags_of(first + 0x1ff, (uint64_t)-1, 512), 0);
	CHECK_EQ(flags_of(first, 0, 512), 0);
	for (size_t i = 0; i < 512; i++) {
		const uint64_t word = first + i;

		/* absent, of another kind, of another page */
		check_no_run(first, 1, i, 0);
		check_no_run(first, 1, i, word ^ (PRESENT | SWAP));
		check_no_run(first, 1, i, word ^ 0x40000);
		/* the highest bit of the PFN */
		check_no_run(first, 1, i, word ^ 0x0040000000000000);
	}
}

UNIT_TEST(pfns_are_hidden_if_all_read_0)
{
	fill(PRESENT | SOFT, 0, 512);
	CHECK_EQ(flags_of_slot(), PTU_SLOT_PFN_HIDDEN);
	entries[300] |= 1;
	CHECK_EQ(flags_of_slot(), 0);
	CHECK_EQ(flags_of(PRESENT, 0, 511), 0);
}

UNIT_TEST(slot_of_only_file_pages_is_marked)
{
	fill(PRESENT | FILE61, 0, 512);
	CHECK_EQ(flags_of_slot(), PTU_SLOT_PFN_HIDDEN | PTU_SLOT_FILE);
	entries[511] &= ~FILE61;
	CHECK_EQ(flags_of_slot(), PTU_SLOT_PFN_HIDDEN);
	fill(PRESENT | FILE61 | 0x200, 1, 512);
	CHECK_EQ(flags_of_slot(), PTU_SLOT_PFN_RUN | PTU_SLOT_FILE);
	entries[0] &= ~FILE61;
	CHECK_EQ(flags_of_slot(), PTU_SLOT_PFN_RUN);
	CHECK_EQ(flags_of(PRESENT | FILE61, 0, 511), 0);
}

UNIT_TEST(swap_run_has_ascending_offsets)
{
	/* type 0x1f in bits 0-4, offset 0x8000 from bit 5 on */
	fill(SWAP | 0x10001f, 0x20, 512);
	CHECK_EQ(flags_of_slot(), PTU_SLOT_SWAP_RUN);
	entries[9] |= SOFT | WP;
	CHECK_EQ(flags_of_slot(), PTU_SLOT_SWAP_RUN);
	/* hidden frame numbers */
	CHECK_EQ(flags_of(SWAP, 0, 512), PTU_SLOT_SWAP_RUN);
}

UNIT_TEST(near_miss_of_a_swap_run_is_no_run)
{
	const uint64_t first = SWAP | 0x10001f;

	CHECK_EQ(flags_of(first, 0x20, 511), 0);
	CHECK_EQ(flags_of(first, 1, 512), 0);
	CHECK_EQ(flags_of(first, 0, 512), 0);
	for (size_t i = 0; i < 512; i++) {
		/* another type, and a page */
		check_no_run(first, 0x20, i, (first + i * 0x20) ^ 0x1);
		check_no_run(first, 0x20, i, PRESENT);
		/* one of the hidden entries shows an offset, or is a guard */
		check_no_run(SWAP, 0, i, SWAP | 0x40);
		check_no_run(SWAP, 0, i, SWAP | GUARD);
	}
}

UNIT_TEST(digest_keeps_many_slots)
{
	uint64_t i;

	fill(PRESENT | 0x55, 0, 1);
	begin();
	for (i = 0; i < 3000; i++)
		CHECK_EQ(ptu_pagemap_digest(&digest, 0, i * 0x200000, entries,
					    512),
			 0);
	CHECK_EQ(ptu_pagemap_digest_end(&digest), 0);
	CHECK_EQ(slots.nr_slots, 3000);
	CHECK_EQ(slots.slots[2999].start, 0x176e00000);
}

static void tear_down(void)
{
	ptu_slots_deinit(&slots);
}

UNIT_MAIN_WITH(NULL, tear_down)
