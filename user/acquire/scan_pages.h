/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PAGEMAP_SCAN, asked where pages are and which are the zero page. */
#ifndef PTU_ACQUIRE_SCAN_PAGES_H
#define PTU_ACQUIRE_SCAN_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* As many as the kernel fills at once. */
#define PTU_SCAN_REGIONS 512

/**
 * struct ptu_scan_region - pages that have an entry
 * @start: first address
 * @end: end, exclusive
 * @zero: each is the zero page
 */
struct ptu_scan_region {
	uint64_t start;
	uint64_t end;
	bool zero;
};

/**
 * ptu_scan_pages() - Find what is mapped, swapped out or marked.
 * @start: (in) a multiple of the page size, as @end
 * @ret: (out) [PTU_SCAN_REGIONS] ascending
 * @ret_done: (out) up to where @ret tells all, above @start
 *
 * The kernel looks at a GiB at most in one call: it holds a lock meanwhile.
 *
 * Return: how many; -EOPNOTSUPP the kernel has no PAGEMAP_SCAN; -errno.  That
 * the process has ended shows as none.
 */
ptu_must_check int ptu_scan_pages(int pagemap_fd, uint64_t start, uint64_t end,
				  struct ptu_scan_region *ret,
				  uint64_t *ret_done);

#endif
