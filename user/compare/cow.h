/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which pages of a private mapping are copies of its own.  Pure: words of
 * pagemap, kpageflags and kpagecount in, kinds of pages out.
 */
#ifndef PTU_COW_H
#define PTU_COW_H

#include <stdbool.h>
#include <stdint.h>

#include "model/page.h"

/* Each page of a private mapping is of one kind. */
enum ptu_cow_kind {
	PTU_COW_UNTOUCHED, /* nothing is mapped: no entry, or but a marker */
	PTU_COW_ORIGINAL,  /* still the file's page, or the zero page */
	PTU_COW_COPIED,	   /* a copy that nobody else maps */
	PTU_COW_SHARED,	 /* a copy that others map too: a fork relative, KSM */
	PTU_COW_SWAPPED, /* a copy that is swapped out */
	PTU_NR_COW_KINDS
};

/**
 * struct ptu_cow_known - what the interfaces tell of this process
 * @pfnzero: ptu_page.zero was asked for
 * @types: pagemap shows PFNs, and of swap entries the type
 * @flags: ptu_page.flags and .count were read
 * @special: a mapping of the kernel's own pages (vvar), which are no copies
 */
struct ptu_cow_known {
	bool pfnzero;
	bool types;
	bool flags;
	bool special;
};

/**
 * struct ptu_cow_verdict - what one page is
 * @kind: its kind
 * @maybe_zero: called a shared copy, but it may be the zero page: pagemap
 *	cannot tell
 * @maybe_marker: called swapped out, but it may be a marker: pagemap cannot tell
 * @marker: untouched, with a marker of userfaultfd or a guard
 * @disagree: pagemap says @kind, kpageflags and kpagecount say @by_flags
 * @by_flags: with ptu_cow_known.flags, of a page that is present
 */
struct ptu_cow_verdict {
	enum ptu_cow_kind kind;
	bool maybe_zero;
	bool maybe_marker;
	bool marker;
	bool disagree;
	enum ptu_cow_kind by_flags;
};

/**
 * struct ptu_cow_count - the pages of a mapping by kind
 * @pages: all; the sum of @kinds
 * @maybe_zero: of kinds[PTU_COW_SHARED]
 * @maybe_markers: of kinds[PTU_COW_SWAPPED]
 * @markers: of kinds[PTU_COW_UNTOUCHED]
 * @disagree: pages on which the two recipes differ
 */
struct ptu_cow_count {
	uint64_t pages;
	uint64_t kinds[PTU_NR_COW_KINDS];
	uint64_t maybe_zero;
	uint64_t maybe_markers;
	uint64_t markers;
	uint64_t disagree;
};

/**
 * ptu_cow_judge() - Say what a page is.
 *
 * Source: fs/proc/task_mmu.c, pte_to_pagemap_entry(), pagemap_pmd_range(),
 * pagemap_hugetlb_range(); fs/proc/page.c, stable_page_flags() (6.1 to 7.2);
 * types of swap entries: include/linux/swap.h (5.10 to 7.2).
 */
struct ptu_cow_verdict ptu_cow_judge(const struct ptu_page *page,
				     const struct ptu_cow_known *known);

/**
 * ptu_cow_begin() - A mapping of which no page is touched yet.
 */
void ptu_cow_begin(struct ptu_cow_count *count, uint64_t pages);

/**
 * ptu_cow_add() - Take one of its pages in, each one once.
 */
void ptu_cow_add(struct ptu_cow_count *count,
		 const struct ptu_cow_verdict *verdict);

/**
 * ptu_cow_sum() - Add a mapping to a total.
 */
void ptu_cow_sum(struct ptu_cow_count *total,
		 const struct ptu_cow_count *count);

/**
 * ptu_cow_kind_name() - As JSON has it: "copied_shared".
 */
const char *ptu_cow_kind_name(enum ptu_cow_kind kind);

#endif
