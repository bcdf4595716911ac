// SPDX-License-Identifier: GPL-2.0-only
/*
 * The slots that PAGEMAP_SCAN shows, in one call for all pages or in two.  The test replaces
 * the ioctl: it answers from an array of pages.
 */
#include <sys/ioctl.h>

#include <unistd.h>

static int fake_ioctl(int fd, unsigned long request, ...);
static ssize_t fake_pread(int fd, void *ret, size_t bytes, off_t offset);

#define ioctl fake_ioctl
#define pread fake_pread
#include "acquire/scan.c"
#undef pread
#undef ioctl

#include <stdarg.h>
#include <stdlib.h>

#include "support/build.h"
#include "support/unit.h"

#define A UINT64_C(0x7f0000000000)
#define SLOT (2 * MIB)
#define PAGE UINT64_C(4096)

/* Pages that are in a category, ascending. */
static struct {
	uint64_t addr, categories, word;
} pages[16];
static size_t nr_pages;
/* The kernel knows the category of guard regions. */
static bool has_guard;
/* Calls that are interrupted, and the call from which on they fail. */
static unsigned int nr_calls, interrupted, failing;
static struct ptu_scan scan;

static int fake_ioctl(int fd, unsigned long request, ...)
{
	struct page_region_abi *regions;
	struct pm_scan_arg_abi *arg;
	uint64_t nr = 0;
	va_list args;

	va_start(args, request);
	arg = va_arg(args, struct pm_scan_arg_abi *);
	va_end(args);
	if (fd != 3 || request != PAGEMAP_SCAN_ABI ||
	    arg->size != sizeof(*arg) || arg->start >= arg->end)
		abort();
	nr_calls++;
	if (interrupted & 1u << nr_calls) {
		errno = EINTR;
		return -1;
	}
	if (failing && nr_calls >= failing) {
		errno = EIO;
		return -1;
	}
	if (!has_guard && arg->return_mask & PAGE_GUARD) {
		errno = EINVAL;
		return -1;
	}
	regions = (struct page_region_abi *)(uintptr_t)arg->vec;
	for (size_t i = 0; i < nr_pages && nr < arg->vec_len; i++) {
		const uint64_t has = pages[i].categories;

		if (pages[i].addr < arg->start || pages[i].addr >= arg->end ||
		    (has & arg->category_mask) != arg->category_mask ||
		    (arg->category_anyof_mask &&
		     !(has & arg->category_anyof_mask)))
			continue;
		regions[nr++] = (struct page_region_abi){
			pages[i].addr, pages[i].addr + PAGE,
			has & arg->return_mask
		};
		if (nr == arg->max_pages)
			break;
	}
	return (int)nr;
}

/* The words of pagemap; the process ends at the first page that has none. */
static ssize_t fake_pread(int fd, void *ret, size_t bytes, off_t offset)
{
	const uint64_t addr = (uint64_t)offset / sizeof(uint64_t) * PAGE;

	if (fd != 3)
		abort();
	if (failing && ++nr_calls >= failing) {
		errno = EIO;
		return -1;
	}
	for (size_t i = 0; bytes && i < nr_pages; i++) {
		if (pages[i].addr != addr)
			continue;
		memcpy(ret, &pages[i].word, sizeof(pages[i].word));
		return sizeof(pages[i].word);
	}
	return 0;
}

static void page(uint64_t addr, uint64_t categories)
{
	pages[nr_pages].addr = addr;
	pages[nr_pages++].categories = categories;
}

static void set_up(void)
{
	nr_pages = 0;
	nr_calls = interrupted = failing = 0;
	has_guard = false;
}

static void tear_down(void)
{
	ptu_scan_deinit(&scan);
	memset(&scan, 0, sizeof(scan));
}

static int slots(void)
{
	return ptu_scan_slots(3, &four_levels, A, A + 16 * SLOT, &scan);
}

/* Slots 0 to 5; slot 3 has nothing. */
static void some(void)
{
	/* a table full of write-protected entries */
	page(A + 7 * PAGE, PAGE_PRESENT);
	page(A + 9 * PAGE, PAGE_PRESENT);
	/* an empty table */
	page(A + SLOT + 3 * PAGE, PAGE_WRITTEN);
	/* a table whose first written page is before the populated ones */
	page(A + 2 * SLOT, PAGE_WRITTEN);
	page(A + 2 * SLOT + 5 * PAGE, PAGE_WRITTEN | PAGE_SWAPPED);
	/* a leaf, and a marker in a hugetlb mapping */
	page(A + 4 * SLOT, PAGE_WRITTEN | PAGE_PRESENT | PAGE_HUGE);
	page(A + 5 * SLOT, PAGE_SWAPPED | PAGE_HUGE);
}

static bool is_slot(size_t i, uint64_t start, uint64_t first, bool populated,
		    bool huge)
{
	const struct ptu_scan_slot *slot = &scan.slots[i];

	return slot->start == start && slot->first == first &&
	       slot->populated == populated && slot->huge == huge;
}

UNIT_TEST(populated_and_written_slots_are_merged)
{
	some();
	CHECK_EQ(slots(), 0);
	CHECK_EQ(scan.nr_slots, 5);
	CHECK(is_slot(0, A, A + 7 * PAGE, true, false));
	CHECK(is_slot(1, A + SLOT, A + SLOT + 3 * PAGE, false, false));
	CHECK(is_slot(2, A + 2 * SLOT, A + 2 * SLOT + 5 * PAGE, true, false));
	CHECK(is_slot(3, A + 4 * SLOT, A + 4 * SLOT, true, true));
	CHECK(is_slot(4, A + 5 * SLOT, A + 5 * SLOT, false, true));
	CHECK(!scan.slots[3].absent && scan.slots[4].absent);
	CHECK(!scan.slots[1].unasked);
	/* 4 populated and 3 written slots, and the end of both */
	CHECK_EQ(nr_calls, 5 + 4);
}

UNIT_TEST(empty_table_may_be_the_last_one)
{
	page(A, PAGE_PRESENT);
	page(A + 9 * SLOT, PAGE_WRITTEN);
	page(A + 11 * SLOT, PAGE_WRITTEN);
	CHECK_EQ(slots(), 0);
	CHECK_EQ(scan.nr_slots, 3);
	CHECK(is_slot(2, A + 11 * SLOT, A + 11 * SLOT, false, false));
}

UNIT_TEST(all_slots_are_found_in_one_call_each)
{
	scan.caps.any_sees_empty = true;
	some();
	CHECK_EQ(slots(), 0);
	CHECK_EQ(scan.nr_slots, 5);
	CHECK(is_slot(0, A, A + 7 * PAGE, true, false));
	CHECK(!scan.slots[0].unasked);
	CHECK(is_slot(1, A + SLOT, A + SLOT + 3 * PAGE, false, false));
	CHECK(scan.slots[1].unasked);
	/* what follows the first page is unknown */
	CHECK(is_slot(2, A + 2 * SLOT, A + 2 * SLOT, false, false));
	CHECK(scan.slots[2].unasked);
	CHECK(is_slot(3, A + 4 * SLOT, A + 4 * SLOT, true, true));
	CHECK(is_slot(4, A + 5 * SLOT, A + 5 * SLOT, false, true));
	CHECK(!scan.slots[4].unasked);
	CHECK_EQ(nr_calls, 6);
}

UNIT_TEST(last_slot_ends_the_scan)
{
	page(A + 16 * SLOT - PAGE, PAGE_WRITTEN | PAGE_PRESENT);
	CHECK_EQ(slots(), 0);
	CHECK_EQ(scan.nr_slots, 1);
	CHECK_EQ(nr_calls, 2);
	scan.caps.any_sees_empty = true;
	CHECK_EQ(slots(), 0);
	CHECK_EQ(scan.nr_slots, 2);
	CHECK_EQ(nr_calls, 3);
}

UNIT_TEST(failed_call_ends_the_scan)
{
	some();
	/* the second call looks for populated slots, the seventh for written ones */
	failing = 2;
	CHECK_EQ(slots(), -EIO);
	CHECK_EQ(nr_calls, 2);
	failing = 7;
	nr_calls = 0;
	CHECK_EQ(slots(), -EIO);
	CHECK_EQ(nr_calls, 7);
	scan.caps.any_sees_empty = true;
	failing = 3;
	nr_calls = 0;
	CHECK_EQ(slots(), -EIO);
	CHECK_EQ(nr_calls, 3);
}

UNIT_TEST(interrupted_call_is_repeated)
{
	page(A, PAGE_PRESENT);
	interrupted = 1u << 1 | 1u << 2;
	scan.caps.any_sees_empty = true;
	CHECK_EQ(slots(), 0);
	CHECK_EQ(scan.nr_slots, 1);
	CHECK_EQ(nr_calls, 4);
}

UNIT_TEST(pages_of_each_table_are_counted)
{
	scan.caps.any_sees_empty = true;
	some();
	CHECK_EQ(slots(), 0);
	/* the range ends behind the first page of the empty table */
	nr_calls = 0;
	CHECK_EQ(ptu_scan_count(3, &four_levels, A + 2 * SLOT + 5 * PAGE,
				&scan),
		 0);
	/* the first one asks for guard regions, too */
	CHECK_EQ(nr_calls, 1 + 3);
	CHECK_EQ(scan.slots[0].entries, 2);
	CHECK_EQ(scan.slots[1].entries, 0);
	CHECK(scan.slots[1].counted && !scan.slots[1].populated);
	CHECK(!scan.slots[1].unasked);
	/* the range ends before its page */
	CHECK_EQ(scan.slots[2].entries, 0);
	CHECK_EQ(ptu_scan_count(3, &four_levels, A + 16 * SLOT, &scan), 0);
	CHECK_EQ(scan.slots[2].entries, 1);
	CHECK(scan.slots[2].populated);
	CHECK(!scan.slots[3].counted && !scan.slots[4].counted);
	failing = 1;
	CHECK_EQ(ptu_scan_count(3, &four_levels, A + 16 * SLOT, &scan), -EIO);
}

/* A present page, one in swap, and what is neither. */
static void some_markers(void)
{
	page(A, PAGE_WRITTEN | PAGE_PRESENT);
	page(A + PAGE, PAGE_WRITTEN | PAGE_SWAPPED);
	page(A + 2 * PAGE, PAGE_WRITTEN | PAGE_SWAPPED | PAGE_GUARD);
	page(A + 3 * PAGE, PAGE_WRITTEN | PAGE_SWAPPED | PAGE_GUARD);
	/* protected: a marker, a page in swap, one that is present since, two more markers */
	for (size_t i = 4; i < 9; i++) {
		page(A + i * PAGE, PAGE_SWAPPED);
		pages[i].word = PTU_PM_SWAP | PTU_PM_UFFD_WP | 0x3f;
	}
	pages[5].word = PTU_PM_SWAP | PTU_PM_UFFD_WP | 0x40;
	pages[6].word = PTU_PM_PRESENT | PTU_PM_UFFD_WP | 0x3f;
}

UNIT_TEST(markers_of_each_table_are_counted)
{
	has_guard = true;
	some_markers();
	CHECK_EQ(slots(), 0);
	CHECK_EQ(ptu_scan_count(3, &four_levels, A + SLOT, &scan), 0);
	CHECK_EQ(scan.slots[0].entries, 9);
	CHECK_EQ(scan.slots[0].markers, 2 + 3);
	/* before 6.15 guard regions cannot be told from swap */
	has_guard = false;
	CHECK_EQ(ptu_scan_count(3, &four_levels, A + SLOT, &scan), 0);
	CHECK_EQ(scan.slots[0].entries, 9);
	CHECK_EQ(scan.slots[0].markers, 3);
}

UNIT_TEST(zero_pages_of_each_table_are_counted)
{
	page(A, PAGE_PRESENT | PAGE_PFNZERO);
	page(A + PAGE, PAGE_PRESENT | PAGE_PFNZERO);
	page(A + 2 * PAGE, PAGE_WRITTEN | PAGE_PRESENT);
	page(A + SLOT, PAGE_WRITTEN | PAGE_PRESENT | PAGE_PFNZERO);
	CHECK_EQ(slots(), 0);
	CHECK_EQ(ptu_scan_count(3, &four_levels, A + 2 * SLOT, &scan), 0);
	CHECK_EQ(scan.slots[0].entries, 3);
	CHECK_EQ(scan.slots[0].zeros, 2);
	CHECK_EQ(scan.slots[1].zeros, 1);
}

UNIT_TEST(pagemap_that_cannot_be_read_ends_the_count)
{
	has_guard = true;
	some_markers();
	CHECK_EQ(slots(), 0);
	/* one call of the ioctl, then the words */
	nr_calls = 0;
	failing = 3;
	CHECK_EQ(ptu_scan_count(3, &four_levels, A + SLOT, &scan), -EIO);
	CHECK_EQ(nr_calls, 3);
}

UNIT_MAIN_WITH(set_up, tear_down)
