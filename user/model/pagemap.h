/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Digests pagemap entries into one summary for each reach of a PTE table
 * that holds anything.  Pure: entries in, summaries out; nothing is kept for
 * a page.
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

/* Of an entry with bit 62, where types are shown: which device the swap is on. */
#define PTU_PM_TYPE_MASK	UINT64_C(31)

/* What makes an entry populated: soft-dirty alone does not, holes have it. */
#define PTU_PM_POPULATED \
	(PTU_PM_UFFD_WP | PTU_PM_GUARD | PTU_PM_SWAP | PTU_PM_PRESENT)

/*
 * ptu_slot.flags; each speaks of all entries of the whole slot:
 * PFN_RUN	present, PFNs consecutive, the first aligned to the slot
 * SWAP_RUN	non-present, no guard, offsets consecutive or hidden
 * FILE		bit 61 set on each
 * PFN_HIDDEN	present, all PFNs read 0: an unprivileged reader
 * of kpageflags, set by the reader:
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
 * struct ptu_slot - what one VMA holds in the reach of one PTE table
 * @start: first address of the PTE table's reach
 * @vma: index of the VMA; a slot shared by two VMAs has two summaries
 * @present: entries with bit 63
 * @nonpresent: entries with bit 62
 * @markers: entries with neither, but bit 57 or 58
 * @flags: PTU_SLOT_*
 * @pfn: of the first entry, if present and shown; else 0
 */
struct ptu_slot {
	uint64_t start;
	uint64_t pfn;
	uint32_t vma;
	uint16_t present;
	uint16_t nonpresent;
	uint16_t markers;
	uint16_t flags;
};

struct ptu_slots {
	struct ptu_slot *slots;
	size_t nr_slots;
	size_t capacity;
};

/**
 * struct ptu_digest - the state between two calls of ptu_pagemap_digest()
 */
struct ptu_digest {
	const struct ptu_geometry *geo;
	struct ptu_slots *slots;
	struct ptu_slot open;	/* the slot being filled */
	unsigned int seen;	/* its entries so far */
	uint64_t last;		/* its entry before */
};

void ptu_pagemap_digest_init(struct ptu_digest *digest,
			     const struct ptu_geometry *geo,
			     struct ptu_slots *slots);

/**
 * ptu_pagemap_digest() - Take the next entries of a VMA.
 * @digest: the state; slots of @digest get each populated slot once it is whole
 * @vma: (in) index of the VMA
 * @addr: (in) address of entries[0], ascending from call to call
 * @entries: (in) [nr_entries] pagemap words, one a base page
 *
 * Entries before the slot's first seen one and after its last are holes.
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_pagemap_digest(struct ptu_digest *digest, uint32_t vma,
				      uint64_t addr, const uint64_t *entries,
				      size_t nr_entries);

/**
 * ptu_pagemap_digest_end() - Close the last slot.
 */
ptu_must_check int ptu_pagemap_digest_end(struct ptu_digest *digest);

void ptu_slots_deinit(struct ptu_slots *slots);

#endif
