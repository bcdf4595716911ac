/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ABI of the ioctl PAGEMAP_SCAN, and its only call; for scan*.c and collapse.c only. */
#ifndef PTU_ACQUIRE_SCAN_ABI_H
#define PTU_ACQUIRE_SCAN_ABI_H

#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>

#include "base/err.h"

/*
 * The headers of Debian 12 lack this ioctl.  Layout and numbers:
 * include/uapi/linux/fs.h (6.12).
 */
struct page_region_abi {
	uint64_t start;
	uint64_t end;
	uint64_t categories;
};

struct pm_scan_arg_abi {
	uint64_t size;
	uint64_t flags;
	uint64_t start;
	uint64_t end;
	uint64_t walk_end;
	uint64_t vec;
	uint64_t vec_len;
	uint64_t max_pages;
	uint64_t category_inverted;
	uint64_t category_mask;
	uint64_t category_anyof_mask;
	uint64_t return_mask;
};

/* Maximum number of regions per call with 4 KiB pages.  Source: PAGEMAP_WALK_SIZE (6.12, 7.2). */
#define MAX_REGIONS 512

#define PAGEMAP_SCAN_ABI _IOWR('f', 16, struct pm_scan_arg_abi)

#define PAGE_WRITTEN	(UINT64_C(1) << 1)
#define PAGE_PRESENT	(UINT64_C(1) << 3)
#define PAGE_SWAPPED	(UINT64_C(1) << 4)
#define PAGE_PFNZERO	(UINT64_C(1) << 5)
#define PAGE_HUGE	(UINT64_C(1) << 6)
#define PAGE_GUARD	(UINT64_C(1) << 8) /* from 6.15 on */
#define PAGE_POPULATED	(PAGE_PRESENT | PAGE_SWAPPED)

/**
 * ptu_scan_own_slot() - Bytes that a PTE table of this machine maps: a page of entries.
 */
size_t ptu_scan_own_slot(void);

/**
 * ptu_scan_ask() - Call the ioctl.
 * @arg: (in, out) size and vec are set here
 * @regions: (out) [nr_regions]
 *
 * Return: regions found; -ENOTTY, -EINVAL not supported by the kernel; -errno.
 */
ptu_must_check int ptu_scan_ask(int fd, struct pm_scan_arg_abi *arg,
				struct page_region_abi *regions,
				size_t nr_regions);

/**
 * ptu_scan_any() - Find the first page of a range in any of some categories.
 * @hit: (out) the page, with its categories written, populated and huge
 *
 * Return: 1; 0 if there is none; errors as ptu_scan_ask().
 */
ptu_must_check int ptu_scan_any(int fd, uint64_t start, uint64_t end,
				uint64_t anyof, struct page_region_abi *hit);

/**
 * ptu_scan_written() - Find the first page that is written.
 * @hit: (out) the page
 *
 * Every kernel reports none entries as written if mask and return mask are both
 * PAGE_IS_WRITTEN: use this form.  Source: pagemap_scan_pmd_entry() (6.12).
 *
 * Return: 1; 0 if there is none; errors as ptu_scan_ask().
 */
ptu_must_check int ptu_scan_written(int fd, uint64_t start, uint64_t end,
				    struct page_region_abi *hit);

#endif
