/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find the pages of a private mapping that are its own copies.  Pure: words of
 * pagemap, kpageflags and kpagecount in, kinds of pages out.
 */
#ifndef PTU_COMPARE_COW_H
#define PTU_COMPARE_COW_H

#include <stdbool.h>
#include <stdint.h>

#include "model/page.h"
#include "report/cow.h"

/**
 * struct ptu_cow_verdict - classification of one page
 * @kind: its kind
 * @maybe_zero: classified as a shared copy, but it may be the zero page: pagemap
 *	cannot tell
 * @maybe_marker: classified as swapped, but it may be a marker: only root sees the type
 * @marker: untouched, with a userfaultfd marker or a guard marker
 * @disagree: @kind follows from pagemap, @by_flags from kpageflags and kpagecount
 * @by_flags: for a present page, if ptu_cow_known.flags is set
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
 * ptu_cow_judge() - Classify a page.
 *
 * Source: fs/proc/task_mmu.c, pte_to_pagemap_entry(), pagemap_pmd_range(),
 * pagemap_hugetlb_range(); fs/proc/page.c, stable_page_flags() (6.1 to 7.3);
 * types of swap entries: include/linux/swap.h (5.10 to 7.3).
 */
struct ptu_cow_verdict ptu_cow_judge(const struct ptu_page *page,
				     const struct ptu_cow_known *known);

/**
 * ptu_cow_begin() - Start a mapping with all pages untouched.
 */
void ptu_cow_begin(struct ptu_cow_count *count, uint64_t pages);

/**
 * ptu_cow_add() - Count one of its pages; call this once per page.
 */
void ptu_cow_add(struct ptu_cow_count *count,
		 const struct ptu_cow_verdict *verdict);

/**
 * ptu_cow_sum() - Add the counts of a mapping to a total.
 */
void ptu_cow_sum(struct ptu_cow_count *total,
		 const struct ptu_cow_count *count);

#endif
