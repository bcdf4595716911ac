/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Summarize pagemap entries: one summary for each reach of a PTE table that has a
 * populated entry.  Pure: entries in, summaries out; keeps no per-page data.
 */
#ifndef PTU_MODEL_PAGEMAP_H
#define PTU_MODEL_PAGEMAP_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/geometry.h"

/* Bits of a pagemap entry.  Source: Documentation/admin-guide/mm/pagemap.rst */
#define PTU_PM_PFN_MASK		((UINT64_C(1) << 55) - 1)
#define PTU_PM_SOFT_DIRTY	(UINT64_C(1) << 55)
#define PTU_PM_EXCLUSIVE	(UINT64_C(1) << 56)
#define PTU_PM_UFFD_WP		(UINT64_C(1) << 57)
#define PTU_PM_GUARD		(UINT64_C(1) << 58)
#define PTU_PM_FILE		(UINT64_C(1) << 61)
#define PTU_PM_SWAP		(UINT64_C(1) << 62)
#define PTU_PM_PRESENT		(UINT64_C(1) << 63)

/* For an entry with bit 62, if types are shown: the swap device; the offset is above it. */
#define PTU_PM_TYPE_MASK	UINT64_C(31)
#define PTU_PM_OFFSET_SHIFT	5

/* Bits of a populated entry. Soft-dirty is not among them: holes can have it. */
#define PTU_PM_POPULATED \
	(PTU_PM_UFFD_WP | PTU_PM_GUARD | PTU_PM_SWAP | PTU_PM_PRESENT)

/*
 * ptu_slot.flags. Each flag holds for all entries of the slot:
 * PFN_RUN	present, PFNs consecutive, the first aligned to the slot
 * SWAP_RUN	non-present, no guard, offsets consecutive or hidden
 * FILE		bit 61 set
 * PFN_HIDDEN	present, PFNs read as 0 (unprivileged reader)
 * From kpageflags:
 * ZERO		the huge zero page
 * NOT_THP	no large folio
 * THP		a large folio in RAM, not the huge zero page
 */
#define PTU_SLOT_PFN_RUN	0x1u
#define PTU_SLOT_SWAP_RUN	0x2u
#define PTU_SLOT_FILE		0x4u
#define PTU_SLOT_PFN_HIDDEN	0x8u
#define PTU_SLOT_ZERO		0x10u
#define PTU_SLOT_NOT_THP	0x20u
#define PTU_SLOT_THP		0x40u

/**
 * struct ptu_slot - summary of one VMA within the reach of one PTE table
 * @start: first address of the PTE table's reach
 * @vma: index of the VMA; two VMAs in one slot have two summaries
 * @present: entries with bit 63
 * @nonpresent: entries with bit 62
 * @markers: entries without these bits, but with bit 57 or 58
 * @shown_markers: of @nonpresent, entries of guard regions and markers of userfaultfd. Only
 *	root sees all of them
 * @flags: PTU_SLOT_*
 * @pfn: PFN of the first entry, if present and shown; else 0
 */
struct ptu_slot {
	uint64_t start;
	uint64_t pfn;
	uint32_t vma;
	uint16_t present;
	uint16_t nonpresent;
	uint16_t markers;
	uint16_t shown_markers;
	uint16_t flags;
};

struct ptu_slots {
	struct ptu_slot *slots;
	size_t nr_slots;
	size_t capacity;
};

/**
 * struct ptu_digest - state between two calls of ptu_pagemap_digest()
 */
struct ptu_digest {
	const struct ptu_geometry *geo;
	struct ptu_slots *slots;
	struct ptu_slot open;	/* the slot being filled */
	unsigned int seen;	/* entries added so far */
	uint64_t last;		/* the previous entry */
};

void ptu_pagemap_digest_init(struct ptu_digest *digest,
			     const struct ptu_geometry *geo,
			     struct ptu_slots *slots);

/**
 * ptu_pagemap_digest() - Process the next entries of a VMA.
 * @digest: the state; each completed slot is added to its slots
 * @vma: (in) index of the VMA
 * @addr: (in) address of entries[0], ascending from call to call
 * @entries: (in) [nr_entries] pagemap words, one per base page
 *
 * Pages of a slot for which no entry is passed count as holes.
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_pagemap_digest(struct ptu_digest *digest, uint32_t vma,
				      uint64_t addr, const uint64_t *entries,
				      size_t nr_entries);

/**
 * ptu_pagemap_digest_end() - Complete the last slot.
 */
ptu_must_check int ptu_pagemap_digest_end(struct ptu_digest *digest);

void ptu_slots_deinit(struct ptu_slots *slots);

#endif
