/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Use PAGEMAP_SCAN to find populated pages and the zero page. */
#ifndef PTU_ACQUIRE_SCAN_PAGES_H
#define PTU_ACQUIRE_SCAN_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* As many as the kernel returns in one call. */
#define PTU_SCAN_REGIONS 512

/**
 * struct ptu_scan_region - consecutive pages that have an entry
 * @start: first address
 * @end: end, exclusive
 * @zero: all of them are the zero page
 */
struct ptu_scan_region {
	uint64_t start;
	uint64_t end;
	bool zero;
};

/**
 * ptu_scan_pages() - Find pages that are mapped, swapped out or marked.
 * @start: (in) a multiple of the page size
 * @ret: (out) [PTU_SCAN_REGIONS] ascending
 * @ret_done: (out) end of the range that @ret covers completely, above @start
 *
 * One call covers at most a GiB, because the kernel holds a lock meanwhile.
 *
 * Return: number of regions, 0 also if the process has ended; -EOPNOTSUPP the
 * kernel has no PAGEMAP_SCAN; -errno.
 */
ptu_must_check int ptu_scan_pages(int pagemap_fd, uint64_t start, uint64_t end,
				  struct ptu_scan_region *ret,
				  uint64_t *ret_done);

#endif
