/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What /proc says of one process: what estimators are given. */
#ifndef PTU_MODEL_EVIDENCE_H
#define PTU_MODEL_EVIDENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/geometry.h"
#include "model/pagemap.h"
#include "model/vma.h"
#include "model/vma_changes.h"

/* what of the evidence an estimator reads */
#define PTU_NEEDS_PAGEMAP 0x1u
#define PTU_NEEDS_SMAPS 0x2u
#define PTU_NEEDS_SCAN 0x4u
#define PTU_NEEDS_COUNTS 0x8u	  /* with a scan: how full PTE tables are */
#define PTU_NEEDS_POPULATED 0x10u /* ... and which of them hold a page at all */
#define PTU_NEEDS_EMPTY 0x40u /* ... the same of so many that it costs little */
#define PTU_NEEDS_NO_NAMES 0x20u /* mappings may come without their names */
#define PTU_TAKES_CHANGES 0x80u	 /* some mappings may have changed meanwhile */

/**
 * struct ptu_scan_caps - what PAGEMAP_SCAN shows on the running kernel
 * @hole_is_silent: where there is no table, nothing is shown
 * @empty_is_seen: a PTE table that holds no page is shown as written
 * @any_sees_empty: the same in a question with further categories
 * @wp_hole_is_seen: a hole registered for userfaultfd-wp is shown too, or that
 *	is not known; not where nobody on the machine uses userfaultfd
 */
struct ptu_scan_caps {
	bool hole_is_silent;
	bool empty_is_seen;
	bool any_sees_empty;
	bool wp_hole_is_seen;
};

/**
 * struct ptu_scan_slot - a PTE table's reach in which something is shown
 * @start: first address of the slot
 * @first: the first page that is shown
 * @huge: its first shown page belongs to a leaf, or to a hugetlb mapping whose
 *	PMD table is there
 * @populated: some page of it is present or swapped; a huge page: is present
 * @unasked: the first page is not populated, and of the others it is not known
 * @counted: @entries says how many are; not asked of what is @huge
 */
struct ptu_scan_slot {
	uint64_t start;
	uint64_t first;
	bool huge;
	bool populated;
	bool unasked;
	bool counted;
	uint16_t entries;
};

/**
 * struct ptu_scan - the answers of PAGEMAP_SCAN, ascending
 * @is_there: the kernel has it, and it was asked
 */
struct ptu_scan {
	bool is_there;
	struct ptu_scan_caps caps;
	struct ptu_scan_slot *slots;
	size_t nr_slots;
	size_t capacity;
};

/**
 * struct ptu_evidence - what /proc says of one process
 * @geo: the machine's geometry
 * @vmas: its mappings
 * @changed: where they changed while the rest was read, sorted: nothing here is
 *	sure there; only with PTU_TAKES_CHANGES
 * @slots: the populated slots of its pagemap, ascending
 * @scan: what PAGEMAP_SCAN shows
 * @start: first address at which the pagemap was read, 0 for all
 * @end: end of the addresses at which it was read, UINT64_MAX for all
 */
struct ptu_evidence {
	const struct ptu_geometry *geo;
	struct ptu_vmas vmas;
	struct ptu_spans changed;
	struct ptu_slots slots;
	struct ptu_scan scan;
	uint64_t start;
	uint64_t end;
};

/**
 * ptu_evidence_shows_hole() - Is a page that is shown without being populated
 * an entry of a table, whatever userfaultfd made of its mapping?
 * @evidence: (in) its scan is complete
 * @addr: (in) a page of a mapping that was scanned
 *
 * Where holes under uffd-wp are shown, all of such a mapping is.  So a mapping
 * with a slot of which nothing is shown is none of that kind, and where some of
 * it is shown without a page, there is a table.  smaps is not needed for that.
 * Source: fs/proc/task_mmu.c, pagemap_scan_pte_hole(): userfaultfd_wp(vma) is
 * of the mapping, not of the page (7.2).
 *
 * Return: whether that is proven; false where it is not known.
 */
bool ptu_evidence_shows_hole(const struct ptu_evidence *evidence,
			     uint64_t addr);

void ptu_evidence_deinit(struct ptu_evidence *evidence);

void ptu_scan_deinit(struct ptu_scan *scan);

#endif
