// SPDX-License-Identifier: LGPL-2.1-or-later
/* Scan single slots again; must not draw conclusions about tables. */
#include "acquire/scan_settle.h"

#include "acquire/scan_abi.h"

static uint64_t lesser(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/*
 * Find a page that proves a table, in the mappings after that of the first page.
 * Return: 0; -errno.
 */
static int find_proof(int fd, const struct ptu_evidence *e, uint64_t end,
		      struct ptu_scan_slot *slot)
{
	size_t i = ptu_vmas_find(&e->vmas, slot->first);

	for (i++; i < e->vmas.nr_vmas && e->vmas.vmas[i].start < end; i++) {
		const struct ptu_vma *vma = &e->vmas.vmas[i];
		struct page_region_abi hit;
		int nr;

		if (!ptu_evidence_shows_hole(e, vma->start))
			continue;
		nr = ptu_scan_any(fd, vma->start, lesser(vma->end, end),
				  PAGE_WRITTEN, &hit);
		if (nr < 0)
			return nr;
		if (nr) {
			slot->first = hit.start;
			return 0;
		}
	}
	return 0;
}

/* Does smaps mark a mapping in the slot's reach as write-protected? */
static bool is_protected(const struct ptu_evidence *e, uint64_t end,
			 const struct ptu_scan_slot *slot)
{
	size_t i;

	for (i = ptu_vmas_find(&e->vmas, slot->start);
	     i < e->vmas.nr_vmas && e->vmas.vmas[i].start < end; i++)
		if (e->vmas.vmas[i].flags & PTU_VM_UFFD_WP)
			return true;
	return false;
}

static int settle(int fd, const struct ptu_evidence *e, enum ptu_settle which,
		  struct ptu_scan_slot *slot)
{
	/* the ioctl refuses addresses beyond the user half */
	const uint64_t end =
		lesser(slot->start + ptu_geometry_reach(e->geo, PTAUDIT_PTE),
		       ptu_geometry_user_end(e->geo) - e->geo->page_bytes);
	struct page_region_abi hit;
	int nr;

	if (which != PTU_SETTLE_ALL && which != PTU_SETTLE_FEW) {
		if (!e->scan.caps.wp_hole_is_seen ||
		    ptu_evidence_shows_hole(e, slot->first))
			return 0;
		nr = find_proof(fd, e, end, slot);
		if (nr || ptu_evidence_shows_hole(e, slot->first))
			return nr;
	}
	if (which == PTU_SETTLE_PROTECTED && !is_protected(e, end, slot))
		return 0;
	/* find_proof() may have moved the first page to a later mapping */
	nr = ptu_scan_any(fd,
			  which == PTU_SETTLE_FEW ? slot->start : slot->first,
			  end, PAGE_POPULATED, &hit);
	if (nr < 0)
		return nr;
	slot->populated = nr > 0;
	slot->unasked = false;
	return 0;
}

int ptu_scan_settle(int pagemap_fd, enum ptu_settle which,
		    struct ptu_evidence *evidence)
{
	size_t i, nr_asked = 0;

	for (i = 0; i < evidence->scan.nr_slots; i++) {
		struct ptu_scan_slot *slot = &evidence->scan.slots[i];
		int error;

		if (!slot->unasked)
			continue;
		if (which == PTU_SETTLE_FEW && nr_asked++ == PTU_SETTLE_MOST)
			break;
		error = settle(pagemap_fd, evidence, which, slot);
		if (error)
			return error;
		if (which == PTU_SETTLE_TO_OPEN && !slot->unasked &&
		    !slot->populated)
			break;
	}
	return 0;
}
