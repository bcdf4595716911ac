/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which pages of a private mapping are copies of its own.  Pure: words of
 * pagemap, kpageflags and kpagecount in, kinds of pages out.
 */
#ifndef PTU_COMPARE_COW_H
#define PTU_COMPARE_COW_H

#include <stdbool.h>
#include <stdint.h>

#include "model/page.h"
#include "report/cow.h"

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

#endif
