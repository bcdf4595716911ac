// SPDX-License-Identifier: LGPL-2.1-or-later
/* Call PAGEMAP_SCAN for pages; must not classify them. */
#include "acquire/scan_pages.h"

#include <errno.h>

#include "acquire/scan_abi.h"

#define HOLD_BYTES (UINT64_C(1) << 30)

int ptu_scan_pages(int pagemap_fd, uint64_t start, uint64_t end,
		   struct ptu_scan_region *ret, uint64_t *ret_done)
{
	struct page_region_abi found[PTU_SCAN_REGIONS];
	struct pm_scan_arg_abi arg = {
		.start = start,
		.end = end - start > HOLD_BYTES ? start + HOLD_BYTES : end,
		.category_anyof_mask = PAGE_POPULATED,
		.return_mask = PAGE_POPULATED | PAGE_PFNZERO,
	};
	int nr = ptu_scan_ask(pagemap_fd, &arg, found, PTU_SCAN_REGIONS);
	int i;

	if (nr == -ENOTTY || nr == -EINVAL)
		return -EOPNOTSUPP;
	if (nr < 0)
		return nr;
	if (nr > PTU_SCAN_REGIONS || arg.walk_end <= start ||
	    arg.walk_end > arg.end)
		return -EIO;
	for (i = 0; i < nr; i++)
		ret[i] = (struct ptu_scan_region){
			.start = found[i].start,
			.end = found[i].end,
			.zero = found[i].categories & PAGE_PFNZERO,
		};
	*ret_done = arg.walk_end;
	return nr;
}
