// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Distinguish swap entries from other non-present entries. Pure: must not know who
 * asks, nor count.
 */
#include "model/absent.h"

#include "model/pagemap.h"

/*
 * The type is in the five lowest bits, the offset is above. The kernel uses the
 * highest types for entries that are not swap. The type of markers depends on
 * kernel and configuration (30 in Debian's 6.1, 31 in 6.12 and 7.2). The offset of
 * a marker is only a few bits; the offset of the other types is a page frame, and
 * never one of the first ones.
 * Source: include/linux/swap.h, include/linux/swapops.h (5.10 to 7.3).
 */
#define TYPE_NO_SWAP 23
#define MARKER_UFFD_WP 1
#define MARKER_GUARD 4
#define MARKER_ALL 7

enum ptu_absent ptu_absent_kind(uint64_t word)
{
	uint64_t offset = (word & PTU_PM_PFN_MASK) >> PTU_PM_OFFSET_SHIFT;

	if (word & PTU_PM_GUARD)
		return PTU_ABSENT_GUARD;
	if ((word & PTU_PM_TYPE_MASK) < TYPE_NO_SWAP)
		return PTU_ABSENT_SWAP;
	if (offset > MARKER_ALL)
		return PTU_ABSENT_MOVING;
	if (offset & MARKER_GUARD)
		return PTU_ABSENT_GUARD;
	return offset & MARKER_UFFD_WP ? PTU_ABSENT_UFFD_WP : PTU_ABSENT_POISON;
}
