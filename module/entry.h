/* SPDX-License-Identifier: GPL-2.0-only */
/* Read each page-table entry once and classify it. */
#ifndef PTA_ENTRY_H
#define PTA_ENTRY_H

#include <linux/mm_types.h>

#include "debug.h"
#include "ptaudit_abi.h"

/*
 * Cost of a cache miss in a hold's budget, in entries: looking up a VMA or reading a
 * struct page.  A cache line has eight entries.
 */
#define PTA_MISS_ENTRIES 8U

/**
 * struct pta_entry - an entry of an upper table
 * @kind: kind of the entry, PTAUDIT_K_NONE for none
 * @entries: for PTAUDIT_K_CHILD: the table that it points to
 * @pfn: PFN of that table; for PTAUDIT_K_LEAF: PFN of the first page
 * @pmd: value of a PMD entry
 * @section: sections in which it was read
 */
struct pta_entry {
	enum ptaudit_kind kind;
	void *entries;
	unsigned long pfn;
	pmd_t pmd;
	struct pta_section section;
};

struct pta_entry pta_read_entry(unsigned int level, const void *entries,
				unsigned int index);
unsigned int pta_none_behind(unsigned int level, const void *entries,
			     unsigned int from, unsigned int behind);
void pta_count_entry(struct ptaudit_table *table, enum ptaudit_kind kind);
void pta_count_ptes(struct ptaudit_table *table, const struct pta_entry *pmd,
		    const unsigned long *pfnmap);
unsigned int pta_count_deposits(struct mm_struct *mm, pmd_t *pmds);

#endif
