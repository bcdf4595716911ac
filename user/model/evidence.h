/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The input of estimators: data that /proc shows about one process. */
#ifndef PTU_MODEL_EVIDENCE_H
#define PTU_MODEL_EVIDENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/geometry.h"
#include "model/pagemap.h"
#include "model/vma.h"
#include "model/vma_changes.h"

/* evidence that an estimator reads */
#define PTU_NEEDS_PAGEMAP 0x1u
#define PTU_NEEDS_LEAVES \
	0x2u /* with a pagemap: smaps, if a slot may be a leaf; else it is not read */
#define PTU_NEEDS_SCAN 0x4u
#define PTU_NEEDS_COUNTS 0x8u /* with a scan: used entries of PTE tables */
#define PTU_NEEDS_POPULATED \
	0x10u			 /* with a scan: which PTE tables hold a page */
#define PTU_NEEDS_EMPTY 0x40u	 /* the same for a limited number of tables */
#define PTU_NEEDS_NO_NAMES 0x20u /* mappings may lack names */
#define PTU_TAKES_CHANGES \
	0x80u /* changed mappings are accepted, except in a recording */

/**
 * struct ptu_scan_caps - behaviour of PAGEMAP_SCAN on the running kernel
 * @hole_is_silent: nothing is shown where there is no table
 * @empty_is_seen: a PTE table that holds no page is shown as written
 * @any_sees_empty: the same if the request has further categories
 * @wp_hole_is_seen: a hole registered for userfaultfd-wp is shown too, or this is
 *	unknown; false if no process on the machine uses userfaultfd
 */
struct ptu_scan_caps {
	bool hole_is_silent;
	bool empty_is_seen;
	bool any_sees_empty;
	bool wp_hole_is_seen;
};

/**
 * struct ptu_scan_slot - the reach of a PTE table in which PAGEMAP_SCAN shows a
 *	page
 * @start: first address of the slot
 * @first: the first page shown
 * @huge: @first belongs to a leaf, or to a hugetlb mapping with a PMD table
 * @populated: some page is present or swapped; for a huge page: it is present
 * @absent: for a huge page: its entry is neither present nor none
 * @unasked: @first is not populated, and the scan did not show the other pages; never set
 *	with @huge
 * @counted: @entries holds the number of populated pages; never set with @huge
 * @markers: of @entries, those that are known to be guard regions or markers of userfaultfd
 * @zeros: of @entries, those that map the zero page; 0 in a recording
 */
struct ptu_scan_slot {
	uint64_t start;
	uint64_t first;
	bool huge;
	bool populated;
	bool absent;
	bool unasked;
	bool counted;
	uint16_t entries;
	uint16_t markers;
	uint16_t zeros;
};

/**
 * struct ptu_scan - answers of PAGEMAP_SCAN, in ascending order
 * @is_there: the kernel supports it, and it was called
 */
struct ptu_scan {
	bool is_there;
	struct ptu_scan_caps caps;
	struct ptu_scan_slot *slots;
	size_t nr_slots;
	size_t capacity;
};

/**
 * struct ptu_evidence - data that /proc shows about one process
 * @geo: the machine's geometry
 * @vmas: its mappings
 * @changed: sorted ranges whose mappings changed while the rest was read: claims
 *	there are not certain; only with PTU_TAKES_CHANGES
 * @slots: the populated slots of its pagemap, ascending
 * @scan: answers of PAGEMAP_SCAN
 * @start: start of the range read from pagemap, 0 for all
 * @end: end of the range read from pagemap, UINT64_MAX for all
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
 * ptu_evidence_shows_hole() - Does an unpopulated page that the scan shows prove
 *	that there is a table?
 * @evidence: (in) its scan is complete
 * @addr: (in) a page of a mapping that was scanned
 *
 * A kernel that shows holes under userfaultfd-wp shows every page of such a
 * mapping. If some slot of the mapping shows nothing, the mapping is not
 * registered, and a shown page without content proves a table. This does not need
 * smaps.
 * Source: fs/proc/task_mmu.c, pagemap_scan_pte_hole(): userfaultfd_wp(vma) applies
 * to the mapping, not to the page (7.2).
 *
 * Return: true if it is proven; false if it is unknown.
 */
bool ptu_evidence_shows_hole(const struct ptu_evidence *evidence,
			     uint64_t addr);

void ptu_evidence_deinit(struct ptu_evidence *evidence);

void ptu_scan_deinit(struct ptu_scan *scan);

#endif
