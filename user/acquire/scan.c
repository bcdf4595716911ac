// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Call PAGEMAP_SCAN for slots; must not draw conclusions about tables.
 *
 * Source: fs/proc/task_mmu.c, do_pagemap_scan() and what it calls (6.12, 7.2);
 * Documentation/admin-guide/mm/pagemap.rst.
 */
#include "acquire/scan.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "acquire/scan_abi.h"
#include "base/array.h"
#include "model/absent.h"

int ptu_scan_ask(int fd, struct pm_scan_arg_abi *arg,
		 struct page_region_abi *regions, size_t nr_regions)
{
	int nr;

	arg->size = sizeof(*arg);
	arg->vec = (uintptr_t)regions;
	arg->vec_len = nr_regions;
	do
		nr = ioctl(fd, PAGEMAP_SCAN_ABI, arg);
	while (nr < 0 && errno == EINTR);
	return nr < 0 ? -errno : nr;
}

size_t ptu_scan_own_slot(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return page * (page / sizeof(uint64_t));
}

static int scan_first(int fd, struct pm_scan_arg_abi *arg,
		      struct page_region_abi *hit)
{
	arg->max_pages = 1;
	return ptu_scan_ask(fd, arg, hit, 1);
}

int ptu_scan_any(int fd, uint64_t start, uint64_t end, uint64_t anyof,
		 struct page_region_abi *hit)
{
	struct pm_scan_arg_abi arg = {
		.start = start,
		.end = end,
		.category_anyof_mask = anyof,
		.return_mask = PAGE_WRITTEN | PAGE_POPULATED | PAGE_HUGE,
	};

	return scan_first(fd, &arg, hit);
}

int ptu_scan_written(int fd, uint64_t start, uint64_t end,
		     struct page_region_abi *hit)
{
	struct pm_scan_arg_abi arg = {
		.start = start,
		.end = end,
		.category_mask = PAGE_WRITTEN,
		.return_mask = PAGE_WRITTEN,
	};

	return scan_first(fd, &arg, hit);
}

/*
 * A hugetlb marker or migration entry is reported as swapped; it is not a leaf.
 * Source: pagemap_hugetlb_category() (6.12, 7.2).
 */
static bool is_populated(uint64_t categories)
{
	return categories &
	       (categories & PAGE_HUGE ? PAGE_PRESENT : PAGE_POPULATED);
}

int ptu_scan_add(struct ptu_scan *scan, const struct ptu_scan_slot *slot)
{
	if (ptu_array_grow(&scan->slots, scan->nr_slots, &scan->capacity,
			   sizeof(*scan->slots)))
		return -ENOMEM;
	scan->slots[scan->nr_slots++] = *slot;
	return 0;
}

/*
 * Find the slots that have pages of @categories.
 * @categories: with PAGE_WRITTEN, some kernels report the empty entries of tables, too
 */
static int scan_categories(int fd, const struct ptu_geometry *geo,
			   uint64_t start, uint64_t end, uint64_t categories,
			   struct ptu_scan *ret)
{
	uint64_t reach = ptu_geometry_reach(geo, PTAUDIT_PTE);

	while (start < end) {
		struct page_region_abi hit;
		struct ptu_scan_slot slot = { 0 };
		int nr = ptu_scan_any(fd, start, end, categories, &hit);

		if (nr <= 0)
			return nr;
		slot.start = ptu_geometry_base(geo, PTAUDIT_PTE, hit.start);
		slot.first = hit.start;
		slot.huge = hit.categories & PAGE_HUGE;
		slot.populated = is_populated(hit.categories);
		slot.absent = slot.huge && !slot.populated &&
			      hit.categories & PAGE_SWAPPED;
		/* the first page says nothing about the following pages */
		slot.unasked = !slot.populated && !slot.huge;
		nr = ptu_scan_add(ret, &slot);
		if (nr)
			return nr;
		start = slot.start + reach;
	}
	return 0;
}

/* Merge the slots that are reported as written with the populated ones. */
static int merge_written(int fd, const struct ptu_geometry *geo, uint64_t start,
			 uint64_t end, const struct ptu_scan *populated,
			 struct ptu_scan *ret)
{
	uint64_t reach = ptu_geometry_reach(geo, PTAUDIT_PTE);
	size_t i = 0;
	int error = 0;

	while (!error && (start < end || i < populated->nr_slots)) {
		struct ptu_scan_slot slot = { .start = UINT64_MAX };
		struct page_region_abi hit;
		int nr = start < end ? ptu_scan_written(fd, start, end, &hit) :
				       0;

		if (nr < 0)
			return nr;
		if (nr) {
			slot.start = ptu_geometry_base(geo, PTAUDIT_PTE,
						       hit.start);
			slot.first = hit.start;
		}
		/* a table full of write-protected entries is not reported as written */
		while (!error && i < populated->nr_slots &&
		       populated->slots[i].start < slot.start)
			error = ptu_scan_add(ret, &populated->slots[i++]);
		if (i < populated->nr_slots &&
		    populated->slots[i].start == slot.start)
			slot = populated->slots[i++];
		if (!nr)
			break;
		if (!error)
			error = ptu_scan_add(ret, &slot);
		start = slot.start + reach;
	}
	return error;
}

int ptu_scan_slots(int pagemap_fd, const struct ptu_geometry *geo,
		   uint64_t start, uint64_t end, struct ptu_scan *ret)
{
	struct ptu_scan populated = { 0 };
	int error;

	if (ret->caps.any_sees_empty) {
		error = scan_categories(pagemap_fd, geo, start, end,
					PAGE_WRITTEN | PAGE_POPULATED |
						PAGE_HUGE,
					ret);
	} else {
		error = scan_categories(pagemap_fd, geo, start, end,
					PAGE_POPULATED | PAGE_HUGE, &populated);
		if (!error)
			error = merge_written(pagemap_fd, geo, start, end,
					      &populated, ret);
		ptu_scan_deinit(&populated);
	}
	return error;
}

/*
 * Count the markers of userfaultfd in a protected region.  PAGEMAP_SCAN shows them as
 * swapped; pagemap shows to root what they are.
 */
static int count_protected(int fd, uint64_t page_bytes, uint64_t start,
			   uint64_t end, uint64_t *ret)
{
	uint64_t words[MAX_REGIONS];
	ssize_t i, nr = 1;

	for (; start < end && nr; start += (uint64_t)nr * page_bytes) {
		const uint64_t left = (end - start) / page_bytes;

		nr = pread(fd, words,
			   (left < MAX_REGIONS ? left : MAX_REGIONS) *
				   sizeof(*words),
			   (off_t)(start / page_bytes * sizeof(*words)));
		if (nr < 0)
			return -errno;
		/* 0: the process has ended */
		nr /= (ssize_t)sizeof(*words);
		for (i = 0; i < nr; i++)
			*ret += !(words[i] & PTU_PM_PRESENT) &&
				words[i] & PTU_PM_SWAP &&
				ptu_absent_kind(words[i]) == PTU_ABSENT_UFFD_WP;
	}
	return 0;
}

/* @shown: (in) categories by which the kernel divides the regions */
static int count_populated(int fd, uint64_t page_bytes, uint64_t end,
			   uint64_t shown, struct ptu_scan_slot *slot)
{
	struct page_region_abi regions[MAX_REGIONS];
	struct pm_scan_arg_abi arg = {
		.start = slot->start,
		.end = end,
		.category_anyof_mask = PAGE_POPULATED,
		.return_mask = shown,
	};
	uint64_t entries = 0, markers = 0, zeros = 0;
	int nr, i, error = 0;

	/* with 4 KiB pages one call is enough: a table has at most 512 regions */
	do {
		nr = ptu_scan_ask(fd, &arg, regions, MAX_REGIONS);
		if (nr < 0)
			return nr;
		for (i = 0; i < nr && !error; i++) {
			const struct page_region_abi *region = &regions[i];
			const uint64_t kinds = region->categories;
			const uint64_t pages = (region->end - region->start) /
					       page_bytes;

			entries += pages;
			if (kinds & PAGE_PFNZERO)
				zeros += pages;
			if (kinds & PAGE_GUARD)
				markers += pages;
			else if (kinds & PAGE_SWAPPED &&
				 !(kinds & PAGE_WRITTEN))
				error = count_protected(fd, page_bytes,
							region->start,
							region->end, &markers);
		}
		if (nr)
			arg.start = regions[nr - 1].end;
	} while (!error && nr == MAX_REGIONS && arg.start < end);
	slot->entries = (uint16_t)entries;
	slot->markers = (uint16_t)markers;
	slot->zeros = (uint16_t)zeros;
	return error;
}

int ptu_scan_count(int pagemap_fd, const struct ptu_geometry *geo, uint64_t end,
		   struct ptu_scan *scan)
{
	uint64_t reach = ptu_geometry_reach(geo, PTAUDIT_PTE);
	uint64_t shown = PAGE_POPULATED | PAGE_WRITTEN | PAGE_PFNZERO |
			 PAGE_GUARD;
	size_t i;

	for (i = 0; i < scan->nr_slots; i++) {
		struct ptu_scan_slot *slot = &scan->slots[i];
		uint64_t slot_end = slot->start + reach;
		int error;

		if (slot->huge)
			continue;
		error = count_populated(pagemap_fd, geo->page_bytes,
					slot_end < end ? slot_end : end, shown,
					slot);
		/* kernels before 6.15 do not know guard regions */
		if (error == -EINVAL && shown & PAGE_GUARD) {
			shown &= ~PAGE_GUARD;
			i--;
			continue;
		}
		if (error)
			return error;
		slot->counted = true;
		slot->populated |= slot->entries != 0;
		slot->unasked = false;
	}
	return 0;
}
