// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Summarize pagemap entries slot by slot.  Pure: must not draw conclusions about
 * tables; estimators do.
 */
#include "model/pagemap.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/array.h"
#include "model/absent.h"

/*
 * Step between the values in bits 0-54 of consecutive pages of a PMD migration
 * entry: one in the offset, which is above the 5 bits of the type.
 * Source: fs/proc/task_mmu.c, pagemap_pmd_range(): frame += 1 <<
 * MAX_SWAPFILES_SHIFT (5.10, 6.1); pagemap_pmd_range_thp() (7.2).
 */
#define SWAP_STEP UINT64_C(32)

/* Initial flags of a slot: entries clear the flags that do not hold. */
#define SLOT_ALL                                                \
	(PTU_SLOT_PFN_RUN | PTU_SLOT_SWAP_RUN | PTU_SLOT_FILE | \
	 PTU_SLOT_PFN_HIDDEN)

/* Internal to the open slot: no entry has shown a swap offset so far. */
#define SLOT_SWAP_HIDDEN 0x8000u

void ptu_pagemap_digest_init(struct ptu_digest *digest,
			     const struct ptu_geometry *geo,
			     struct ptu_slots *slots)
{
	*digest = (struct ptu_digest){ .geo = geo, .slots = slots };
}

void ptu_slots_deinit(struct ptu_slots *slots)
{
	free(slots->slots);
	*slots = (struct ptu_slots){ 0 };
}

static int keep(struct ptu_slots *slots, const struct ptu_slot *slot)
{
	if (ptu_array_grow(&slots->slots, slots->nr_slots, &slots->capacity,
			   sizeof(*slots->slots)))
		return -ENOMEM;
	slots->slots[slots->nr_slots++] = *slot;
	return 0;
}

/* Are no entries populated? Holes must be processed at memory speed. */
static bool is_hole(const uint64_t *entries, size_t nr_entries)
{
	uint64_t any[8] = { 0 };
	size_t i;
	size_t k;

	for (i = 0; i + 8 <= nr_entries; i += 8) {
		for (k = 0; k < 8; k++)
			any[k] |= entries[i + k];
	}
	for (; i < nr_entries; i++)
		any[0] |= entries[i];
	for (k = 1; k < 8; k++)
		any[0] |= any[k];
	return !(any[0] & PTU_PM_POPULATED);
}

int ptu_pagemap_digest_end(struct ptu_digest *digest)
{
	const unsigned int nr_entries = digest->geo->nr_entries[PTAUDIT_PTE];
	struct ptu_slot *slot = &digest->open;
	unsigned int said = 0;
	int error = 0;

	if (digest->seen) {
		if (slot->present == nr_entries)
			said = PTU_SLOT_PFN_RUN | PTU_SLOT_PFN_HIDDEN;
		else if (slot->nonpresent == nr_entries)
			said = PTU_SLOT_SWAP_RUN;
		if (0u + slot->present + slot->nonpresent + slot->markers ==
		    nr_entries)
			said |= PTU_SLOT_FILE;
		slot->flags &= (uint16_t)said;
		if (slot->present || slot->nonpresent || slot->markers)
			error = keep(digest->slots, slot);
	}
	digest->seen = 0;
	return error;
}

static bool is_marker(uint64_t entry)
{
	const enum ptu_absent kind = ptu_absent_kind(entry);

	return kind == PTU_ABSENT_GUARD || kind == PTU_ABSENT_UFFD_WP;
}

/* Add consecutive entries to the open slot; @first: they begin at its start. */
static void take(struct ptu_digest *digest, bool first, const uint64_t *entries,
		 size_t nr_entries)
{
	const uint64_t slot_pages = digest->geo->nr_entries[PTAUDIT_PTE];
	struct ptu_slot *slot = &digest->open;
	unsigned int flags = slot->flags;
	uint64_t last = digest->last;
	size_t i;

	if (first && (entries[0] & PTU_PM_PRESENT)) {
		slot->pfn = entries[0] & PTU_PM_PFN_MASK;
		if (!slot->pfn || slot->pfn % slot_pages)
			flags &= ~PTU_SLOT_PFN_RUN;
	}
	for (i = 0; i < nr_entries; i++) {
		uint64_t entry = entries[i];
		uint64_t frame = entry & PTU_PM_PFN_MASK;
		bool begins = first && !i;

		if (!(entry & PTU_PM_FILE))
			flags &= ~PTU_SLOT_FILE;
		if (entry & PTU_PM_PRESENT) {
			slot->present++;
			if (frame)
				flags &= ~PTU_SLOT_PFN_HIDDEN;
			if (!begins && frame != last + 1)
				flags &= ~PTU_SLOT_PFN_RUN;
		} else if (entry & PTU_PM_SWAP) {
			slot->nonpresent++;
			slot->shown_markers += is_marker(entry);
			if (frame)
				flags &= ~SLOT_SWAP_HIDDEN;
			/* guard regions exist only in PTE tables */
			if ((entry & PTU_PM_GUARD) ||
			    (!begins && frame != last + SWAP_STEP &&
			     !(flags & SLOT_SWAP_HIDDEN)))
				flags &= ~PTU_SLOT_SWAP_RUN;
		} else if (entry & (PTU_PM_UFFD_WP | PTU_PM_GUARD)) {
			slot->markers++;
		}
		last = frame;
	}
	slot->flags = (uint16_t)flags;
	digest->last = last;
	digest->seen += (unsigned int)nr_entries;
}

int ptu_pagemap_digest(struct ptu_digest *digest, uint32_t vma, uint64_t addr,
		       const uint64_t *entries, size_t nr_entries)
{
	const uint64_t slot_entries = digest->geo->nr_entries[PTAUDIT_PTE];
	const unsigned int page_shift = digest->geo->shift[PTAUDIT_PTE];

	while (nr_entries) {
		uint64_t index = (addr >> page_shift) % slot_entries;
		uint64_t start = addr - (index << page_shift);
		size_t nr_here = slot_entries - index;
		bool opened;
		int error;

		if (nr_here > nr_entries)
			nr_here = nr_entries;
		opened = digest->seen && digest->open.start == start &&
			 digest->open.vma == vma;
		if (!opened && digest->seen) {
			error = ptu_pagemap_digest_end(digest);
			if (error)
				return error;
		}
		if (!is_hole(entries, nr_here)) {
			if (!opened)
				digest->open = (struct ptu_slot){
					.start = start,
					.vma = vma,
					.flags = SLOT_ALL | SLOT_SWAP_HIDDEN,
				};
			take(digest, !index, entries, nr_here);
		}
		addr += (uint64_t)nr_here << page_shift;
		entries += nr_here;
		nr_entries -= nr_here;
	}
	return 0;
}
