// SPDX-License-Identifier: GPL-2.0-only
/*
 * Slots that show no page at first: which questions are asked about them, and the
 * conclusions.
 */
#include "acquire/scan_settle.c"

#include <errno.h>
#include <stdlib.h>

#include "support/build.h"
#include "support/unit.h"

#define A UINT64_C(0x7f0000000000)

struct page {
	uint64_t addr;
	uint64_t categories;
};

/* The slot at A, and what the kernel shows there. */
static struct build b;
static struct ptu_evidence e;
static struct ptu_vma vmas[3];
static struct ptu_scan_slot slots[2];

static struct page pages[4];
static size_t nr_pages, nr_asked;
static int failure;

int ptu_scan_any(int fd, uint64_t start, uint64_t end, uint64_t anyof,
		 struct page_region_abi *hit)
{
	nr_asked++;
	if (failure)
		return failure;
	for (size_t i = 0; i < nr_pages; i++) {
		if (pages[i].addr < start || pages[i].addr >= end ||
		    !(pages[i].categories & anyof))
			continue;
		hit->start = pages[i].addr;
		hit->end = pages[i].addr + 4096;
		return 1;
	}
	return 0;
}

static void show(uint64_t addr, uint64_t categories)
{
	pages[nr_pages++] = (struct page){ addr, categories };
}

static void map(uint64_t start, uint64_t end)
{
	vmas[e.vmas.nr_vmas++] = (struct ptu_vma){ .start = start, .end = end };
}

static void set_up(void)
{
	build_init(&b, 4, false);
	memset(vmas, 0, sizeof(vmas));
	e = (struct ptu_evidence){
		.geo = &b.geo,
		.end = UINT64_MAX,
		.vmas = { .vmas = vmas },
		.scan = { .slots = slots, .nr_slots = 1 },
	};
	slots[0] = (struct ptu_scan_slot){ .start = A,
					   .first = A,
					   .unasked = true };
	nr_pages = nr_asked = 0;
	failure = 0;
}

static void tear_down(void)
{
	build_deinit(&b);
}

UNIT_TEST(a_page_further_on_populates_a_slot)
{
	map(A, A + 2 * MIB);
	show(A, PAGE_WRITTEN);
	show(A + 2 * MIB - 4096, PAGE_SWAPPED);
	CHECK_EQ(ptu_scan_settle(-1, PTU_SETTLE_ALL, &e), 0);
	CHECK(slots[0].populated && !slots[0].unasked);
}

UNIT_TEST(page_in_the_next_slot_does_not_populate_this_one)
{
	map(A, A + 4 * MIB);
	show(A, PAGE_WRITTEN);
	show(A + 2 * MIB, PAGE_PRESENT);
	CHECK_EQ(ptu_scan_settle(-1, PTU_SETTLE_ALL, &e), 0);
	CHECK(!slots[0].populated && !slots[0].unasked);
}

UNIT_TEST(without_reported_holes_no_slot_is_scanned_again)
{
	map(A, A + 2 * MIB);
	CHECK_EQ(ptu_scan_settle(-1, PTU_SETTLE_TO_OPEN, &e), 0);
	CHECK_EQ(nr_asked, 0);
	CHECK(slots[0].unasked);
}

/* A guard page below a stack; other slots of the stack show nothing. */
UNIT_TEST(neighbour_with_unreported_holes_proves_the_table)
{
	e.scan.caps.wp_hole_is_seen = true;
	map(A + MIB, A + MIB + 4096);
	map(A + MIB + 4096, A + 8 * MIB);
	slots[0].first = A + MIB;
	show(A + MIB, PAGE_WRITTEN);
	show(A + MIB + 4096, PAGE_WRITTEN);
	CHECK_EQ(ptu_scan_settle(-1, PTU_SETTLE_TO_OPEN, &e), 0);
	CHECK_EQ(nr_asked, 1);
	CHECK_EQ(slots[0].first, A + MIB + 4096);
	CHECK(ptu_evidence_shows_hole(&e, slots[0].first));
}

/* The neighbour shows nothing, so the guard page is a protected hole. */
UNIT_TEST(neighbour_without_reported_pages_proves_no_table)
{
	e.scan.caps.wp_hole_is_seen = true;
	map(A + MIB, A + MIB + 4096);
	map(A + MIB + 4096, A + 8 * MIB);
	slots[0].first = A + MIB;
	show(A + MIB, PAGE_WRITTEN);
	CHECK_EQ(ptu_scan_settle(-1, PTU_SETTLE_TO_OPEN, &e), 0);
	CHECK_EQ(slots[0].first, A + MIB);
	CHECK(!slots[0].populated && !slots[0].unasked);
}

/* Each slot of the neighbour is shown, so it may be protected itself. */
UNIT_TEST(neighbour_with_all_pages_reported_proves_no_table)
{
	e.scan.caps.wp_hole_is_seen = true;
	map(A + MIB, A + MIB + 4096);
	map(A + MIB + 4096, A + 2 * MIB);
	slots[0].first = A + MIB;
	show(A + MIB, PAGE_WRITTEN);
	show(A + MIB + 4096, PAGE_WRITTEN);
	CHECK_EQ(ptu_scan_settle(-1, PTU_SETTLE_TO_OPEN, &e), 0);
	CHECK_EQ(slots[0].first, A + MIB);
	CHECK(!slots[0].populated);
}

/* If one slot stays open, smaps is read, and decides the next one as well. */
UNIT_TEST(after_an_open_slot_no_further_slot_is_scanned)
{
	e.scan.caps.wp_hole_is_seen = true;
	map(A, A + 4 * MIB);
	slots[1] = slots[0];
	slots[1].start = slots[1].first = A + 2 * MIB;
	e.scan.nr_slots = 2;
	show(A, PAGE_WRITTEN);
	show(A + 2 * MIB, PAGE_WRITTEN);
	show(A + 2 * MIB + 4096, PAGE_PRESENT);
	CHECK_EQ(ptu_scan_settle(-1, PTU_SETTLE_TO_OPEN, &e), 0);
	CHECK_EQ(nr_asked, 1);
	CHECK(!slots[0].unasked && slots[1].unasked);
	/* smaps says that it is not protected: a slot that is shown has a table */
	CHECK_EQ(ptu_scan_settle(-1, PTU_SETTLE_PROTECTED, &e), 0);
	CHECK_EQ(nr_asked, 1);
	vmas[0].flags = PTU_VM_UFFD_WP;
	CHECK_EQ(ptu_scan_settle(-1, PTU_SETTLE_PROTECTED, &e), 0);
	CHECK_EQ(nr_asked, 2);
	CHECK(!slots[1].unasked && slots[1].populated);
}

UNIT_TEST(slots_after_a_proven_table_are_scanned)
{
	e.scan.caps.wp_hole_is_seen = true;
	map(A + MIB, A + MIB + 4096);
	map(A + MIB + 4096, A + 8 * MIB);
	map(A + 16 * MIB, A + 18 * MIB);
	slots[0].first = A + MIB;
	slots[1] = slots[0];
	slots[1].start = slots[1].first = A + 16 * MIB;
	e.scan.nr_slots = 2;
	show(A + MIB, PAGE_WRITTEN);
	show(A + MIB + 4096, PAGE_WRITTEN);
	show(A + 16 * MIB, PAGE_WRITTEN);
	show(A + 16 * MIB + 4096, PAGE_PRESENT);
	CHECK_EQ(ptu_scan_settle(-1, PTU_SETTLE_TO_OPEN, &e), 0);
	CHECK(slots[0].unasked);
	CHECK(!slots[1].unasked && slots[1].populated);
}

UNIT_TEST(slot_is_not_asked_about_twice)
{
	e.scan.caps.wp_hole_is_seen = true;
	map(A, A + 2 * MIB);
	slots[0].unasked = false;
	CHECK_EQ(ptu_scan_settle(-1, PTU_SETTLE_ALL, &e), 0);
	CHECK_EQ(nr_asked, 0);
}

/* As many as the calls may take time for. */
UNIT_TEST(the_first_32768_slots_are_asked_about)
{
	const struct ptu_scan_slot open = slots[0];

	map(A, A + 2 * MIB);
	e.scan.nr_slots = 32770;
	e.scan.slots = malloc(e.scan.nr_slots * sizeof(open));
	for (size_t i = 0; i < e.scan.nr_slots; i++)
		e.scan.slots[i] = open;
	CHECK_EQ(ptu_scan_settle(-1, PTU_SETTLE_FEW, &e), 0);
	CHECK_EQ(nr_asked, 32768);
	CHECK(e.scan.slots[32768].unasked);
	free(e.scan.slots);
}

UNIT_TEST(failed_scan_of_a_slot_is_an_error)
{
	e.scan.caps.wp_hole_is_seen = true;
	map(A, A + 2 * MIB);
	failure = -EIO;
	CHECK_EQ(ptu_scan_settle(-1, PTU_SETTLE_ALL, &e), -EIO);
}

UNIT_MAIN_WITH(set_up, tear_down)
